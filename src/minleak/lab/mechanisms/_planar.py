"""Planar mechanisms on a grid: noise in the plane, clipped to the nearest cell of the grid."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._parameters import real
from minleak.errors import InvalidParameter
from minleak.lab.mechanisms._mechanism import Mechanism, matrix_size, positive_epsilon

# Noise with a probability below e^-this of that of the farthest output is left out of the sums.
_FAR = 45.0
# The finest grid, as epsilon times step.
_FINEST = 2e-3
# Rows of the lattice summed at a time.
_ROWS = 256
# Quadrature nodes on a panel, plus its length in units of the noise, give all digits of a float; and the most.
_NODES, _MOST_NODES = 24, 400
# At this distance, in units of the noise, its density underflows.
_NOTHING = 750.0
# The range of epsilon times step.
_FLAT, _STEEP = 1e-9, 1e6


def planar_geometric(
    width: int, height: int, epsilon: float, *, step: float = 1.0, inputs: Iterable[Hashable] | None = None
) -> Mechanism:
    """Cells of a grid with noise on the lattice, P(z) proportional to exp(-epsilon step |z|) over all whole z.

    Answers beyond the grid become its nearest cell. Cell x is in column x % width and row x // width. Private in the
    Euclidean distance: geo-indistinguishable.

    >>> mechanism = planar_geometric(3, 2, 1.0)
    >>> mechanism.shape, round(mechanism.epsilon, 9)
    ((6, 6), 1.0)
    """
    w, h, decay, unit = _grid(width, height, epsilon, step)
    fine = decay * unit
    if fine < _FINEST:
        raise InvalidParameter(
            f"epsilon times step is {fine:g}, finer than {_FINEST:g}: the lattice sums would be too long; use "
            "planar_laplace, which the mechanism then is"
        )
    return Mechanism(_clip_to_grid(_lattice_mass(w, h, fine), w, h), lambda: _plane(w, h, unit), inputs=inputs)


def planar_laplace(
    width: int, height: int, epsilon: float, *, step: float = 1.0, inputs: Iterable[Hashable] | None = None
) -> Mechanism:
    """Cells of a grid with planar Laplace noise, density epsilon^2 / (2 pi) exp(-epsilon r), added to the cell's centre
    and rounded to the nearest cell of the grid.

    Its epsilon is somewhat below the one asked for, since noise averages out within a cell. Numbering and metric are
    those of `planar_geometric`.

    >>> mechanism = planar_laplace(3, 2, 1.0)
    >>> mechanism.shape, 0.9 < mechanism.epsilon <= 1
    ((6, 6), True)
    """
    w, h, decay, unit = _grid(width, height, epsilon, step)
    return Mechanism(_clip_to_grid(_cell_mass(w, h, decay * unit), w, h), lambda: _plane(w, h, unit), inputs=inputs)


def _grid(width: Any, height: Any, epsilon: Any, step: Any) -> tuple[int, int, float, float]:
    w, h = matrix_size(width, "width")[0], matrix_size(height, "height")[0]
    matrix_size(w * h)
    unit = real(step, "the step of a grid is a positive finite number", above=0, below=math.inf)
    decay = positive_epsilon(epsilon)
    if not _FLAT <= decay * unit <= _STEEP:
        raise InvalidParameter(
            f"epsilon times the step is {decay * unit:.3g}: below {_FLAT:g} all cells look the same, above {_STEEP:g} "
            "floats have no room for the noise"
        )
    return w, h, decay, unit


def _plane(w: int, h: int, unit: float) -> Array:
    at = np.arange(w * h)
    across, along = at % w, at // w
    return np.asarray(unit * np.hypot(across[:, None] - across, along[:, None] - along))


def _clip_to_grid(mass: Array, w: int, h: int) -> Array:
    """The channel from masses of the noise along each axis, as in `_with_tails`. Only positive numbers are added, so
    small probabilities keep their digits.
    """
    columns = mass[:, _reached(w)].transpose(1, 0, 2)  # (input column, masses along, output column)
    cells = np.empty((h, w, h, w))
    for row, parts in enumerate(_reached(h)):
        cells[row] = columns[:, parts]
    matrix = cells.reshape(w * h, w * h)
    matrix /= matrix.sum(axis=1, keepdims=True)
    return matrix


def _reached(size: int) -> Indices:
    """The index of each output's mass for each input: a cell, or at an end of the grid the tail from there."""
    at = np.arange(size)
    parts = np.abs(at[:, None] - at)
    parts[:, 0] = size + at
    parts[:, -1] = size + at[::-1]
    return parts if size > 1 else np.array([[-1]])


def _reach(w: int, h: int, fine: float) -> float:
    """The distance beyond which noise adds nothing to any output."""
    return math.hypot(w, h) + (_FAR + 2 * math.log(1 + 1 / fine)) / fine + 1


def _with_tails(values: Array, size: int) -> Array:
    """Along the first axis: the cells at distance 0..size-1, the tail sums from 0..size on, and both sides together."""
    tails = np.cumsum(values[::-1], axis=0)[::-1]
    return np.concatenate([values[:size], tails[: size + 1], tails[:1] + tails[1:2]])


def _lattice_mass(w: int, h: int, fine: float) -> Array:
    far = math.ceil(_reach(w, h, fine))
    across = np.arange(far + 1, dtype=np.float64)
    rows = np.empty((far + 1, 2 * w + 2))
    for first in range(0, far + 1, _ROWS):
        along = across[first : first + _ROWS]
        rows[first : first + _ROWS] = _with_tails(np.exp(-fine * np.sqrt(across[:, None] ** 2 + along**2)), w).T
    return _with_tails(rows, h)


def _cell_mass(w: int, h: int, fine: float) -> Array:
    """Gauss quadrature on panels: the cells, then longer ones to the end of the noise."""
    count = int(min(_NODES + fine, _MOST_NODES))
    nodes, weights = np.polynomial.legendre.leggauss(count)

    def panels(size: int) -> tuple[Array, Array]:
        edges = [-0.5 + i for i in range(size + 1)]
        while edges[-1] < min(_reach(w, h, fine), _NOTHING / fine):
            edges.append(edges[-1] + min(8 / fine + 1 / 3, max(edges[-1], 0.5)))
        begin, end = np.array(edges[:-1])[:, None], np.array(edges[1:])[:, None]
        return begin + (end - begin) * (nodes + 1) / 2, (end - begin) * weights / 2

    x, wx = (across.ravel() for across in panels(w))
    rows = []
    for y, wy in zip(*panels(h), strict=True):
        density = np.exp(-fine * np.sqrt(y[:, None] ** 2 + x**2)) * (fine**2 / (2 * np.pi))
        rows.append((wy @ density * wx).reshape(-1, count).sum(axis=1))
    mass = np.array(rows)
    mass[0, 0] = _central(fine, nodes, weights)  # the density has a cusp there
    return _with_tails(_with_tails(mass.T, w).T, h)


def _central(fine: float, nodes: Array, weights: Array) -> float:
    """The mass of the central cell, in polar coordinates: eight times the integral over an eighth of the angles."""
    from scipy.special import gammainc

    angles = (nodes + 1) * np.pi / 8
    return float(weights @ gammainc(2, fine / 2 / np.cos(angles))) / 2
