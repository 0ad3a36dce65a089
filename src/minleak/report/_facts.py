"""Everything that a report of a plan says, computed as one frozen object: numbers only, nothing drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minleak.core._certify.certificate import Certificate
from minleak.core._certify.certifying import certify
from minleak.core._design import design, lay_again
from minleak.core._entropy.forms import AllGuesses, BestGuesses, RenyiMean
from minleak.core._entropy.names import FEW, STANDARD, as_entropy
from minleak.core._layouts.circle import Circle
from minleak.core._layouts.stable import Stable
from minleak.core._parameters import whole
from minleak.core._plan.plan import Plan
from minleak.core._prior import Prior
from minleak.core._progress import Progress, no_progress
from minleak.core._property_leakage import PropertyLeakage
from minleak.core._result import Result
from minleak.errors import InvalidParameter
from minleak.rates._enough_events import enough_events
from minleak.rates._summaries import try_the_world
from minleak.rates._sweeps import Sweep, sweep
from minleak.rates._world import World, population
from minleak.report._nearness import Nearness, nearness
from minleak.report._thinning import RankBin, rank_bins, spaced
from minleak.report._worldly import Requirement, as_requirement, judged
from minleak.rivals._alternatives import Estimate, FixedBuckets, NoCloak, PopularDecoys, UniformRandomisation
from minleak.rivals._exposures import Repeated
from minleak.rivals._exposures import repeated as repeat

# Those that `words` has sentences for.
ENTROPIES = STANDARD[:5]
DRAWS = (1, 2, 5, 10, 20)
# Rivals that draw their decoys.
RANDOM = (UniformRandomisation, PopularDecoys)
# The layouts that repeated draws are compared in, and the entropies that a wrong prior is measured in.
COMPARED_LAYOUTS = (Stable(), Circle())
SENSITIVE = FEW[1:2]
# The plan among its rivals.
OURS = "this plan"
# Giants that are named, values of k that are swept (in the true population a plan is made for each), members simulated
# at most.
NAMED = 50
KS, WORLDLY_KS = 60, 24
_WORK = 2_000_000
# What `gather` does one after the other, and then drawing.
STEPS = 8
# Members of the example set that are named.
SHOWN = 30


@dataclass(frozen=True)
class Chance:
    """The attacker's chance with one guess: blind, when the secret is shown as it is, and under the plan.

    With gains the expected gain of one guess.
    """

    blind: float
    bare: float
    plan: float


@dataclass(frozen=True)
class RivalLeakage:
    """One entropy: H(X), the least leakage, which this plan has, and that of rivals by name ("no cloak" the first);
    `worldly` is that of the rivals and of "this plan" in the true population, where it is known.
    """

    entropy: str
    before: float
    plan: float
    rivals: dict[str, Estimate]
    worldly: dict[str, float]

    @property
    def bare(self) -> float:
        """What the secret itself leaks."""
        return self.rivals["no cloak"].value


@dataclass(frozen=True)
class Giant:
    """A secret that is in every set."""

    label: str
    rank: int
    probability: float


@dataclass(frozen=True)
class Drift:
    """One entropy: what this plan leaks if secrets come by p^theta, and the least that a plan made for that would."""

    entropy: str
    thetas: tuple[float, ...]
    plan: tuple[float, ...]
    least: tuple[float, ...]


@dataclass(frozen=True)
class Facts(Result):
    """A report in numbers. `prior`, `target` and `giants` are fractions of one or, with gains, of the whole gain.

    `world` is None where nothing can be said about it, and `untold` then why; `enough` are between which numbers of
    events its success would be within 10% of the certified one. `example` are the first members of a set. `told` is
    what sets tell about a property of the secret, where one was given; `groups` are the caps that every set keeps.
    """

    digest: str
    n: int
    possible: int
    k: int
    layout: str
    gains: bool
    distance: float
    n_giants: int
    giants: tuple[Giant, ...]
    example: tuple[str, ...]
    chance: Chance
    world: World | None
    untold: str | None
    enough: tuple[int, int] | None
    requirement: Requirement | None
    comparisons: tuple[RivalLeakage, ...]
    by_k: Sweep
    prior: tuple[RankBin, ...]
    target: tuple[RankBin, ...]
    repeated: tuple[tuple[str, Repeated], ...]
    drift: tuple[Drift, ...]
    certificate: Certificate
    nearness: Nearness | None
    trials: int
    told: PropertyLeakage | None = None
    groups: str | None = None


def gather(
    plan: Plan,
    *,
    success: float | None = None,
    trials: int = 20_000,
    seed: int = 0,
    told: PropertyLeakage | None = None,
    progress: Progress | None = None,
) -> Facts:
    """All facts of a plan. O(n log n); simulations take `trials` secrets, fewer where sets are so large that it would
    take minutes (`Facts.trials` says how many).

    With gains everything is about gamma_x p(x): it takes the place of the prior, for the rivals too, and what is linear
    in it is multiplied by the whole gain. Only repeated draws stay the chance of naming the right secret. `success` is
    how often a guess may be right at most, if that is required; `told` is what sets tell about a property.
    `progress` gets the steps done, their number and the next one's name.
    """
    if not isinstance(plan, Plan):
        raise InvalidParameter(
            f"a report is about a plan that draws sets of secrets, not about a {type(plan).__name__}"
        )
    trials, seed = whole(trials, "trials"), whole(seed, "the seed", 0)
    most = as_requirement(plan, success)
    begin = progress or no_progress
    trials = max(min(trials, max(50, _WORK // plan.k)), 2)
    prior = plan.on_grid
    ordered = prior.descending
    possible = int(np.count_nonzero(ordered))
    share = plan.mass
    pi = plan.target / share
    named = plan.giants[:NAMED].tolist()
    begin(0, STEPS, "the world")
    world, untold = try_the_world(lambda: population(plan, seed=seed))
    enough = None if world is None else enough_events(plan, world, seed=seed)
    begin(1, STEPS, "rivals")
    comparisons = _comparisons(plan, prior, share, trials, seed, world)
    begin(2, STEPS, "every k")
    by_k = _by_k(plan, prior, possible, share, on_counts=world is None)
    begin(3, STEPS, "repeated draws")
    repeated = tuple((name, repeat(twin, DRAWS, trials=trials, seed=seed)) for name, twin in _layouts(plan))
    begin(4, STEPS, "other priors")
    drift = _drift(plan, prior)
    begin(5, STEPS, "the certificate")
    certificate = certify(plan)
    begin(6, STEPS, "nearness")
    near = nearness(plan, trials=trials, seed=seed)
    return Facts(
        digest=plan.digest.hex(),
        n=len(prior),
        possible=possible,
        k=plan.k,
        layout=plan.layout,
        gains=plan.gains is not None,
        distance=float(plan.distance),
        n_giants=plan.n_giants,
        giants=tuple(
            Giant(str(plan.prior.labels[x]), rank, float(prior.p[x])) for rank, x in enumerate(named, start=1)
        ),
        example=example(plan),
        chance=Chance(share * float(ordered[0]), share, plan.success),
        world=world,
        untold=untold,
        enough=enough,
        requirement=None if most is None else judged(most, plan.success, world),
        comparisons=comparisons,
        by_k=by_k,
        prior=rank_bins(ordered[:possible]),
        target=rank_bins(pi),
        repeated=repeated,
        drift=drift,
        certificate=certificate,
        nearness=near,
        trials=trials,
        told=told,
        groups=None if plan.groups is None else plan.groups.describe(),
    )


def example(plan: Plan) -> tuple[str, ...]:
    """The first members of one of the plan's sets, those in every set first."""
    members = next(members for members, _ in plan.weighted_sets())
    labels = plan.prior.labels
    return tuple(str(labels[x]) for x in members.tolist()[:SHOWN])


