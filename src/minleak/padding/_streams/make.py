"""frames: choose the frame, the tick and the totals that leak least within a budget of bytes and of delay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.names import as_entropy
from minleak.core._parameters import real, whole
from minleak.core._prior import Prior
from minleak.errors import Infeasible, InvalidParameter
from minleak.padding._streams.clock import Sent, send_in_frames
from minleak.padding._streams.joint_buckets import best_joint_buckets
from minleak.padding._streams.recordings import EVENT, RECORD, Streams, as_streams
from minleak.padding._streams.result import LEAST_FRAME, LONGEST_TICK, MOST_FRAME, MOST_TOTALS, Frames, joint_of

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
    for f, t in _pairs(recorded, longest, frame, tick):
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
