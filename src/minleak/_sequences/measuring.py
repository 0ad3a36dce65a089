"""sequence_leakage: how often attackers who filter and smooth are right about a walk, step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.channel import Channel, as_channel
from minleak._data.labels import first_difference
from minleak._design.make import design
from minleak._design.plan import Plan
from minleak._entropy.random_search import generator
from minleak._sequences.beliefs import Attacker, Knowing, Learning, judged
from minleak._sequences.chain import Chain
from minleak._sequences.exactly import exactly
from minleak._sequences.given import whole
from minleak._sequences.results import ByStep, SequenceLeakage, SequenceTable
from minleak._sequences.schemes import ChannelEachStep, DecoyWalks, PlanEachStep, Predicted, Scheme, Tracked, buckets
from minleak._sequences.tracks import Tracks
from minleak.errors import InvalidParameter, listed, shown

Indices = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]

# The 99.5th percentile of the normal distribution, for two-sided intervals of 99%.
_Z = 2.5758293035489004
_STEPS, _TRIALS = 10_000, 10**6
# Plans of more sets than this are not gone through one by one.
_LISTED = 1 << 11
NAMES = ("tracks", "plan", "buckets", "decoys", "predictive")


def sequence_leakage(
    chain: Chain,
    method: Tracks | Plan | Channel | str | Any,
    *,
    k: int | None = None,
    steps: int = 20,
    trials: int = 1000,
    seed: int = 0,
    truth: Chain | Sequence[Sequence[Any]] | None = None,
    exact: bool | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> SequenceLeakage:
    """How often the best attackers are right about X_t: from what was shown up to step t (filtering), and from all that
    is shown in `steps` steps (smoothing). They know the chain and the method, not the key.

    Parameters
    ----------
    method
        `Tracks`, a `Plan` or a `Channel` drawn anew at each step; or, with `k`, one of "tracks", "plan" (the optimal
        one for the marginal), "buckets" (k consecutive states by weight, fixed), "decoys" (k - 1 independent walks of
        the chain), "predictive" (the optimal plan for what is expected next, designed at each step).
    steps, trials, seed
        Walks of so many states, and how many are simulated.
    truth
        Another chain on the same states: walks then go by it, and attackers know it. Or walks that really happened, as
        sequences: success is then how often guesses are right about them, and attackers know the chain and all the
        other walks; longer ones are cut to `steps`, shorter ones left out, and at most `trials` are taken.
    exact
        True to have the exact recursion over all that can be shown (a plan or channel on a small chain), False never;
        whichever is possible if not given.

    For tracks each walk takes some milliseconds a step; success is E[largest count of a state] / k, by the theorem
    that the posterior of the true track is uniform, as long as the chain is true.

    >>> import numpy as np
    >>> ring = sum(np.roll(np.eye(6, dtype=int), shift, axis=0) for shift in (0, 0, 1, -1))
    >>> sequence_leakage(Chain([1] * 6, ring), "buckets", k=2, steps=3).filtered.values
    (0.5, 0.625, 0.65625)
    """
    if not isinstance(chain, Chain):
        raise InvalidParameter(f"walks go by a Chain, not {type(chain).__name__}: see Chain.from_sequences")
    length, many = whole(steps, "steps", most=_STEPS), whole(trials, "trials", least=2, most=_TRIALS)
    if exact is not None and not isinstance(exact, bool):
        raise InvalidParameter(f"exact is True, False or None for whichever is possible, not {shown(exact)}")
    rng = generator(seed)
    scheme, channel, size = _scheme(chain, method, k)
    if exact is not False and truth is None:
        found = None if channel is None else exactly(chain, channel(), length)
        if found is not None:
            known = [ByStep(part, part, part) for part in (tuple(map(float, row)) for row in found)]
            return SequenceLeakage(scheme.name, size, known[0], known[1], known[2], known[3], trials=0, exact=True)
        if exact:
            raise InvalidParameter("there is too much to go through exactly: leave out exact=True")
    elif exact:
        raise InvalidParameter("exact=True is for walks that go by the chain: leave out truth=")
    return _measured(chain, scheme, size, length, many, rng, truth, progress)


def sequence_baselines(
    chain: Chain,
    k: int,
    *,
    steps: int = 20,
    trials: int = 200,
    seed: int = 0,
    truth: Chain | Sequence[Sequence[Any]] | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> SequenceTable:
    """Tracks and what else could be done with k states a step, each by `sequence_leakage`, in one table.

    >>> import numpy as np
    >>> ring = sum(np.roll(np.eye(6, dtype=int), shift, axis=0) for shift in (0, 0, 1, -1))
    >>> table = sequence_baselines(Chain([1] * 6, ring), 2, steps=4, trials=50)
    >>> [row.method for row in table.rows if max(row.smoothed) <= 0.5]
    ['tracks', 'plan for the prediction']
    """
    return SequenceTable(
        tuple(
            sequence_leakage(
                chain, name, k=k, steps=steps, trials=trials, seed=seed, truth=truth, exact=False, progress=progress
            )
            for name in NAMES
        )
    )


def _scheme(chain: Chain, method: Any, k: int | None) -> tuple[Scheme, Callable[[], Channel] | None, int | None]:
    """The scheme, its channel if it is one drawn at each step, and its k."""
    if k is not None and not isinstance(method, str):
        raise InvalidParameter("k= goes with the name of a method: tracks and plans have their own")
    if isinstance(method, Tracks):
        if first_difference(method.chain.labels, chain.labels) is not None or len(method.chain) != len(chain):
            raise InvalidParameter("the tracks are of a chain with other states")
        return Tracked(method.k), None, method.k
    if isinstance(method, str):
        if method not in NAMES:
            raise InvalidParameter(
                f"a method is one of {', '.join(NAMES)}, or Tracks, a Plan, a Channel; not {shown(method)}"
            )
        if k is None:
            raise InvalidParameter(f"say how many states a step shows: k= goes with {method!r}")
        size = min(whole(k, "k", most=1 << 10), len(chain))
        if method == "plan":
            method = design(chain.marginal, size)
        elif method == "buckets":
            made = buckets(chain.marginal, size)
            return made, lambda: made.channel, size
        else:
            size = whole(k, "k", most=1 << 10)
            others: dict[str, Scheme] = {
                "tracks": Tracked(size),
                "decoys": DecoyWalks(size),
                "predictive": Predicted(size),
            }
            return others[method], None, size
    if isinstance(method, Plan):
        if len(method.prior) != len(chain):
            raise InvalidParameter(
                f"the plan is for {len(method.prior)} secrets, and the chain has {len(chain)} states"
            )
        plan = method
        return PlanEachStep(plan), (lambda: plan.channel()) if plan.n_cells < _LISTED else None, plan.k
    given = as_channel(method)
    if given.shape[0] != len(chain):
        raise InvalidParameter(f"the channel has {given.shape[0]} inputs, and the chain {len(chain)} states")
    return ChannelEachStep(given), lambda: given, None


def _measured(
    chain: Chain,
    scheme: Scheme,
    k: int | None,
    steps: int,
    trials: int,
    rng: np.random.Generator,
    truth: Any,
    progress: Callable[[int, int, str], None] | None,
) -> SequenceLeakage:
    attacker: Attacker = Knowing(chain)
    known = None
    if truth is None:
        walks = chain.simulated(steps, trials, rng)
    elif isinstance(truth, Chain):
        if len(truth) != len(chain) or first_difference(truth.labels, chain.labels) is not None:
            raise InvalidParameter("the truth is a chain with other states: give it the same labels in the same order")
        walks, attacker = truth.simulated(steps, trials, rng), Knowing(truth)
    else:
        walks = _held_out(chain, truth, steps)[:trials]
        known, attacker = walks.T, Learning(chain, list(walks))
    done = _Counter(progress, len(walks) if isinstance(scheme, Tracked | Predicted) else 1, scheme.name)
    seen = scheme.shown(chain, walks, attacker, rng, done)
    filtered, smoothed = (judged(seen.members, weights, known) for weights in (seen.filtered, seen.smoothed))
    parts = [_by_step(part[0], 1.0) for part in (filtered, smoothed)]
    bits = [_by_step(part[1], math.inf) for part in (filtered, smoothed)]
    evidence = falls = None
    if truth is not None:
        evidence = _evidence(chain, attacker, walks)
        falls = next((t for t, chance in enumerate(parts[0]) if chance > 0.5), None)
    many = len(walks)
    return SequenceLeakage(scheme.name, k, parts[0], parts[1], bits[0], bits[1], many, False, evidence, falls)


class _Counter:
    """Tells how far it is."""

    def __init__(self, progress: Callable[[int, int, str], None] | None, of: int, name: str) -> None:
        self._progress, self._of, self._name, self._done = progress, of, name, 0

    def __call__(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._of, self._name)


def _held_out(chain: Chain, truth: Any, steps: int) -> Indices:
    what = "the truth is a Chain, or walks: a list of sequences of states"
    known = {label: i for i, label in enumerate(chain.labels)}
    found = []
    for number, walk in enumerate(listed(truth, what)):
        states = listed(walk, what)
        if len(states) < steps:
            continue
        try:
            found.append([known[state] for state in states[:steps]])
        except (KeyError, TypeError):
            raise InvalidParameter(f"walk {number} of the truth has a state that the chain does not know") from None
    if len(found) < 2:
        raise InvalidParameter(
            f"the truth has {len(found)} walks of at least {steps} steps: two are needed, or fewer steps"
        )
    return np.array(found, dtype=np.int64)


def _evidence(chain: Chain, attacker: Attacker, walks: Indices) -> float:
    if walks.shape[1] < 2:
        return 0.0
    a, b = walks[:, :-1], walks[:, 1:]
    with np.errstate(divide="ignore"):
        gains = np.log2(attacker.onwards(a, b, np.arange(len(walks))[:, None])) - np.log2(chain.probabilities(a, b))
    return float(gains.mean())


def _by_step(values: Array, most: float) -> ByStep:
    """Means over walks, with their intervals."""
    mean = values.mean(axis=1)
    half = _Z * values.std(axis=1, ddof=1) / math.sqrt(values.shape[1])
    high = np.minimum(mean + half, most)
    return ByStep(tuple(mean.tolist()), tuple(np.maximum(mean - half, 0).tolist()), tuple(high.tolist()))