def _scale(entropy: str, share: float) -> float:
    """With gains the linear ones are in units of gain; for the others the gain is a constant that leakage cancels."""
    match as_entropy(entropy).form:
        case RenyiMean(1.0, 0.0, 0.0) | BestGuesses() | AllGuesses():
            return share
    return 1.0


def _comparisons(
    plan: Plan, prior: Prior, share: float, trials: int, seed: int, told: World | None
) -> tuple[RivalLeakage, ...]:
    simulated = [kind(prior, plan.k, trials=trials, seed=seed) for kind in RANDOM]
    # who shows the secret shows buckets of one
    rivals = {NoCloak.name: FixedBuckets(prior, 1)} | {rival.name: rival for rival in simulated}
    rivals |= {FixedBuckets.name: FixedBuckets(prior, plan.k)}
    worlds: dict[str, World | None] = {}
    if told is not None:
        worlds[OURS] = told
        for rival, k in ((NoCloak.name, 1), (FixedBuckets.name, plan.k)):
            worlds[rival] = _world_of(design(plan.prior, k, layout="blocks"), seed)
        for kind in RANDOM:
            worlds[kind.name] = _world_of(kind(plan.prior, plan.k, trials=trials, seed=seed), seed)
    rows = []
    for name, H in zip(ENTROPIES, map(as_entropy, ENTROPIES), strict=True):
        scale = _scale(name, share)
        leaks = {rival: _scaled(known.leakage(H), scale) for rival, known in rivals.items()}
        worldly = {rival: world.leakage(H) for rival, world in worlds.items() if world is not None}
        rows.append(RivalLeakage(name, scale * H(prior), plan.leakage(H), leaks, worldly))
    return tuple(rows)


