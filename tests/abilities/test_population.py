"""Figures in the true population behind counts: of a plan, and of a lineage today."""

import numpy as np
import pytest
from tests.abilities.names import Prior, design, population, posterior_vulnerability, update


def test_plan():
    truth = np.random.default_rng(1).lognormal(0, 1, 500)
    truth /= truth.sum()
    counts = np.random.default_rng(2).multinomial(4000, truth)
    seen = np.random.default_rng(3).permutation(np.flatnonzero(counts))
    plan = design(Prior(counts[seen]), 10)
    found = population(plan)
    right = posterior_vulnerability(Prior(truth[seen]), plan.channel())
    assert plan.success == pytest.approx(0.1)
    assert 0.1 < found.low <= right <= found.high
    assert found.success == pytest.approx(right, rel=0.1)
    assert found.success == pytest.approx(0.148322136, abs=1e-9)


def test_lineage():
    rng = np.random.default_rng(0)
    rates = 3_000 * np.arange(1, 201) ** -0.8
    pages = [f"page {i}" for i in range(200)]
    plan = design(Prior(rng.poisson(rates), labels=pages), 10)
    for _ in range(3):
        rates = rates * np.exp(0.1 * rng.standard_normal(200))
        plan = update(plan, Prior(rng.poisson(rates), labels=pages))
    today = population(plan)
    assert today.blind < today.low < today.success < today.high
    assert today.success == pytest.approx(0.129469695, abs=1e-9)
