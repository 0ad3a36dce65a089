"""tradeoff: the frontier of least leakage against expected cost."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._frontier import Axes, Frontier, Row
from minleak.core._parameters import as_list, whole
from minleak.core._prior import as_prior
from minleak.core._result import Result
from minleak.errors import InvalidParameter
from minleak.lab._optimise.feasible import check_feasible
from minleak.lab._optimise.given import as_budget, as_problem
from minleak.lab._optimise.optimum import optimise_in_order
from minleak.lab._optimise.problem import Problem
from minleak.lab._optimise.programme import Programme, convex_form, term_of
from minleak.lab._optimise.solve import SOLVERS, compile_linear

# The most points of a frontier; each is a programme to solve.
_MOST = 10_000


@dataclass(frozen=True)
class FrontierPoint(Result):
    """One `budget`: the least `leakage`, a `bound` that no channel beats, the expected `cost`, the `shadow_price` (by
    how much the leakage falls for one more unit of the budget), and the channel.
    """

    budget: float
    leakage: float
    bound: float
    cost: float
    shadow_price: float
    channel: Channel = field(repr=False)

    reported = ("gap",)

    @property
    def gap(self) -> float:
        """How far the channel may be from the best."""
        return max(self.leakage - self.bound, 0.0)


@dataclass(frozen=True)
class Tradeoff(Frontier):
    """The frontier: least leakage in one `entropy`, convex and falling in the budget: `points` for each one."""

    entropy: str
    points: tuple[FrontierPoint, ...]

    @property
    def axes(self) -> Axes:
        return Axes(
            across="budget",
            title="budget: the cap on the expected cost",
            leakage=f"least leakage in {self.entropy}",
            below="no channel leaks so little at this cost",
        )

    def rows(self) -> list[Row]:
        return [
            {
                "series": self.entropy,
                "budget": point.budget,
                "leakage": point.leakage,
                "bound": point.bound,
                "gap": point.gap,
                "cost": point.cost,
                "shadow_price": point.shadow_price,
            }
            for point in self.points
        ]


def tradeoff(
    prior: Prior | Iterable[Any],
    *,
    cost: Any,
    entropy: ConditionalEntropy | str = "shannon",
    points: int = 20,
    budgets: Sequence[float] | None = None,
    allowed: Any = None,
    gains: Any = None,
    fixed: Any = None,
    outputs: Iterable[Hashable] | None = None,
    gap: float = 1e-6,
) -> Tradeoff:
    """The least leakage at each budget, from the least feasible one to where a larger one buys nothing more.

    L(B) = min of H(X) - H(X|Y) over channels with expected cost <= B. Where H is concave in the joint (Shannon,
    guesswork, l-guess errors) L is convex; it always falls. The shadow price -dL/dB is exact, from the duals. Linear
    programmes are compiled once and start each budget from the last one's basis. `budgets` names them instead of
    `points` evenly spaced ones. Every point is certified as in `optimise`.

    >>> wrong = [[0, 1], [1, 0]]
    >>> frontier = tradeoff([1, 1], cost=wrong, entropy="guess-error:1", points=3)
    >>> [(point.budget, round(point.leakage, 9), round(point.shadow_price, 9)) for point in frontier.points]
    [(0.0, 0.5, 1.0), (0.25, 0.25, 1.0), (0.5, 0.0, 1.0)]
    """
    prior = as_prior(prior)
    H = convex_form(entropy, gains, prior.labels)
    problem = as_problem(prior, allowed=allowed, cost=cost, fixed=fixed, outputs=outputs)
    if len(problem.costs) != 1:
        raise InvalidParameter("a frontier is against one cost: give cost= as one matrix")
    asked = _asked(budgets, points, problem, H, gap)
    largest = Programme(problem.with_budgets([problem.scaled(0, asked[-1])]), (term_of(problem, H),))
    solvers = [compile_linear(largest)] if largest.linear and len(problem.rows) else SOLVERS
    found = []
    for budget in asked:
        at = problem.with_budgets([problem.scaled(0, budget)])
        check_feasible(at)
        best = optimise_in_order(at, [H], enough=gap, solvers=solvers)
        found.append(FrontierPoint(budget, best.leakage, best.bound, best.costs[0], best.shadow_price, best.channel))
    return Tradeoff(H.name, tuple(found))


def _asked(budgets: Sequence[float] | None, points: int, problem: Problem, H: Entropy, gap: float) -> list[float]:
    """The budgets in increasing order."""
    if budgets is not None:
        return sorted(map(as_budget, as_list(budgets, "budgets are a list of finite numbers", some=True)))
    points = whole(points, "points", 2, _MOST)
    (least,) = problem.least_costs()
    most = max(_enough(problem, H, gap), least)
    (scale,) = problem.scales
    return [float(budget) * scale for budget in np.linspace(least, most, points)]


def _enough(problem: Problem, H: Entropy, gap: float) -> float:
    """A budget beyond which the leakage does not fall, scaled: the cost of the cheapest observable open to all, or of
    the optimum without a budget.
    """
    p = problem.prior.p
    if problem.partial is None:
        costs = np.full(problem.shape, np.inf)
        costs[problem.rows, problem.columns] = problem.costs[0]
        common = p[p > 0] @ costs[p > 0]
        if np.isfinite(common).any():
            return float(common.min())
    return optimise_in_order(problem, [H], enough=gap, cheapest=True).costs[0] / problem.scales[0]
