"""The engines that tables live in, DuckDB and Spark: how to start one, and the few things that they say differently."""

from __future__ import annotations

import os
import re
import secrets
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import Parameter, Signature
from typing import Any

from minleak.errors import InvalidParameter, MissingExtra, UnreadableFile

# What a vectorised function takes and returns: numpy arrays or lists of one length.
Vectorised = Callable[..., Any]

# PySpark 4 warns at every turn that it has not been tried with pandas 3; what is used of it here is tested with it.
PANDAS_WARNING = "PySpark does not yet fully support pandas"

# Where somebody has said what Spark to use, nothing is said here.
_CONFIGURED = ("SPARK_HOME", "SPARK_CONF_DIR", "SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS")


def connect(
    engine: str = "duckdb",
    *,
    database: str | None = None,
    memory_limit: str | None = None,
    spill: str | os.PathLike[str] | None = None,
) -> Any:
    """An Ibis backend to read tables with: "duckdb", embedded, or "spark".

    Parameters
    ----------
    engine
        "duckdb" runs in this process. "spark" takes the Spark session that is active, or starts one as `spark-submit`,
        SPARK_HOME or SPARK_CONF_DIR say; where nothing is said, one on this machine, on all its cores, which only this
        machine can reach. It needs Java 17 or 21.
    database
        A DuckDB database file, opened for reading alone; in memory if not given.
    memory_limit
        How much memory DuckDB may take, such as "1GB". What does not fit goes to `spill`.
    spill
        A folder for what does not fit, DuckDB's own choice if not given.

    Any Ibis connection to DuckDB or Spark does as well: this one only has defaults that suit large sorts.

    >>> connect("duckdb").name
    'duckdb'
    """
    if engine == "duckdb":
        return _connect_duckdb(database, memory_limit, spill)
    if engine == "spark":
        if database is not None or memory_limit is not None or spill is not None:
            raise InvalidParameter(
                "database, memory_limit and spill are DuckDB's; Spark's are set where its session is made"
            )
        return _connect_spark()
    raise InvalidParameter(f"unknown engine {engine!r}: one of duckdb, spark")


def ibis_module() -> Any:
    """The package ibis, or how to get it."""
    try:
        import ibis
    except ImportError:
        raise MissingExtra.of("data", "tables in an engine need Ibis and DuckDB") from None
    return ibis


def _connect_duckdb(database: str | None, memory_limit: str | None, spill: Any) -> Any:
    ibis = ibis_module()
    options: dict[str, Any] = {"preserve_insertion_order": False}  # nothing here rests on it, and it costs memory
    if memory_limit is not None:
        options["memory_limit"] = memory_limit
    if spill is not None:
        options["temp_directory"] = os.fspath(spill)
    if database is not None and not os.path.isfile(database):
        raise InvalidParameter(f"there is no DuckDB database {database}")
    try:
        import duckdb
    except ImportError:
        raise MissingExtra.of("data", "this engine needs DuckDB") from None
    try:
        backend = ibis.duckdb.connect(database or ":memory:", read_only=database is not None, **options)
        backend.raw_sql("SET enable_progress_bar = false")  # it would go to stdout, among what commands print
        return backend
    except duckdb.Error as error:
        raise InvalidParameter(f"DuckDB does not start so: {str(error).splitlines()[0]}") from None


def _connect_spark() -> Any:
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
            for name, value in {
                "spark.master": "local[*]",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.driver.host": "127.0.0.1",
                "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false",
            }.items():
                builder = builder.config(name, value)
        try:
            session = builder.getOrCreate()
        except Exception as error:
            raise InvalidParameter(
                f"Spark does not start ({type(error).__name__}): it needs Java 17 or 21 on the path or in JAVA_HOME, "
                "such as Debian's openjdk-17-jre-headless"
            ) from None
    return ibis.pyspark.connect(session)


def what_failed(error: BaseException) -> str:
    """The class of an engine's error, and the line if it says one: the rest of it may hold a secret."""
    line = re.search(r"\bCSV Error on Line: ([0-9]+)", str(error))
    return f"({type(error).__name__})" + (f": look at line {line[1]}" if line else "")


