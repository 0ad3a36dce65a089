"""Spark, here or on a cluster."""

from __future__ import annotations

import os
import secrets
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

from minleak.errors import InvalidParameter, MissingExtra, UnreadableFile
from minleak.scale._engines.base import Engine, ibis_module, present

# If one of these is set, Spark is configured already.
_CONFIGURED = ("SPARK_HOME", "SPARK_CONF_DIR", "SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS")

_ON_THIS_MACHINE = {
    "spark.master": "local[*]",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class Spark(Engine):
    """Spark, here or on a cluster."""

    ibis_name = "pyspark"
    goes_by_names = False

    @classmethod
    def connect(cls) -> Any:
        ibis = ibis_module()
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            raise MissingExtra.of("spark", "the engine spark needs PySpark") from None
        session = SparkSession.getActiveSession()
        if session is None:
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            builder = SparkSession.builder.appName("minleak")
            if not any(os.environ.get(name) for name in _CONFIGURED):
                os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
                for name, value in _ON_THIS_MACHINE.items():
                    builder = builder.config(name, value)
            try:
                session = builder.getOrCreate()
            except Exception as error:
                raise InvalidParameter(
                    f"Spark does not start ({type(error).__name__}): it needs Java 17 or 21 on the path or in "
                    "JAVA_HOME, such as Debian's openjdk-17-jre-headless"
                ) from None
        return ibis.pyspark.connect(session)

    def integer(self, digits: Any) -> Any:
        def conv(digits: Any, from_base: Any, to_base: Any) -> Any: ...

        base = ibis_module().udf.scalar.builtin(conv, signature=((str, int, int), str))
        return base(digits, 16, 10).cast("int64")

    def vectorise(self, function: Callable[..., Any], inputs: tuple[Any, ...], output: Any) -> Callable[..., Any]:
        def of_pandas(*columns: Any) -> Any:
            import pandas as pd

            return pd.Series(function(*(column.tolist() for column in columns)))

        udf = ibis_module().udf.scalar
        made: Callable[..., Any] = udf.pandas(present(of_pandas, len(inputs)), signature=(inputs, output))
        return made

    def read_parquet(self, files: list[str]) -> Any:
        return self._load(files, format="parquet")

    def read_text(self, files: list[str], delimiter: str, header: list[str]) -> Any:
        from pyspark.sql.types import StringType, StructField, StructType

        # without a schema Spark would infer one from all files that match the name
        schema = StructType([StructField(name or f"_c{i}", StringType()) for i, name in enumerate(header)])
        said = {"sep": delimiter, "quote": '"', "escape": '"', "multiLine": True, "header": True}
        # rows that are too long or too short fail, also in columns that are not selected
        return self._load(files, format="csv", schema=schema, mode="FAILFAST", columnPruning=False, **said)

    def read_lines(self, files: list[str]) -> Any:
        lines = self._load(files, format="text", lineSep="\n")
        return lines.select(secret=lines.value.re_replace("^\ufeff|\r$", ""))

    def _load(self, files: list[str], **said: Any) -> Any:
        """A table of exactly these files: names are no patterns, and hidden files, which Spark omits, are refused."""
        frame = self.backend._session.read.load(files, __globPaths__=False, **said)
        if sorted(unquote(urlsplit(uri).path) for uri in frame.inputFiles()) != sorted(files):
            raise UnreadableFile(f"Spark does not read {files[0]} by its name: names must not begin with . or _")
        name = f"minleak_{secrets.token_hex(8)}"
        frame.createOrReplaceTempView(name)
        return self.backend.table(name)

    def keep(self, table: Any) -> Any:
        with self.working():
            self.backend.to_pyarrow(table.limit(0))  # Ibis 12 registers functions and small tables where it fetches
            kept = table.cache()
            try:
                self.backend.to_pyarrow(kept.count())  # now, while its sources are still kept
            except BaseException:
                self.drop(kept)
                raise
            return kept

    def drop(self, table: Any) -> None:
        table.release()

    def write(self, table: Any, folder: str) -> None:
        with self.working():
            self.backend.to_parquet(table, folder)

    @contextmanager
    def working(self) -> Iterator[None]:
        with warnings.catch_warnings():
            # before its error PySpark warns with the row at which it failed
            warnings.filterwarnings("ignore", message="toPandas attempted Arrow", category=UserWarning)
            with super().working():
                yield

    def is_of_data(self, error: Exception) -> bool:
        return type(error).__module__.partition(".")[0] in ("pyspark", "py4j")

    def is_of_memory(self, error: Exception) -> bool:
        return "java.lang.OutOfMemoryError" in str(error)
