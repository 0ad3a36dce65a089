"""Cloak: draws sets from plans, sticky by default, fresh on request. No message holds a secret, a key or a draw."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._channel import Channel
from minleak.core._frames import have_one_index
from minleak.core._keys import Key, streams
from minleak.core._load import load
from minleak.core._parameters import as_list
from minleak.core._plan.channel_plan import rounded
from minleak.core._plan.drawable import Drawable, Listed
from minleak.core._plan.streams import Fresh, Seeded, Streams
from minleak.core._simulating import generator
from minleak.errors import InvalidKey, InvalidParameter, PendingSecret, UnknownSecret

if TYPE_CHECKING:
    from minleak.lab._optimise.budgets import LeastBudget
    from minleak.lab._optimise.result import Optimum
    from minleak.padding._result import Padding

    Runnable: TypeAlias = Drawable | Channel | Optimum | LeastBudget | Padding | str | os.PathLike[str]

_PENDING = "refuse it until the next part is made, or choose a stand_in"


@dataclass(frozen=True)
class _LoadedPlan:
    """A plan of a cloak, ready to be drawn from, and the number of the secret that stands in for unknown ones."""

    plan: Drawable
    stand_in: Any

    def find(self, secret: Hashable, at: int | None = None) -> Any:
        """The plan's representation of a secret, or of the stand-in; `at` is its number, for messages."""
        found = self.plan.find(secret)
        if found is None:
            found = self.stand_in
        if found is not None:
            return found
        which = "" if at is None else f" (number {at} of those given, counted from 0)"
        if self.plan.is_pending(secret):
            raise PendingSecret(f"this secret was counted but has no set yet{which}: {_PENDING}", at)
        raise UnknownSecret(f"the plan does not know this secret{which}: {self.plan.advice}", at)

    def find_all(self, secrets: Iterable[Hashable]) -> list[Any]:
        """`find` for each of several secrets."""
        given = as_list(secrets, "secrets are given as a list of labels of the plan", ordered=True)
        return [self.find(secret, at) for at, secret in enumerate(given)]