@contextmanager
def working() -> Iterator[None]:
    """Let the engine work; where it fails at the data, that is said without its words, which may hold a secret."""
    try:
        yield
    except Exception as error:  # each engine has errors of its own
        if not _is_of_data(error):
            raise
        raise UnreadableFile(f"the engine could not read the data {what_failed(error)}") from None


def _is_of_data(error: Exception) -> bool:
    """Whether an engine says so of what it read, rather than of how it was asked or of what it lacks."""
    package = type(error).__module__.partition(".")[0]
    if package in ("duckdb", "_duckdb"):
        import duckdb

        kinds = duckdb.DataError | duckdb.InvalidInputException | duckdb.IOException
        return isinstance(error, kinds) or type(error) is duckdb.Error  # which damaged pages give
    return package in ("pyspark", "py4j")


class Engine(ABC):
    """An Ibis backend and what has to be said to it in its own way."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend

    @abstractmethod
    def integer(self, digits: Any) -> Any:
        """The integer that at most 15 hexadecimal digits stand for."""

    @abstractmethod
    def vectorised(self, function: Vectorised, inputs: tuple[Any, ...], output: Any) -> Callable[..., Any]:
        """A Python function of whole columns, as a function of expressions.

        What the function holds on to, such as a key, stays in Python: queries name the function alone.
        """

    def keep(self, table: Any) -> Any:
        """The table computed once, for several queries."""
        with working():
            return self._keep(table)

    @abstractmethod
    def _keep(self, table: Any) -> Any:
        """What `keep` does."""

    @abstractmethod
    def drop(self, table: Any) -> None:
        """Forget a table that was kept."""

    def write(self, table: Any, folder: str) -> None:
        """Write the table to a new folder of Parquet files."""
        with working():
            self._write(table, folder)

    @abstractmethod
    def _write(self, table: Any, folder: str) -> None:
        """What `write` does."""

    @abstractmethod
    def read_text(self, files: list[str], delimiter: str) -> Any:
        """Files of separated values with a header, all columns as text; quotes are double, and doubled inside."""

    def arrow(self, table: Any) -> Any:
        """The table in this process's memory, as an Arrow table."""
        with working():
            return self.backend.to_pyarrow(table)

    def rows(self, table: Any) -> list[dict[str, Any]]:
        """The rows of a small table without nulls."""
        return list(self.arrow(table).to_pylist())

    def row(self, table: Any) -> dict[str, Any]:
        """The one row of an aggregate."""
        return self.rows(table)[0]


def _present(function: Any, inputs: int) -> None:
    """Give a function of any columns a name of its own and the signature that Ibis wants to see."""
    function.__name__ = f"minleak_{secrets.token_hex(4)}"
    function.__signature__ = Signature([Parameter(f"c{i}", Parameter.POSITIONAL_OR_KEYWORD) for i in range(inputs)])


class DuckDB(Engine):
    """DuckDB, in this process."""

    def integer(self, digits: Any) -> Any:
        return ibis_module().literal("0x").concat(digits).cast("int64")

    def vectorised(self, function: Vectorised, inputs: tuple[Any, ...], output: Any) -> Callable[..., Any]:
        import pyarrow as pa

        def of_arrow(*columns: Any) -> Any:
            return pa.array(function(*(column.to_pylist() for column in columns)))

        _present(of_arrow, len(inputs))
        made: Callable[..., Any] = ibis_module().udf.scalar.pyarrow(of_arrow, signature=(inputs, output))
        return made

    def _keep(self, table: Any) -> Any:
        return self.backend.create_table(f"minleak_{secrets.token_hex(8)}", table, temp=True)

    def drop(self, table: Any) -> None:
        # Ibis 12 and the SQL it is given by sqlglot disagree about DROP, so it is spelled out.
        self.backend.raw_sql(f'DROP TABLE IF EXISTS temp.main."{table.get_name()}"')

    def _write(self, table: Any, folder: str) -> None:
        # Sums are of 128 bits, which Parquet has not: they would become floats. Ibis takes them for 64 bits and leaves
        # out a cast to what they seem to be already, so that it goes by decimals, which are exact.
        integers = [name for name, kind in table.schema().items() if kind.is_int64()]
        exact = table.mutate(**{name: table[name].cast("decimal(38, 0)").cast("int64") for name in integers})
        self.backend.to_parquet(exact, folder, per_thread_output=True)

    def read_text(self, files: list[str], delimiter: str) -> Any:
        # what is not said is guessed from the first rows
        said = {"delim": delimiter, "quote": '"', "escape": '"', "comment": "", "skip": 0}
        return self.backend.read_csv(files, all_varchar=True, header=True, **said)


