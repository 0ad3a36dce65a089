"""The certificate of blocks: that they are the secrets sorted and cut, by code that shares nothing with the maker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._certify.certificate import Certificate, Check, check_labels, check_secrets, in_proportion
from minleak.core._columns import blocks_of
from minleak.core._entropy.base import ConditionalEntropy, Entropy, evaluate
from minleak.core._entropy.forms import AllGuesses, BestGuesses, Form, RenyiMean, arimoto_exponent
from minleak.core._prior import Prior, as_prior
from minleak.groups._certificate import within_caps

if TYPE_CHECKING:
    from minleak.core._plan.blocks import BlockPlan

# How far two floats may be apart that stand for one probability: some roundings.
_ROUNDING = 2.0**-50


def certify_blocks(
    plan: BlockPlan, prior: Prior | Iterable[Any], measures: Sequence[ConditionalEntropy]
) -> Certificate:
    """Whether no partition into blocks of at most k leaks less, in each of the entropies. Weights are compared exactly,
    except floats with others than those that the blocks were made for: then within rounding, and `exact` is False.
    `gaps` tells how much more leaks than by the optimal plan, which draws its sets.
    """
    prior = as_prior(prior)
    same, exact = _same_weights(plan.prior, prior)
    checks, gaps = list(_checks(plan, prior, same)), {}
    if all(check.ok for check in checks):
        checks += check_labels(plan, prior)
        checks += _best_checks(plan, prior, measures)
        gaps = plan.losses([H for H in measures if isinstance(H, Entropy)])
    claim = f"no partition into blocks of at most {plan.k} secrets leaks less, in {_list_names(measures)}"
    return Certificate.of(claim, checks, exact=exact, gaps=gaps)


def _list_names(measures: Sequence[ConditionalEntropy]) -> str:
    return ", ".join(H.name for H in measures) or "no entropy"


def _same_weights(ours: Prior, theirs: Prior) -> tuple[bool, bool]:
    """Whether two priors give their secrets the same probabilities, and whether that is known exactly."""
    if ours.exact and theirs.exact:
        same = len(ours) == len(theirs) and in_proportion(ours.weights, ours.total, theirs.weights, theirs.total)
        return same, True
    if ours.exact == theirs.exact and np.array_equal(ours.weights, theirs.weights):
        return True, True
    return len(ours) == len(theirs) and np.allclose(ours.p, theirs.p, rtol=_ROUNDING, atol=0.0), False


def _checks(plan: BlockPlan, prior: Prior, same: bool) -> Iterator[Check]:
    """That the blocks are of the prior's secrets; that each is in one block, and none has more than k members."""
    known = check_secrets(plan, prior)
    yield known
    if not known.ok:
        return
    yield Check("the weights are the prior's", same)
    wrong = plan.partition.wrong_with(len(prior), plan.k)
    yield Check(f"every secret is in one block, of at most k = {plan.k} members", wrong is None, wrong or "")
    if plan.groups is not None and wrong is None:
        rows = plan.partition.rows(np.arange(len(plan.partition.begins) - 1), plan.k)
        kept = within_caps(rows, plan.groups)
        yield Check("every block keeps the caps of the groups", kept, plan.groups.describe())


def _best_checks(plan: BlockPlan, prior: Prior, measures: Sequence[ConditionalEntropy]) -> Iterator[Check]:
    """That they are sorted and cut, which is best by a theorem in the entropies that say so of themselves."""
    members, begins = plan.partition.members, plan.partition.begins
    weights = prior.weights[members]
    ends = np.concatenate([np.minimum.reduceat(weights, begins[:-1]), np.maximum.reduceat(weights, begins[:-1])])
    light, heavy = np.unique(ends, return_inverse=True)[1].reshape(2, -1)  # in their order, of whatever type they are
    sizes = begins[1:] - begins[:-1]
    order = np.lexsort((-sizes, -light, -heavy))  # blocks may stand in any order
    full = bool((sizes[order][:-1] == plan.k).all())
    sorted_ = full and bool((light[order][:-1] >= heavy[order][1:]).all())
    worse = "" if sorted_ else _distance(plan, prior, measures)
    if not sorted_ and plan.groups is not None:
        worse = "they are the best that were found under the caps of the groups, for which there is no theorem"
    yield Check("sorted by weight and cut into blocks of k from the heaviest on", sorted_, worse, optimality=True)
    if not sorted_:
        return
    proved = [H for H in measures if best_sorted(H.form)]
    others = [H for H in measures if not best_sorted(H.form)]
    if proved:
        theorem = f"a theorem in {_list_names(proved)}"
        yield Check("no partition into blocks of at most k leaks less", True, theorem, optimality=True)
    if others:
        no_theorem = "there is no such theorem: another partition may leak less"
        yield Check(f"the same in {_list_names(others)}", False, no_theorem, optimality=True)


def _distance(plan: BlockPlan, prior: Prior, measures: Sequence[ConditionalEntropy]) -> str:
    """How much more leaks than by the best blocks, in words."""
    ordered: Array = np.sort(prior.p)[::-1]
    filled = np.concatenate([ordered, np.zeros(-len(ordered) % plan.k)])
    best = evaluate(measures, blocks_of(filled.reshape(-1, plan.k).T))
    ours = plan.partition.entropies(prior, measures)
    more = [f"{above - after:.3g} in {H.name}" for H, above, after in zip(measures, best, ours, strict=True)]
    return f"such blocks leak less, by {', '.join(more)}" if more else ""


def best_sorted(form: Form | None) -> bool:
    """Whether it is a theorem that of all partitions into blocks of at most k, the secrets sorted by weight and cut
    from the heaviest on leave the most H(X|Y), for every k and prior.

    Two blocks suffice (docs/explanation/layouts.md has both proofs). Where Fhat is supermodular (Shannon, guesses,
    guesswork, Arimoto of every order), order one block from the heaviest member and the other from the lightest: the
    larger of each pair are the k heaviest of both. Elsewhere it is a theorem of its own, of the sums of Q^c S^(1-ac)
    with Q = sum v_i^a and S = sum v_i, for a > 1 and 1/a <= c <= min(1, 1/(a-1)): Hayashi, Tsallis and Sharma-Mittal
    (c = 1) up to order 2, Fehr and Berens (c = 1/(a-1)) from order 2 on.
    """
    match form:
        case RenyiMean(a, c):
            if c == arimoto_exponent(a):
                return True
            if c == 1 - a:  # uniform, n = k+1: sizes (k-1, 2) beat (k, 1) above 2; below 1 from k = 8 on
                return 1 <= a <= 2
            # Fehr and Berens' below 2 from k = 14 on: one heavy secret in each of two blocks may be better
            return c == -1 and a >= 2
        case BestGuesses() | AllGuesses():
            return True
    return False
