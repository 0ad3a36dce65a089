"""exposure: what an attacker learns who saw the sets of one secret in several plans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._attack.intersections import SECRETS, Look, success_exactly, success_simulated
from minleak._attack.repeated_draws import exact_probabilities
from minleak._data.matching import matched
from minleak._data.parameters import listed, whole
from minleak._data.prior import Prior, as_prior
from minleak._data.simulating import TRIALS, generator
from minleak._plan.base import BasePlan
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class Exposure:
    """The chance of one guess by an attacker who saw the sets of one subject and secret in several plans, drawn as
    `Cloak.draw` does: `success`, and a 99% interval from `low` to `high` unless it is `exact`. `lineages` is the number
    of sets that this comes to, since versions of one lineage show one. `single` is the chance of one who saw a set of
    the last plan alone. Secrets that some plan does not know are left aside: `share` is the part of the prior that the
    others have.
    """

    success: float
    low: float
    high: float
    exact: bool
    lineages: int
    single: float
    share: float
    trials: int

    def __str__(self) -> str:
        sure = "exactly" if self.exact else f"{self.low:.4f} to {self.high:.4f}"
        saw = "one set" if self.lineages == 1 else f"the sets of {self.lineages} lineages"
        return f"an attacker who saw {saw} of a secret is right with probability {self.success:.4f} ({sure})"


def exposure(
    plans: Iterable[Any], *, prior: Prior | Iterable[Any] | None = None, trials: int = 20_000, seed: int = 0
) -> Exposure:
    """The optimal attacker's success who saw every plan's set for one subject and secret, drawn sticky with one key.

    All versions of a lineage show a secret in the same set, so that they count as one look. Sets of different lineages
    are drawn independently of each other: who saw both intersects them. That is why a plan made anew is for those who
    have seen nothing yet.

    Parameters
    ----------
    plans
        Plans of the same secrets, such as [plan, plan.update(counts)] or one made anew. Two updates of one plan are two
        branches, which one subject is not shown both of: they are refused.
    prior
        p(x), of secrets that all plans know; that of the last plan if not given.
    trials, seed
        How many secrets are drawn in a simulation, which is made unless the plans are small.

    >>> import minleak as ml
    >>> plan = ml.design({"flu": 40, "cold": 30, "gout": 20, "mumps": 15}, k=2)
    >>> new = {"flu": 38, "cold": 31, "gout": 20, "mumps": 16}
    >>> ml.exposure([plan, plan.update(new)]).success < ml.exposure([plan, ml.design(new, k=2)]).success
    True
    """
    given = _newest(_plans(plans))
    trials, rng = whole(trials, "trials", 2, TRIALS), generator(seed)
    places, q, share = _common(given, None if prior is None else as_prior(prior))
    looks = [Look(plan, at) for plan, at in zip(given, places, strict=True)]
    known: dict[str, Any] = {"lineages": len(given), "single": given[-1].success, "share": share}
    exact = success_exactly(looks, exact_probabilities(q), [len(looks)]) if len(q) <= SECRETS else None
    if exact is not None:
        value = float(exact[0])
        return Exposure(value, value, value, exact=True, trials=0, **known)
    p = (q / q.sum()).astype(np.float64)
    ((mean, half),) = success_simulated(looks, p, [len(looks)], trials, rng)
    return Exposure(mean, max(mean - half, 0.0), min(mean + half, 1.0), exact=False, trials=trials, **known)


def _plans(plans: Any) -> list[Any]:
    what = "the plans are a list, such as [plan, plan.update(counts)]"
    given = [plans] if isinstance(plans, BasePlan) else listed(plans, what, some=True)
    for plan in given:
        if not isinstance(plan, BasePlan):
            raise InvalidParameter(f"{what}, not of {type(plan).__name__}: load a file with minleak.load(path)")
        if not hasattr(plan, "weighted_sets"):
            raise InvalidParameter(f"exposure is for plans of sets that can be listed, not for {plan.kind}")
    return given


def _newest(plans: Sequence[Any]) -> list[Any]:
    """Of each lineage the newest version; refused where one version does not come from the other."""
    newest: dict[bytes, Any] = {}
    for plan in plans:
        other = newest.setdefault(plan.lineage, plan)
        older, newer = sorted((other, plan), key=lambda one: len(one.parts))
        if [part.digest for part in newer.parts[: len(older.parts)]] != [part.digest for part in older.parts]:
            raise InvalidParameter(
                "two of the plans are updates of one plan that know nothing of each other, and a subject follows one "
                "of them: give the versions of one branch"
            )
        newest[plan.lineage] = newer
    return list(newest.values())


def _common(plans: Sequence[Any], prior: Prior | None) -> tuple[list[Any], Any, float]:
    """The secrets that all plans know: where each stands in each plan, its weight, and the share of the prior."""
    last = plans[-1].prior
    prior = last if prior is None else prior
    own, places = np.arange(len(last)), []
    for other in [plan.prior for plan in plans] + [prior]:
        if last.labels.is_default != other.labels.is_default:
            raise InvalidParameter("some plans have labels and some have none: secrets are matched by label")
        found = matched(last.labels, other.labels)
        places.append(own if found is None else found)
    known = np.logical_and.reduce([found >= 0 for found in places])
    share = float(np.where(known, prior.p[np.maximum(places[-1], 0)], 0.0).sum())
    if not share > 0:
        raise InvalidParameter("no secret of positive probability is in all plans: there is nobody to look for")
    return [found[known] for found in places[:-1]], prior.weights[places[-1][known]], share
