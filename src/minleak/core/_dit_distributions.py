"""Conversion from and to distributions of the package dit, which is imported only to make one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from minleak.errors import InvalidParameter, MissingExtra, quote


def is_dit(given: Any) -> bool:
    """Whether it is a distribution of dit, by its attributes."""
    return all(hasattr(type(given), name) for name in ("outcomes", "pmf", "get_base", "get_rv_names"))


def masses_of(distribution: Any) -> tuple[list[Hashable], list[float]]:
    """The outcomes (of a single variable, its values) and their probabilities."""
    linear = distribution if distribution.get_base() == "linear" else distribution.copy(base="linear")
    return [_alone(outcome) for outcome in linear.outcomes], [float(mass) for mass in linear.pmf]


def pairs_of(
    distribution: Any, secret: Iterable[Any], observable: Iterable[Any]
) -> tuple[list[Hashable], list[Hashable], np.ndarray[Any, Any]]:
    """The values of two groups of variables, in order of appearance, and the matrix of their joint probabilities."""
    outcomes, masses = masses_of(distribution)
    sides = [_places(distribution, chosen) for chosen in (secret, observable)]
    cells: dict[tuple[Hashable, Hashable], float] = {}
    for outcome, mass in zip(outcomes, masses, strict=True):
        if mass > 0:
            parts = outcome if isinstance(outcome, tuple) else (outcome,)
            x, y = (_alone(tuple(parts[at] for at in places)) for places in sides)
            cells[x, y] = cells.get((x, y), 0.0) + mass
    xs, ys = ({value: i for i, value in enumerate(dict.fromkeys(cell[side] for cell in cells))} for side in (0, 1))
    matrix = np.zeros((len(xs), len(ys)))
    for (x, y), mass in cells.items():
        matrix[xs[x], ys[y]] = mass
    return list(xs), list(ys), matrix


def to_dit(outcomes: list[Any], masses: list[float], names: str) -> Any:
    """A distribution of dit whose variables have these names."""
    try:
        with np.errstate():  # importing dit turns numpy's warnings off for everybody
            import dit
    except ImportError:
        raise MissingExtra("distributions of dit need the package dit: pip install dit") from None
    made = dit.Distribution(outcomes, masses)
    made.set_rv_names(names)
    return made


def _places(distribution: Any, chosen: Iterable[Any]) -> list[int]:
    """The positions of variables, given by names or numbers."""
    names = distribution.get_rv_names()
    many = distribution.outcome_length()
    places = []
    for name in chosen:
        at = list(names).index(name) if names is not None and name in names else name
        if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < many:
            raise InvalidParameter(f"{quote(name)} is no variable of the distribution, which has {names or many}")
        places.append(at)
    if not places:
        raise InvalidParameter("name the variables that are the secret, and those that are observed")
    return places


def _alone(outcome: Any) -> Hashable:
    values = outcome if isinstance(outcome, tuple) else (outcome,)
    return values[0] if len(values) == 1 else values
