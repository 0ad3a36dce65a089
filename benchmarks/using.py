"""Using: `minleak design` from a CSV of ten million rows to a .cloak file, against pyarrow's bare read of that CSV.

Like is compared with like: the command with a process that starts, imports pyarrow and reads; and the same calls in a
process that has made them before with a read there.

Where memory that nobody uses goes back to a host, the first to ask for it waits: a second for what pyarrow needs. So
both are measured twice: right after a process that took much memory and gave it back, and after a pause.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time

import minleak as ml
from benchmarks.measuring import write_counts
from benchmarks.timing import interleaved, line

_TOUCH = "import numpy; numpy.ones(4 * 10**8)"
_PAUSE = 6.0


def main(n: int = 10_000_000, k: int = 10) -> None:
    from pyarrow import csv

    print(f"\nFrom a CSV of {n:,} rows to a .cloak file, in a new process. Values: bytes of the file | rows.")
    with tempfile.TemporaryDirectory() as folder:
        path, cloak = os.path.join(folder, "counts.csv"), os.path.join(folder, "counts.cloak")
        write_counts(path, n)
        command = [sys.executable, "-m", "minleak.cli._app", "design", path, "-k", str(k), "-o", cloak, "--json"]
        bare = [sys.executable, "-c", f"from pyarrow import csv; print(csv.read_csv({path!r}).num_rows)"]

        def design() -> int:
            subprocess.run(command, check=True, capture_output=True)
            return os.path.getsize(cloak)

        def read() -> int:
            return int(subprocess.run(bare, check=True, capture_output=True).stdout)

        def afresh() -> None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(cloak)

        def at_hand() -> None:
            afresh()
            subprocess.run([sys.executable, "-c", _TOUCH], check=True)

        def after_a_pause() -> None:
            afresh()
            time.sleep(_PAUSE)

        def within() -> int:
            ml.design(ml.read_prior(path), k).save(cloak)
            return os.path.getsize(cloak)

        ready = interleaved({"ours": design, "peer": read}, runs=5, before=at_hand)
        again = interleaved({"ours": within, "peer": lambda: csv.read_csv(path).num_rows}, runs=5, before=at_hand)
        later = interleaved({"ours": design, "peer": read}, runs=3, before=after_a_pause)
    what = "minleak design, CSV to .cloak"
    line(what, ready["ours"], "pyarrow, a process", ready["peer"], bar="(bar 6x)", slower=True)
    line(f"{what}, idle before", later["ours"], "pyarrow, a process", later["peer"], bar="(bar 6x)", slower=True)
    what = "read_prior, design, save, not the first time"
    line(what, again["ours"], "pyarrow", again["peer"], bar="(bar 6x)", slower=True)


if __name__ == "__main__":
    main()
