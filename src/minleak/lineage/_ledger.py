"""Ledger: the daily counts of every secret that a lineage knows, in whole numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices
from minleak.core._file.format import Contents, require, require_whole
from minleak.core._file.writing import name_arrays
from minleak.core._labels import Labels, bytes_of_names
from minleak.core._matching import join, match_from_start, take
from minleak.core._prior import Prior
from minleak.errors import InvalidCloak, InvalidParameter

Days = npt.NDArray[np.int32]

# A count in a pool is worth so many units, so that the share that is kept each day stays a whole number.
UNIT = 1 << 10
# What a ledger holds of each secret, and in which type.
SERIES = {"counts": np.int64, "pools": np.int64, "first": np.int32, "last": np.int32}
# What it holds of each day of whose counts something is left in the pools.
DAILY = ("days", "shares", "totals")
# Pools stay below this, whatever is counted.
MOST = 1 << 62
# Pools that are brought up to a day together.
_PIECE = 1 << 15
# The last day that can be counted.
LAST_DAY = (1 << 31) - 1


@dataclass(frozen=True, eq=False)
class Ledger:
    """The secrets that are known, those listed in the order of the parts and then those that wait, with what was
    counted of each.

    `counts` are those of the last day; `pools` those of all days in units of 1/1024, of which a share is kept each day;
    `first` and `last` are the days on which a secret was counted first and last. `day` is the last day, `began` the day
    of the newest part, `version` the number of days that were counted. `days` are those of whose counts something is
    left in the pools, `shares` how much, in units of 1/1024, and `totals` how many events were counted on them.
    """

    labels: Labels
    listed: int
    day: int
    began: int
    version: int
    counts: Indices
    pools: Indices
    first: Days
    last: Days
    days: Indices
    shares: Indices
    totals: Indices

    def __post_init__(self) -> None:
        """Refuse numbers that do not fit each other."""
        if not all(self._claims()):
            raise InvalidParameter("these fields are not those of a ledger: update(plan, counts) makes one")

    def _claims(self) -> Iterator[bool]:
        known, days, shares = len(self.labels), self.days, self.shares
        yield all(getattr(self, name).dtype == kind for name, kind in SERIES.items())
        yield all(getattr(self, name).dtype == np.int64 for name in DAILY)
        yield 1 <= self.listed <= known and all(len(getattr(self, name)) == known for name in SERIES)
        yield 0 <= self.began <= self.day <= LAST_DAY and 1 <= self.version <= self.day + 1
        yield _within(self.counts, 0, MOST - 1) and _within(self.pools, 0, MOST)
        yield _within(self.first, 0, self.day) and _within(self.last, -1, self.day)
        yield len(days) == len(shares) == len(self.totals) >= 1
        yield bool(days[0] >= 0 and days[-1] == self.day and (np.diff(days) > 0).all())
        yield _within(shares, 1, UNIT) and shares[-1] == UNIT and bool((np.diff(shares) >= 0).all())
        yield _within(self.totals, 0, MOST - 1)

    @classmethod
    def begin(cls, prior: Prior) -> Ledger:
        """That of a plan's own counts, on day 0."""
        counts = whole_counts(prior, "the plan's weights")
        first = np.broadcast_to(np.int32(0), len(counts))
        never = first if counts.min() else np.where(counts > 0, np.int32(0), np.int32(-1))
        daily = (np.array([one]) for one in (0, UNIT, counts.sum()))
        fields = (prior.labels, len(prior), 0, 0, 1, counts, UNIT * counts, first, never, *daily)
        return cls._trusted(dict(zip(cls.__dataclass_fields__, fields, strict=True)))

    @classmethod
    def _trusted(cls, fields: dict[str, Any]) -> Ledger:
        """A ledger of fields that were just made to fit: looking at them again takes as long as making them."""
        made = object.__new__(cls)
        vars(made).update(fields)
        return made

    def _replace(self, **changes: Any) -> Ledger:
        return self._trusted(vars(self) | changes)

    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and numbers from which a file makes it again, the labels of listed secrets aside."""
        arrays = {name: getattr(self, name) for name in (*SERIES, *DAILY)}
        if self.pending and not self.labels.is_default:
            waiting = take(self.labels, self.waiting).storable()
            if waiting is None:
                raise InvalidCloak("a file holds labels that are text or 64-bit integers: some that wait are others")
            arrays |= name_arrays("pending", waiting)
        return arrays, {"day": self.day, "began": self.began, "version": self.version}

    @classmethod
    def from_contents(cls, contents: Contents, parts: list[Labels]) -> Ledger:
        """The ledger in a file, of secrets that the parts list by these labels."""
        series = [contents.vector(name, np.dtype(kind).str[1:]) for name, kind in SERIES.items()]
        daily = [contents.vector(name, "i8") for name in DAILY]
        known, listed = len(series[0]), sum(map(len, parts))
        require(known >= listed)
        if parts[0].is_default:
            begins = np.cumsum([0, *map(len, parts)]).tolist()
            require(
                all(one == range(begin, begin + len(one)) for one, begin in zip(parts[1:], begins[1:], strict=False))
            )
            labels = Labels(range(known))
        else:
            pending = contents.names("pending", known - listed)
            labels = join(parts if pending is None else [*parts, Labels(pending)])
            require(labels.first_duplicate() is None)
        day, began, version = (
            require_whole(contents.numbers[name], 0, LAST_DAY) for name in ("day", "began", "version")
        )
        return cls(labels, listed, day, began, version, *series, *daily)

    @property
    def waiting(self) -> Indices:
        """Where the secrets that wait stand."""
        return np.arange(self.listed, len(self.labels))

    @property
    def pending(self) -> tuple[Any, ...]:
        """Their labels."""
        return tuple(self.labels[self.listed :])

    def enter(self, prior: Prior, day: int, keep: float) -> Ledger:
        """The ledger after the counts of one more day. Labels that are not known begin to wait."""
        counts = whole_counts(prior, "the new counts")
        if self.labels.is_default != prior.labels.is_default:
            one, other = ("new counts", "plan") if prior.labels.is_default else ("plan", "new counts")
            raise InvalidParameter(
                f"the {one} have no labels and the {other} has: secrets are matched by label, so name them in both"
            )
        head, at = match_from_start(prior.labels, self.labels)
        rest = counts[head:]
        new = np.flatnonzero((at < 0) & (rest > 0))
        fresh = take(prior.labels, head + new)
        _refuse_alike(fresh, self.labels)
        if not head and not (at >= 0).any():
            raise InvalidParameter(
                "the new counts have none of the plan's labels: they are of other secrets, so design a plan for them"
            )
        known, grown = len(self.labels), len(new)
        if head and grown == len(rest):  # what a ledger holds begins with what it held
            labels, today = prior.labels, counts
        else:
            labels = join([self.labels, fresh]) if grown else self.labels
            at[new] = known + np.arange(grown)
            today = np.zeros(known + grown, dtype=np.int64)
            today[:head] = counts[:head]
            found = slice(None) if at.min(initial=0) >= 0 else at >= 0
            today[at[found]] = rest[found]
        shares = _keep_share(self.shares, day - self.day, keep)
        return self._replace(
            labels=labels,
            day=day,
            version=self.version + 1,
            counts=today,
            pools=self._pool(today, day - self.day, keep),
            first=np.append(self.first, np.full(grown, day, dtype=np.int32)),
            last=self._last_seen(today, day),
            days=np.append(self.days[shares > 0], day),
            shares=np.append(shares[shares > 0], UNIT),
            totals=np.append(self.totals[shares > 0], today.sum()),
        )

    def _pool(self, today: Indices, days: int, keep: float) -> Indices:
        """The pools after some days and the counts of today, a piece at a time that stays in the cache."""
        pools, known = np.empty_like(today), len(self.pools)
        np.multiply(today[known:], UNIT, out=pools[known:])
        for begin in range(0, known, _PIECE):
            here = slice(begin, min(begin + _PIECE, known))
            np.multiply(today[here], UNIT, out=pools[here])
            pools[here] += _keep_share(self.pools[here], days, keep)
            np.minimum(pools[here], MOST, out=pools[here])
        return pools

    def _last_seen(self, today: Indices, day: int) -> Days:
        """The day on which each secret was counted last."""
        last = np.full(len(today), day, dtype=np.int32)
        np.copyto(last[: len(self.last)], self.last, where=today[: len(self.last)] == 0)
        return last

    def list_waiting(self) -> Ledger:
        """The ledger when all that wait have been listed."""
        return self._replace(listed=len(self.labels), began=self.day)


def _refuse_alike(fresh: Labels, known: Labels) -> None:
    """Refuse new labels that are another spelling of known ones: one secret would get sets under two names."""
    new = [] if _is_plain(fresh) and _is_text(known) else fresh[:]
    known = known.indexed() if new else known
    alike = sum(any(known.position(other) is not None for other in _spellings(label)) for label in new)
    if alike:
        raise InvalidParameter(
            f"{alike} of the new labels differ from the plan's only in spaces, Unicode form or type (text, bytes, "
            "numbers): spell them as the plan does, or one secret gets sets under two names"
        )


def _is_text(labels: Labels) -> bool:
    names = None if labels.is_default else labels.storable()
    return names is not None and names.type != "int64"


def _is_plain(labels: Labels) -> bool:
    """Whether all labels are letters, digits and signs of ASCII, which have no other spelling among texts."""
    if not _is_text(labels):
        return False
    offsets, data = bytes_of_names(labels.arrow)
    text = data[offsets[0] : offsets[-1]]
    return bool(text.min(initial=127) > 32 and text.max(initial=33) < 127)


def _spellings(label: Any) -> Iterator[Any]:
    """Other ways to write a label."""
    if isinstance(label, bytes):
        label = label.decode("utf-8", "replace")
        yield label
    if isinstance(label, str):
        bare = label.strip()
        forms = {bare} if label.isascii() else {bare, *(unicodedata.normalize(form, bare) for form in ("NFC", "NFD"))}
        yield from forms - {label}
        if bare.isascii() and bare.removeprefix("-").isdigit() and len(bare) < 19:
            yield int(bare)
    elif isinstance(label, int):
        yield str(label)


def whole_counts(prior: Prior, what: str) -> Indices:
    """Counts of events, which are whole numbers, or the plan's shares of so many events."""
    if prior.events is None:
        raise InvalidParameter(f"{what} are not counts of events: give whole numbers, one for each secret")
    if prior.exact and prior.total == prior.events:
        if prior.total > MOST // (2 * UNIT):
            raise InvalidParameter(f"{what} are of more events than can be kept: divide them by a common number")
        return prior.weights.astype(np.int64, copy=False)
    return np.rint(prior.p * prior.events).astype(np.int64)


def _keep_share(pools: Indices, days: int, keep: float) -> Indices:
    """What is left of pools after some days, rounded down."""
    share = round(UNIT * keep**days)
    return (pools >> 10) * share + ((pools & (UNIT - 1)) * share >> 10)


def _within(numbers: npt.NDArray[Any], least: int, most: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= least and numbers.max() <= most)
