"""certify: the one door to all certificates, for plans, their files and channels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from minleak.core._certify.blocks import certify_blocks
from minleak.core._certify.certificate import Certificate
from minleak.core._certify.channels import certify_channel
from minleak.core._certify.properties import check_property
from minleak.core._certify.rings import certify_rings
from minleak.core._certify.rows import certify_rows
from minleak.core._channel import Channel, as_channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import FEW, as_entropies
from minleak.core._labels import agree
from minleak.core._load import load
from minleak.core._matching import find_positions, values_by_label
from minleak.core._parameters import as_list, real
from minleak.core._plan.base import BLOCKS, LINEAGE, RINGS, ROWS, STRINGS, BasePlan
from minleak.core._plan.rings import cap
from minleak.core._prior import Prior, as_prior, match_prior, take_prior
from minleak.core._property_leakage import Values
from minleak.errors import InvalidParameter, quote
from minleak.lineage._certificate import certify_lineage
from minleak.strings._certificate import certify_strings
from minleak.strings._model import StringModel


def certify(
    subject: BasePlan | str | os.PathLike[str] | Channel | Any,
    prior: Prior | Iterable[Any] | StringModel | None = None,
    *,
    k: int | None = None,
    step: Iterable[Any] | None = None,
    gains: Iterable[Any] | None = None,
    of: Values | None = None,
    entropies: Sequence[ConditionalEntropy | str] = FEW,
    tolerance: float | None = None,
) -> Certificate:
    """Verify a plan or a .cloak file exactly, or compare any channel with the least leakage possible under the cap k.

    A plan is checked in integers: its weights are the prior's, its giants and u those of the theorem, its tracks tile
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

    `of` is a property of the secret, in the order of the plan's secrets or by label: one check more counts how often a
    guess at it is right, in integers where the plan has them, and compares that with what the plan says. How much a
    plan tells about a property is not part of the theorem.

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
    ok  ring 0: no set has a secret twice: 3 segments on 2 tracks
    ok  every secret owns u times its weight
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
    if isinstance(plan, BasePlan):
        found = _certify_plan(plan, prior, k, gains, measures)
        if of is None or not found.ok:
            return found
        check = check_property(plan, of)
        return replace(found, ok=check.ok, checks=(*found.checks, check))
    if of is not None:
        raise InvalidParameter("of= goes with a plan: measure a channel by leakage(prior, channel, entropy, of=...)")
    if gains is not None:
        raise InvalidParameter("gains= goes with a plan: judge a channel under the prior of gamma_x p(x) instead")
    if k is None:
        raise InvalidParameter("give the cap k to judge the channel by: certify(channel, prior, k=...)")
    if prior is None:
        raise InvalidParameter("give the prior to judge the channel for: certify(channel, prior, k=...)")
    channel = as_channel(subject)
    known = match_prior(cast(Any, prior), channel.inputs)  # a model of strings is refused there
    return certify_channel(channel, known, min(cap(k), len(known)), measures, within)


def _certify_plan(
    plan: Any, prior: Any, k: int | None, gains: Any, measures: Sequence[ConditionalEntropy]
) -> Certificate:
    """The certificate of a plan, by its kind."""
    if k is not None and plan.kind != ROWS:
        most = cap(k) if plan.kind == STRINGS else min(cap(k), len(plan.prior))
        if most != plan.k:
            raise InvalidParameter(f"the plan is for k = {plan.k}, not {quote(k)}")
    if plan.kind == LINEAGE:
        if prior is not None or gains is not None:
            raise InvalidParameter(
                "each part of an updated plan is certified for its own counts and gains, which it holds: leave out "
                "the prior and gains="
            )
        return replace(certify_lineage(plan, measures), own_prior=True)
    if gains is not None and plan.kind != RINGS:
        raise InvalidParameter("gains= goes with plans of rings, and this one is made for the prior itself")
    own = prior is None
    if own:
        prior, gains = plan.prior, getattr(plan, "gains", None) if gains is None else gains
    else:
        prior, gains = _reorder(plan, prior, gains)
    if plan.kind == RINGS:
        found = certify_rings(plan, prior, gains)
    elif plan.kind == BLOCKS:
        found = certify_blocks(plan, prior, measures)
    elif plan.kind == ROWS:
        found = certify_rows(plan, prior, measures, k)
    else:
        found = certify_strings(plan, prior)
    return replace(found, own_prior=own)


def _reorder(plan: BasePlan, prior: Any, gains: Any) -> tuple[Any, Any]:
    """Prior and gains in the order of the plan's secrets, if they have the same secrets in another order. If they do
    not, they are returned as they are, and the certificate says so.
    """
    known = plan.prior
    if prior is known or isinstance(prior, StringModel) or not isinstance(known, Prior):
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
