"""Cloak: a plan at work. Sticky draws by default, fresh ones by name; nothing it says names a secret, a key or a
draw."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._design.stored.kinds import Stored
from minleak._design.stored.opening import opened
from minleak._run.keys import Key
from minleak._run.prf import Fresh, Lineal, Seeded, Source, Sticky, listed, uniform
from minleak.errors import InvalidKey, InvalidParameter, UnknownSecret

Indices = npt.NDArray[np.int64]


class Cloak:
    """Hides secrets in sets as a plan says.

    Parameters
    ----------
    plan
        A plan, or the path of a .cloak file.
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
        plan: Stored | str | os.PathLike[str],
        *,
        key: Key | bytes | bytearray | str | os.PathLike[str] | None = None,
        stand_in: Hashable | None = None,
        insecure_seed_for_experiments: int | None = None,
    ) -> None:
        if not isinstance(plan, Stored | str | os.PathLike):
            raise InvalidParameter(
                f"a cloak runs a plan or its .cloak file, not {type(plan).__name__}: make one with design(prior, k)"
            )
        self._drawable = plan.drawable() if isinstance(plan, Stored) else opened(plan)
        self.plan: Any = self._drawable.plan
        self._key = key if key is None or isinstance(key, Key) else _key(key)
        self._sticky = None if self._key is None else _sticky(self._key, self.plan)
        seed = insecure_seed_for_experiments
        self._fresh: Source = Fresh() if seed is None else Seeded(seed)
        self._stand_in: int | None = None
        if stand_in is not None:
            self._stand_in = self._drawable.find(stand_in)
            if self._stand_in is None:
                raise InvalidParameter("the stand-in for unknown secrets must itself be a label of the plan")

    # -- one secret -------------------------------------------------------------------------------------------------

    def draw(self, secret: Hashable, *, scope: str | bytes | None = None) -> tuple[Any, ...]:
        """The set that is shown for a secret in a scope, as labels in the order of the prior. Always the same.

        The scope names who asks, such as a user's id. An empty one is refused: all without a name would share it. Only
        blocks need none, and no key: their sets are the same for everybody.
        """
        return self._drawn_labels(secret, [scope])

    def draw_fresh(self, secret: Hashable) -> tuple[Any, ...]:
        """A set drawn anew for a secret. Each further draw of the same secret tells more: see `plan.repeated`."""
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
        either = not self.plan.randomised or fresh != (scopes is not None)
        if not isinstance(fresh, bool | np.bool_) or not either:
            raise InvalidParameter("say either scopes= for sticky draws or fresh=True for fresh ones")
        try:
            positions = np.asarray(indices)
        except Exception:
            positions = np.empty((0, 0))  # rows of different lengths
        if positions.ndim != 1 or (len(positions) and positions.dtype.kind not in "iu"):
            raise InvalidParameter("indices are a list or one-dimensional array of whole numbers")
        positions = positions.astype(np.int64)
        n = self._drawable.size
        if len(positions) and not (positions.min() >= 0 and positions.max() < n):
            at = int(np.argmax((positions < 0) | (positions >= n)))
            raise UnknownSecret(f"an index is not a position of the {n} secrets of the plan (number {at})", at)
        return self._drawn(positions, scopes)

    def positions(self, secrets: Iterable[Hashable]) -> Indices:
        """The positions of secrets given by their labels, for `draw_many`. An unknown one raises UnknownSecret, whose
        `at` tells which of them it is.
        """
        return np.array(self._positions(secrets), dtype=np.int64)

    # -- what is shown ----------------------------------------------------------------------------------------------

    def set_id(self, labels: Iterable[Hashable]) -> str:
        """A short stable name for a published set: the same for the same set of this plan, whoever drew it."""
        unordered = list(labels) if isinstance(labels, set | frozenset) else labels
        members = sorted(set(self._positions(unordered)))
        digest = hashlib.blake2b(self.plan.digest, digest_size=12, person=b"minleak-set-1")
        digest.update(np.array(members, dtype="<i8").tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        key = "no key" if self._key is None else f"key {self._key.id}"
        return f"Cloak(n={self._drawable.size}, k={self.plan.k}, layout={self.plan.layout!r}, {key})"

    def __reduce__(self) -> Any:
        raise InvalidKey("a cloak is not pickled: load its file and its key where it is needed")

    # -- inside -----------------------------------------------------------------------------------------------------

    def _positions(self, secrets: Iterable[Hashable]) -> list[int]:
        given = listed(secrets, "secrets are given as a list of labels of the plan")
        return [self._position(secret, at) for at, secret in enumerate(given)]

    def _position(self, secret: Hashable, at: int | None = None) -> int:
        position = self._drawable.find(secret)
        if position is None:
            position = self._stand_in
        if position is None:
            which = "" if at is None else f" (number {at} of those given, counted from 0)"
            raise UnknownSecret(
                f"the plan does not know this secret{which}: refuse it, or choose a stand_in for all such secrets", at
            )
        return position

    def _drawn(self, positions: Any, scopes: Iterable[str | bytes] | None) -> Indices:
        secrets = np.asarray(positions, dtype=np.int64)
        if scopes is not None and isinstance(self._sticky, Lineal):
            streams = self._sticky.asked(scopes, self.plan.prior.labels.at(secrets))
            return self._drawable.draw_coupled(secrets, streams)

        def chosen(bounds: Indices) -> Indices:
            if scopes is None:
                return uniform(self._fresh, bounds)
            if not isinstance(self._sticky, Sticky):
                raise InvalidKey("sticky draws need a key: Cloak(plan, key=...), or draw_fresh without one")
            return uniform(self._sticky.asked(scopes, secrets), bounds)

        return self._drawable.draw(secrets, chosen)

    def _drawn_labels(self, secret: Hashable, scopes: list[Any] | None) -> tuple[Any, ...]:
        return self._drawable.shown(self._drawn([self._position(secret)], scopes)[0])


def _sticky(key: Key, plan: Any) -> Sticky | Lineal:
    """Where sticky draws come from: the lineage, or for plans of older files the plan itself."""
    return Sticky(key, plan.digest) if plan.descent is None else Lineal(key, plan.lineage)


def _key(given: Any) -> Key:
    """Raw bytes are a key and never a path, which an error would quote."""
    return Key.load(given) if isinstance(given, str | os.PathLike) else Key(given)
