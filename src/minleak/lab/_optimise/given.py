"""Check raw masks, costs, budgets, partial channels and privacy, and make a Problem of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak import Channel, Prior
from minleak.core._arrays import Array
from minleak.core._frames import axes
from minleak.core._labels import Labels, check_labels, locator, match
from minleak.core._matching import columns_by_label, values_by_label
from minleak.core._matrices import is_sparse
from minleak.core._parameters import real
from minleak.core._prior import as_prior
from minleak.errors import Infeasible, InvalidParameter
from minleak.lab._optimise.capped import with_cap
from minleak.lab._optimise.private import Privacy, as_approximate, as_delta, as_privacy
from minleak.lab._optimise.problem import Problem

# A row of a partial channel may exceed one by this much, as a channel's may.
_ROUNDING = 1e-9
# Costs beyond the median times two to this power set the scale themselves.
_SPREAD = 300
_OUTPUTS = ("the list of outputs", "name")


def as_problem(
    prior: Prior | Iterable[Any],
    *,
    allowed: Any = None,
    cost: Any = None,
    budget: Any = None,
    fixed: Any = None,
    outputs: Iterable[Hashable] | None = None,
    d_privacy: Any = None,
    delta: Any = 0,
    k: Any = None,
) -> Problem:
    """Check raw input and bring it into one form; errors name the row that is empty or does not fit."""
    prior = as_prior(prior)
    n = len(prior)
    matching = _Matching(prior.labels, None if outputs is None else Labels.of(outputs, 0))
    allowed, fixed = matching.arrange(allowed), matching.arrange(fixed)
    several = [matching.arrange(one) for one in _as_costs(cost, budget)]
    cost, outputs = several if _as_costs(cost, budget) is cost else several[0], matching.outputs
    costs, budgets = _costs(cost, budget, n)
    privacy = _privacy(d_privacy, delta, prior.labels)
    partial = None if fixed is None else _matrix(fixed, n, "the fixed part of the channel")
    mask = None if allowed is None else _mask(allowed, n)
    if privacy is not None:
        _check_alone("d_privacy", partial, costs)
    if k is not None:
        _check_alone("a cap k", partial, costs)
        if costs and mask is not None and costs[0].shape != mask.shape:
            raise InvalidParameter(f"allowed and cost have different shapes: {mask.shape} and {costs[0].shape}")
        mask, capped_cost, outputs = with_cap(
            k,
            prior.labels,
            allowed=mask,
            cost=costs[0] if costs else None,
            outputs=None if outputs is None else _outputs(outputs, (mask if mask is not None else costs[0]).shape[1]),
            classes=np.arange(n) if privacy is None else privacy.classes,
        )
        costs = [] if capped_cost is None else [capped_cost]
    shapes = {m.shape[1] for m in (*costs, partial, mask) if m is not None}
    if not shapes:
        raise InvalidParameter(
            "nothing is constrained: one observable for all would leak nothing; give allowed=, cost= with budget=, "
            "or fixed="
        )
    if len(shapes) > 1:
        raise InvalidParameter(f"allowed, cost and fixed have different numbers of columns: {sorted(shapes)}")
    names = _outputs(outputs, shapes.pop())
    if mask is None:
        mask = np.ones((n, len(names)), dtype=bool)
    return _lay_out(prior, names, mask, partial, costs, budgets, privacy)


def _privacy(d_privacy: Any, delta: Any, secrets: Labels) -> Privacy | None:
    slack = as_delta(delta)
    if d_privacy is None:
        if slack:
            raise InvalidParameter("delta goes with d_privacy=(epsilon, metric): give that too")
        return None
    if not slack:
        return as_privacy(d_privacy, secrets)
    private = as_approximate(d_privacy, slack, secrets)
    return private if slack < 1 else None  # no event is likelier than 1


@dataclass
class _Matching:
    """Brings labelled matrices into the order of the secrets and of the observables: `outputs` are the names of these,
    or else those of the first matrix that has some.
    """

    secrets: Labels
    outputs: Labels | None

    def arrange(self, matrix: Any) -> Any:
        """The matrix in that order. A `Channel` has positions of its own, and is refused in another one."""
        if isinstance(matrix, Channel):
            match(self.secrets, matrix.inputs, ("the prior", "secret"), ("a matrix", "row"), InvalidParameter)
            columns: Any = None if matrix.outputs.is_default else matrix.outputs
            if columns is not None and self.outputs is not None:
                match(self.outputs, columns, _OUTPUTS, ("a matrix", "column"), InvalidParameter)
        else:
            matrix = values_by_label(matrix, self.secrets, "the rows of a matrix")
            if isinstance(matrix, list) and matrix and isinstance(matrix[0], Mapping):
                raise InvalidParameter("the rows of a matrix are lists of numbers, one for each observable")
            if self.outputs is not None:
                matrix = columns_by_label(matrix, self.outputs, "the columns of a matrix")
            columns = axes(matrix)[1]
        if self.outputs is None and columns is not None:
            self.outputs = Labels.of(columns, 0)
        return matrix


def _check_alone(what: str, partial: Array | None, costs: list[Array]) -> None:
    """Refuse fixed entries and several costs beside privacy or a cap."""
    if partial is not None:
        raise InvalidParameter(f"{what} does not take fixed entries: leave out fixed=, and restrict pairs by allowed=")
    if len(costs) > 1:
        raise InvalidParameter(f"{what} takes one cost, not {len(costs)}: add them up, each times its weight")


def _lay_out(
    prior: Prior,
    names: Labels,
    mask: npt.NDArray[np.bool_],
    partial: Array | None,
    costs: list[Array],
    budgets: list[float],
    privacy: Privacy | None,
) -> Problem:
    """Split matrices that fit each other into free and fixed pairs."""
    p, where = prior.p, locator(prior.labels)
    if privacy is not None:
        mask = _open_to_classes(mask, privacy, where)
    free = mask if partial is None else mask & np.isnan(partial)
    mass = np.zeros(len(p)) if partial is None else _fixed_mass(partial, mask, where)
    missing = (mass < 1 - _ROUNDING) & ~free.any(axis=1)
    if missing.any():
        x = int(np.argmax(missing))
        has = "has no allowed observable" if partial is None or not mass[x] else f"is fixed to only {mass[x]:g} in all"
        raise Infeasible(f"{where(x)} {has}: allow it at least one (free) observable")
    costs, scales = _scale_costs(costs, mask & (p > 0)[:, None])
    shares = p if privacy is None else np.ones(len(p))
    left = np.where(free.any(axis=1), shares * np.maximum(1 - mass, 0.0), 0.0)
    columns, rows = np.nonzero((free & (left > 0)[:, None]).T)
    known = np.zeros(mask.shape) if partial is None else np.where(free, 0.0, np.nan_to_num(partial)) * p[:, None]
    fixed_columns, fixed_rows = np.nonzero(known.T)
    problem = Problem(
        prior=prior,
        outputs=names,
        rows=rows,
        columns=columns,
        left=left,
        costs=tuple(c[rows, columns] * (p[rows] / shares[rows]) for c in costs),
        budgets=tuple(budgets),
        fixed_rows=fixed_rows,
        fixed_columns=fixed_columns,
        fixed=known[fixed_rows, fixed_columns],
        fixed_costs=tuple(float((c * known).sum()) for c in costs),
        scales=scales,
        allowed=mask,
        partial=partial,
        shares=shares,
        privacy=privacy,
    )
    return problem.with_budgets([problem.scaled(i, given) for i, given in enumerate(budgets)])


def _open_to_classes(mask: npt.NDArray[np.bool_], privacy: Privacy, where: Any) -> npt.NDArray[np.bool_]:
    """The pairs that privacy allows: an observable is open to all secrets of a class or to none."""
    opened = mask.copy()
    for number in range(int(privacy.classes.max()) + 1):
        own = privacy.classes == number
        opened[own] = mask[own].all(axis=0)
    lost = mask.any(axis=1) & ~opened.any(axis=1)
    if lost.any():
        x = int(np.argmax(lost))
        raise Infeasible(
            f"{where(x)} has no observable that is allowed to all secrets at finite distances from it, as d_privacy "
            "asks: allow one, or put infinity between secrets that may be told apart"
        )
    return opened


def _scale_costs(costs: list[Array], used: npt.NDArray[np.bool_]) -> tuple[list[Array], tuple[float, ...]]:
    """Costs of the pairs in use, zero elsewhere, divided by powers of two (exactly), and these powers."""
    kept = [np.where(used, cost, 0.0) for cost in costs]
    scales = tuple(math.ldexp(1.0, _exponent(np.abs(cost[cost != 0]))) for cost in kept)
    return [cost / scale for cost, scale in zip(kept, scales, strict=True)], scales


def _exponent(sizes: Array) -> int:
    """The exponent of the power of two below the median; the dearest pairs may cost far more and are hardly used."""
    if not len(sizes):
        return 0
    middle, largest = float(np.quantile(sizes, 0.5, method="lower")), float(sizes.max())
    return max(math.frexp(middle)[1], math.frexp(largest)[1] - _SPREAD) - 1


def _matrix(given: Any, n: int, what: str) -> Array:
    """A dense float matrix with a row for each secret."""
    try:
        raw = given.toarray() if is_sparse(given) else getattr(given, "matrix", given)
        raw = raw.toarray() if is_sparse(raw) else raw
        matrix = np.array(raw, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameter(f"{what} is a matrix of numbers with a row for each secret") from None
    if matrix.ndim != 2 or matrix.shape[0] != n or 0 in matrix.shape:
        raise InvalidParameter(f"{what} has shape {matrix.shape}: give {n} rows, one for each secret, and columns")
    return matrix


def _mask(allowed: Any, n: int) -> npt.NDArray[np.bool_]:
    matrix = _matrix(allowed, n, "allowed")
    good = (matrix == 0) | (matrix == 1)  # NaN fails
    if not good.all():
        x, y = np.argwhere(~good)[0]
        raise InvalidParameter(f"allowed is true or false for each pair, but row {x}, column {y} is {matrix[x, y]}")
    return np.asarray(matrix == 1)


def _costs(cost: Any, budget: Any, n: int) -> tuple[list[Array], list[float]]:
    """Cost matrices and as many budgets; infinity where there is none."""
    if cost is None:
        if budget is not None:
            raise InvalidParameter("a budget needs costs: give cost=, the matrix of what each pair costs")
        return [], []
    given = _as_costs(cost, budget)
    matrices = [_matrix(c, n, "cost") for c in given]
    for matrix in matrices:
        if not np.isfinite(matrix).all():
            x, y = np.argwhere(~np.isfinite(matrix))[0]
            raise InvalidParameter(
                f"the cost at row {x}, column {y} is {matrix[x, y]}: costs are finite; leave a pair out by allowed="
            )
    if budget is None:
        return matrices, [math.inf] * len(matrices)
    budgets = [as_budget(value) for value in (budget if given is cost else [budget])]
    if len(budgets) != len(matrices):
        raise InvalidParameter(f"{len(matrices)} costs and {len(budgets)} budgets: give one budget for each cost")
    return matrices, budgets


def _as_costs(cost: Any, budget: Any) -> Any:
    """A list of costs; several if both cost and budget are lists."""
    return cost if isinstance(cost, list | tuple) and isinstance(budget, list | tuple) else [cost]


def as_budget(value: Any) -> float:
    """Check a budget."""
    return real(value, "a budget is a finite number", above=-math.inf, below=math.inf)


def _fixed_mass(partial: Array, mask: npt.NDArray[np.bool_], where: Any) -> Array:
    """Check a partial channel; the sums of its rows."""
    known = np.nan_to_num(partial)
    if not (known.min() >= 0 and known.max() < math.inf):
        x, y = np.argwhere(~((known >= 0) & (known < math.inf)))[0]
        raise InvalidParameter(f"the fixed entry at {where(x)}, column {y} is {partial[x, y]}: probabilities, or NaN")
    if (known[~mask] > 0).any():
        x, y = np.argwhere((known > 0) & ~mask)[0]
        raise Infeasible(f"{where(x)} is fixed to show observable {y}, which is not allowed: allow it or free it")
    sums = known.sum(axis=1)
    if not sums.max() <= 1 + _ROUNDING:
        x = int(np.argmax(sums))
        raise Infeasible(f"the fixed entries of {where(x)} sum to {sums[x]:g}, more than 1: lower them or free some")
    return np.asarray(sums)


def _outputs(outputs: Iterable[Hashable] | None, m: int) -> Labels:
    return check_labels(outputs, m, "outputs", "columns", InvalidParameter)
