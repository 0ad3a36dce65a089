"""certify: the one door to all certificates, for plans, their files and channels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from minleak.core._certify.certificate import Certificate, certificate_of
from minleak.core._certify.channel_plans import certify_rows
from minleak.core._certify.channels import certify_channel
from minleak.core._certify.plans import certify_plan
from minleak.core._channel import Channel, as_channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import FEW, as_entropies
from minleak.core._labels import agree
from minleak.core._load import load
from minleak.core._matching import find_positions, values_by_label
from minleak.core._parameters import as_list, real
from minleak.core._plan.channel_plan import ChannelPlan
from minleak.core._plan.drawable import Drawable
from minleak.core._plan.fields import cap
from minleak.core._plan.plan import Plan
from minleak.core._prior import Prior, as_prior, match_prior, take_prior
from minleak.errors import InvalidParameter, quote


def certify(
    subject: Drawable | str | os.PathLike[str] | Channel | Any,
    prior: Prior | Iterable[Any] | None = None,
    *,
    k: int | None = None,
    step: Iterable[Any] | None = None,
    gains: Iterable[Any] | None = None,
    entropies: Sequence[ConditionalEntropy | str] = FEW,
    tolerance: float | None = None,
) -> Certificate:
    """Verify a plan or a .cloak file exactly, or compare any channel with the least leakage possible under the cap k.

    A plan is checked in integers: its weights are the prior's, its giants and u those of the theorem, its lanes tile
    the phases, no set has a secret twice, and every secret owns u times its weight. From these every posterior is pi. A
    plan made with gains is optimal for gamma_x p(x) and may leak more than others of p(x) itself: it is certified only
    if you give the same `gains`.

    Secrets are matched by their labels, in whatever order the prior has them. Without a prior a plan is certified for
    the one that it holds, and its own gains, and `own_prior` of the certificate says so: whether that prior is yours is
    then not checked.

    A file may be given by its path. Draws are made from the plan itself, so a certified file draws at the certified
    odds, whoever wrote it; that its index leads every label to its secret is checked too.

    Blocks are checked to be sorted and cut, which no partition beats in the entropies for which that is a theorem;
    other entropies asked for are named as not certified. Blocks under caps of groups or a budget of rows are `valid`,
    and not proved to be the best. A plan over strings that cannot be listed is certified for its
    counts, or for its model where it has none, in big integers; the model itself is tried at some hundred positions.
    Each part of a lineage is certified for the counts and gains that it was made for and holds, so that a prior or
    gains beside it are refused.

    A channel is checked by its columns: the cap is respected; q, the mean of its sorted posteriors, majorizes pi
    (Lemma 1 of the paper, a theorem, so this checks the arithmetic too); every posterior is pi; and how much it leaks
    above the optimum in each of the `entropies`. Channels of Fractions under exact priors are checked exactly, others
    within `tolerance`, 1e-9 if it is not given.

    `Tracks` are checked for one `step`, the k states that are shown: every row is the chain's, every move of the
    rounding keeps all means, and the next states are as different as the rows allow.

    >>> from minleak import design
    >>> prior = [36, 30, 20, 14]
    >>> print(certify(design(prior, k=3), prior))  # doctest: +NORMALIZE_WHITESPACE
    certified, exactly
    proved: for one observation, no channel with sets of at most 3 secrets leaks less, in any symmetric,
            expansible, core-concave entropy
    ok  the secrets are the prior's
    ok  the fields of the plan fit together
    ok  the weights are the prior's: exactly
    ok  giants are the heaviest secrets, each above its share
    ok  every other secret fits its share s/u: u = 2, s = 64, largest weight 30
    ok  homes are sets of u different secrets: 1 of them
    ok  the ring: no set has a secret twice: 3 segments on 2 lanes
    ok  every secret owns u times its weight
    ok  only secrets that cannot occur always show one set, unless all do
    total variation between the prior and the plan's integer weights: 0
    >>> certify(design(prior, k=3, gains=[1, 1, 1, 5]), prior).ok
    False
    >>> certify([[1, 0], [1, 0], [0, 1], [0, 1]], prior, k=2).ok
    False
    """
    by_step = getattr(subject, "step_certificate", None)
    if (by_step is None) != (step is None):
        raise InvalidParameter(
            "tracks are certified for one step, certify(tracks, step=(a, ...)), and nothing else takes step="
        )
    if by_step is not None:
        return cast(Certificate, by_step(step))
    within = 1e-9 if tolerance is None else real(tolerance, "the tolerance is a number from 0 to 1", least=0, most=1)
    plan = load(subject) if isinstance(subject, str | os.PathLike) else subject
    measures = as_entropies(entropies)
    if isinstance(plan, Drawable):
        if k is not None and not isinstance(plan, ChannelPlan):
            most = min(cap(k), len(plan.prior)) if plan.listed else cap(k)
            if most != plan.k:
                raise InvalidParameter(f"the plan is for k = {plan.k}, not {quote(k)}")
        return certificate_of(plan, prior, k=k, gains=gains, measures=measures)
    if gains is not None:
        raise InvalidParameter("gains= goes with a plan: judge a channel under the prior of gamma_x p(x) instead")
    if k is None:
        raise InvalidParameter("give the cap k to judge the channel by: certify(channel, prior, k=...)")
    if prior is None:
        raise InvalidParameter("give the prior to judge the channel for: certify(channel, prior, k=...)")
    channel = as_channel(subject)
    known = match_prior(cast(Any, prior), channel.inputs)  # a model of strings is refused there
    return certify_channel(channel, known, min(cap(k), len(known)), measures, within)


@certificate_of.register(Plan)
def _of_plan(
    plan: Plan, prior: Any, *, k: int | None, gains: Any, measures: Sequence[ConditionalEntropy]
) -> Certificate:
    del k
    if gains is not None and not len(plan.home_weights) and not len(plan.starts) and not len(plan.giants):
        raise InvalidParameter("gains= goes with plans that draw their sets, and this one is made for the prior itself")
    if prior is None:
        own = plan.gains if gains is None else gains
        return replace(certify_plan(plan, plan.prior, own, measures), own_prior=True)
    return certify_plan(plan, *_reorder(plan, prior, gains), measures)


@certificate_of.register(ChannelPlan)
def _of_channel_plan(
    plan: ChannelPlan, prior: Any, *, k: int | None, gains: Any, measures: Sequence[ConditionalEntropy]
) -> Certificate:
    if gains is not None:
        raise InvalidParameter("gains= goes with plans that draw sets, and this one is made for the prior itself")
    if prior is None:
        return replace(certify_rows(plan, plan.prior, measures, k), own_prior=True)
    return certify_rows(plan, _reorder(plan, prior, None)[0], measures, k)


def _reorder(plan: Plan | ChannelPlan, prior: Any, gains: Any) -> tuple[Any, Any]:
    """Prior and gains in the order of the plan's secrets, if they have the same secrets in another order. If they do
    not, they are returned as they are, and the certificate says so.
    """
    known = plan.prior
    if prior is known:
        return prior, gains
    prior = as_prior(prior)
    if len(prior) != len(known) or agree(known.labels, prior.labels):
        return prior, gains
    at = find_positions(known.labels, prior.labels)
    if at is None or known.labels.is_default != prior.labels.is_default or (at < 0).any():
        return prior, gains
    if gains is not None and not isinstance(gains, Prior):
        worth = as_list(values_by_label(gains, prior.labels, "gains"), "the gains are one number for each secret")
        gains = [worth[i] for i in at.tolist()] if len(worth) == len(at) else worth
    return take_prior(prior, at), gains
