"""Kernels: the compiled loops of drawing, certifying and sweeping, each alone beside numpy, or Python where numpy has
no words for it. Those of sorting, hashing, rates, pricing and padding have their lines in the benchmarks of these.
"""

from __future__ import annotations

import numpy as np

import minleak as ml
from benchmarks.designing import weights_of
from benchmarks.timing import Timed, interleaved, line
from minleak.core import _label_hashing as hashing
from minleak.core._certify import counting as certifying
from minleak.core._labels import bytes_of_names
from minleak.core._plan import drawing, mismatch
from minleak.lab.sequences import _rounding as rounding


def main(n: int = 1_000_000, k: int = 8) -> None:
    print(f"\nThe compiled loops, n = {n:,}, k = {k}. Values: checksums.")
    weights = weights_of(n)
    circle, stable = (ml.design(weights, k, layout=layout) for layout in ("circle", "stable"))
    drawing_lines(stable)
    certifying_lines(circle)
    sweeping_line(ml.design(weights, 20, layout="circle"))
    python_lines()


def beside(what: str, ours, peer: str, plain, *, runs: int = 3, share: float = 1.0) -> None:
    """Both ways must give the same; `share` is the part of the work that the plain way is given."""
    timed = interleaved({"ours": ours, "plain": plain}, runs=runs)
    line(what, timed["ours"], peer, Timed(timed["plain"].seconds / share, timed["plain"].value), bar="(bar 3x)")


def drawing_lines(plan: ml.Plan, draws: int = 100_000, few: int = 1000) -> None:
    sampler, n = plan.sampler(), len(plan.weights)
    members, starts, shift = sampler.line.members, sampler.line.starts, sampler.tables.shift
    none, size = np.full(n, -1, dtype=members.dtype), len(sampler.tables.guide)

    def linked() -> int:
        first, following = drawing.link_segments(members, none.copy())
        return int(first.sum()) + int(following.sum())

    def linked_by_numpy() -> int:
        order = np.argsort(members, kind="stable").astype(members.dtype)
        same = members[order][1:] == members[order][:-1]
        following, first = np.full_like(members, -1), none.copy()
        following[order[:-1][same]] = order[1:][same]
        first[members[::-1]] = np.arange(len(members) - 1, -1, -1, dtype=members.dtype)
        return int(first.sum()) + int(following.sum())

    beside("link_segments", linked, "argsort", linked_by_numpy)
    beside(
        "guide_table",
        lambda: int(drawing.guide_table(starts, shift, size, members).sum()),
        "searchsorted",
        lambda: int((np.searchsorted(starts, np.arange(size) << shift, side="right") - 1).sum()),
    )
    rng = np.random.default_rng(0)
    secrets = rng.integers(0, n, draws)
    places = rng.integers(0, sampler.owned(secrets))
    beside(
        f"draw_sets, {draws:,} draws",
        lambda: int(sampler.locate(secrets, places)[:few].sum()),
        "Python",
        lambda: sum(sum(sampler.set_at(int(secrets[i]), int(places[i]))) for i in range(few)),
        share=few / draws,
    )


def certifying_lines(circle: ml.Plan) -> None:
    weights, u = circle.weights, circle.u
    [ring] = circle.rings
    end = u * ring.length

    def line_by_numpy() -> tuple[bool, ...]:
        sizes = np.diff(ring.starts, append=end)
        return bool((sizes <= ring.length).all()), bool((sizes == u * weights).all())

    beside(
        "measure_line",
        lambda: certifying.measure_line(ring.starts, end, ring.length, u, weights),
        "numpy",
        line_by_numpy,
    )


def sweeping_line(plan: ml.Plan) -> None:
    """The leakage under another prior at k = 20: sums carried from cell to cell, and every set looked at."""
    H, other = ml.Shannon(), ml.Prior(plan.weights[::-1].copy())
    carried = mismatch._carries

    def every_set() -> float:
        mismatch._carries = lambda _: False
        try:
            return mismatch.mismatched_leakage(plan, H, other)
        finally:
            mismatch._carries = carried

    beside("sweep_cells", lambda: mismatch.mismatched_leakage(plan, H, other), "every set", every_set, runs=1)


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