def _scaled(estimate: Estimate, scale: float) -> Estimate:
    """In units of gain; never below zero, which leakage cannot be and roundings and intervals can."""
    value, low, high = (max(0.0, scale * float(x)) for x in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.exact)


def _by_k(plan: Plan, prior: Prior, possible: int, share: float, *, on_counts: bool) -> Sweep:
    """For the same population as the first figure of the page."""
    ks = tuple(sorted({*spaced(max(possible, plan.k), KS if on_counts else WORLDLY_KS), plan.k}))
    if not on_counts:
        return sweep(plan.prior, ks=ks, entropies=ENTROPIES)
    found = sweep(prior, ks=ks, entropies=ENTROPIES, on_counts=True)
    return replace(found, leakage=found.leakage * [_scale(name, share) for name in ENTROPIES])


def _layouts(plan: Plan) -> list[tuple[str, Plan]]:
    """This plan and its like in the other layouts: the same giants, the other secrets on other rings."""
    plans = {plan.layout: plan}
    for layout in COMPARED_LAYOUTS:
        if layout.name not in plans:
            plans[layout.name] = lay_again(plan, layout)
    return list(plans.items())


def _drift(plan: Plan, prior: Prior) -> tuple[Drift, ...]:
    """The plan under p^theta, by its twin without gains: the same channel, designed for gamma_x p(x) as a prior."""
    twin = plan if plan.gains is None else replace(plan, prior=prior, gains=None, distance=0.0)
    thetas = tuple(np.linspace(0.5, 1.5, 11 if len(prior) <= 1_000_000 else 5).round(3).tolist())
    leaks: dict[str, list[float]] = {name: [] for name in SENSITIVE}
    least: dict[str, list[float]] = {name: [] for name in SENSITIVE}
    for theta in thetas:
        q = plan.prior.p**theta
        q /= q.sum()
        worth = q if plan.gains is None else q * plan.gains
        other = Prior.trusted(worth, prior.labels, float(worth.sum()))
        best = sweep(other, ks=[plan.k], entropies=SENSITIVE, on_counts=True)
        for name in SENSITIVE:
            scale = 1.0 if plan.gains is None else _scale(name, other.total)
            leaks[name].append(_cleared(scale * twin.leakage(name, prior=other)))
            least[name].append(_cleared(scale * float(best[name][0])))
    return tuple(Drift(name, thetas, tuple(leaks[name]), tuple(least[name])) for name in SENSITIVE)


def _cleared(leak: float) -> float:
    """Zero where a difference of floats left only rounding, which a chart would magnify to a curve."""
    return leak if leak > 1e-12 else 0.0


def _world_of(plan: Any, seed: int) -> World | None:
    """What a plan or a rival leaks in the true population, where that can be estimated."""
    return try_the_world(lambda: population(plan, entropies=(), seed=seed))[0]
