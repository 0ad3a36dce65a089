"""Keeping blocks together when counts change: who stays, who fills a gap, and who forms a new block."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.labels import Labels
from minleak._data.prior import Prior
from minleak._design.blocks.partition import Partition
from minleak._design.living.matching import match_versions
from minleak._design.rings import Changes

Indices = npt.NDArray[Any]


def updated(partition: Partition, k: int, labels: Labels, prior: Prior) -> tuple[Partition, Changes]:
    """The blocks of secrets with these labels that the prior still has, with those that are new."""
    m, found = len(partition.begins) - 1, match_versions(labels, prior.labels)
    at = np.arange(len(labels)) if found is None else found
    stays = at >= 0
    before = np.full(len(prior), -1, dtype=np.int64)
    before[at[stays]] = partition.block_of()[stays]
    codes, ranks = before.copy(), _comparable(prior)
    new = np.flatnonzero(codes < 0)
    new = new[np.argsort(-ranks[new], kind="stable")]
    gaps, heaviest = _gaps(codes, ranks, m, k)
    taken = _without_cost(ranks[new], heaviest)
    codes[new[taken >= 0]] = gaps[taken[taken >= 0]]
    gaps, rest = np.delete(gaps, taken[taken >= 0]), new[taken < 0]
    whole = len(rest) - len(rest) % k
    codes[rest[:whole]] = m + np.arange(whole) // k
    few = min(len(rest) - whole, len(gaps))
    codes[rest[whole : whole + few]] = gaps[:few]
    _share_the_lightest(codes, ranks, rest[whole + few :], m + whole // k, k)
    _merge(codes, ranks, k)
    return Partition.by_codes(codes), _changes(before, codes, partition.sizes, int(np.count_nonzero(~stays)))


def _gaps(codes: Indices, ranks: Indices, m: int, k: int) -> tuple[Indices, Indices]:
    """The places that are free in blocks that have members, by the block's heaviest member: largest first."""
    heaviest, sizes = _heaviest(codes, ranks, m)
    some = np.flatnonzero((sizes < k) & (sizes > 0))
    gaps = np.repeat(some, k - sizes[some])
    gaps = gaps[np.argsort(-heaviest[gaps], kind="stable")]
    return gaps, heaviest[gaps]


def _heaviest(codes: Indices, ranks: Indices, m: int) -> tuple[Indices, Indices]:
    """Of each of m blocks the weight (or rank) of its heaviest member, and its size."""
    inside = codes >= 0
    heaviest = np.full(m, -1, dtype=ranks.dtype)
    np.maximum.at(heaviest, codes[inside], ranks[inside])
    return heaviest, np.bincount(codes[inside], minlength=m)


def _share_the_lightest(codes: Indices, ranks: Indices, rest: Indices, m: int, k: int) -> None:
    """Put those that are too few for a block, where no gap is left, with the lightest full block, cut in two."""
    if not len(rest):
        return
    heaviest, sizes = _heaviest(codes, ranks, m)
    full = np.flatnonzero(sizes == k)
    if len(full):
        lightest = full[np.argmin(heaviest[full])]
        rest = np.concatenate([np.flatnonzero(codes == lightest), rest])
        rest = rest[np.argsort(-ranks[rest], kind="stable")]
        half = (len(rest) + 1) // 2
        codes[rest[:half]] = lightest
        rest = rest[half:]
    codes[rest] = m


def _merge(codes: Indices, ranks: Indices, k: int) -> None:
    """Put blocks together, those of like weight, as long as they fit into one: that never leaks more."""
    m = int(codes.max()) + 1
    heaviest, sizes = _heaviest(codes, ranks, m)
    some = np.flatnonzero((sizes < k) & (sizes > 0))
    some = some[np.argsort(-heaviest[some], kind="stable")]
    into = np.arange(m)
    hosts: list[list[int]] = [[] for _ in range(k + 1)]  # by the room that they have
    for block, size in zip(some.tolist(), sizes[some].tolist(), strict=True):
        room = next((room for room in range(size, k) if hosts[room]), None)
        host = block if room is None else hosts[room].pop()
        into[block] = host
        hosts[(k if room is None else room) - size].append(host)
    codes[:] = into[codes]


def _changes(before: Indices, codes: Indices, sizes: Indices, gone: int) -> Changes:
    """What became of the old blocks, of these sizes, by where their members are now."""
    old = before >= 0
    last, stayed = _heaviest(before, codes, len(sizes))
    first = np.full(len(sizes), codes.max() + 1, dtype=np.int64)
    np.minimum.at(first, before[old], codes[old])
    whole, there = first == last, stayed > 0
    same = whole & (stayed == sizes) & (np.bincount(codes)[last] == sizes)
    return Changes(
        what="blocks",
        kept=int(np.count_nonzero(there & same)),
        mended=int(np.count_nonzero(there & whole & ~same)),
        remade=int(np.count_nonzero(there & ~whole)),
        new=int(np.count_nonzero(~old)),
        gone=gone,
    )


def _comparable(prior: Prior) -> Indices:
    """The weights, or where they are beyond 64 bits their ranks, which are in the same order."""
    big = prior.weights.dtype == object
    return np.unique(prior.weights, return_inverse=True)[1] if big else prior.weights


def _without_cost(new: Indices, gaps: Indices) -> Indices:
    """For new secrets, heaviest first, a gap each (heaviest first) in a block that has a secret at least as heavy, the
    lightest that is left; -1 where there is none.
    """
    if not len(gaps):
        return np.full(len(new), -1, dtype=np.int64)
    order = np.arange(len(new))
    lightest = np.searchsorted(-gaps, -new, side="right") - 1  # the last gap that is as heavy
    # from the lightest secret up, each takes the last gap before those that are taken
    last = np.minimum.accumulate((lightest - order)[::-1])[::-1] + order
    return np.where(last >= 0, last, -1)
