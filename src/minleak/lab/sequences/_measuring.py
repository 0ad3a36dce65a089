"""leakage: how often attackers who filter or smooth are right about a walk, at each step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minleak import Channel
from minleak.core._arrays import Array, Indices
from minleak.core._labels import match
from minleak.core._parameters import as_list, whole
from minleak.core._plan.drawable import Listed
from minleak.core._progress import Progress, no_progress
from minleak.core._simulating import generator, margin
from minleak.errors import InvalidParameter, quote
from minleak.lab.sequences._beliefs import (
    Attacker,
    LearningAttacker,
    ShownSets,
    ShownTracks,
    score_guesses,
    solve_exactly,
)
from minleak.lab.sequences._chain import Chain
from minleak.lab.sequences._results import ByStep, SequenceLeakage, SequenceTable
from minleak.lab.sequences._schemes import CHAIN, NAMES, Scheme, as_scheme
from minleak.lab.sequences._tracks import Tracks

_STEPS, _TRIALS = 10_000, 10**6
# The most states that are shown in all walks, and the most pairs of them that are compared at a time.
_SHOWN, _PAIRS = 5 * 10**7, 2 * 10**7


def leakage(
    chain: Chain,
    method: Tracks | Listed | Channel | str | Any,
    *,
    k: int | None = None,
    steps: int = 20,
    trials: int = 1000,
    seed: int = 0,
    truth: Chain | Sequence[Sequence[Any]] | None = None,
    exact: bool | None = None,
    progress: Progress | None = None,
) -> SequenceLeakage:
    """How often the best attackers are right about X_t: from what was shown up to step t (filtering), and from all that
    is shown in `steps` steps (smoothing). They know the chain and the method, not the key.

    Parameters
    ----------
    method
        `Tracks`, a plan or a `Channel` drawn anew at each step; or, with `k`, one of "tracks", "plan" (the optimal
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
    >>> leakage(Chain([1] * 6, ring), "buckets", k=2, steps=3).filtered.values
    (0.5, 0.625, 0.65625)
    """
    if not isinstance(chain, Chain):
        raise InvalidParameter(f"walks go by a Chain, not {type(chain).__name__}: see Chain.from_sequences")
    length, many = whole(steps, "steps", most=_STEPS), whole(trials, "trials", least=2, most=_TRIALS)
    if exact is not None and not isinstance(exact, bool):
        raise InvalidParameter(f"exact is True, False or None for whichever is possible, not {quote(exact)}")
    rng = generator(seed)
    scheme = as_scheme(chain, method, k)
    if exact and truth is not None:
        raise InvalidParameter("exact=True is for walks that go by the chain: leave out truth=")
    if exact is not False and truth is None:
        found = None if scheme.channel is None else solve_exactly(chain, scheme.channel(), length)
        if found is not None:
            filtered, smoothed, bits, smoothed_bits = (ByStep(values, values, values) for values in found)
            return SequenceLeakage(scheme.name, scheme.k, filtered, smoothed, bits, smoothed_bits, 0, True)
        if exact:
            raise InvalidParameter("there is too much to go through exactly: leave out exact=True")
    if length * many * scheme.width > _SHOWN:
        raise InvalidParameter(
            f"{length:,} steps of {many:,} walks, each of up to {scheme.width:,} states, are too much to keep: take "
            "fewer steps or trials"
        )
    return _simulate(chain, scheme, length, many, rng, truth, progress)


def baselines(
    chain: Chain,
    k: int,
    *,
    steps: int = 20,
    trials: int = 200,
    seed: int = 0,
    truth: Chain | Sequence[Sequence[Any]] | None = None,
    progress: Progress | None = None,
) -> SequenceTable:
    """Tracks and what else could be done with k states a step, each by `leakage`, in one table.

    >>> import numpy as np
    >>> ring = sum(np.roll(np.eye(6, dtype=int), shift, axis=0) for shift in (0, 0, 1, -1))
    >>> table = baselines(Chain([1] * 6, ring), 2, steps=4, trials=50)
    >>> [row.method for row in table.rows if max(row.smoothed) <= 0.5]
    ['tracks', 'plan for the prediction']
    """
    return SequenceTable(
        tuple(
            leakage(
                chain, name, k=k, steps=steps, trials=trials, seed=seed, truth=truth, exact=False, progress=progress
            )
            for name in NAMES
        )
    )


def _simulate(
    chain: Chain,
    scheme: Scheme,
    steps: int,
    trials: int,
    rng: np.random.Generator,
    truth: Any,
    progress: Progress | None,
) -> SequenceLeakage:
    attacker, known = Attacker(chain), None
    if truth is None:
        walks = chain.simulate_positions(steps, trials, rng)
    elif isinstance(truth, Chain):
        match(truth.labels, chain.labels, ("the chain of the truth", "state"), CHAIN, InvalidParameter)
        walks, attacker = truth.simulate_positions(steps, trials, rng), Attacker(truth)
    else:
        walks = _held_out(chain, truth, steps)[:trials]
        known, attacker = walks.T, LearningAttacker(chain, walks)
    report = progress or no_progress
    seen = scheme.show(chain, walks, rng, lambda done, of: report(done, of, scheme.name))
    report(1, 1, scheme.name)
    found = _attack(attacker, seen, known)
    filtered, smoothed = (_by_step(part, 1.0) for part in found[:2])
    bits, smoothed_bits = (_by_step(part, math.inf) for part in found[2:])
    evidence = falls = None
    if truth is not None:
        evidence = _evidence(chain, attacker, walks)
        falls = next((t for t, chance in enumerate(filtered) if chance > 0.5), None)
    many = len(walks)
    return SequenceLeakage(scheme.name, scheme.k, filtered, smoothed, bits, smoothed_bits, many, False, evidence, falls)


def _attack(attacker: Attacker, seen: ShownSets | ShownTracks, truth: Indices | None) -> list[Array]:
    """Success of filtering and of smoothing, and the entropies, for each step and walk; some walks at a time."""
    steps, many, k = seen.members.shape
    width = max(1, _PAIRS // (steps * k * k))
    found = []
    for begin in range(0, many, width):
        walks = slice(begin, min(begin + width, many))
        true = None if truth is None else truth[:, walks]
        parts = [score_guesses(seen.members[:, walks], weights, true) for weights in seen.posteriors(attacker, walks)]
        found.append([values for kind in zip(*parts, strict=True) for values in kind])
    return [np.concatenate(values, axis=1) for values in zip(*found, strict=True)]


def _held_out(chain: Chain, truth: Any, steps: int) -> Indices:
    what = "the truth is a Chain, or walks: a list of sequences of states"
    known = {label: i for i, label in enumerate(chain.labels)}
    found = []
    for number, walk in enumerate(as_list(truth, what, ordered=True)):
        states = as_list(walk, what, ordered=True)
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
        gains = np.log2(attacker.moves(a, b, np.arange(len(walks))[:, None])) - np.log2(chain.probabilities(a, b))
    return float(gains.mean())


def _by_step(values: Array, most: float) -> ByStep:
    """Means over walks, with their intervals."""
    mean = values.mean(axis=1)
    half = margin(values)
    high = np.minimum(mean + half, most)
    return ByStep(tuple(mean.tolist()), tuple(np.maximum(mean - half, 0).tolist()), tuple(high.tolist()))
