"""The engines that tables live in, by name, and how to start one. A new one is a file with a subclass of Engine, and a
line here.
"""

from __future__ import annotations

import os
from inspect import signature
from typing import Any

from minleak.errors import InvalidParameter
from minleak.scale._engines.base import Engine, shown
from minleak.scale._engines.duckdb import DuckDB
from minleak.scale._engines.spark import Spark

ENGINES: dict[str, type[Engine]] = {
    "duckdb": DuckDB,
    "spark": Spark,
}


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
        "duckdb" runs in this process. "spark" takes the active Spark session, or starts one as configured by
        `spark-submit`, SPARK_HOME or SPARK_CONF_DIR; without these, one on all cores of this machine, which only this
        machine can reach. It needs Java 17 or 21.
    database
        A DuckDB database file, opened for reading alone; in memory if not given.
    memory_limit
        How much memory DuckDB may take, such as "1GB". What does not fit goes to `spill`.
    spill
        A folder for what does not fit, DuckDB's own choice if not given.

    Any Ibis connection to DuckDB or Spark will do: this one has defaults for large sorts.

    >>> connect("duckdb").name
    'duckdb'
    """
    if not isinstance(engine, str) or engine not in ENGINES:
        raise InvalidParameter(f"unknown engine {shown(engine)}: one of {', '.join(ENGINES)}")
    return start(ENGINES[engine], database=database, memory_limit=memory_limit, spill=spill)


def start(kind: type[Engine], **options: Any) -> Any:
    """An Ibis backend of this kind, with the given options of `connect`; those of other engines are refused."""
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        takers = [other for other in ENGINES.values() if name in signature(other.connect).parameters]
        if kind not in takers:
            those = " or ".join(other.__name__ for other in takers)
            raise InvalidParameter(
                f"{name} is for {those}, not for {kind.__name__}: choose that engine, or leave it out"
            )
    return kind.connect(**given)


def engine_for(backend: Any) -> Engine:
    """The engine of an Ibis backend; None starts DuckDB."""
    backend = connect() if backend is None else backend
    for kind in ENGINES.values():
        if getattr(backend, "name", None) == kind.ibis_name:
            return kind(backend)
    what = getattr(backend, "name", type(backend).__name__)
    raise InvalidParameter(f"tables live in one of {', '.join(ENGINES)} here (see scale.connect), not in {what}")
