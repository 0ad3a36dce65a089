"""Frames: how a stream is sent and where it ends, what that costs and leaks, and what is proven."""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropy
from minleak.core._file.replacing import replace_file
from minleak.core._leakage import leakage
from minleak.core._parameters import as_list, whole
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, UnreadableFile
from minleak.padding._streams import RECORD, Streams, send_in_frames
from minleak.padding._told import tell_frames

# The bytes of the smallest and the largest frame, the longest tick (a minute), and the most totals.
LEAST_FRAME, MOST_FRAME, LONGEST_TICK, MOST_TOTALS = 16, 2**20, 60_000, 1000
_BEYOND = "double"
# The most bytes to read of a file of frames.
_MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class FrameCost(Result):
    """What frames cost on some recorded streams, and what their totals leak about the secret."""

    streams: int
    """The number of streams."""
    secrets: int
    """The number of secrets, such as topics."""
    blind: float
    """The success of the best guess without looking."""
    totals: int
    """The number of totals that these streams can end at, including those above the table."""
    proven: float
    """No attacker who sees one stream succeeds more often: min(1, totals * blind)."""
    success: float
    """The success of the best guess from the total, exact for these streams."""
    entropy: str
    """The entropy of the leakage."""
    leakage: float
    """What the total leaks about the secret, exact for these streams."""
    bytes: float
    """Mean bytes of a stream on the wire, headers of records and empty frames included."""
    plain_bytes: float
    """The same if every chunk is sent at once, as an event in a record of its own."""
    delay_mean: float
    """The mean delay of a chunk in milliseconds."""
    delay_95: float
    """The delay that 95% of the chunks do not exceed."""
    delay_99: float
    """The delay that 99% of the chunks do not exceed."""
    delay_most: float
    """The largest delay of a chunk."""
    beyond: int
    """The number of streams that need more frames than the largest total."""


@dataclass(frozen=True)
class Frames(Result):
    """A frame of `frame` bytes at every tick of `tick_ms` milliseconds, filled up where the application has nothing to
    send, until the number of frames is one of the `totals`: made by `minleak.padding.frames`.

    All that is seen of a stream is its total. A stream that needs more frames than the largest total T ends at 2 T, 4 T
    and so on, each of which counts as one more total. `measured` is what they cost and leak on the streams they were
    chosen on.

    >>> frames = Frames(frame=96, tick_ms=100, totals=(40, 120))
    >>> frames.total(1), frames.total(41), frames.total(121)
    (40, 120, 240)
    """

    frame: int
    tick_ms: int
    totals: tuple[int, ...]
    measured: FrameCost | None = None

    def __post_init__(self) -> None:
        whole(self.frame, "the bytes of a frame", LEAST_FRAME, MOST_FRAME)
        whole(self.tick_ms, "the tick in milliseconds", 1, LONGEST_TICK)
        given = as_list(self.totals, "totals are increasing numbers of frames", ordered=True, some=True)
        totals = tuple(whole(total, "a total of frames", 1, 2**40) for total in given)
        if list(totals) != sorted(set(totals)) or len(totals) > MOST_TOTALS:
            raise InvalidParameter(f"totals are at most {MOST_TOTALS} increasing numbers of frames, each once")
        object.__setattr__(self, "totals", totals)

    def total(self, needed: int) -> int:
        """How many frames to send if `needed` are: the least total that is not smaller; O(log totals)."""
        place = bisect_left(self.totals, needed)
        if place < len(self.totals):
            return self.totals[place]
        total = 2 * self.totals[-1]
        while total < needed:
            total *= 2
        return total

    def measure(
        self,
        streams: Streams,
        prior: Prior | Iterable[Any] | None = None,
        *,
        entropy: ConditionalEntropy | str = "shannon",
    ) -> FrameCost:
        """What these frames cost and leak on other streams: to judge frames on streams they were not chosen on."""
        H, weights = as_entropy(entropy), streams.weights(prior)
        sent = send_in_frames(streams, self.frame, self.tick_ms)
        totals = self.totals_of(sent.needs)
        values, y = np.unique(totals, return_inverse=True)
        joint = joint_of(streams.x, y, weights, (len(streams.secrets), len(values)))
        p = joint.sum(axis=1)
        seen = joint[p > 0]
        number = len(self.totals) + int(np.count_nonzero(values > self.totals[-1]))
        each = np.repeat(weights / np.diff(streams.starts), np.diff(streams.starts))
        return FrameCost(
            streams=len(streams),
            secrets=int(np.count_nonzero(p)),
            blind=float(p.max()),
            totals=number,
            proven=min(1.0, number * float(p.max())),
            success=float(joint.max(axis=0).sum()),
            entropy=H.name,
            leakage=leakage(p[p > 0], Channel(seen / seen.sum(axis=1, keepdims=True)), H),
            bytes=float(weights @ totals) * (self.frame + RECORD),
            plain_bytes=float(weights @ streams.bytes_on_the_wire()),
            delay_mean=float(each @ sent.delays / each.sum()),
            delay_95=float(np.quantile(sent.delays, 0.95)),
            delay_99=float(np.quantile(sent.delays, 0.99)),
            delay_most=float(sent.delays.max()),
            beyond=int(np.count_nonzero(sent.needs > self.totals[-1])),
        )

    def totals_of(self, needs: Indices) -> Indices:
        """`total` of an array."""
        return np.array([self.total(n) for n in needs.tolist()], dtype=np.int64)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write them as JSON: `frame`, `tick_ms`, `totals`, the rule beyond the largest, and what was measured."""
        stored = {"frame": self.frame, "tick_ms": self.tick_ms, "totals": list(self.totals), "beyond": _BEYOND}
        measured = None if self.measured is None else self.measured.to_dict()
        with replace_file(path) as file:
            file.write(json.dumps({**stored, "measured": measured}, indent=1).encode() + b"\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Frames:
        """Read what `save` wrote, checked."""
        name = os.fspath(path)
        try:
            with open(path, "rb") as file:
                stored = json.loads(file.read(_MOST_BYTES))
            measured = stored.get("measured")
            if stored["beyond"] != _BEYOND:
                raise UnreadableFile(f"{name} has another rule beyond the largest total than {_BEYOND!r}")
            cost = None if measured is None else _read_cost(measured)
            return cls(stored["frame"], stored["tick_ms"], tuple(stored["totals"]), cost)
        except OSError as error:
            raise UnreadableFile(f"{name} cannot be read: {error.strerror}") from None
        except InvalidParameter as error:
            raise UnreadableFile(f"{name} holds no frames: {error}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise UnreadableFile(f"{name} is no file of frames: make one with minleak pad --frames") from None

    def to_parts(self) -> list[str | Table]:
        return tell_frames(self)


def _read_cost(measured: dict[str, Any]) -> FrameCost:
    kinds = {"int": int, "float": int | float, "str": str}
    for name, kind in FrameCost.__annotations__.items():
        if isinstance(measured[name], bool) or not isinstance(measured[name], kinds[kind]):
            raise TypeError(name)
    return FrameCost(**{name: measured[name] for name in FrameCost.__annotations__})


def joint_of(x: Indices, y: Indices, weights: Array, shape: tuple[int, int]) -> Array:
    """The joint of secrets and observables of weighted samples."""
    joint = np.zeros(shape)
    np.add.at(joint, (x, y), weights)
    return joint
