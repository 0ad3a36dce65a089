"""Exposure of small plans, in fractions: all streams of all secrets, cut where any version changes its set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Indices
from minleak._design.rings import Arrangement
from minleak._design.stored.sampler import GIANT, LEVEL, OWN

Stretch = tuple[Fraction, Fraction]
Box = dict[int, Stretch]  # stretches of some of a stream's numbers
Sets = tuple[frozenset[int], ...]

# So many pieces of streams, and combinations of sets, are gone through.
_SECRETS, _PIECES, _COMBINATIONS = 64, 500, 200_000


def exact_exposure(
    plans: Sequence[Arrangement], groups: Sequence[bytes], places: Sequence[Indices], weights: npt.NDArray[Any]
) -> float | None:
    """Sum over all combinations of sets of the largest p(x) p(sets given x); None where they are too many.

    `places` are where the secrets that are looked for stand in each plan, `weights` are theirs. Members of a set are
    known by their numbers among these.
    """
    if len(weights) > _SECRETS or sum(plan.n_cells for plan in plans) > _PIECES:
        return None
    together: dict[bytes, list[int]] = {}
    for i, group in enumerate(groups):
        together.setdefault(group, []).append(i)
    backs = [{int(place): x for x, place in enumerate(found.tolist())} for found in places]
    cells = [_named_cells(plan, back) for plan, back in zip(plans, backs, strict=True)]
    given = [Fraction(weight) for weight in weights.tolist()]
    total = sum(given)
    best: dict[tuple[Sets, ...], Fraction] = {}
    for x, weight in enumerate(given):
        if not weight:
            continue
        seen: dict[tuple[Sets, ...], Fraction] = {(): weight / total}
        for numbers in together.values():
            shown = _shown([_boxes(plans[i], cells[i], int(places[i][x])) for i in numbers])
            if shown is None or len(seen) * len(shown) + len(best) > _COMBINATIONS:
                return None
            seen = {(*before, sets): p * q for before, p in seen.items() for sets, q in shown.items()}
        for sets, p in seen.items():
            best[sets] = max(best.get(sets, p), p)
    return float(sum(best.values()))


def _shown(versions: list[list[tuple[Box, frozenset[int]]]]) -> dict[Sets, Fraction] | None:
    """How likely a secret shows which sets in the versions of one lineage."""
    boxes: list[tuple[Box, Sets]] = [({}, ())]
    for cells in versions:
        if len(boxes) * len(cells) > _COMBINATIONS:
            return None
        crossed = ((_crossed(box, other), (*sets, one)) for box, sets in boxes for other, one in cells)
        boxes = [(box, sets) for box, sets in crossed if box is not None]
    shown: dict[Sets, Fraction] = {}
    for box, sets in boxes:
        length = Fraction(1)
        for low, high in box.values():
            length *= high - low
        shown[sets] = shown.get(sets, Fraction(0)) + length
    return shown


def _crossed(one: Box, other: Box) -> Box | None:
    """What is in both; None if nothing is."""
    both = dict(one)
    for number, (low, high) in other.items():
        a, b = both.get(number, (Fraction(0), Fraction(1)))
        both[number] = max(a, low), min(b, high)
        if both[number][0] >= both[number][1]:
            return None
    return both


def _named_cells(plan: Arrangement, back: dict[int, int]) -> dict[str, Any]:
    """Homes, the cells of rings and the sets of idle secrets, each as a set of those that are looked for and others."""

    def named(members: Sequence[int]) -> frozenset[int]:
        return frozenset(back.get(i, -1 - i) for i in members)

    giants = plan.giants.tolist()
    homes = [(row, named([*giants, *row])) for row in plan.homes.members.tolist()]
    rings = []
    for ring in plan.rings:
        cuts = sorted({0, *(ring.starts % ring.length).tolist()})
        for begin, end in zip(cuts, [*cuts[1:], ring.length], strict=True):
            row = ring.member(begin + ring.length * np.arange(ring.u)).tolist()
            rings.append((row, end - begin, named([*giants, *row]), ring, begin))
    idle = [(row, named(row)) for row in (some.tolist() for some in plan.idle_sets())]
    return {"homes": homes, "rings": rings, "idle": idle}


def _boxes(plan: Arrangement, cells: dict[str, Any], x: int) -> list[tuple[Box, frozenset[int]]]:
    """The parts of a secret's stream and the set that each leads to."""
    if not plan.tail or not plan.weights[x]:
        return [({}, sets) for row, sets in cells["idle"] if x in row]
    if x in plan.giants.tolist():
        return list(_giant_boxes(plan, cells))
    found, at, owned = [], 0, plan.u * int(plan.weights[x])
    stretches = [
        (plan.u * int(weight), sets)
        for (row, sets), weight in zip(cells["homes"], plan.homes.weights, strict=True)
        if x in row
    ]
    # a secret's line goes along its segments, each through its phases
    away = []
    for number, (row, length, sets, ring, begin) in enumerate(cells["rings"]):
        if x in row:
            ring_number = next(i for i, one in enumerate(plan.rings) if one is ring)
            away.append((ring_number, row.index(x) * ring.length + begin, number, length, sets))
    stretches += [(length, sets) for *_, length, sets in sorted(away, key=lambda one: one[:3])]
    for length, sets in stretches:
        found.append(({OWN: (Fraction(at, owned), Fraction(at + length, owned))}, sets))
        at += length
    return found


def _giant_boxes(plan: Arrangement, cells: dict[str, Any]) -> Iterator[tuple[Box, frozenset[int]]]:
    by_tree = plan.descent is not None and plan.descent.by_tree
    lengths = [plan.u * int(weight) for weight in plan.homes.weights]
    at = 0
    for home, (_, sets) in enumerate(cells["homes"]):
        box: Box = {GIANT: (Fraction(at, plan.tail), Fraction(at + lengths[home], plan.tail))}
        if by_tree:
            box = {GIANT: (Fraction(0), Fraction(sum(lengths), plan.tail))} | _path(lengths, home)
        yield box, sets
        at += lengths[home]
    for _, length, sets, *_ in cells["rings"]:
        yield {GIANT: (Fraction(at, plan.tail), Fraction(at + length, plan.tail))}, sets
        at += length


def _path(lengths: list[int], home: int) -> Box:
    """The turns of the tree on the way to a home."""
    box: Box = {}
    for level in range(max(len(lengths) - 1, 0).bit_length()):
        node = home >> (level + 1) << (level + 1)
        left, right = sum(lengths[node : node + (1 << level)]), sum(lengths[node + (1 << level) : node + (2 << level)])
        split = Fraction(left, left + right)
        turns_right = home >> level & 1
        box[LEVEL + level] = (split, Fraction(1)) if turns_right else (Fraction(0), split)
    return box
