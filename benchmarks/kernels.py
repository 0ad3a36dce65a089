"""Kernels: the compiled loops of walks and of looking labels up, each alone beside Python, since numpy has no words for
them. Those of sorting, hashing, rates, pricing and padding have their lines in the benchmarks of these.
"""

from __future__ import annotations

import numpy as np

from benchmarks.timing import interleaved, line
from minleak.core import _label_hashing as hashing
from minleak.core._certify import counting as certifying
from minleak.core._labels import bytes_of_names
from minleak.lab.sequences import _rounding as rounding


def main() -> None:
    print("\nThe compiled loops beside Python. Values: checksums.")
    python_lines()


def beside(what: str, ours, peer: str, plain, *, runs: int = 3) -> None:
    """Both ways must give the same."""
    timed = interleaved({"ours": ours, "plain": plain}, runs=runs)
    line(what, timed["ours"], peer, timed["plain"], bar="(bar 3x)")


def python_lines(columns: int = 300, k: int = 8, labels: int = 3000) -> None:
    """Loops that numpy has no words for, beside the same in Python."""
    rng, unit = np.random.default_rng(0), 1 << 40
    matrix = rng.multinomial(unit, rng.dirichlet(np.full(columns, 0.05)), size=k).T.copy()
    column = int(matrix[:, 0].argmax())
    words = rng.integers(0, 2**63, 20_000).astype(np.uint64)
    chosen, trace = np.empty(k, dtype=np.int64), np.zeros((0, rounding.TRACED), dtype=np.int64)

    def rounding_by(round_columns, bin_columns) -> int:
        starts = bin_columns(matrix, unit)
        bins, at = np.add.reduceat(matrix, starts, axis=0), int(np.searchsorted(starts, column, "right")) - 1
        round_columns(bins, unit, 0, at, words, chosen, trace)
        return int(chosen.sum())

    beside(
        f"round_columns and bin_columns, {columns} columns",
        lambda: rounding_by(rounding.round_columns, rounding.bin_columns),
        "Python",
        lambda: rounding_by(rounding.round_columns.py_func, rounding.bin_columns.py_func),
    )
    import pyarrow as pa

    offsets, data = bytes_of_names(pa.array([f"item-{i}" for i in range(labels)]))
    slots = hashing.fill_slots(offsets, data)[0]

    def found_by_python() -> bool:
        with np.errstate(over="ignore"):
            return bool(certifying.labels_found.py_func(offsets, data, slots, 10**9))

    beside(
        f"labels_found, {labels:,} labels",
        lambda: bool(certifying.labels_found(offsets, data, slots, 10**9)),
        "Python",
        found_by_python,
    )


if __name__ == "__main__":
    main()
