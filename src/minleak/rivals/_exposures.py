"""What an attacker learns from several sets of one secret: fresh draws of one plan, or draws of several plans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._columns import tops_of
from minleak.core._matching import find_positions
from minleak.core._parameters import as_list, truth, whole
from minleak.core._plan.drawable import Drawable
from minleak.core._plan.set_plan import SetPlan
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result
from minleak.core._simulating import TRIALS, generator
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter
from minleak.rivals._intersections import Look, success_after

# The most draws of one secret.
_DRAWS = 10_000


@dataclass(frozen=True)
class Repeated(Result):
    """The optimal attacker's `success` after each number of `draws`, with a 99% confidence interval from `low` to
    `high` by so many `trials` unless it is `exact`.
    """

    draws: tuple[int, ...]
    success: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    exact: bool
    trials: int

    def to_parts(self) -> list[str | Table]:
        rows = [
            [t, s, "exact" if self.exact else f"{a:.5f} .. {b:.5f}"]
            for t, s, a, b in zip(self.draws, self.success, self.low, self.high, strict=True)
        ]
        return [Table("", ["draws", "success", "99% interval"], rows)]


def repeated(
    plan: SetPlan,
    draws: Sequence[int] = (1, 2, 5, 20),
    *,
    trials: int = 20_000,
    seed: int = 0,
    exact: bool | None = None,
) -> Repeated:
    """Return the optimal attacker's success when one secret is drawn again and again with fresh randomness.

    Exact where the sets are few (n up to about 12), else from `trials` simulated secrets, with a 99% confidence
    interval. `exact` asks for one or the other.

    >>> import minleak as ml
    >>> ml.repeated(ml.design([3, 2, 2, 1], k=2), [1, 2]).success[0]
    0.5
    """
    if not isinstance(plan, SetPlan):
        raise InvalidParameter(f"repeated draws are of a plan of listed secrets; got {type(plan).__name__}")
    given = as_list(draws, f"draws are some whole numbers from 1 to {_DRAWS:,}", some=True)
    wanted = tuple(whole(t, "each of the draws", 1, _DRAWS) for t in given)
    trials, rng = whole(trials, "trials", 2, TRIALS), generator(seed)
    exact = None if exact is None else truth(exact, "exact")
    found, exactly = success_after([Look(plan)] * max(wanted), plan.prior, wanted, trials, rng, exact)
    success, low, high = zip(*found, strict=True)
    return Repeated(wanted, success, low, high, exactly, 0 if exactly else trials)


@dataclass(frozen=True)
class Exposure(Result):
    """The chance of one guess by an attacker who saw the sets of one subject and secret in several plans, drawn as
    `Cloak.draw` does: `success`, with a 99% interval from `low` to `high` unless it is `exact`. `lineages` is the
    number of sets seen, since all versions of a lineage show the same one. `single` is the chance of an attacker who
    saw a set of the last plan only, under the same prior. Secrets that some plan does not know are left out of both:
    `share` is the part of the prior that remains. `trials` is the number of simulated secrets, 0 if it is exact.
    """

    success: float
    low: float
    high: float
    exact: bool
    lineages: int
    single: float
    share: float
    trials: int

    def to_parts(self) -> list[str | Table]:
        sure = "exactly" if self.exact else f"{self.low:.4f} to {self.high:.4f}"
        saw = "one set" if self.lineages == 1 else f"the sets of {self.lineages} lineages"
        return [f"an attacker who saw {saw} of a secret is right with probability {self.success:.4f} ({sure})"]


def exposure(
    plans: Iterable[Any], *, prior: Prior | Iterable[Any] | None = None, trials: int = 20_000, seed: int = 0
) -> Exposure:
    """The success of the optimal attacker who saw every plan's set for one subject and secret, drawn sticky with one
    key.

    All versions of a lineage show a secret in the same set, so they count as one look. Sets of different lineages are
    drawn independently, and an attacker who saw both intersects them. That is why a new plan is for new subjects.

    Parameters
    ----------
    plans
        Plans of the same secrets, such as [plan, ml.update(plan, counts)] or a new one. Two updates of one plan are two
        branches, of which a subject sees only one: they are refused.
    prior
        p(x), of secrets that all plans know; that of the last plan if not given.
    trials, seed
        The number of simulated secrets, and their seed; small plans are computed exactly.

    >>> import minleak as ml
    >>> plan = ml.design({"flu": 40, "cold": 30, "gout": 20, "mumps": 15}, k=2)
    >>> new = {"flu": 38, "cold": 31, "gout": 20, "mumps": 16}
    >>> ml.exposure([plan, ml.update(plan, new)]).success < ml.exposure([plan, ml.design(new, k=2)]).success
    True
    """
    given = _plans(plans)
    newest = _newest(given)
    trials, rng = whole(trials, "trials", 2, TRIALS), generator(seed)
    places, q, share = _common(newest, given[-1].prior if prior is None else as_prior(prior))
    looks, seen = [Look(plan, at) for plan, at in zip(newest, places, strict=True)], Prior(q)
    (found,), exact = success_after(looks, seen, [len(looks)], trials, rng)
    single = _success_of_one(newest[-1], places[-1], seen)
    return Exposure(*found, exact, len(newest), single, share, 0 if exact else trials)


def _success_of_one(plan: Any, places: Any, prior: Prior) -> float:
    """The sum over sets of the largest p(x) p(set given x), where x stands at places[x] of the plan."""
    p = np.zeros(len(plan.prior))
    p[places] = prior.p
    return math.fsum(float(tops_of(block).sum()) for block in plan.joint_blocks(p))


def _plans(plans: Any) -> list[Any]:
    what = "the plans are a list, such as [plan, ml.update(plan, counts)]"
    given = [plans] if isinstance(plans, Drawable) else as_list(plans, what, some=True)
    for plan in given:
        if not isinstance(plan, Drawable):
            raise InvalidParameter(f"{what}, not of {type(plan).__name__}: load a file with minleak.load(path)")
        if not isinstance(plan, SetPlan):
            raise InvalidParameter(f"exposure is for plans of sets that can be listed, not for {plan.kind}")
    return given


def _newest(plans: Sequence[Any]) -> list[Any]:
    """The newest version of each lineage, in the order in which lineages were given last; refused if one version does
    not descend from the other.
    """
    newest: dict[bytes, Any] = {}
    for plan in plans:
        other = newest.pop(plan.lineage, plan)
        older, newer = sorted((other, plan), key=lambda one: len(one.parts))
        if [part.digest for part in newer.parts[: len(older.parts)]] != [part.digest for part in older.parts]:
            raise InvalidParameter(
                "two of the plans are updates of one plan that know nothing of each other, and a subject follows one "
                "of them: give the versions of one branch"
            )
        newest[plan.lineage] = newer
    return list(newest.values())


def _common(plans: Sequence[Any], prior: Prior) -> tuple[list[Any], Any, float]:
    """The secrets that all plans know: where each stands in each plan, its weight, and the share of the prior."""
    last = plans[-1].prior
    own, places = np.arange(len(last)), []
    for other in [plan.prior for plan in plans] + [prior]:
        if last.labels.is_default != other.labels.is_default:
            raise InvalidParameter("some plans have labels and some have none: secrets are matched by label")
        found = find_positions(last.labels, other.labels)
        places.append(own if found is None else found)
    known = np.logical_and.reduce([found >= 0 for found in places])
    share = float(np.where(known, prior.p[np.maximum(places[-1], 0)], 0.0).sum())
    if not share > 0:
        raise InvalidParameter("no secret of positive probability is in all plans: there is nobody to look for")
    return [found[known] for found in places[:-1]], prior.weights[places[-1][known]], share
