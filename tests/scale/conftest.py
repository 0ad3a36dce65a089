"""The engines of the conformance suite: DuckDB, and Spark on this machine, which only this machine can reach."""

from __future__ import annotations

import os
import shutil
import sys

import pytest
from tests.scale.priors import PRIORS, ROWS, K, given

from minleak import scale

JAVA = shutil.which("java") or os.environ.get("JAVA_HOME")
needs_java = pytest.mark.skipif(not JAVA, reason="Spark needs Java 17 or 21, and there is none on the path")
IN_SPARK = [needs_java, pytest.mark.xdist_group("spark")]
LOG = """
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {path}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %p %c: %m%n%ex
"""


@pytest.fixture(scope="session")
def duckdb():
    return scale.connect("duckdb")


@pytest.fixture(scope="session")
def spark_log(tmp_path_factory):
    return tmp_path_factory.mktemp("log") / "spark.log"


@pytest.fixture(scope="session")
def spark(spark_log, tmp_path_factory):
    """A session that tries a task four times, and writes its log to a file. Of several workers one has it."""
    from pyspark.sql import SparkSession

    if "PYTEST_XDIST_WORKER" in os.environ:  # FileExistsError: pytest-xdist does not keep the group "spark" together
        (tmp_path_factory.getbasetemp().parent / "spark").touch(exist_ok=False)
    settings = spark_log.with_name("log4j2.properties")
    settings.write_text(LOG.format(path=spark_log))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # small heaps and short queries: the quick compiler and a collector without threads of its own
    java = f"-Dlog4j2.configurationFile=file:{settings} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    builder = SparkSession.builder.appName("minleak tests")
    for name, value in {
        "spark.master": "local[2,4]",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": java,
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than tables of a few hundred rows
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("tables")),
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield scale.connect("spark")
    session.stop()


@pytest.fixture(params=["duckdb", pytest.param("spark", marks=IN_SPARK)], scope="session")
def backend(request):
    """Each engine in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The table of a prior in an engine and its plan, made once for all tests that do not change them."""
    folder, known = tmp_path_factory.mktemp("priors"), {}

    def make(backend, name, layout="stable"):
        if (backend.name, name, layout) not in known:
            table = given(backend, PRIORS[name], folder)
            known[backend.name, name, layout] = table, scale.design(table, K, layout=layout, rows=ROWS)
        return known[backend.name, name, layout]

    return make