class Spark(Engine):
    """Spark, here or on a cluster."""

    def integer(self, digits: Any) -> Any:
        ibis = ibis_module()

        def conv(digits: Any, from_base: Any, to_base: Any) -> Any: ...

        return ibis.udf.scalar.builtin(conv, signature=((str, int, int), str))(digits, 16, 10).cast("int64")

    def vectorised(self, function: Vectorised, inputs: tuple[Any, ...], output: Any) -> Callable[..., Any]:
        def of_pandas(*columns: Any) -> Any:
            import pandas as pd

            return pd.Series(function(*(column.tolist() for column in columns)))

        _present(of_pandas, len(inputs))
        made: Callable[..., Any] = ibis_module().udf.scalar.pandas(of_pandas, signature=(inputs, output))
        return made

    def _keep(self, table: Any) -> Any:
        self.backend.to_pyarrow(table.limit(0))  # Ibis 12 registers functions and small tables only where it fetches
        kept = table.cache()
        self.backend.to_pyarrow(kept.count())  # now, while what it is made of is still kept
        return kept

    def drop(self, table: Any) -> None:
        table.release()

    def _write(self, table: Any, folder: str) -> None:
        self.backend.to_parquet(table, folder)

    def read_text(self, files: list[str], delimiter: str) -> Any:
        said = {"sep": delimiter, "quote": '"', "escape": '"', "multiLine": True}
        return self.backend.read_csv(files, header=True, inferSchema=False, **said)


ENGINES: dict[str, type[Engine]] = {"duckdb": DuckDB, "pyspark": Spark}


def as_table(table: Any) -> Any:
    """An Ibis table: the one given, or a pandas or Arrow table, which DuckDB then works on."""
    ibis = ibis_module()
    if isinstance(table, ibis.expr.types.Table):
        return table
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__dataframe__"):
        return ibis.memtable(table)
    raise InvalidParameter(
        f"a table of an engine is an Ibis table (see warehouse.read), a pandas or an Arrow table, not "
        f"{type(table).__name__}"
    )


def engine_of(*tables: Any) -> Engine:
    """The one engine that all the tables live in."""
    ibis = ibis_module()
    from ibis.common.exceptions import IbisError

    found: list[Any] = []
    for table in tables:
        try:
            backend = ibis.get_backend(table) if _is_bound(table) else None
        except IbisError:
            raise InvalidParameter("the parts of a table live in different engines: read them with one") from None
        if backend is not None and all(backend is not other for other in found):
            found.append(backend)
    if len(found) > 1:
        raise InvalidParameter("the tables live in different connections: read all of them with one backend")
    backend = found[0] if found else connect("duckdb")
    if backend.name not in ENGINES:
        raise InvalidParameter(f"tables live in DuckDB or Spark here, not in {backend.name}")
    return ENGINES[backend.name](backend)


def _is_bound(table: Any) -> bool:
    """Whether the table is in some engine rather than in this process's memory alone."""
    from ibis.expr import operations as ops

    return any(not isinstance(op, ops.InMemoryTable) for op in table.op().find(ops.PhysicalTable) if _is_source(op))


def _is_source(op: Any) -> bool:
    from ibis.expr import operations as ops

    return isinstance(op, ops.InMemoryTable | ops.DatabaseTable | ops.SQLQueryResult)
