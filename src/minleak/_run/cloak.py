"""Cloak: a plan at work. Sticky draws by default, fresh ones by name; nothing it says names a secret, a key or a
draw."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minleak._data.labels import labels_in_bytes
from minleak._data.parameters import listed
from minleak._design.stored.kinds import Stored
from minleak._design.stored.opening import opened
from minleak._design.stored.sampler import number_below
from minleak._run.keys import Key, Lineal, Sticky, prefixed
from minleak._run.randomness import Fresh, Seeded, Source, uniform
from minleak.errors import InvalidKey, InvalidParameter, UnknownSecret

if TYPE_CHECKING:
    from minleak._data.channel import Channel
    from minleak._design.constrained.budgets import LeastBudget
    from minleak._design.constrained.result import Optimum
    from minleak._padding.result import Padding

    Runnable = Channel | Optimum | LeastBudget | Padding

Indices = npt.NDArray[np.int64]


class Cloak:
    """Hides secrets in sets as a plan says.

    Parameters
    ----------
    plan
        A plan, or the path of a .cloak file. Or any channel, what `optimise` or `least_budget` found, or a padding: its
        rows are rounded to whole numbers (`mechanisms.rounded`), and a draw is an observable, alone in its tuple.
    key
        A `Key`, its 32 bytes, or the path of its file. Needed for sticky draws, not for fresh ones.
    stand_in
        A label of the plan that takes the place of secrets the plan does not know. Without it these raise
        UnknownSecret. All unknown secrets then look like this one: its own frequency should reflect that.
    insecure_seed_for_experiments
        Makes fresh draws repeatable, and known to everybody who knows the seed. Never in production.

    `draw` is sticky: its randomness is a keyed function of the plan's lineage, the scope and the secret, so that the
    same subject asking for the same secret gets the same set, and seeing it again tells nothing new. After
    `plan.update` it stays the same set unless it must change. Different scopes are independent.
    `draw_fresh` takes new randomness each time: an attacker who knows that several draws are for the same secret
    intersects them, see `plan.repeated`.

    Draws can be made from many threads and after a fork: nothing is shared but tables that do not change.

    >>> import minleak as ml
    >>> plan = ml.design(ml.Prior([5, 3, 2], labels=["flu", "cold", "gout"]), k=2)
    >>> cloak = Cloak(plan, key=Key(bytes(32)))
    >>> cloak.draw("gout", scope="user-17") == cloak.draw("gout", scope="user-17")
    True
    """

    def __init__(
        self,
        plan: Stored | Runnable | str | os.PathLike[str],
        *,
        key: Key | bytes | bytearray | str | os.PathLike[str] | None = None,
        stand_in: Hashable | None = None,
        insecure_seed_for_experiments: int | None = None,
    ) -> None:
        running: Any = opened(plan) if isinstance(plan, str | os.PathLike) else _stored(plan).drawable()
        self._running = running  # whatever its kind is
        self.plan: Any = running.plan
        self._key = None if key is None else as_key(key)
        self._sticky = None if self._key is None else _sticky(self._key, self.plan)
        seed = insecure_seed_for_experiments
        self._fresh: Source = Fresh() if seed is None else Seeded(seed)
        self._stand_in: int | None = None
        if stand_in is not None:
            if not self.listed:
                raise InvalidParameter("a plan over all strings knows every secret: it needs no stand_in")
            self._stand_in = self._running.secrets.position(stand_in)
            if self._stand_in is None:
                raise InvalidParameter("the stand-in for unknown secrets must itself be a label of the plan")

    # -- one secret -------------------------------------------------------------------------------------------------

    def draw(self, secret: Hashable, *, scope: str | bytes | None = None) -> tuple[Any, ...]:
        """The set that is shown for a secret in a scope, as labels in the order of the prior. Always the same.

        The scope names who asks, such as a user's id. An empty one is refused: all without a name would share it. Only
        blocks need none, and no key: their sets are the same for everybody. Of a plan over strings every text has a
        set, sorted by its letters.
        """
        return self._drawn_labels(secret, [scope]) if self.listed else self._drawn_string(secret, scope)

    def draw_fresh(self, secret: Hashable) -> tuple[Any, ...]:
        """A set drawn anew for a secret. Each further draw of the same secret tells more: see `plan.repeated`."""
        if not self.listed:
            raise InvalidParameter(
                "strings that cannot be listed are drawn by a key and a scope alone: sets drawn anew for one string "
                "are intersected"
            )
        return self._drawn_labels(secret, None)

    # -- many -------------------------------------------------------------------------------------------------------

    def draw_many(
        self, indices: Sequence[int] | Indices, *, scopes: Iterable[str | bytes] | None = None, fresh: bool = False
    ) -> Indices:
        """Sets for many secrets given by their positions, as positions, of shape (len(indices), k), increasing in each
        row.

        Sticky with `scopes`, one for each; or `fresh=True`. Rows of idle secrets may be shorter and are filled up by
        -1.
        """
        if not isinstance(fresh, bool | np.bool_) or (self.plan.randomised and fresh == (scopes is not None)):
            raise InvalidParameter("say either scopes= for sticky draws or fresh=True for fresh ones")
        try:
            positions = np.asarray(indices)
        except Exception:
            positions = np.empty((0, 0))  # rows of different lengths
        if positions.ndim != 1 or (len(positions) and positions.dtype.kind not in "iu"):
            raise InvalidParameter("indices are a list or one-dimensional array of whole numbers")
        positions = positions.astype(np.int64)
        self._demand_numbers()
        n = len(self._running.secrets)
        if len(positions) and not (positions.min() >= 0 and positions.max() < n):
            at = int(np.argmax((positions < 0) | (positions >= n)))
            raise UnknownSecret(f"an index is not a position of the {n} secrets of the plan (number {at})", at)
        if scopes is not None and self.plan.randomised:
            scopes = listed(scopes, "scopes are a list of text or bytes, one for each secret", ordered=True)
        return self._drawn(positions, scopes)

    def draw_all(
        self, secrets: Iterable[Hashable], *, scope: str | bytes | None = None, fresh: bool = False
    ) -> list[tuple[Any, ...]]:
        """The sets for many secrets in one scope, or fresh ones, as labels. The error for one that is unknown tells by
        `at` which it is.
        """
        if self.listed:
            known = self.positions(secrets)
            scopes = None if scope is None else [scope] * len(known)
            return [self._shown(row) for row in self.draw_many(known, scopes=scopes, fresh=fresh)]
        given = listed(secrets, "secrets are given as a list of strings", ordered=True)
        return [
            self.draw_fresh(secret) if fresh else self._drawn_string(secret, scope, at)
            for at, secret in enumerate(given)
        ]

    @property
    def listed(self) -> bool:
        """Whether the plan lists its secrets; else every string is one."""
        return self._running.secrets is not None

    def positions(self, secrets: Iterable[Hashable]) -> Indices:
        """The positions of secrets given by their labels, for `draw_many`. An unknown one raises UnknownSecret, whose
        `at` tells which of them it is.
        """
        return np.array(self._positions(secrets), dtype=np.int64)

    # -- what is shown ----------------------------------------------------------------------------------------------

    def set_id(self, labels: Iterable[Hashable]) -> str:
        """A short stable name for a published set: the same for the same set of this plan, whoever drew it."""
        unordered = list(labels) if isinstance(labels, set | frozenset) else labels
        digest = hashlib.blake2b(self.plan.digest, digest_size=12, person=b"minleak-set-1")
        if self.listed:
            numbers = self._positions(unordered) if self._running.outputs is None else self._numbers(unordered)
            digest.update(np.array(sorted(set(numbers)), dtype="<i8").tobytes())
        else:
            texts = sorted(set(listed(unordered, "what is shown is given as a list of strings", ordered=True)))
            digest.update(b"".join(map(prefixed, labels_in_bytes(texts))))
        return digest.hexdigest()

    def __repr__(self) -> str:
        key = "no key" if self._key is None else f"key {self._key.id}"
        secrets = f"n={len(self._running.secrets)}" if self.listed else "any string"
        return f"Cloak({secrets}, k={self.plan.k}, layout={self.plan.layout!r}, {key})"

    def __reduce__(self) -> Any:
        raise InvalidKey("a cloak is not pickled: load its file and its key where it is needed")

    # -- inside -----------------------------------------------------------------------------------------------------

    def _demand_numbers(self) -> None:
        if not self.listed:
            raise InvalidParameter("strings that cannot be listed have no positions: draw them one by one")

    def _positions(self, secrets: Iterable[Hashable]) -> list[int]:
        self._demand_numbers()
        given = listed(secrets, "secrets are given as a list of labels of the plan", ordered=True)
        return [self._position(secret, at) for at, secret in enumerate(given)]

    def _position(self, secret: Hashable, at: int | None = None) -> int:
        position: int | None = self._running.secrets.position(secret)
        if position is None:
            position = self._stand_in
        if position is None:
            which = "" if at is None else f" (number {at} of those given, counted from 0)"
            raise UnknownSecret(
                f"the plan does not know this secret{which}: refuse it, or choose a stand_in for all such secrets", at
            )
        return position

    def _numbers(self, shown: Iterable[Hashable]) -> list[int]:
        """Of observables that are no sets of secrets."""
        given = listed(shown, "what is shown is given as a list of labels", ordered=True)
        found = [self._running.outputs.position(label) for label in given]
        for at, number in enumerate(found):
            if number is None:
                raise UnknownSecret(f"this is never shown (number {at} of those given, counted from 0)", at)
        return [number for number in found if number is not None]

    def _drawn(self, positions: Any, scopes: Iterable[str | bytes] | None) -> Indices:
        secrets = np.asarray(positions, dtype=np.int64)
        sticky = self._sticky
        if scopes is not None and isinstance(sticky, Lineal):
            streams = sticky.asked(scopes, self.plan.prior.labels.bytes_at(secrets))
            coupled: Indices = self._running.draw_coupled(secrets, streams)
            return coupled

        def chosen(bounds: Indices) -> Indices:
            if scopes is None:
                return uniform(self._fresh, bounds)
            if not isinstance(sticky, Sticky):
                raise InvalidKey("sticky draws need a key: Cloak(plan, key=...), or draw_fresh without one")
            return uniform(sticky.asked(scopes, secrets), bounds)

        drawn: Indices = self._running.draw(secrets, chosen)
        return drawn

    def _drawn_labels(self, secret: Hashable, scopes: list[Any] | None) -> tuple[Any, ...]:
        return self._shown(self._drawn([self._position(secret)], scopes)[0])

    def _shown(self, row: Indices) -> tuple[Any, ...]:
        """What a row shows: the labels of its numbers, where -1 stands for none."""
        outputs = self._running.outputs
        return tuple((self.plan.prior.labels if outputs is None else outputs).at(row[row >= 0]))

    def _drawn_string(self, secret: Any, scope: Any, at: int | None = None) -> tuple[Any, ...]:
        if not isinstance(self._sticky, Lineal):
            raise InvalidKey("sticky draws need a key: Cloak(plan, key=...)")
        streams = self._sticky.asked([scope], labels_in_bytes([secret]))
        found: tuple[Any, ...] = self._running.set_for(secret, partial(number_below, streams), at)
        return found


def _sticky(key: Key, plan: Any) -> Sticky | Lineal:
    """Where sticky draws come from: the lineage, or for plans of older files the plan itself."""
    return Sticky(key, plan.digest) if plan.descent is None else Lineal(key, plan.lineage)


def _stored(plan: Any) -> Stored:
    """What can be drawn from, made of a channel and of what has one."""
    if isinstance(plan, Stored):
        return plan
    # A process that draws from a file needs none of these.
    from minleak._data.channel import Channel
    from minleak._design.constrained.budgets import LeastBudget
    from minleak._design.constrained.result import Optimum
    from minleak._design.rows.rounding import rounded
    from minleak._padding.result import Padding

    if isinstance(plan, Padding):
        return plan.rows()
    if isinstance(plan, Channel | Optimum | LeastBudget):
        return rounded(plan if isinstance(plan, Channel) else plan.channel)
    raise InvalidParameter(
        f"a cloak runs a plan, its .cloak file or a channel, not {type(plan).__name__}: make one with design(prior, k)"
    )


def as_key(given: Any) -> Key:
    """A key, or the one that is given. Raw bytes are a key and never a path, which an error would quote."""
    if isinstance(given, Key):
        return given
    return Key.load(given) if isinstance(given, str | os.PathLike) else Key(given)
