"""Tracks: k walks side by side, one of them true; nobody can tell which, however long they get."""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from minleak import Key
from minleak.core._certify.certificate import Certificate
from minleak.core._cloak import as_key
from minleak.core._file.hashing import hash_parts, label_parts
from minleak.core._keys import Walking, scope_bytes
from minleak.core._parameters import as_list, whole
from minleak.core._plan.streams import Stream
from minleak.errors import InvalidCloak, InvalidKey, InvalidParameter, UnknownSecret, quote
from minleak.lab.sequences._certificate import certify_step
from minleak.lab.sequences._chain import Chain
from minleak.lab.sequences._steps import draw_step, move_tracks, start_tracks

_IMPOSSIBLE = ("refuse", "restart")
_FORM = "minleak walk 1"


class Shown(list[tuple[Any, ...]]):
    """What is shown of a walk: for each step a tuple of k labels, the same track at the same place. `cuts` are the
    steps at which new tracks began, so that nothing links them to the ones before.
    """

    def __init__(self, steps: Iterable[tuple[Any, ...]], cuts: Sequence[int]) -> None:
        super().__init__(steps)
        self.cuts = tuple(cuts)


class Tracks:
    """Hides a walk among k - 1 others that the chain makes as likely as it.

    Parameters
    ----------
    chain
        How secrets move on. The promise holds as far as this is true: see `sequences.leakage(..., truth=)`.
    k
        How many tracks are shown, at most 1,024. A move takes milliseconds up to 64, and a second at 400.
    key
        A `Key`, its 32 bytes, or the path of its file; needed to draw, not to measure.
    on_impossible
        What to do with a first state or a move that the chain gives probability zero: "refuse", or "restart" with
        new tracks, which everybody sees; `cuts` tell where.

    Which place is the true one is uniform given everything that is ever shown, and never changes. The same walk in the
    same scope shows the same tracks, and a longer one begins with what the shorter one shows.

    >>> chain = Chain([1, 1, 1], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], labels=["home", "work", "shop"])
    >>> tracks = Tracks(chain, 2, key=bytes(32))
    >>> shown = tracks.draw(["home", "work", "home"], scope="user-17")
    >>> len(shown), shown == tracks.draw(["home", "work", "home"], scope="user-17")
    (3, True)
    """

    def __init__(
        self,
        chain: Chain,
        k: int,
        *,
        key: Key | bytes | bytearray | str | os.PathLike[str] | None = None,
        on_impossible: str = "refuse",
    ) -> None:
        if not isinstance(chain, Chain):
            raise InvalidParameter(f"tracks follow a Chain, not {type(chain).__name__}: see Chain.from_sequences")
        self.chain, self.k = chain, whole(k, "k", most=1 << 10)
        if not isinstance(on_impossible, str) or on_impossible not in _IMPOSSIBLE:
            raise InvalidParameter(f"on_impossible is one of {', '.join(_IMPOSSIBLE)}, not {quote(on_impossible)}")
        self.on_impossible = on_impossible
        self._key = None if key is None else as_key(key)
        self._index = chain.labels.indexed()

    def start(self, state: Hashable, *, scope: str | bytes) -> Walk:
        """A walk that begins at a state; `move` goes on with it. The scope names who walks."""
        random = self._walking
        x, root = self._position(state, None), scope_bytes(scope)
        refusing = self.on_impossible == "refuse"
        for cut in (False,) if refusing else (False, True):
            parts = b"start", root, _number(x), bytes([cut])
            found = start_tracks(self.chain, self.k, x, random.stream(*parts), anew=cut)
            if found is not None:
                tracks, place = found
                history = random.hashed(b"shown", root, _join(tracks))
                return Walk(self, tracks, place, history, self._owner(scope), 0, [0] if cut else [])
        remedy = ", or take on_impossible='restart'" if refusing else ": no walk ever comes there"
        raise InvalidParameter(f"the chain gives the first state probability zero: refuse it{remedy}")

    def draw(self, sequence: Iterable[Hashable], *, scope: str | bytes) -> Shown:
        """The tracks for a whole walk: for each step a tuple of k labels."""
        states = as_list(sequence, "a walk is a list of states of the chain", ordered=True, some=True)
        self.check_states(states)
        walk = self.start(states[0], scope=scope)
        steps = [walk.shown, *(walk.move(state) for state in states[1:])]
        return Shown(steps, walk.cuts)

    def check_states(self, states: Iterable[Hashable]) -> None:
        """Refuse states that the chain does not know, before a step of a walk is taken."""
        for at, state in enumerate(states):
            self._position(state, at)

    def resume(self, saved: str, *, scope: str | bytes) -> Walk:
        """The walk that a text from `Walk.saved` stands for, in this or another process with the same chain, k and key,
        for the scope that it was begun for.
        """
        owner = self._owner(scope)
        try:
            data = json.loads(saved)
            body = json.dumps(data["walk"], sort_keys=True)
            mac, (tracks, hidden, history, begun_for, step, cuts) = (
                data["mac"],
                (data["walk"][name] for name in ("tracks", "place", "history", "owner", "step", "cuts")),
            )
            sealed = self._walking.hashed(b"saved", body.encode()).hex()
            genuine = data["form"] == _FORM and hmac.compare_digest(mac, sealed)
            past = bytes.fromhex(history)
            counted = [*tracks, hidden, step, *cuts]
            genuine &= len(tracks) == self.k and all(type(number) is int and number >= 0 for number in counted)
            genuine &= max(tracks) < len(self.chain) and hidden < self.k
        except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
            genuine = False
        if not genuine:
            raise InvalidCloak(
                "this is no walk saved with this chain, k and key: it is damaged, or one of the three is another"
            )
        if begun_for != owner:
            raise InvalidParameter("this walk was begun for another scope: each subject has walks of its own")
        return Walk(self, tracks, (hidden - self._mask(past)) % self.k, past, owner, step, cuts)

    def step_certificate(self, step: Iterable[Hashable]) -> Certificate:
        """What `certify(tracks, step=...)` returns: the next step from these k states, drawn four times with each place
        as the true one, and checked.
        """
        given = as_list(step, "a step is a tuple of k states", ordered=True)
        states = [self._position(state, at) for at, state in enumerate(given)]
        if len(states) != self.k:
            raise InvalidParameter(f"a step of these tracks has {self.k} states, not {len(states)}")
        stream, rng = Stream(lambda _: os.urandom(64)), np.random.default_rng()
        after = self.chain.next_states(np.array(states * 4), rng).tolist()
        drawn = [draw_step(self.chain, states, i % self.k, x, stream, trace=True) for i, x in enumerate(after)]
        return certify_step(self.chain, [step for step in drawn if step is not None])

    @cached_property
    def digest(self) -> bytes:
        """A digest of everything a draw depends on, the chain and k; 32 bytes."""
        chain, line = self.chain, self.chain.line
        parts = [chain.indptr, chain.indices, chain.counts, chain.backoff, line.weights, line.block, chain.target]
        parts += [chain.start.weights, chain.start.block, np.array([self.k, chain.unit, chain.clock or 0])]
        numbers = [np.ascontiguousarray(part, dtype="<i8") for part in parts]
        return hash_parts(b"minleak tracks 1", [*label_parts(chain.labels), *numbers])

    def __repr__(self) -> str:
        key = "no key" if self._key is None else f"key {self._key.id}"
        return f"Tracks(n={len(self.chain)}, k={self.k}, {key})"

    def __reduce__(self) -> Any:
        raise InvalidKey("tracks are not pickled: make them where they are needed, from the chain and the key's file")

    # -- inside -------------------------------------------------------------------------------------------------------

    @cached_property
    def _walking(self) -> Walking:
        if self._key is None:
            raise InvalidKey("drawing tracks needs a key: Tracks(chain, k, key=...)")
        return Walking(self._key, self.digest)

    def _owner(self, scope: Any) -> str:
        """What a saved walk keeps of its scope: nothing to those without the key."""
        return self._walking.hashed(b"owner", scope_bytes(scope)).hex()

    def _mask(self, history: bytes) -> int:
        return self._walking.stream(b"place", history).below(self.k)

    def _position(self, state: Hashable, at: int | None) -> int:
        found = self._index.position(state)
        if found is None:
            which = "" if at is None else f" (number {at} of the walk, counted from 0)"
            raise UnknownSecret(f"the chain does not know this state{which}: refuse it, or fit the chain with it", at)
        return found


