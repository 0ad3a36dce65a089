"""Tracks: the posterior of the true one is uniform for ever, by listing all that can be drawn."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from tests.lab.sequences.listing import law

from minleak.lab.sequences import Chain
from minleak.lab.sequences._steps import move_tracks, start_tracks

# few states, so that all walks can be listed: sparse rows, back-off, a heavy state, a clock, an order of two
CHAINS = {
    "sparse": Chain([2, 1, 1], [[0, 1, 1], [1, 0, 1], [2, 0, 0]]),
    "back-off": Chain([1, 2, 1], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], backoff=1, marginal=[2, 1, 1]),
    "heavy": Chain([3, 1], [[3, 1], [1, 1]]),
    "clock": Chain(
        [1, 1, 0, 0, 0],
        [[0, 0, 1, 1, 0], [0, 0, 0, 0, 2], [1, 1, 0, 0, 0], [2, 0, 0, 0, 0], [0, 2, 0, 0, 0]],
        labels=[(0, "a"), (0, "b"), (1, "a"), (1, "b"), (1, "c")],
        clock=2,
    ),
    "order": Chain.from_sequences([list("aba"), list("abbab"), list("aab")], order=2, smoothing=1),
}


def row(chain, a):
    """P(a -> .) as it was given, in Fractions, by the definition."""
    n, target = len(chain), chain.target[a]
    total = int(chain.sums[a] + chain.backoff[a])
    block = [b for b in range(n) if chain.line.block[b] == target]
    mass = sum(int(chain.marginal.weights[b]) for b in block)
    found = [Fraction(0)] * n
    for b in block:
        found[b] += Fraction(int(chain.backoff[a]) * int(chain.marginal.weights[b]), mass * total)
    for at in range(chain.indptr[a], chain.indptr[a + 1]):
        found[chain.indices[at]] += Fraction(int(chain.counts[at]), total)
    return found


def next_law(chain, tracks, place, monkeypatch):
    """p(next tuple given the tracks, the true one at `place`) when it moves by the chain."""
    together = {}
    for b, p in enumerate(row(chain, tracks[place])):
        if not p:
            assert move_tracks(chain, list(tracks), place, b, None) is None
            continue
        for after, q in law(lambda s, b=b: tuple(move_tracks(chain, list(tracks), place, b, s)), monkeypatch).items():
            assert after[place] == b
            together[after] = together.get(after, 0) + p * q
    return together


@pytest.mark.parametrize(
    ("name", "k", "steps"),
    [("sparse", 3, 2), ("back-off", 2, 2), ("heavy", 2, 3), ("clock", 2, 2), ("order", 2, 2)],
)
def test_the_posterior_of_the_true_track_is_uniform_for_ever(name, k, steps, monkeypatch):
    """p(A_0..A_t, J = j) is the same for every j, for all walks; every track alone is the chain; and states are as
    different as the sums of the rows allow."""
    chain = CHAINS[name]
    assert chain.distance == 0
    p = [Fraction(int(w), int(chain.initial.total)) for w in chain.initial.weights]
    joint = {}
    for x, mass in enumerate(p):
        if mass:
            for (tracks, place), q in law(lambda s, x=x: _frozen(start_tracks(chain, k, x, s)), monkeypatch).items():
                joint[tracks, place] = joint.get((tracks, place), 0) + mass * q
    kernels = {}
    histories = {(tracks,): [joint.get((tracks, j), Fraction(0)) for j in range(k)] for tracks, _ in joint}
    for _ in range(steps):
        longer = {}
        for history, masses in histories.items():
            tracks = history[-1]
            for j, mass in enumerate(masses):
                if (tracks, j) not in kernels:
                    kernels[tracks, j] = next_law(chain, tracks, j, monkeypatch)
                for after, q in kernels[tracks, j].items():
                    longer.setdefault((*history, after), [Fraction(0)] * k)[j] += mass * q
        assert all(len(set(masses)) == 1 for masses in histories.values())
        histories = longer
    assert len(histories) > 3
    assert all(len(set(masses)) == 1 for masses in histories.values())
    assert sum(map(sum, histories.values())) == 1
    for (tracks, _), kernel in kernels.items():
        each_row_and_apart(chain, tracks, kernel)


def ring(n, marginal):
    """Mostly back-off, so that most tracks go elsewhere."""
    rows = [[int(b == (a + 1) % n) for b in range(n)] for a in range(n)]
    return Chain([1] * n, rows, backoff=8, marginal=marginal)


@pytest.mark.parametrize(
    ("chain", "tracks"),
    [(ring(8, [1] * 8), (0, 3)), (ring(8, [1] * 8), (5, 5)), (ring(6, [4, 1, 1, 1, 1, 1]), (1, 2))],
)
def test_a_step_is_the_same_whichever_track_is_true(chain, tracks, monkeypatch):
    """K(a -> b) by way of every track, several of them elsewhere, and a state that is too heavy to be left there."""
    kernels = [next_law(chain, tracks, place, monkeypatch) for place in range(len(tracks))]
    assert all(kernel == kernels[0] for kernel in kernels)
    each_row_and_apart(chain, tracks, kernels[0])


def each_row_and_apart(chain, tracks, kernel):
    """Every marginal is the row of its track, and every state has the floor or the ceiling of its mean count."""
    rows = [row(chain, a) for a in tracks]
    for i, b in product(range(len(tracks)), range(len(chain))):
        assert sum((q for after, q in kernel.items() if after[i] == b), Fraction(0)) == rows[i][b]
    for after, b in product(kernel, range(len(chain))):
        mean = sum(r[b] for r in rows)
        assert math.floor(mean) <= after.count(b) <= math.ceil(mean)


def _frozen(found):
    return tuple(found[0]), found[1]
