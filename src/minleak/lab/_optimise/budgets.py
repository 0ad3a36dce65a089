"""least_budget: the least expected cost at which at most so much leaks, the inverse of `optimise`."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._leakage import difference
from minleak.core._parameters import real
from minleak.core._prior import as_prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import Infeasible, InvalidParameter, SolverFailed
from minleak.lab._optimise.bound import Solved
from minleak.lab._optimise.cores.of_entropy import core_of, gains_of, outer
from minleak.lab._optimise.feasible import check_delta
from minleak.lab._optimise.given import as_problem
from minleak.lab._optimise.optimum import as_forms, as_gap, least_cost
from minleak.lab._optimise.problem import Problem
from minleak.lab._optimise.programme import Programme, Term, term_of
from minleak.lab._optimise.solve import CLOSE, solve

# A floor may be missed by this much of the core, for rounding.
_ROUNDING = 1e-12
# How often floors are raised by what an answer missed.
_AGAIN = 4
# Budgets to try if the first answer is not close enough.
_CLOSER = 12


@dataclass(frozen=True)
class LeastBudget(Result):
    """The least expected cost for a leakage: `budget` is the cost of the `channel`, and no channel that leaks as little
    costs less than `bound`. `leakages` are what it leaks in the `entropies`, each at most its entry of `targets`.
    `status` is the solver's.
    """

    budget: float
    bound: float
    channel: Channel = field(repr=False)
    entropies: tuple[str, ...]
    targets: tuple[float, ...]
    leakages: tuple[float, ...]
    status: str

    reported = ("gap",)

    @property
    def gap(self) -> float:
        """How much cheaper another channel may be at most."""
        return max(self.budget - self.bound, 0.0)

    def to_parts(self) -> list[str | Table]:
        rows = zip(self.entropies, self.leakages, self.targets, strict=True)
        return [
            f"expected cost {self.budget:.9g}, no less than {self.bound:.9g}",
            Table("", ["entropy", "leakage", "at most"], list(rows)),
        ]


def least_budget(
    prior: Prior | Iterable[Any],
    *,
    cost: Any,
    leakage: float | Sequence[float] | None = None,
    entropy: ConditionalEntropy | str | Sequence[ConditionalEntropy | str] = "shannon",
    allowed: Any = None,
    gains: Any = None,
    outputs: Iterable[Hashable] | None = None,
    k: int | None = None,
    d_privacy: tuple[float, Any] | None = None,
    delta: float = 0.0,
    gap: float = 1e-6,
) -> LeastBudget:
    """Minimise the expected cost over all channels that leak at most so much:

        min sum of p_x C[x,y] cost[x,y]  with  H(X) - H(X|Y) <= leakage,

    under the other constraints of `optimise`: allowed pairs, a cap k, d_privacy, delta. Lists of entropies and leakages
    stand for several attackers, each with a limit. Without a leakage, under d_privacy, the answer is the mechanism of
    least loss, optimal under geo-indistinguishability.

    For many secrets d_privacy=(epsilon, metric, dilation) requires privacy along the edges of a spanner only, with
    epsilon divided by its dilation (Bordenabe, Chatzikokolakis, Palamidessi 2014). The channel is epsilon-private in
    the metric, as computed from its entries; the cost is an upper bound of the least, and `bound`, with the full
    epsilon along the same edges, a proven lower one. On a grid a dilation of 1.1 leaves the eight neighbours of each
    cell.

    At the budget found, the least leakage is the one asked for. The bound is proven as in `optimise`. Raises Infeasible
    if no channel leaks so little, naming the least possible leakage.

    >>> wrong = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    >>> least = least_budget([1, 1, 1], cost=wrong, entropy="min-entropy", leakage=1.0)
    >>> round(least.budget, 6), least.gap < 1e-9
    (0.333333, True)
    """
    prior = as_prior(prior)
    entropies = as_forms(entropy, gains, prior.labels)
    enough = as_gap(gap)
    if cost is None:
        raise InvalidParameter("least_budget needs costs: give cost=, the matrix of what each pair costs")
    problem = as_problem(prior, allowed=allowed, cost=cost, outputs=outputs, d_privacy=d_privacy, delta=delta, k=k)
    check_delta(problem)
    if leakage is None and d_privacy is None and k is None:
        raise InvalidParameter("nothing is constrained: give leakage=, the most that may leak, or d_privacy=, or k=")
    targets = None if leakage is None else _targets(leakage, len(entropies))
    found = _solve(problem, entropies, targets, enough)
    if problem.spanner is None:
        return found
    bound = _solve(problem.relax(), entropies, targets, enough).bound
    return replace(found, bound=min(bound, found.budget), status=problem.spanner.status(found.channel))


def _solve(
    problem: Problem, entropies: Sequence[Entropy], targets: Sequence[float] | None, enough: float
) -> LeastBudget:
    if targets is None:
        return _as_result(problem, least_cost(problem), [], [], enough)
    silent = _find_silent(problem)
    if any(target == 0 and _is_strict(H) for H, target in zip(entropies, targets, strict=True)):
        if silent is None:
            raise Infeasible(f"no observable is open to all secrets, so that something leaks in {entropies[0].name}")
        return _as_result(problem, silent, entropies, targets, enough)
    terms = [_at_least(problem, H, target) for H, target in zip(entropies, targets, strict=True)]
    solved = _solve_with_floors(problem, entropies, terms)
    if silent is not None and silent.objective > solved.objective:  # what leaks nothing keeps to every leakage
        solved = replace(silent, bound=solved.bound)
    return _as_result(problem, solved, entropies, targets, enough)


def _targets(leakage: Any, count: int) -> list[float]:
    given = list(leakage) if isinstance(leakage, list | tuple | np.ndarray) else [leakage]
    if len(given) != count:
        raise InvalidParameter(f"{len(given)} leakages for {count} entropies: give one for each")
    return [real(target, "a leakage to keep to is a number from 0 on", least=0) for target in given]


def _at_least(problem: Problem, H: Entropy, target: float) -> Term:
    """The floor of the core at which H(X|Y) is H(X) minus the target, by bisection: `outer` increases."""
    term = term_of(problem, H)
    mass = _mass(problem, term, H)
    goal = H(problem.prior) - target
    low, high = 0.0, 1.0
    while outer(H, high, mass) < goal and high < 1e6:
        high *= 2
    while low < 0.5 * (low + high) < high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if outer(H, middle, mass) < goal else (low, middle)
    return replace(term, floor=high)


def _is_strict(H: Entropy) -> bool:
    """Whether only equal rows leak nothing: the core is strictly concave except along rays."""
    return gains_of(H) is None and not core_of(H).linear


def _find_silent(problem: Problem) -> Solved | None:
    """The cheapest channel with equal rows, or None. Solvers cannot price the last bit of leakage, whose price is
    infinite.
    """
    z = problem.silent()
    if z is None:
        return None
    cost = -float(problem.costs[0] @ z)
    return Solved(z, cost, cost, np.zeros(1), "nothing leaks")


def _mass(problem: Problem, term: Term, H: Entropy) -> float:
    """The sum of the entries in view, which the row sums determine."""
    if gains_of(H) is None:
        return 1.0
    return float(term.view.of(problem.cheapest(0)).sum())


def _solve_with_floors(problem: Problem, entropies: Sequence[Entropy], terms: Sequence[Term]) -> Solved:
    """The cheapest channel above the floors; what a solver misses of them is made up for."""
    free = replace(problem, budgets=(math.inf,))
    raised = [0.0] * len(terms)
    trouble: SolverFailed | None = None
    for _ in range(_AGAIN):
        lifted = tuple(
            replace(term, floor=(term.floor or 0.0) + more) for term, more in zip(terms, raised, strict=True)
        )
        try:
            solved = solve(Programme(free, lifted, expense=free.costs[0]), enough=CLOSE)
        except SolverFailed as error:
            trouble = error
            for H, term in zip(entropies, terms, strict=True):
                _find_least_leakage(free, H, term)  # raises if one of them asks for too much
            break
        if not any(raised):  # the bound is for the floors asked for
            bound = solved.bound
        short = [(term.floor or 0.0) - term.total(solved.z) for term in terms]
        hiding = _find_least_leakage(free, entropies[0], terms[0]) if len(terms) == 1 and short[0] > _ROUNDING else None
        if hiding is not None:
            z = _mix(solved, hiding, terms[0], short[0])
            solved = replace(solved, z=z, objective=-float(free.costs[0] @ z), bound=bound)
            short = [0.0]
        if len(terms) == 1 and bound - solved.objective > CLOSE:
            hiding = hiding or _find_least_leakage(free, entropies[0], terms[0])
            return _tighten(free, terms[0], hiding, replace(solved, bound=bound))
        if max(short) <= _ROUNDING:
            return replace(solved, bound=bound)
        raised = [more + 2 * max(missed, 0.0) for more, missed in zip(raised, short, strict=True)]
    if trouble is not None and len(terms) > 1 and not any(raised):
        raise Infeasible(
            f"no channel was found that keeps to all {len(terms)} leakages at once, though each alone can be kept "
            f"({trouble}): allow more of one"
        )
    raise trouble or SolverFailed("no channel found keeps to the leakages exactly: allow a little more")


def _tighten(free: Problem, term: Term, hiding: Solved, found: Solved) -> Solved:
    """Approach the answer by solving for the core at a sequence of budgets, for which there are better solvers.

    At the budget B no feasible entries have a core above `bound`, and at B + b none above bound + mu b, so the floor
    needs at least the b where these meet.
    """
    floor, best, bound = term.floor or 0.0, found, found.bound
    budget = -found.objective
    for _ in range(_CLOSER):
        at = replace(free, budgets=(budget,), cheapest_private=None if free.privacy is None else best.z)
        try:
            solved = solve(Programme(at, (replace(term, floor=None),)), enough=CLOSE)
        except SolverFailed:
            break
        price = float(solved.mu[0])
        if not price > 0:
            break
        bound = min(bound, -(budget + (floor - solved.bound) / price))
        short = floor - term.total(solved.z)
        z = solved.z if short <= 0 else _mix(solved, hiding, term, short)
        cost = -float(free.costs[0] @ z)
        if cost > best.objective:
            best = replace(solved, z=z, objective=cost)
        if bound - best.objective <= CLOSE:
            break
        budget = max(budget + (floor - solved.objective) / price, -bound)
    return replace(best, bound=max(bound, best.objective))


def _find_least_leakage(free: Problem, H: Entropy, term: Term) -> Solved:
    """The channel that leaks least at any cost; Infeasible if even that leaks too much."""
    best = solve(Programme(free, (replace(term, floor=None),)), enough=CLOSE)
    floor = term.floor or 0.0
    if best.bound < floor - _ROUNDING * max(1.0, abs(floor)):
        least = difference(H, H(free.prior), H.conditional(free.prior, free.channel(best.z)))
        raise Infeasible(
            f"no channel on the allowed pairs leaks less than {least:.9g} in {H.name}: allow at least that"
        )
    return best


def _mix(solved: Solved, hiding: Solved, term: Term, short: float) -> Any:
    """Mix in enough of the channel that hides most to reach the floor: the core is concave."""
    room = hiding.objective - term.total(solved.z)
    share = min(short * (1 + 1e-9) / room, 1.0) if room > 0 else 1.0
    return (1 - share) * solved.z + share * hiding.z


def _as_result(
    problem: Problem, solved: Solved, entropies: Sequence[Entropy], targets: Sequence[float], enough: float
) -> LeastBudget:
    channel = problem.channel(solved.z)
    (scale,), (fixed,) = problem.scales, problem.fixed_costs
    spent, bound = problem.spent(solved.z)[0], (fixed - solved.bound) * scale
    found = LeastBudget(
        budget=spent,
        bound=min(bound, spent),
        channel=channel,
        entropies=tuple(H.name for H in entropies),
        targets=tuple(targets),
        leakages=tuple(difference(H, H(problem.prior), H.conditional(problem.prior, channel)) for H in entropies),
        status=solved.status,
    )
    if not found.gap <= enough:
        raise SolverFailed(
            f"the channel found costs {found.budget:.9g}, and only {found.bound:.9g} is proven to be the least: "
            f"further apart than gap={enough:g} (the solver said {found.status!r})"
        )
    return found
