"""Worst cases in a design: maximal leakage as an objective, and a cap on what each single observable leaks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._parameters import real
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter
from minleak.lab._optimise.result import Optimum

#: The name under which `optimise` takes it: no entropy of the paper, since it does not depend on the prior.
MAXIMAL_LEAKAGE = "maximal-leakage"


def reciprocals(prior: Prior) -> Array:
    """The gains 1/p, with which min-entropy leaks log of the sum over y of max over possible x of C[x,y]."""
    p = prior.p
    return np.divide(1.0, p, out=np.zeros(len(p)), where=p > 0)


def with_rows(prior: Prior, cost: Any, budget: Any, pml: Any, shapes: list[Any]) -> tuple[list[Any], list[Any]]:
    """The costs and budgets with one more for each possible x and each y, which say C[x,y] <= 2^pml p(y).

    As sums of the joint J, with the constant 2^pml added to make costs positive: J[x,y]/p_x plus 2^pml times all of J
    outside column y is at most 2^pml.
    """
    most = 2.0 ** real(pml, "pml is a finite number of bits from 0 on", least=0, below=math.inf)
    costs, budgets = _as_lists(cost, budget)
    widths = {np.shape(given)[1] for given in (*shapes, *costs) if given is not None and len(np.shape(given)) == 2}
    if len(widths) != 1:
        raise InvalidParameter("pml must come with allowed, fixed, or a cost and its budget, of one shape; got none.")
    if cost is not None and budget is None:
        raise InvalidParameter("a cost must have a budget under pml; got none. Pass budget=.")
    n, m = len(prior), widths.pop()
    for x in np.flatnonzero(prior.p > 0).tolist():
        for y in range(m):
            row = np.full((n, m), most)
            row[:, y] = 0.0
            row[x, y] = 1 / prior.p[x]
            costs.append(row)
            budgets.append(most)
    return costs, budgets


def without_rows(best: Optimum, cost: Any, budget: Any) -> Optimum:
    """The optimum with the costs and prices of the budgets that were given."""
    many = len(_as_lists(cost, budget)[0])
    stages = tuple(replace(stage, shadow_prices=stage.shadow_prices[:many]) for stage in best.stages)
    price = stages[0].shadow_prices[0] if many else 0.0
    return replace(best, costs=best.costs[:many], stages=stages, shadow_price=price)


def _as_lists(cost: Any, budget: Any) -> tuple[list[Any], list[Any]]:
    if cost is None:
        return [], []
    several = isinstance(cost, list | tuple) and isinstance(budget, list | tuple)
    return (list(cost), list(budget)) if several else ([cost], [budget])
