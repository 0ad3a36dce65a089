"""Cloak: a plan at work. Sticky draws by default, fresh ones by name; nothing it says names a secret, a key or a
draw."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak._data.arrays import Indices
from minleak._data.channel import Channel
from minleak._data.parameters import listed
from minleak._data.simulating import generator
from minleak._design.stored.kinds import Stored
from minleak._design.stored.opening import opened
from minleak._design.stored.streams import Fresh, Seeded, Streams
from minleak._run.keys import Key, streams
from minleak.errors import InvalidKey, InvalidParameter, MinleakError, UnknownSecret

if TYPE_CHECKING:
    from minleak._design.constrained.budgets import LeastBudget
    from minleak._design.constrained.result import Optimum
    from minleak._padding.result import Padding

    Runnable = Channel | Optimum | LeastBudget | Padding


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
        self._running = opened(plan) if isinstance(plan, str | os.PathLike) else _stored(plan).drawable()
        self.plan = self._running.plan  # whatever its kind is
        self._key = None if key is None else as_key(key)
        seed = insecure_seed_for_experiments
        self._fresh: Streams = Fresh() if seed is None else Seeded(generator(seed))
        self._stand_in = None if stand_in is None else self._running.numbered().position(stand_in)
        if stand_in is not None and self._stand_in is None:
            raise InvalidParameter("the stand-in for unknown secrets must itself be a label of the plan")

    # -- one secret -------------------------------------------------------------------------------------------------

    def draw(self, secret: Hashable, *, scope: str | bytes | None = None) -> tuple[Any, ...]:
        """The set that is shown for a secret in a scope, as labels in the order of the prior. Always the same.

        The scope names who asks, such as a user's id. An empty one is refused: all without a name would share it. Only
        blocks need none, and no key: their sets are the same for everybody. Of a plan over strings every text has a
        set, sorted by its letters.
        """
        return self._sets([self._found(secret)], [scope])[0]

    def draw_fresh(self, secret: Hashable) -> tuple[Any, ...]:
        """A set drawn anew for a secret. Each further draw of the same secret tells more: see `plan.repeated`."""
        return self._sets([self._found(secret)], None)[0]

    # -- many -------------------------------------------------------------------------------------------------------

    def draw_many(
        self, indices: Sequence[int] | Indices, *, scopes: Iterable[str | bytes] | None = None, fresh: bool = False
    ) -> Indices:
        """Sets for many secrets given by their positions, as positions, of shape (len(indices), k), increasing in each
        row.

        Sticky with `scopes`, one for each; or `fresh=True`. Rows of idle secrets may be shorter and are filled up by
        -1.
        """
        self._check_how(scopes is not None, fresh)
        try:
            positions = np.asarray(indices)
        except Exception:
            positions = np.empty((0, 0))  # rows of different lengths
        if positions.ndim != 1 or (len(positions) and positions.dtype.kind not in "iu"):
            raise InvalidParameter("indices are a list or one-dimensional array of whole numbers")
        positions = positions.astype(np.int64)
        n = len(self._running.numbered())
        if len(positions) and not (positions.min() >= 0 and positions.max() < n):
            at = int(np.argmax((positions < 0) | (positions >= n)))
            raise UnknownSecret(f"an index is not a position of the {n} secrets of the plan (number {at})", at)
        if scopes is not None and self.plan.randomised:
            scopes = listed(scopes, "scopes are a list of text or bytes, one for each secret", ordered=True)
        drawn: Indices = self._drawn(positions, scopes)
        return drawn

    def draw_all(
        self, secrets: Iterable[Hashable], *, scope: str | bytes | None = None, fresh: bool = False
    ) -> list[tuple[Any, ...]]:
        """The sets for many secrets in one scope, or fresh ones, as labels. The error for one that is unknown tells by
        `at` which it is.
        """
        found = self._all_found(secrets)
        self._check_how(scope is not None, fresh)
        return self._sets(found, None if scope is None else [scope] * len(found))

    @property
    def listed(self) -> bool:
        """Whether the plan lists its secrets; else every string is one."""
        return self._running.listed

    def positions(self, secrets: Iterable[Hashable]) -> Indices:
        """The positions of secrets given by their labels, for `draw_many`. An unknown one raises UnknownSecret, whose
        `at` tells which of them it is.
        """
        self._running.numbered()  # or there are no positions
        return np.array(self._all_found(secrets), dtype=np.int64)

    # -- what is shown ----------------------------------------------------------------------------------------------

    def set_id(self, labels: Iterable[Hashable]) -> str:
        """A short stable name for a published set: the same for the same set of this plan, whoever drew it."""
        given = listed(labels, "what is shown is given as a list of labels")
        found = [self._running.find_shown(label) for label in given]
        if None in found:
            at = found.index(None)
            raise UnknownSecret(f"this is never shown (number {at} of those given, counted from 0)", at)
        digest = hashlib.blake2b(self.plan.digest, digest_size=12, person=b"minleak-set-1")
        digest.update(self._running.set_in_bytes(set(found)))
        return digest.hexdigest()

    def __repr__(self) -> str:
        key = "no key" if self._key is None else f"key {self._key.id}"
        return f"Cloak({self._running.extent()}, k={self.plan.k}, layout={self.plan.layout!r}, {key})"

    def __reduce__(self) -> Any:
        raise InvalidKey("a cloak is not pickled: load its file and its key where it is needed")

    # -- inside -----------------------------------------------------------------------------------------------------

    def _found(self, secret: Hashable, at: int | None = None) -> Any:
        found = self._running.find(secret)
        if found is None:
            found = self._stand_in
        if found is None:
            which = "" if at is None else f" (number {at} of those given, counted from 0)"
            raise UnknownSecret(f"the plan does not know this secret{which}: {self._running.advice}", at)
        return found

    def _all_found(self, secrets: Iterable[Hashable]) -> list[Any]:
        given = listed(secrets, "secrets are given as a list of labels of the plan", ordered=True)
        return [self._found(secret, at) for at, secret in enumerate(given)]

    def _check_how(self, sticky: bool, fresh: Any) -> None:
        if not isinstance(fresh, bool | np.bool_) or (self.plan.randomised and fresh == sticky):
            raise InvalidParameter("say either scopes= for sticky draws or fresh=True for fresh ones")

    def _sets(self, found: list[Any], scopes: list[Any] | None) -> list[tuple[Any, ...]]:
        secrets = np.array(found, dtype=np.int64) if self._running.listed else found
        return self._running.show(self._drawn(secrets, scopes))

    def _drawn(self, secrets: Any, scopes: Iterable[str | bytes] | None) -> Any:
        """A number r for each draw, the place floor(r N) of the N that its secret has, and what is shown there."""
        running = self._running
        return running.locate(secrets, self._streams(secrets, scopes).below(running.owned(secrets)))

    def _streams(self, secrets: Any, scopes: Iterable[str | bytes] | None) -> Streams:
        if not self.plan.randomised:
            return self._fresh
        if scopes is None:
            if self._running.sticky_only:
                raise InvalidParameter(self._running.sticky_only)
            return self._fresh
        if self._key is None:
            raise InvalidKey("sticky draws need a key: Cloak(plan, key=...), or draw_fresh without one")
        return streams(self._key, self.plan.lineage, scopes, self._running.in_bytes(secrets))


def _stored(plan: Any) -> Stored:
    """What can be drawn from, made of a channel and of what has one, or rows."""
    if isinstance(plan, Stored):
        return plan
    channel = rows = None
    try:
        channel, made = getattr(plan, "channel", plan), getattr(plan, "rows", None)
        rows = made() if callable(made) else None
    except MinleakError:
        raise
    except Exception:
        pass  # whatever an odd object raises when it is asked
    if isinstance(channel, Channel):
        from minleak._design.rows.rounding import rounded  # which a process that draws from a file does not need

        return rounded(channel)
    if isinstance(rows, Stored):
        return rows
    raise InvalidParameter(
        f"a cloak runs a plan, its .cloak file or a channel, not {type(plan).__name__}: make one with design(prior, k)"
    )


def as_key(given: Any) -> Key:
    """A key, or the one that is given. Raw bytes are a key and never a path, which an error would quote."""
    if isinstance(given, Key):
        return given
    return Key.load(given) if isinstance(given, str | os.PathLike) else Key(given)
