"""Audits of recorded events: observables that are names, numbers, or counts that an engine reduced."""

import numpy as np
import pytest
from tests.abilities.names import audit, engine_audit


def bit(rng):
    """Two of four secrets show themselves, the others do not: the best attack is right in 3 of 4 cases."""
    secret = rng.integers(0, 4, 6000)
    return secret, np.where(secret < 2, secret, 2)


def test_discrete():
    secret, shown = bit(np.random.default_rng(1))
    found = audit(secret, [f"page-{y}" for y in shown.tolist()], measures=["min-entropy"], rng=0)
    assert found.success.low <= 0.75 <= found.success.high
    assert found.success.estimate == pytest.approx(0.75, abs=0.02)
    assert (found.rejected, found.events, found.secrets, found.observables) == (True, 6000, 4, 3)


def test_numeric():
    rng = np.random.default_rng(1)
    secret = rng.integers(0, 4, 5000)
    found = audit(secret, secret + rng.normal(0, 1, 5000), measures=["shannon"], rng=0)
    assert (found.success.high, found.rejected) == (None, True)
    assert 0.51 < found.success.low <= 0.5372 + 1e-9  # the best attack is right in .5372 of all cases
    silent = audit(secret, rng.normal(0, 1, 5000), measures=["shannon"], rng=0)
    assert not silent.rejected


def test_counts():
    pytest.importorskip("ibis")
    table = pytest.importorskip("pyarrow").table
    secret, shown = bit(np.random.default_rng(1))
    found = engine_audit(table({"secret": secret, "observable": shown}), measures=["min-entropy"])
    assert found.success.low <= 0.75 <= found.success.high
    assert found.events == 6000
