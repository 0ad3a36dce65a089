"""Hypothesis strategies for one's own tests."""

import numpy as np
import pytest
from tests.abilities.names import capped_channels, channels, entropies, leakage, priors, systems


def test_examples():
    hypothesis = pytest.importorskip("hypothesis")
    seen = []

    @hypothesis.settings(max_examples=25, deadline=None, database=None, derandomize=True)
    @hypothesis.given(priors(max_size=5), systems(), capped_channels(4, 2), channels(3), entropies())
    def collect(prior, system, capped, channel, entropy):
        assert 1 <= len(prior) <= 5
        assert np.asarray(channel.toarray()).sum(axis=1) == pytest.approx(1)
        assert (np.asarray(capped.toarray()) > 0).sum(axis=0).max() <= 2
        seen.append(leakage(*system, entropy))

    collect()
    assert len(seen) >= 25
    assert min(seen) >= -1e-9
