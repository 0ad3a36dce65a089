"""Planar mechanisms: beside sums and integrals formed another way, and beside libqif's within its own error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from minleak.errors import InvalidParameter
from minleak.lab import mechanisms


def shown_at_the_nearest(w: int, h: int, decay: float, reach: int = 60) -> np.ndarray:
    """Noise on the lattice, cell by cell."""
    noise = np.arange(-reach, reach + 1)
    mass = np.exp(-decay * np.hypot(noise[:, None], noise))
    rows = []
    for x in range(w * h):
        across, along = np.clip(noise + x % w, 0, w - 1), np.clip(noise + x // w, 0, h - 1)
        rows.append(np.bincount((along[:, None] * w + across).ravel(), weights=mass.ravel(), minlength=w * h))
    return np.array(rows) / mass.sum()


@pytest.mark.parametrize(("w", "h"), [(1, 1), (1, 3), (4, 3), (3, 4)])
def test_the_planar_geometric_mechanism_sums_the_lattice(w, h):
    """Also where width and height differ."""
    ours = mechanisms.planar_geometric(w, h, 0.8, step=1.25)
    np.testing.assert_allclose(ours.toarray(), shown_at_the_nearest(w, h, 1.0), atol=1e-13)
    assert ours.epsilon <= 0.8 * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.05, 0.8, 10.0])
def test_the_planar_laplace_mechanism_integrates_the_density(epsilon):
    """By scipy's adaptive quadrature: a corner, and the middle cell of an edge, whose density has a cusp inside."""
    from scipy.integrate import dblquad

    matrix = mechanisms.planar_laplace(3, 2, epsilon, step=2.0).toarray()
    decay = 2 * epsilon
    far = 50 / decay

    def mass(x0: float, x1: float, y0: float, y1: float) -> float:
        return dblquad(lambda y, x: math.exp(-decay * math.hypot(x, y)), x0, x1, y0, y1, epsabs=1e-12)[0]

    density = decay**2 / (2 * math.pi)
    assert matrix[0, 5] == pytest.approx(density * mass(1.5, max(far, 2), 0.5, max(far, 2)), abs=1e-10)
    assert matrix[1, 1] == pytest.approx(2 * density * (mass(0, 0.5, 0, 0.5) + mass(0, 0.5, 0, far)), abs=1e-10)


def test_small_probabilities_keep_their_digits():
    """Else their logarithms would not keep the epsilon."""
    for make in (mechanisms.planar_geometric, mechanisms.planar_laplace):
        far = make(12, 12, 3.0)
        assert far.toarray().min() < 1e-18
        assert far.epsilon <= 3.0 * (1 + 1e-9)


def test_libqif_says_the_same_up_to_its_own_error():
    """Its sums of the lattice stop early, by about 1e-7, and its quadrature has 1e-4; grids that are not square it
    sums wrongly.
    """
    theirs = pytest.importorskip("qif").mechanism.geo_ind
    ours = mechanisms.planar_geometric(5, 5, 0.8).toarray()
    np.testing.assert_allclose(ours, theirs.planar_geometric_grid(5, 5, 1.0, 0.8), atol=2e-7)
    ours = mechanisms.planar_laplace(5, 5, 0.8).toarray()
    np.testing.assert_allclose(ours, theirs.planar_laplace_grid(5, 5, 1.0, 0.8), atol=1e-4)


def test_what_is_no_grid_is_refused():
    """Sizes, steps, and grids that are too fine to sum."""
    with pytest.raises(InvalidParameter, match="width is a whole number from 1 on, not 0"):
        mechanisms.planar_laplace(0, 2, 1.0)
    with pytest.raises(InvalidParameter, match="step of a grid is a positive finite number, not nan"):
        mechanisms.planar_laplace(2, 2, 1.0, step=math.nan)
    for epsilon, step in ((1e-300, 1.0), (1.0, 1e300)):
        with pytest.raises(InvalidParameter, match="epsilon times the step is 1e"):
            mechanisms.planar_laplace(2, 3, epsilon, step=step)
    with pytest.raises(InvalidParameter, match="too long; use planar_laplace"):
        mechanisms.planar_geometric(2, 2, 1e-4)
