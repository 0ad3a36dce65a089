"""Using: `minleak design` from a CSV of ten million rows to a .cloak file, against pyarrow's bare read of that CSV.

The peer is measured twice: as a process that starts, imports pyarrow and reads, which is what a command can be compared
with; and as a read alone, in a process that has read the file before, its memory already at hand.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.measuring import write_counts
from benchmarks.timing import interleaved, line


def main(n: int = 10_000_000, k: int = 10) -> None:
    from pyarrow import csv

    print(f"\nFrom a CSV of {n:,} rows to a .cloak file, in a new process. Values: bytes of the file | rows.")
    with tempfile.TemporaryDirectory() as folder:
        path, cloak = os.path.join(folder, "counts.csv"), os.path.join(folder, "counts.cloak")
        write_counts(path, n)
        command = [sys.executable, "-m", "minleak.cli.app", "design", path, "-k", str(k), "-o", cloak, "--json"]

        def design() -> int:
            subprocess.run(command, check=True, capture_output=True)
            return os.path.getsize(cloak)

        bare = [sys.executable, "-c", f"from pyarrow import csv; print(csv.read_csv({path!r}).num_rows)"]

        def read() -> int:
            return int(subprocess.run(bare, check=True, capture_output=True).stdout)

        timed = interleaved({"ours": design, "process": read, "pyarrow": lambda: csv.read_csv(path).num_rows}, runs=3)
    what = "minleak design, CSV to .cloak"
    line(what, timed["ours"], "pyarrow, a process", timed["process"], bar="(bar 4x)", slower=True)
    line(what, timed["ours"], "pyarrow, read again", timed["pyarrow"], bar="(bar 4x)", slower=True)


if __name__ == "__main__":
    main()
