"""optimise: the channel that leaks least under allowed pairs, budgets, fixed entries, a cap and privacy."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak import Channel, Prior
from minleak.core._arrays import Array
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._joint import Joint
from minleak.core._labels import Labels
from minleak.core._leakage import difference, precise_leakage
from minleak.core._parameters import real
from minleak.core._prior import as_prior
from minleak.errors import Infeasible, InvalidParameter, SolverFailed
from minleak.lab._optimise.bound import Solved
from minleak.lab._optimise.cores.of_entropy import core_of, gains_of, outer, slope
from minleak.lab._optimise.feasible import PRIVATE_ROUNDING, check_delta, check_feasible
from minleak.lab._optimise.given import as_problem
from minleak.lab._optimise.pointwise import MAXIMAL_LEAKAGE, reciprocals, with_rows, without_rows
from minleak.lab._optimise.problem import Problem
from minleak.lab._optimise.programme import Programme, Term, convex_form, term_of, view_of
from minleak.lab._optimise.result import Equilibrium, Optimum, Stage
from minleak.lab._optimise.several import optimise_weighted
from minleak.lab._optimise.solve import CLOSE, SOLVERS, Solver, solve

# How much of its core an entropy may give up for those after it in the list: the least with which a solver succeeds.
SLACKS = (1e-11, 1e-9, 1e-7)
# A conic solver's answer may miss the floors of earlier entropies by this much.
_SHORT = 2e-8
# The share by which rounding may lower a bound on the core.
_ROUNDING = 1e-14


def optimise(
    prior: Prior | Iterable[Any],
    *,
    entropy: ConditionalEntropy | str | Sequence[ConditionalEntropy | str] = "shannon",
    allowed: Any = None,
    cost: Any = None,
    budget: Any = None,
    gains: Any = None,
    fixed: Any = None,
    outputs: Iterable[Hashable] | None = None,
    k: int | None = None,
    d_privacy: tuple[float, Any] | None = None,
    delta: float = 0.0,
    pml: float | None = None,
    weights: Sequence[float] | str | None = None,
    gap: float = 1e-6,
) -> Optimum:
    """Maximise H(X|Y) over all channels C that keep to the constraints:

        max eta(sum over y of Fhat(J[:,y])),  J[x,y] = p_x C[x,y],
        C[x,y] = 0 unless allowed[x,y],  sum of J[x,y] cost[x,y] <= budget,  C = fixed where that is not NaN,
        |{x : C[x,y] > 0}| <= k,  sum over y of max(C[x,y] - exp(epsilon d(x,x')) C[x',y], 0) <= delta.

    Convex for entropies with a `form`, of an order above 0: linear for min-entropy, l-guess errors and guesswork, else
    conic. With Shannon, a cost and a budget the least leakage is the rate-distortion function.

    Parameters
    ----------
    prior
        The secrets and their weights, n of them.
    entropy
        An entropy, or a list: best for the first, among those channels best for the second, and so on. Or
        "maximal-leakage": the least sum over y of max over possible x of C[x,y], a linear problem.
    allowed
        n x m, true where secret x may show observable y (dense or scipy.sparse); all pairs if not given.
    cost, budget
        n x m costs, and the cap on their expected value; lists of both for several budgets. A cost without a budget
        breaks ties: the cheapest of the best channels. For rounding an expected cost may exceed its budget by 1e-12 of
        the larger of the budget and the least positive p_x cost[x,y], under d_privacy by 2e-9; `costs` of the result
        are what it is.
    gains
        The attacker's gains as in `Gain`, for every entropy given.
    fixed
        A partial channel, NaN where it is free.
    outputs
        Labels of the m observables.
    k
        The most secrets that may show an observable. Observables are then labelled (y, set) or, without costs and
        allowed pairs, by the set. For a cap alone, `design` is exact and takes any number of secrets.
    d_privacy
        (epsilon, metric): the channel is exactly epsilon-private in the metric, a matrix of distances between secrets
        or a callable of two labels (positions where there are none); infinite distances require nothing. A third
        number, a dilation such as 1.05, restricts it to the pairs of a spanner: much faster for many secrets; the
        leakage is then an upper bound of the least, and `bound` a lower one (see `least_budget`).
    delta
        With d_privacy: P(event | x) <= exp(epsilon d(x,x')) P(event | x') + delta for all events. For d = 1 the
        channel's `mechanisms.privacy_curve` is at most delta at epsilon. n^2 m linear rows; epsilon d is at most 20
        where it is finite, and a dilation is refused.
    pml
        The most bits of pointwise maximal leakage that any observable may have: C[x,y] <= 2^pml p(y) for all possible
        x. One linear row for each x and y, so for some hundreds of pairs; not with k or d_privacy.
    weights
        For several entropies: minimise the weighted sum of leakages, or with "worst" the largest one. For entropies
        that are concave in the joint: Shannon, guesswork, guess errors.
    gap
        The largest distance from the best, in the unit of the entropy, before the answer is refused.

    Returns
    -------
    The channel, re-evaluated by `minleak.leakage`, with a bound on the least leakage from planes above the concave
    objective, which does not trust the solver.

    Raises
    ------
    Infeasible
        Naming the secret without an observable, or the least budget that is feasible.
    SolverFailed
        If no channel could be certified to within `gap` in the first entropy. Later entropies only break ties; their
        gaps are in `stages`, and `status` tells if one of them is larger.

    Needs the extra `lab`. Cost: seconds for 60 x 60 (Shannon) and 200 x 200
    (min-entropy); guesswork needs n^2 m / 2 auxiliary unknowns.

    >>> wrong = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    >>> best = optimise([1, 1, 1], entropy="min-entropy", cost=wrong, budget=0.3)
    >>> round(best.leakage, 6), best.gap < 1e-9
    (1.070389, True)
    """
    prior = as_prior(prior)
    given = cost, budget
    if pml is not None:
        if k is not None or d_privacy is not None:
            raise InvalidParameter("pml must go without k and d_privacy; got one of them. Leave it out.")
        cost, budget = with_rows(prior, cost, budget, pml, [allowed, fixed])
    if entropy == MAXIMAL_LEAKAGE:
        if gains is not None:
            raise InvalidParameter("maximal leakage is over all gains, and takes none; got some. Leave them out.")
        entropy, gains = "min-entropy", reciprocals(prior)
    entropies = as_forms(entropy, gains, prior.labels)
    enough = as_gap(gap)
    problem = as_problem(
        prior,
        allowed=allowed,
        cost=cost,
        budget=budget,
        fixed=fixed,
        outputs=outputs,
        d_privacy=d_privacy,
        delta=delta,
        k=k,
    )
    cheapest = cost is not None and budget is None
    if problem.spanner is None:
        try:
            best = _optimise(problem, entropies, weights, enough=enough, cheapest=cheapest)
        except Infeasible as error:
            raise (
                error
                if pml is None
                else Infeasible(f"pml must be what the other constraints leave possible; got {pml:g} bits. Raise it.")
            ) from None
        return best if pml is None else without_rows(best, *given)
    if len(entropies) > 1:
        raise InvalidParameter("a dilation of d_privacy goes with one entropy: leave it out, or give only one")
    best = _optimise(problem, entropies, weights, enough=enough, cheapest=cheapest)
    below = _optimise(problem.relax(), entropies, weights, enough=enough)
    bound = min(below.bound, best.leakage)
    return replace(
        best,
        bound=bound,
        status=problem.spanner.status(best.channel),
        stages=(replace(best.stages[0], bound=bound),),
        attacker=below.attacker,
    )


def _optimise(
    problem: Problem, entropies: list[Entropy], weights: Any, *, enough: float, cheapest: bool = False
) -> Optimum:
    problem = prepare(problem)
    if weights is not None:
        return optimise_weighted(problem, entropies, weights, enough=enough)
    return optimise_in_order(problem, entropies, enough=enough, cheapest=cheapest)


def prepare(problem: Problem) -> Problem:
    """Check that the problem is feasible; under privacy and a budget, add the private channel of least cost."""
    check_delta(problem)
    if problem.privacy is None or not np.isfinite(problem.budgets).any():
        check_feasible(problem)
        return problem
    cheapest = least_cost(problem)
    (scale,), (budget,) = problem.scales, problem.budgets
    least = -cheapest.objective
    if budget < least - PRIVATE_ROUNDING * max(abs(least), problem.grain(0)):
        raise Infeasible(
            f"the budget is {budget * scale:.12g}, and every channel that is so private costs at least "
            f"{-cheapest.bound * scale:.12g}: raise it to {least * scale:.12g}, or epsilon"
        )
    return replace(problem, cheapest_private=cheapest.z, budgets=(max(budget, least),))


def least_cost(problem: Problem) -> Solved:
    """The channel of least expected cost, whatever it leaks."""
    free = replace(problem, budgets=(math.inf,) * len(problem.budgets))
    return solve(Programme(free, (), expense=problem.costs[0]), enough=CLOSE)


def optimise_in_order(
    problem: Problem,
    entropies: Sequence[Entropy],
    *,
    enough: float,
    cheapest: bool = False,
    solvers: Sequence[Solver] = SOLVERS,
) -> Optimum:
    """The lexicographic optimum of a checked problem. `cheapest` breaks the last ties by the first cost; `solvers` are
    used for the first entropy.
    """
    if any(core_of(H).steep for H in entropies):
        dear = problem.unaffordable()
        if dear.any():
            return _on_the_cheapest(problem, entropies, dear, enough=enough)
    floors: list[Term] = []  # each at what was attained
    found: list[Solved] = []
    z = np.zeros(0)
    for H in entropies:
        term = term_of(problem, H)
        programme = Programme(problem, (term,))
        solved = _above_floors(programme, floors, z) if floors else solve(programme, enough=CLOSE, solvers=solvers)
        found.append(solved)
        z = solved.z
        floors.append(replace(term, floor=term.total(z)))
    if cheapest:
        z = _above_floors(Programme(problem, (), expense=problem.costs[0]), floors, z).z
    channel = problem.channel(z)
    stages = tuple(stage_of(problem, channel, H, solved) for H, solved in zip(entropies, found, strict=True))
    first = stages[0]
    attacker = _equilibrium_of(problem, entropies[0], found[0])
    if not first.gap <= enough:
        raise SolverFailed(
            f"the channel found leaks {first.leakage:.9g} in {first.entropy}, and only {first.bound:.9g} is proven to "
            f"be the least: further apart than gap={enough:g} (the solver said {first.status!r})"
        )
    certified = all(stage.gap <= enough for stage in stages)
    return Optimum(
        channel=channel,
        value=first.value,
        leakage=first.leakage,
        bound=first.bound,
        status="certified" if certified else "certified in the first entropy",
        shadow_price=first.shadow_prices[0] if first.shadow_prices else 0.0,
        costs=problem.spent(z),
        stages=stages,
        attacker=attacker,
    )


def _on_the_cheapest(
    problem: Problem, entropies: Sequence[Entropy], dear: npt.NDArray[np.bool_], *, enough: float
) -> Optimum:
    """The optimum under a budget that equals the least cost: on the cheapest pairs, where it does not bind.

    For a steep entropy the price of such a budget is infinite.
    """
    free = replace(problem.on(~dear), budgets=(math.inf,) * len(problem.budgets))
    best = optimise_in_order(free, entropies, enough=enough)
    unbounded = tuple(replace(stage, shadow_prices=(math.inf,) * len(problem.budgets)) for stage in best.stages)
    return replace(best, shadow_price=math.inf, stages=unbounded)


def _above_floors(programme: Programme, floors: Sequence[Term], z: Array) -> Solved:
    """Solve the programme above the floors, with the least slack that the solver manages.

    z keeps the floors exactly; it stays if the solver cannot keep them closely enough.
    """
    best: tuple[float, Solved] | None = None
    trouble: SolverFailed | None = None
    for slack in SLACKS:
        lowered = [replace(term, floor=(term.floor or 0.0) - slack) for term in floors]
        try:
            solved = solve(replace(programme, terms=(*programme.terms, *lowered)), enough=CLOSE)
        except SolverFailed as error:
            trouble = error
            continue
        short = max((term.floor or 0.0) - term.total(solved.z) for term in floors)
        if best is None or short < best[0]:
            best = short, solved
        if short <= slack + _SHORT:
            break
    if best is None:  # only ties were to be broken, and z has no bound
        unsolved = f"not solved, the channel is that of the entropies before: {trouble}"
        prices = np.zeros(len(programme.problem.budgets))
        return Solved(z, programme.objective(z), math.inf, prices, unsolved)
    short, solved = best
    return solved if short <= SLACKS[-1] + _SHORT else replace(solved, z=z, objective=programme.objective(z))


def stage_of(problem: Problem, channel: Channel, H: Entropy, solved: Solved) -> Stage:
    """The leakage of the channel by the library's own measure, beside the bound of the solved programme."""
    gains = gains_of(H)
    mass = 1.0 if gains is None else float(view_of(problem, gains).of(solved.z).sum())
    before, after = H(problem.prior), H.conditional(problem.prior, channel)
    # Rounding may cross them where they meet. Without a bound the leakage is at least 0. At high orders the core is
    # so close to its largest value that rounding decides the entropy, so the bound is taken with its own.
    highest = solved.bound + _ROUNDING * abs(solved.bound)
    most = max(outer(H, highest, mass), after) if solved.bound < math.inf else max(before, after)
    steepness = slope(H, solved.objective, mass)
    leakage = precise_leakage(H, Joint(problem.prior, channel), before, after)
    return Stage(
        entropy=H.name,
        value=after,
        leakage=leakage,
        bound=min(difference(H, before, min(most, before)), leakage),
        shadow_prices=tuple(
            float(price) * steepness / scale for price, scale in zip(solved.mu, problem.scales, strict=True)
        ),
        status=solved.status,
    )


def _equilibrium_of(problem: Problem, H: Entropy, solved: Solved) -> Equilibrium | None:
    """The attacker's strategy, if the entropy stands for an attacker, without gains and fixed entries."""
    core = core_of(H)
    if not solved.planes or gains_of(H) is not None or len(problem.fixed) or not len(problem.rows):
        return None
    part = core.attacker(solved.planes[0], solved.bound)
    if part is None:
        return None
    rows, columns = problem.rows, problem.columns
    if problem.privacy is not None:  # the view leaves out secrets of probability zero
        seen = problem.prior.p[rows] > 0
        rows, columns = rows[seen], columns[seen]
    strategy = np.full((problem.shape[1], problem.shape[0]), np.nan)
    strategy[columns, rows] = part.strategy
    return Equilibrium(part.kind, strategy, part.promised, problem.prior.labels, problem.outputs)


def as_forms(entropy: Any, gains: Any, secrets: Labels) -> list[Entropy]:
    given = list(entropy) if isinstance(entropy, list | tuple) else [entropy]
    if not given:
        raise InvalidParameter("the list of entropies is empty: give at least one")
    return [convex_form(H, gains, secrets) for H in given]


def as_gap(gap: float) -> float:
    return real(gap, "the gap is a positive number", above=0)