class Cloak:
    """Hides secrets in sets as a plan says.

    Parameters
    ----------
    plan
        A plan, or the path of a .cloak file. Or any channel, what `optimise` or `least_budget` found, or a padding: its
        rows are rounded to whole numbers (`mechanisms.rounded`), and a draw is an observable, alone in its tuple. Or a
        list of these, plans of different lineages, the newest last: see below.
    key
        A `Key`, its 32 bytes, or the path of its file. Needed for sticky draws, not for fresh ones.
    stand_in
        A label of the plan that takes the place of secrets the plan does not know. Without it these raise
        UnknownSecret, and PendingSecret where they wait for a part of a plan that is updated. All unknown secrets then
        look like this one: its own frequency should reflect that.
    insecure_seed_for_experiments
        Makes fresh draws repeatable, and known to everybody who knows the seed. Never in production.

    `draw` is sticky: its randomness is a keyed function of the plan's lineage, the scope and the secret, so that the
    same subject asking for the same secret gets the same set, and seeing it again tells nothing new. After
    `minleak.update` it is still the same set. Different scopes are independent.
    `draw_fresh` takes new randomness each time: an attacker who knows that several draws are for the same secret
    intersects them, see `minleak.repeated`.

    A plan that is designed anew shows other sets, and both together tell far more than one. So use it for new subjects
    only: give the cloak both plans, record for each subject the lineage that was `current` when they were first shown
    a set (`Pins` keeps that table), and pass it as `lineage=` in every later draw. Without `lineage` a draw uses the
    newest plan, the last one given.

    Draws are safe from many threads and after a fork: only tables that never change are shared.

    >>> import minleak as ml
    >>> plan = ml.design(ml.Prior([5, 3, 2], labels=["flu", "cold", "gout"]), k=2)
    >>> cloak = Cloak(plan, key=Key(bytes(32)))
    >>> cloak.draw("gout", scope="user-17") == cloak.draw("gout", scope="user-17")
    True
    """

    def __init__(
        self,
        plan: Runnable | Sequence[Runnable],
        *,
        key: Key | bytes | bytearray | str | os.PathLike[str] | None = None,
        stand_in: Hashable | None = None,
        insecure_seed_for_experiments: int | None = None,
    ) -> None:
        self._loaded = _load_plans(plan if isinstance(plan, list | tuple) else [plan], stand_in)
        self._newest = self._loaded[-1]
        self.plan = self._newest.plan
        self._key = None if key is None else as_key(key)
        seed = insecure_seed_for_experiments
        self._fresh: Streams = Fresh() if seed is None else Seeded(generator(seed))
        # A lineage is a digest of the whole plan: not computed for fresh draws from one plan, which do not need it.
        named = len(self._loaded) > 1 or self._key is not None
        if named and len(set(self.lineages)) < len(self._loaded):
            raise InvalidParameter("two of the plans are versions of one lineage: give the newer of them alone")

    @property
    def current(self) -> bytes:
        """The lineage of the newest plan: record it for a subject who is shown a set for the first time."""
        return self.lineages[-1]

    @property
    def lineages(self) -> tuple[bytes, ...]:
        """Those of all its plans, the newest last."""
        return tuple(loaded.plan.lineage for loaded in self._loaded)

    @property
    def key(self) -> Key | None:
        """The key of sticky draws."""
        return self._key

    # -- one secret -------------------------------------------------------------------------------------------------

    def draw(
        self, secret: Hashable, *, scope: str | bytes | None = None, lineage: bytes | None = None
    ) -> tuple[Any, ...]:
        """The set that is shown for a secret in a scope, as labels in the order of the prior. Always the same.

        The scope names who asks, such as a user's id. An empty one is refused: all without a name would share it. Only
        blocks need none, and no key: their sets are the same for everybody. In a plan over strings every text
        has a sorted set. `lineage` chooses one of the cloak's plans, by default the newest.
        """
        loaded = self._choose(lineage)
        return self._sets(loaded, [loaded.find(secret)], [scope])[0]

    def draw_fresh(self, secret: Hashable, *, lineage: bytes | None = None) -> tuple[Any, ...]:
        """A set drawn anew for a secret. Each further draw of the same secret tells more: see `minleak.repeated`."""
        loaded = self._choose(lineage)
        return self._sets(loaded, [loaded.find(secret)], None)[0]

    # -- many -------------------------------------------------------------------------------------------------------

    def draw_many(
        self,
        indices: Sequence[int] | Indices,
        *,
        scopes: Iterable[str | bytes] | None = None,
        fresh: bool = False,
        lineage: bytes | None = None,
    ) -> Indices:
        """Sets for many secrets given by their positions, as positions, of shape (len(indices), k), increasing in each
        row.

        Sticky with `scopes`, one for each; or `fresh=True`. Rows of secrets of weight zero may be shorter and are
        filled up by -1. Positions are those in the plan of the `lineage`.
        """
        loaded = self._choose(lineage)
        _check_how(loaded, scopes is not None, fresh)
        _check_index(indices, scopes)
        try:
            positions = np.asarray(indices)
        except Exception:
            positions = np.empty((0, 0))  # rows of different lengths
        if positions.ndim != 1 or (len(positions) and positions.dtype.kind not in "iu"):
            raise InvalidParameter("indices are a list or one-dimensional array of whole numbers")
        positions = positions.astype(np.int64)
        n = self._count(loaded)
        if len(positions) and not (positions.min() >= 0 and positions.max() < n):
            at = int(np.argmax((positions < 0) | (positions >= n)))
            raise UnknownSecret(f"an index is not a position of the {n} secrets of the plan (number {at})", at)
        if scopes is not None and loaded.plan.randomised:
            scopes = as_list(scopes, "scopes are a list of text or bytes, one for each secret", ordered=True)
        drawn: Indices = self._draw(loaded, positions, scopes)
        return drawn

    def draw_all(
        self,
        secrets: Iterable[Hashable],
        *,
        scope: str | bytes | None = None,
        scopes: Iterable[str | bytes] | None = None,
        fresh: bool = False,
        lineage: bytes | None = None,
    ) -> list[tuple[Any, ...]]:
        """The sets for many secrets in one scope, in `scopes`, one for each, or fresh ones, as labels. The error for
        one that is unknown tells by `at` which it is.
        """
        if scope is not None and scopes is not None:
            raise InvalidParameter("give scope=, for all secrets, or scopes=, one for each secret, not both")
        loaded = self._choose(lineage)
        _check_index(secrets, scopes)
        found = loaded.find_all(secrets)
        _check_how(loaded, scope is not None or scopes is not None, fresh)
        if scopes is not None:
            return self._sets(loaded, found, as_list(scopes, "scopes are a list of text or bytes", ordered=True))
        return self._sets(loaded, found, None if scope is None else [scope] * len(found))

    @property
    def listed(self) -> bool:
        """Whether the plan lists its secrets; else every string is one."""
        return self._newest.plan.listed

    def positions(self, secrets: Iterable[Hashable], *, lineage: bytes | None = None) -> Indices:
        """The positions of secrets given by their labels, for `draw_many`. An unknown one raises UnknownSecret, whose
        `at` tells which of them it is.
        """
        loaded = self._choose(lineage)
        self._count(loaded)
        return np.array(loaded.find_all(secrets), dtype=np.int64)

    # -- what is shown ----------------------------------------------------------------------------------------------

    def set_id(self, labels: Iterable[Hashable], *, lineage: bytes | None = None) -> str:
        """A short stable name for a published set: the same for the same set of this plan and of all its versions,
        whoever drew it.
        """
        plan = self._choose(lineage).plan
        given = as_list(labels, "what is shown is given as a list of labels")
        found = [plan.find_shown(label) for label in given]
        if None in found:
            at = found.index(None)
            raise UnknownSecret(f"this is never shown (number {at} of those given, counted from 0)", at)
        digest = hashlib.blake2b(plan.lineage, digest_size=12, person=b"minleak-set-1")
        digest.update(plan.set_in_bytes(set(found)))
        return digest.hexdigest()

    def __repr__(self) -> str:
        key = "no key" if self._key is None else f"key {self._key.id}"
        older = "" if len(self._loaded) == 1 else f"{len(self._loaded)} lineages, "
        extent = self._newest.plan.extent()
        return f"Cloak({extent}, k={self.plan.k}, layout={self.plan.layout!r}, {older}{key})"

    def __reduce__(self) -> Any:
        raise InvalidKey("a cloak is not pickled: load its file and its key where it is needed")

    # -- inside -----------------------------------------------------------------------------------------------------

    def _choose(self, lineage: bytes | None) -> _LoadedPlan:
        """The plan of a lineage, the newest if none is named."""
        if lineage is None:
            return self._newest
        found = next((loaded for loaded in self._loaded if loaded.plan.lineage == lineage), None)
        if found is None:
            raise InvalidParameter(
                "the cloak holds no plan of this lineage: give it that plan too, as in Cloak([older, newer]); a "
                "lineage is the bytes that plan.lineage and cloak.current say"
            )
        return found

    @staticmethod
    def _count(loaded: _LoadedPlan) -> int:
        """How many secrets have positions."""
        if not isinstance(loaded.plan, Listed):
            raise InvalidParameter(
                "strings that cannot be listed have no positions, and there is no stand_in for them: draw them one by "
                "one"
            )
        return len(loaded.plan.prior)

    def _sets(self, loaded: _LoadedPlan, found: list[Any], scopes: list[Any] | None) -> list[tuple[Any, ...]]:
        secrets = np.array(found, dtype=np.int64) if loaded.plan.listed else found
        return loaded.plan.show(self._draw(loaded, secrets, scopes))

    def _draw(self, loaded: _LoadedPlan, secrets: Any, scopes: Iterable[str | bytes] | None) -> Any:
        """A number r for each draw, the place floor(r N) of the N that its secret has, and what is shown there."""
        plan = loaded.plan
        return plan.locate(secrets, self._streams(plan, secrets, scopes).below(plan.places(secrets)))

    def _streams(self, plan: Drawable, secrets: Any, scopes: Iterable[str | bytes] | None) -> Streams:
        if not plan.randomised:
            return self._fresh
        if scopes is None:
            if plan.sticky_only:
                raise InvalidParameter(plan.sticky_only)
            return self._fresh
        if self._key is None:
            raise InvalidKey("sticky draws need a key: Cloak(plan, key=...), or draw_fresh without one")
        return streams(self._key, plan.lineage, scopes, plan.in_bytes(secrets))