class Walk:
    """A walk under way: `shown` is the last tuple, `step` its number, `cuts` the steps at which new tracks began.

    What it keeps is the k states shown, the true place, and keyed hashes of all before them and of the scope.
    """

    def __init__(
        self, tracks: Tracks, states: list[int], place: int, history: bytes, owner: str, step: int, cuts: Sequence[int]
    ) -> None:
        self._tracks, self._states, self._place, self._history, self._owner = tracks, states, place, history, owner
        self.step, self.cuts = step, tuple(cuts)

    @property
    def shown(self) -> tuple[Any, ...]:
        """The k labels of this step, in track order."""
        return tuple(self._tracks.chain.labels[state] for state in self._states)

    def move(self, state: Hashable) -> tuple[Any, ...]:
        """Go on to a state, and show the k labels of the step."""
        tracks = self._tracks
        random, x = tracks._walking, tracks._position(state, None)
        after = move_tracks(
            tracks.chain, self._states, self._place, x, random.stream(b"move", self._history, _number(x))
        )
        place, cuts = self._place, self.cuts
        if after is None:
            fresh = None
            if tracks.on_impossible == "restart":
                stream = random.stream(b"restart", self._history, _number(x))
                fresh = start_tracks(tracks.chain, tracks.k, x, stream, anew=True)
            if fresh is None:
                raise InvalidParameter(
                    "the chain gives this move probability zero: refuse it, give the chain back-off, or take "
                    "on_impossible='restart'"
                )
            after, place = fresh
            cuts = (*cuts, self.step + 1)
        self._states, self._place, self.cuts, self.step = after, place, cuts, self.step + 1
        self._history = random.hashed(b"shown", self._history, _join(after))
        return self.shown

    def saved(self) -> str:
        """All that is kept, as text for `Tracks.resume`. The true place is masked by the key, and the text is sealed by
        it, so that it tells nothing more than what was shown.
        """
        random = self._tracks._walking
        body = {
            "tracks": self._states,
            "place": (self._place + self._tracks._mask(self._history)) % self._tracks.k,
            "history": self._history.hex(),
            "owner": self._owner,
            "step": self.step,
            "cuts": list(self.cuts),
        }
        mac = random.hashed(b"saved", json.dumps(body, sort_keys=True).encode()).hex()
        return json.dumps({"form": _FORM, "walk": body, "mac": mac})

    def __repr__(self) -> str:
        return f"Walk(step={self.step}, k={self._tracks.k})"

    def __reduce__(self) -> Any:
        raise InvalidKey("walks are not pickled: see saved() and Tracks.resume")


def _number(x: int) -> bytes:
    return x.to_bytes(8, "little")


def _join(states: list[int]) -> bytes:
    return b"".join(map(_number, states))
