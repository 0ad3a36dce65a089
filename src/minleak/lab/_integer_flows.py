"""Largest flows through many small bipartite networks at once, in integers of any size, by scipy's flows of 32 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices

Numbers = npt.NDArray[Any]
"""int64 where all is below 2^62, else Python's own integers in an object array."""

# What all networks together may send in one round: scipy adds it up in 32 bits.
_ROUND = 1 << 29


def sum_by(parts: Indices, values: Numbers, many: int) -> Numbers:
    """The sum of the values of each of so many parts."""
    sums = np.zeros(many, dtype=values.dtype)
    np.add.at(sums, parts, values)
    return sums


def largest_flows(
    supply: Numbers, demand: Numbers, tails: Indices, heads: Indices, parts: Indices
) -> tuple[Numbers, Indices, Indices]:
    """The largest flow from sources with a supply to sinks with a demand, along arcs of no limit.

    Networks that share no arc are solved together: `parts[i]` is the network of source i, and in each the supplies and
    the demands have one sum. Returns the flow on each arc, and the sources and the sinks that are reached from supply
    that is left over, in the residual network: a smallest set of sources that lacks most demand, and its neighbours.

    Each round sends what integers of some 29 bits can say, in a unit of each network, and the next one has a unit
    smaller by the number of arcs, which what remains cannot exceed. So the last round, of unit one, leaves nothing.
    """
    import scipy.sparse as sp
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    n, m, many = len(supply), len(demand), int(parts.max()) + 1
    of_arc = parts[tails]
    of_sink = np.zeros(m, dtype=np.int64)
    of_sink[heads] = of_arc
    left, needed = supply.copy(), demand.copy()
    flow: Numbers = np.zeros(len(tails), dtype=supply.dtype)
    source, sink = n + m, n + m + 1
    sources, sinks = np.arange(n), n + np.arange(m)
    begins = np.concatenate([np.full(n, source), sinks, tails, n + heads])
    ends = np.concatenate([sources, np.full(m, sink), n + heads, sources[tails]])

    sizes = np.bincount(parts, minlength=many) + np.bincount(of_sink, minlength=many) + 2 * np.bincount(of_arc)
    total = int(sizes.sum())
    most = -(-_ROUND * sizes // total)
    sums = sum_by(parts, left, many)
    units = [max(-(-s // b), 1) for s, b in zip(sums.tolist(), most.tolist(), strict=True)]
    while True:
        unit, most_of_arc = np.array(units, dtype=supply.dtype), most[of_arc]
        limits = [
            np.minimum(left // unit[parts], most[parts]),
            np.minimum(needed // unit[of_sink], most[of_sink]),
            2 * most_of_arc + 1,
            np.minimum(flow // unit[of_arc], most_of_arc),
        ]
        network = sp.csr_array((np.concatenate(limits).astype(np.int32), (begins, ends)), shape=(n + m + 2, n + m + 2))
        sent = maximum_flow(network, source, sink).flow
        along = np.asarray(sent[begins, ends]).ravel().astype(np.int64).astype(supply.dtype)
        left -= along[:n] * unit[parts]
        needed -= along[n : n + m] * unit[of_sink]
        flow += along[n + m : n + m + len(tails)] * unit[of_arc]
        if max(units) == 1:
            break
        units = [-(-one * total // _ROUND) for one in units]

    open_ends = np.flatnonzero(left > 0)
    back = flow > 0
    begins = np.concatenate([np.full(len(open_ends), source), tails, n + heads[back]])
    ends = np.concatenate([open_ends, n + heads, tails[back]])
    residual = sp.csr_array((np.ones(len(begins), dtype=np.int8), (begins, ends)), shape=(n + m + 1, n + m + 1))
    reached = np.zeros(n + m + 1, dtype=bool)
    reached[breadth_first_order(residual, source, return_predecessors=False)] = True
    return flow, reached[:n], reached[n : n + m]
