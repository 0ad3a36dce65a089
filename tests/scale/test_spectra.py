"""Spectrum: H(X) from an engine is H(X) in memory."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.scale.priors import PRIORS, given, in_memory

import minleak as ml
from minleak import scale
from minleak.core._entropy.names import STANDARD
from minleak.errors import InvalidParameter, InvalidPrior


@pytest.mark.parametrize("name", PRIORS)
def test_every_entropy(name, duckdb, tmp_path):
    spectrum = scale.Spectrum(given(duckdb, PRIORS[name], tmp_path))
    for entropy in (*STANDARD, "arimoto:0.5", "tsallis:3"):
        assert spectrum.entropy(entropy) == pytest.approx(ml.entropy(entropy)(in_memory(PRIORS[name])), rel=1e-12)


def test_a_log_is_counted():
    log = pa.table({"secret": ["a", "b", "a", "c"]})
    assert scale.Spectrum(log, weight=None).entropy("shannon") == 1.5


def test_what_sees_every_secret_is_refused(monkeypatch):
    spectrum = scale.Spectrum(pa.table({"secret": ["a", "b"], "count": [1, 2]}))
    gini = ml.lab.CoreConcave(lambda z: z, core=lambda p: 1 - (p**2).sum(), name="gini")
    with pytest.raises(InvalidParameter, match="in memory"):
        spectrum.entropy(gini)
    monkeypatch.setattr("minleak.scale._counts._DISTINCT", 1)
    with pytest.raises(InvalidParameter, match="more than 1 different weights: measure the prior in memory"):
        scale.Spectrum(pa.table({"secret": ["a", "b"], "count": [1, 2]}))
    with pytest.raises(InvalidPrior, match="zero"):
        scale.Spectrum(pa.table({"secret": ["a", "b"], "count": [0, 0]}))
