"""Using: `minleak design` from a CSV of ten million rows to a .cloak file, against pyarrow's bare read of that CSV."""

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

        timed = interleaved({"ours": design, "pyarrow": lambda: csv.read_csv(path).num_rows}, runs=2)
    line("minleak design, CSV to .cloak", timed["ours"], "pyarrow", timed["pyarrow"], bar="(bar 4x)", slower=True)


if __name__ == "__main__":
    main()
