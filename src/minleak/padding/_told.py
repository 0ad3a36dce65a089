"""What results of this room say: their sentences and tables, apart from the mathematics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from minleak.core._text_tables import Table, word

if TYPE_CHECKING:
    from minleak.padding._comparison import PaddingComparison
    from minleak.padding._frames import Frames
    from minleak.padding._limits import Limits, Overheads
    from minleak.padding._result import Padding
    from minleak.padding._samples import SamplePadding
    from minleak.padding._size_table import SizeTable

Parts = list[str | Table]

#: The names of the columns of `share_cells`.
COLUMNS = ("in all", "mean", "median", "worst", "above cap")


def share_cells(found: Overheads) -> list[str]:
    """The shares of overheads as cells of a table, by `COLUMNS`."""
    return [_cell(share) for share in (found.share, found.relative, found.median, found.worst, found.above_cap)]


def _cell(share: float) -> str:
    if share < 10:
        return f"{share:.2%}"
    return "no bound" if math.isinf(share) else f"{share:.3g}x"


def _limits(limits: Limits) -> str:
    return ", ".join(f"{name} {word(value)}" for name, value in limits.to_dict().items())


def tell_padding(found: Padding, usual_cap: float) -> Parts:
    """What objects grow by and leak, and how near that is to the best."""
    cap = usual_cap if found.limits.most is None else found.limits.most
    share, relative, median, worst, above = share_cells(found.overheads)
    reached = "reached: optimal" if found.status == "optimal" else f"{found.gap:.2g} below"
    rows: list[list[Any]] = [
        ["limits", _limits(found.limits)],
        ["mean overhead", f"{found.overhead:.6g} ({share} of the mean size)"],
        ["an object grows by", f"{relative} on average, median {median}, worst {worst}"],
        [f"objects that grow by more than {'the cap' if callable(cap) else f'{100 * cap:.4g}%'}", above],
        ["a guess is right", f"{found.success:.4g} of the time, {found.success_unpadded:.4g} without padding"],
        [f"leakage in {found.entropy.name}", f"{found.leakage:.6g}"],
        ["proven lower bound", f"{found.bound:.6g} ({reached})"],
        ["sizes that can be seen", f"{len(found.observables):,}"],
        ["secrets in the smallest class", f"{found.smallest_class:,}"],
    ]
    return [Table(f"buckets for {found.secrets:,} secrets", (), rows)]


def tell_samples(found: SamplePadding) -> Parts:
    """What the padded sizes of held-out rows reveal."""
    cells = ", ".join(f"{name} {cell}" for name, cell in zip(COLUMNS, share_cells(found.overheads), strict=True))
    rows: list[list[Any]] = [
        ["limits", _limits(found.limits)],
        ["rows fitted, held out", f"{found.rows:,}, {found.held_out:,}"],
        ["sizes that can be seen", len(found.table.values)],
        [f"{found.measure} leakage, held out", f"{found.leakage:.6g} (unpadded {found.unpadded:.6g})"],
        ["the same, fitted rows", f"{found.fitted:.6g} (proven lower bound {found.bound:.6g})"],
        ["one guess is right, held out", f"{found.success:.4f} (without seeing the size {found.blind:.4f})"],
        ["overhead, held out", cells],
    ]
    return [Table(f"padding for {found.secrets:,} secrets with sizes that vary", (), rows)]


def tell_comparison(found: PaddingComparison) -> Parts:
    """A row for each policy and entropy."""
    noisy = any(rival.policy.looks is not None for rival in found.rivals)
    columns = ["policy", *COLUMNS[:4], "entropy", "leaks", "buckets", "bound", "less by", "smallest class"]
    rows = []
    for rival in found.rivals:
        policy, cells = rival.policy, share_cells(rival.policy.overheads)[:4]
        cells[rival.cost == "relative"] += " *"
        for name, ours, theirs in zip(found.entropies, rival.best, policy.leakage, strict=True):
            less = 1 - ours.leakage / theirs if theirs > 0 else 0.0
            classes = f"{policy.smallest_class} -> {ours.smallest_class}"
            looks = ["" if policy.looks is None else policy.looks] * noisy
            rows.append([policy.name, *cells, name, theirs, ours.leakage, ours.bound, f"{less:.1%}", classes, *looks])
    parts: Parts = [Table("", [*columns, *["looks"] * noisy], rows), "* the overhead at which the buckets are the best"]
    if noisy:
        parts.append("looks: after so many at fresh noise one guess is right 95% as often as without padding")
    return parts


def tell_table(found: SizeTable) -> Parts:
    """How many values a table has, and what it does with other sizes."""
    beyond = "refused" if found.beyond is None else f"padded by at most {found.beyond:.4g} of their size"
    bits = f"{math.log2(len(found.values)):.4g} bits"
    if found.beyond is not None:
        times = isinstance(found.values[0], float)
        bits += f" of sizes {'among' if times else 'up to'} these, and more of larger {'or smaller ' * times}ones"
    rows: list[list[Any]] = [
        ["values", len(found.values)],
        ["smallest and largest", f"{found.values[0]:,} and {found.values[-1]:,}"],
        ["tells at most", bits],
        ["larger sizes are", beyond],
    ]
    return [Table("a table of sizes", (), rows)]


def tell_frames(found: Frames) -> Parts:
    """Frame, tick and totals, and what they cost and leak where that was measured."""
    totals = ", ".join(f"{total:,}" for total in found.totals[:12]) + (", ..." if len(found.totals) > 12 else "")
    rows: list[list[Any]] = [
        ["frame", f"{found.frame:,} bytes every {found.tick_ms:,} ms"],
        [f"{len(found.totals)} totals", f"{totals} frames; beyond the largest they double"],
    ]
    cost = found.measured
    if cost is None:
        return [Table("frames", (), rows)]
    within = f"95% within {cost.delay_95:.0f}, 99% {cost.delay_99:.0f}"
    rows += [
        ["bytes on the wire", f"{cost.bytes:,.0f} a stream, {cost.bytes / cost.plain_bytes:.3g} times plain"],
        ["delay of a chunk", f"mean {cost.delay_mean:.0f} ms, {within}"],
        ["blind guess", cost.blind],
        ["a guess from the total", f"{cost.success:.6g}, exact for the recorded streams"],
        ["no attacker can exceed", f"{cost.proven:.6g}, whatever the content" if cost.proven < 1 else "1: no bound"],
        [f"leakage in {cost.entropy}", cost.leakage],
    ]
    return [Table(f"frames for {cost.streams:,} streams of {cost.secrets:,} secrets", (), rows)]
