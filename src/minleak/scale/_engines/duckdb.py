"""DuckDB, in this process."""

from __future__ import annotations

import os
import re
import secrets
import zlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from minleak.errors import InvalidParameter, MinleakError, MissingExtra, UnreadableFile
from minleak.io._sources import open_gzip
from minleak.scale._engines.base import QUOTING, Engine, ibis_module, path_text, present


class DuckDB(Engine):
    """DuckDB, in this process."""

    ibis_name = "duckdb"
    goes_by_names = True

    @classmethod
    def connect(cls, *, database: Any = None, memory_limit: Any = None, spill: Any = None) -> Any:
        ibis = ibis_module()
        try:
            import duckdb  # noqa: F401  Ibis would name another package
        except ImportError:
            raise MissingExtra.of("data", "this engine needs DuckDB") from None
        options: dict[str, Any] = {"preserve_insertion_order": False}  # not needed, and costs memory
        if memory_limit is not None:
            options["memory_limit"] = memory_limit
        if spill is not None:
            options["temp_directory"] = path_text(spill, InvalidParameter)
        name = ":memory:" if database is None else path_text(database, InvalidParameter)
        if database is not None and not os.path.isfile(name):
            raise InvalidParameter(f"there is no DuckDB database {name}")
        try:
            backend = ibis.duckdb.connect(name, read_only=database is not None, **options)
            backend.raw_sql("SET enable_progress_bar = false")  # it would be printed to stdout
            return backend
        except Exception as error:  # of DuckDB, or of Python for options of a wrong type
            raise InvalidParameter(f"DuckDB does not start so: {str(error).splitlines()[0]}") from None

    def integer(self, digits: Any) -> Any:
        return ibis_module().literal("0x").concat(digits).cast("int64")

    def vectorise(self, function: Callable[..., Any], inputs: tuple[Any, ...], output: Any) -> Callable[..., Any]:
        def of_arrow(*columns: Any) -> Any:
            return pa.array(function(*(column.to_pylist() for column in columns)))

        udf = ibis_module().udf.scalar
        made: Callable[..., Any] = udf.pyarrow(present(of_arrow, len(inputs)), signature=(inputs, output))
        return made

    def read_parquet(self, files: list[str]) -> Any:
        # otherwise a folder count=7/ would add a column
        return self.backend.read_parquet([self._pattern(file) for file in files], hive_partitioning=False)

    def read_text(self, files: list[str], delimiter: str, header: list[str]) -> Any:  # noqa: ARG002  Spark needs it
        return self._separated(files, delim=delimiter, quote='"', escape='"', header=True, all_varchar=True)

    def read_lines(self, files: list[str]) -> Any:
        # without a delimiter a line is one value, and line ends of two kinds are refused
        return self._separated(files, delim="", quote="", escape="", header=False, columns={"secret": "VARCHAR"})

    def _separated(self, files: list[str], **said: Any) -> Any:
        for file in files:
            if file.lower().endswith(".gz"):
                _check_gzip(file)
        patterns = [self._pattern(file) for file in files]
        # otherwise DuckDB would guess these from the first rows, or from the names of folders
        return self.backend.read_csv(patterns, comment="", skip=0, hive_partitioning=False, **said)

    def _pattern(self, file: str) -> str:
        """The pattern that matches only this file: DuckDB takes every name for a pattern."""
        import duckdb

        pattern = re.sub(r"[\[*?]", r"[\g<0>]", file)
        try:
            if pattern == file or self.backend.con.execute("FROM glob(?)", [pattern]).fetchall() == [(file,)]:
                return pattern
        except duckdb.Error:
            pass  # it fails at backslashes beside a pattern, in any name of the folder
        raise UnreadableFile(f"DuckDB does not find {file} by its name: rename it, or its folder, without [ * ? \\")

    def keep(self, table: Any) -> Any:
        name = f"minleak_{secrets.token_hex(8)}"
        with self.working():
            try:
                return self.backend.create_table(name, table, temp=True)
            except BaseException:  # Ibis makes the table first, and fills it then
                self._drop(name)
                raise

    def drop(self, table: Any) -> None:
        self._drop(table.op().name)  # get_name() names the catalog too

    def _drop(self, name: str) -> None:
        # Ibis 12 and the SQL it is given by sqlglot disagree about DROP, so it is spelled out.
        self.backend.raw_sql(f'DROP TABLE IF EXISTS temp.main."{name}"')

    def write(self, table: Any, folder: str) -> None:
        if "\\" in folder:
            raise InvalidParameter(f"DuckDB takes a backslash for a folder, so it does not write {folder!r}: rename it")
        # Sums have 128 bits, which Parquet lacks: they would become floats. Ibis takes them for 64 bits and omits a
        # cast to int64, so cast by way of decimals, which are exact.
        integers = [name for name, kind in table.schema().items() if kind.is_int64()]
        exact = table.mutate(**{name: table[name].cast("decimal(38, 0)").cast("int64") for name in integers})
        with self.working():
            self.backend.to_pyarrow(exact.limit(0))  # Ibis registers functions and small tables where it fetches
            # Ibis itself writes the path into the query as Python would, so that a quote in it ends it
            copy = f"COPY ({self.backend.compile(exact)}) TO ? (FORMAT parquet, PER_THREAD_OUTPUT true)"
            self.backend.con.execute(copy, [folder])

    def refusal(self, error: Exception) -> MinleakError:
        line = re.search(r"\bCSV Error on Line: ([0-9]+)", str(error))
        if line:
            return UnreadableFile(f"the engine could not read the data: look at line {line[1]} ({QUOTING})")
        if "CSV Parser state machine" in str(error):
            return UnreadableFile(f"the engine could not read the data: its lines do not all end alike, or {QUOTING}")
        return super().refusal(error)

    def is_of_data(self, error: Exception) -> bool:
        import duckdb

        kinds = duckdb.DataError | duckdb.InvalidInputException | duckdb.IOException
        return isinstance(error, kinds) or type(error) is duckdb.Error  # which damaged pages give

    def is_of_memory(self, error: Exception) -> bool:
        import duckdb

        return isinstance(error, duckdb.OutOfMemoryException)


def _check_gzip(file: str) -> None:
    """Refuse a damaged gzip file: DuckDB verifies neither checksums nor the decompressed size."""
    try:
        with open_gzip(file, file) as content:
            while content.read(1 << 20):
                pass
    except (OSError, EOFError, zlib.error):
        raise UnreadableFile(f"cannot read {file}: it is damaged, no whole gzip file") from None