def _check_index(secrets: Any, scopes: Any) -> None:
    """Refuse secrets and scopes that are columns of different rows."""
    if not have_one_index(secrets, scopes):
        raise InvalidParameter(
            "secrets and scopes must be two columns of the same rows; got different indices. Bring both into one order."
        )


def _check_how(loaded: _LoadedPlan, sticky: bool, fresh: Any) -> None:
    if not isinstance(fresh, bool | np.bool_) or (loaded.plan.randomised and fresh == sticky):
        raise InvalidParameter("say either scopes= for sticky draws or fresh=True for fresh ones")


def _load_plans(plans: Sequence[Any], stand_in: Hashable | None) -> list[_LoadedPlan]:
    """The plans, loaded, in their order."""
    found = []
    for plan in plans:
        one = load(plan) if isinstance(plan, str | os.PathLike) else as_plan(plan)
        loaded = _LoadedPlan(one, None)
        if stand_in is not None:
            Cloak._count(loaded)
        number = None if stand_in is None else one.find(stand_in)
        if stand_in is not None and number is None:
            raise InvalidParameter("the stand-in for unknown secrets must itself be a label of the plan")
        found.append(_LoadedPlan(one, number))
    if not found:
        raise InvalidParameter("a cloak runs one plan at least: give a plan, or a list of plans with the newest last")
    return found


def as_plan(plan: Any) -> Drawable:
    """The plan itself, or one made from a channel, or from a result that has a channel or rows."""
    if isinstance(plan, Drawable):
        return plan
    channel, rows = getattr(plan, "channel", plan), getattr(plan, "rows", None)
    if isinstance(channel, Channel):
        return rounded(channel)
    made = rows() if callable(rows) else None
    if isinstance(made, Drawable):
        return made
    raise InvalidParameter(
        f"a cloak runs a plan, its .cloak file or a channel, not {type(plan).__name__}: make one with design(prior, k)"
    )


def as_key(given: Any) -> Key:
    """A key from a `Key`, its bytes or the path of its file. Bytes are never a path, which an error would quote."""
    if isinstance(given, Key):
        return given
    return Key.load(given) if isinstance(given, str | os.PathLike) else Key(given)
