"""Conditional entropies of Renyi's order by Arimoto, Hayashi, Fehr and Berens, each against its formula."""

import numpy as np
import pytest
from tests.abilities.names import Arimoto, FehrBerens, Hayashi, leakage

P, C = np.array([0.5, 0.3, 0.2]), np.array([[0.9, 0.1, 0], [0, 1, 0], [0, 0.5, 0.5]])
JOINT = P[:, None] * C


def conditional(kind, a, joint):
    """The formula, on a joint distribution with observables as columns."""
    y = joint.sum(axis=0)
    powers = ((joint / y) ** a).sum(axis=0)
    if kind is Arimoto:
        return a / (1 - a) * np.log2((y * powers ** (1 / a)).sum())
    if kind is Hayashi:
        return 1 / (1 - a) * np.log2((y * powers).sum())
    return -np.log2((y * powers ** (1 / (a - 1))).sum())


@pytest.mark.parametrize("order", [0.5, 2, 7])
@pytest.mark.parametrize("kind", [Arimoto, Hayashi, FehrBerens])
def test_formula(kind, order):
    known = conditional(kind, order, P[:, None]) - conditional(kind, order, JOINT)
    assert leakage([5, 3, 2], C, kind(order)) == pytest.approx(known, abs=1e-12)
