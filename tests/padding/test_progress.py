"""Whatever may take seconds tells how far it is: steps done, of how many, and what comes next."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml

SIZES = np.unique(np.random.default_rng(0).integers(100, 10_000, 200))
STREAMS = {
    "stream": [0, 0, 1, 1, 2, 2],
    "secret": list("aabbbb"),
    "time": [0, 50, 0, 80, 10, 60],
    "size": [3, 30, 8, 9, 7, 20],
}
WORK = {
    "design": lambda report: ml.padding.design(SIZES, overhead=0.1, progress=report),
    "compare": lambda report: ml.padding.compare(SIZES, progress=report),
    "frontier": lambda report: ml.padding.frontier(SIZES, points=5, progress=report),
    "least_budget": lambda report: ml.padding.least_budget(SIZES, leakage=2.0, progress=report),
    "from_samples": lambda report: ml.padding.from_samples([0, 1] * 100, list(range(200)), budget=9, progress=report),
    "frames": lambda report: ml.padding.frames(STREAMS, budget=100, delay=100, progress=report),
    "sweep": lambda report: ml.sweep([400, 300, 200, 100, 50], ks=[1, 2, 3], progress=report),
}


@pytest.mark.parametrize("name", WORK)
def test_progress(name):
    told = []
    with_it = WORK[name](lambda done, steps, what: told.append((done, steps, what)))
    assert told
    assert all(0 <= done < steps and what for done, steps, what in told)
    assert str(with_it) == str(WORK[name](None))


def test_the_designs_of_a_comparison_are_counted():
    told = []
    found = ml.padding.compare(SIZES, progress=lambda *one: told.append(one))
    many = len(found.rivals) * len(found.entropies)
    assert [(done, steps) for done, steps, _ in told] == [(i, many) for i in range(many)]
    assert told[0][2] == "no padding, shannon"
