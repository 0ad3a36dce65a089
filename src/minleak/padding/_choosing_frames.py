"""frames: choose the frame, the tick and the totals that leak least within a budget of bytes and of delay."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.names import as_entropy
from minleak.core._parameters import real, whole
from minleak.core._prior import Prior
from minleak.core._progress import Progress, no_progress
from minleak.errors import Infeasible, InvalidParameter
from minleak.padding._frames import LEAST_FRAME, LONGEST_TICK, MOST_FRAME, MOST_TOTALS, Frames, joint_of
from minleak.padding._streams import EVENT, RECORD, Sent, Streams, as_streams, send_in_frames

# Ticks to try: these multiples of powers of ten, from this share of the delay on (shorter ones cost more records).
# Frames to try: this many rates between these multiples of the mean rate.
_TICKS, _SHARE = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8), 0.125
_RATES, _SLOWEST, _FASTEST = 12, 0.7, 8.0
# The most candidates for totals, while searching for frames and in the end.
_COARSE, _FINE = 64, 400
# Frames are multiples of this many bytes; the shortest tick in milliseconds.
_STEP, _SHORTEST = 8, 5
# The share of chunks that keep the delay.
_KEPT = 0.95
# The most steps to find a price that keeps the budget, each of four times the last, and to bisect it.
_STEPS = 30
# Overheads, and values, that differ by less than this are equal up to rounding.
_TOLERANCE = 1e-12


def frames(
    streams: Any,
    prior: Prior | Iterable[Any] | None = None,
    *,
    budget: float,
    delay: float,
    totals: int = 16,
    frame: int | None = None,
    tick: int | None = None,
    entropy: ConditionalEntropy | str = "shannon",
    progress: Progress | None = None,
) -> Frames:
    """Send a stream as frames of f bytes at ticks of t ms, empty ones when the application has nothing to send, and end
    it at a total number of frames from a table: minimise H(X) - H(X|T) over f, t and the table, where X is the secret
    of the stream, such as its topic, and T its total.

    T is all that is seen of a stream. So whatever its content and the attacker, a guess of X is right with probability
    at most min(1, (number of totals) max p(x)); after s streams of one secret, (number of totals)^s max p(x). The
    leakage of T is exact for the recorded streams: measure others with `Frames.measure`.

    Parameters
    ----------
    streams
        `Streams`, or a table or file with the columns stream, secret, time, size.
    prior
        The probability of each secret; its share of the recorded streams if not given.
    budget
        The most bytes that frames may add to a stream on the wire, on the mean. Sent plainly, a chunk is an event (8
        bytes beside its content) in a record (32 bytes, of TLS and HTTP); frames hold events, and each is a record.
    delay
        The most milliseconds by which 95% of the chunks are delayed.
    totals
        The largest number of totals: fewer prove more.
    frame, tick
        Bytes of a frame and milliseconds of a tick, if they are given.
    entropy
        An entropy of the paper's form, by name or as an object.
    progress
        Called with the pairs of frame and tick tried, their number and the next one.

    Raises
    ------
    Infeasible
        If no frames keep budget and delay; the message says what the least would be.

    Among frames of equal leakage those with fewer totals are chosen. Cost: O(chunks) for each of some 100 pairs (f, t),
    and a dynamic programme over candidates for totals.

    >>> rows = {"stream": [0, 0, 1, 1, 2, 2], "secret": ["a", "a", "b", "b", "b", "b"],
    ...         "time": [0, 50, 0, 80, 10, 60], "size": [3, 30, 8, 9, 7, 20]}
    >>> found = frames(rows, budget=100, delay=100)
    >>> len(found.totals), found.measured.leakage
    (1, 0.0)
    """
    recorded = as_streams(streams)
    weights, H = recorded.weights(prior), as_entropy(entropy)
    allowed = real(budget, "the budget is a mean number of bytes from 0 on", least=0.0)
    longest = real(delay, "the delay is a number of milliseconds above 0", above=0.0, below=np.inf)
    most = whole(totals, "totals, how many there may be,", 1, MOST_TOTALS)
    if not isinstance(H, Entropy) or H.combine is not np.sum:
        raise InvalidParameter(f"totals cannot be valued one by one in {H.name}: use shannon or min-entropy")
    plain = float(weights @ recorded.bytes_on_the_wire())
    search = _TotalsSearch(recorded, weights, H, plain + allowed, most)
    best, quickest, cheapest = None, np.inf, np.inf
    pairs, report = list(_pairs(recorded, longest, frame, tick)), progress or no_progress
    for i, (f, t) in enumerate(pairs):
        report(i, len(pairs), f"{f:,} bytes every {t:,} ms")
        sent = send_in_frames(recorded, f, t)
        late = float(np.quantile(sent.delays, _KEPT))
        quickest = min(quickest, late)
        if late > longest:
            continue
        cheapest = min(cheapest, float(weights @ sent.needs) * (f + RECORD))
        found = search.table(sent, f, _COARSE)
        if found is not None and (best is None or (found[0], len(found[1]), late) < best[0]):
            best = ((found[0], len(found[1]), late), f, t)
    if best is None:
        if quickest > longest:
            raise Infeasible(
                f"no frames delay 95% of the chunks by at most {longest:g} ms: allow {np.ceil(quickest):g}"
            )
        raise Infeasible(
            f"frames that keep the delay add {max(0.0, cheapest - plain):,.0f} bytes to a stream or more, with few "
            f"totals far more, and the budget is {allowed:,.0f}: allow more bytes, more delay or more totals"
        )
    _, f, t = best
    found = search.table(send_in_frames(recorded, f, t), f, _FINE)
    chosen = Frames(f, t, found[1] if found is not None else (1,))
    return replace(chosen, measured=chosen.measure(recorded, prior, entropy=H))


class _TotalsSearch:
    """The best table of totals for any frames, within a number of bytes on the wire and of totals."""

    def __init__(self, streams: Streams, weights: Array, H: Entropy, wire: float, most: int) -> None:
        self._streams, self._weights, self._H, self._wire, self._most = streams, weights, H, wire, most
        p = np.bincount(streams.x, weights=weights)
        self._before = H.eta(float(H.perspective(p[p > 0])))

    def table(self, sent: Sent, f: int, ends: int) -> tuple[float, tuple[int, ...]] | None:
        """Leakage and totals; None if none keep the budget. Candidates for totals are the numbers of frames needed, or
        `ends` quantiles if there are more.
        """
        allowed = self._wire / (f + RECORD)
        needs, y = np.unique(sent.needs, return_inverse=True)
        if len(needs) > ends:
            cuts = np.quantile(sent.needs, np.linspace(0, 1, ends + 1)[1:], method="higher").astype(np.int64)
            needs = np.unique(cuts)
            y = np.searchsorted(needs, sent.needs)
        joint = joint_of(self._streams.x, y, self._weights, (len(self._streams.secrets), len(needs)))
        mean = float(joint.sum(axis=0) @ needs)
        found = best_joint_buckets(
            joint[joint.sum(axis=1) > 0], needs.astype(np.float64), self._H, budget=allowed - mean, buckets=self._most
        )
        if found is None or allowed < mean:
            return None
        leaked = max(0.0, self._before - found.posterior)
        return round(leaked, 9), tuple(int(total) for total in needs[found.cuts - 1])


def _pairs(streams: Streams, delay: float, frame: int | None, tick: int | None) -> Iterator[tuple[int, int]]:
    """Frames and ticks to try: ticks up to the delay, frames around the rate at which bytes come."""
    if frame is not None:
        whole(frame, "the bytes of a frame", LEAST_FRAME, MOST_FRAME)
    if tick is None:
        tens = [round(base * 10**power) for power in range(5) for base in _TICKS]
        least = max(_SHORTEST, _SHARE * delay)
        ticks = sorted({t for t in tens if least <= t <= min(delay, LONGEST_TICK)}) or [_SHORTEST]
    else:
        ticks = [whole(tick, "the tick in milliseconds", 1, LONGEST_TICK)]
    carried = np.add.reduceat(streams.size + EVENT, streams.starts[:-1])
    lasted = streams.at[streams.starts[1:] - 1] / 1000.0
    rate = float(carried.sum() / max(1.0, lasted.sum()))
    for t in ticks:
        rates = rate * t * np.geomspace(_SLOWEST, _FASTEST, _RATES)
        rounded = (np.ceil(rates / _STEP) * _STEP).clip(LEAST_FRAME, MOST_FRAME).astype(np.int64)
        for f in [frame] if frame is not None else np.unique(rounded).tolist():
            yield f, t


# -- totals ------------------------------------------------------------------------------------------------------------
#
# The best contiguous buckets of sizes for secrets whose sizes vary, from a joint of secrets by sizes. The observable is
# the bucket of the size, so a bucket's column of the joint is the sum of the columns of its sizes, and H(X|Y) = eta(sum
# over buckets of Fhat(column)). Under a price on the overhead the best buckets are found exactly by dynamic programming
# over their ends, for every number of buckets at once. The price is bisected, and every price proves a bound for all
# buckets within the budget.
#
# `BucketSearch` solves the neighbouring problem: any number of buckets of thousands of sizes, under caps and floors,
# for entropies whose buckets are valued from a few numbers. Here the number of buckets is limited, which takes a layer
# of the programme for each, and any sum of perspectives will do.


@dataclass(frozen=True, eq=False)
class JointBuckets:
    """Bucket b holds the sizes from cuts[b-1] to before cuts[b]. `posterior` is their H(X|Y), and no contiguous buckets
    within the budget, at most as many as allowed, have a larger one than `most`.
    """

    cuts: Indices
    overhead: float
    posterior: float
    most: float


def best_joint_buckets(
    joint: Array, sizes: Array, entropy: Entropy, *, budget: float, buckets: int
) -> JointBuckets | None:
    """Maximise H(X|Y) over at most `buckets` contiguous buckets of mean overhead <= budget, for a joint of secrets by m
    increasing sizes; None if there are none. O(buckets m^2) for each price, and m^2 columns.

    >>> import numpy as np
    >>> from minleak import Shannon
    >>> joint = np.array([[3, 1, 0, 2], [1, 3, 2, 0]]) / 12
    >>> best_joint_buckets(joint, np.array([1, 2, 5, 6]), Shannon(), budget=1.0, buckets=2).cuts
    array([2, 4])
    """
    value, overhead = _tables(joint, np.asarray(sizes, dtype=np.float64), entropy)

    def solve(price: float, use: float = 1.0) -> tuple[Indices, float, float]:
        """The cuts with the largest use * value - price * overhead, their overhead and value."""
        ends = _best_ends(use * value - price * overhead, min(buckets, joint.shape[1]))
        starts = np.append(0, ends[:-1])
        return ends, float(overhead[starts, ends].sum()), float(value[starts, ends].sum())

    def posterior(total: float) -> float:
        return entropy.eta(total if entropy.increasing else -total)

    allowed = budget + _TOLERANCE * max(1.0, abs(budget))
    best = solve(0.0)
    most = best[2]
    if best[1] > allowed:
        best = solve(1.0, use=0.0)
        if best[1] > allowed:
            return None
        low, high = 0.0, 1.0
        for _ in range(_STEPS):
            tried = solve(high)
            if tried[1] <= allowed:
                best = tried
                break
            low, high = high, 4 * high
        for _ in range(_STEPS):
            price = math.sqrt(low * high) if low > 0 else high / 4
            tried = solve(price)
            most = min(most, tried[2] + price * (budget - tried[1]))
            if tried[1] <= allowed:
                high, best = price, max(best, tried, key=lambda found: found[2])
            else:
                low = price
            if high - low <= 1e-9 * high:
                break
    return JointBuckets(best[0], best[1], posterior(best[2]), posterior(max(most, best[2])))


def _tables(joint: Array, sizes: Array, entropy: Entropy) -> tuple[Array, Array]:
    """[i, j] is for the bucket of the sizes i to j - 1: Fhat of its column, signed so that more is better, and its
    overhead.
    """
    n, m = joint.shape
    sums = np.concatenate([np.zeros((n, 1)), np.cumsum(joint, axis=1)], axis=1)
    mass = sums.sum(axis=0)
    load = np.append(0.0, np.cumsum(joint.sum(axis=0) * sizes))
    sign = 1.0 if entropy.increasing else -1.0
    value, overhead = np.zeros((m + 1, m + 1)), np.zeros((m + 1, m + 1))
    for i in range(m):
        ends = np.arange(i + 1, m + 1)
        value[i, ends] = sign * entropy._perspective(np.maximum(sums[:, ends] - sums[:, [i]], 0.0))
        overhead[i, ends] = np.maximum(sizes[ends - 1] * (mass[ends] - mass[i]) - (load[ends] - load[i]), 0.0)
    return value, overhead


def _best_ends(gain: Array, limit: int) -> Indices:
    """The ends of at most `limit` buckets with the largest sum of gain[start, end]; fewer where that is as good."""
    m = len(gain) - 1
    gain = np.where(np.triu(np.ones_like(gain, dtype=bool), k=1), gain, -np.inf)  # a bucket ends after its start
    reach = np.full(m + 1, -np.inf)
    reach[0] = 0.0
    starts, totals = [], []
    for _ in range(limit):
        through = reach[:, None] + gain
        start = through.argmax(axis=0)
        reach = through[start, np.arange(m + 1)]
        starts.append(start)
        totals.append(float(reach[m]))
    best = max(totals)
    count = next(b for b, total in enumerate(totals) if total >= best - _TOLERANCE * max(1.0, abs(best)))
    ends = [m]
    for b in range(count, 0, -1):
        ends.append(int(starts[b][ends[-1]]))
    return np.array(ends[::-1], dtype=np.int64)
