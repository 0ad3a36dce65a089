"""Plans over strings that cannot be listed: every set of every small model induces the posterior pi, in Fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

import minleak as ml
from minleak.strings._make import design_unlisted
from minleak.strings._model import strings_of
from minleak.strings._ngram import NGram
from minleak.strings._plan import UnlistedPlan

WORDS = ["ab", "ba", "abb", "a", "aab", "abab", "b"]


def whole_joint(plan: UnlistedPlan, strings: list[str]) -> dict[tuple[str, ...], dict[str, Fraction]]:
    """p(x, set) by cells: the set of a string changes only where somebody's piece of the circle begins."""
    begins = {0}
    for x in strings:
        home = plan._home_of.get(x)
        first = 0 if home is None else plan.u * plan.home_weights[home]
        if plan.owned(x) > first and x not in dict(plan.giants):
            begin = plan._begin_of.get(x)
            if begin is None:
                begin = plan._begins[-1] + plan.string_prior.per_unit * plan._line.start(x)
            begins.add(plan.u * begin % plan.circle)
    cuts = sorted(begins)
    joint: dict[tuple[str, ...], dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for x in strings:
        owned = plan.owned(x)
        for place, length in places(plan, x, owned, cuts):
            joint[plan.members(x, place)][x] += Fraction(
                plan.string_prior.weight(x) * length, plan.string_prior.total * owned
            )
    return joint


def places(plan: UnlistedPlan, x: str, owned: int, cuts: list[int]) -> Any:
    """(place, how many after it show the same set) over all places of a string."""
    if x in dict(plan.giants):
        home_end = plan._home_ends[-1]
        edges = [*plan._home_ends, *(home_end + cut for cut in cuts), owned]
    else:
        home = plan._home_of.get(x)
        first = 0 if home is None else plan.u * plan.home_weights[home]
        begin = plan._begin_of.get(x)
        if begin is None:
            begin = plan._begins[-1] + plan.string_prior.per_unit * plan._line.start(x)
        phase = plan.u * begin % plan.circle
        edges = [0, first, *(first + (cut - phase) % plan.circle for cut in cuts), owned]
    edges = sorted({edge for edge in edges if edge <= owned})
    return [(a, b - a) for a, b in pairwise(edges)]


def check(plan: UnlistedPlan, strings: list[str]) -> None:
    assert sum(map(plan.string_prior.weight, strings)) == plan.string_prior.total
    joint = whole_joint(plan, strings)
    assert sum(sum(row.values()) for row in joint.values()) == 1
    for members, row in joint.items():
        assert len(set(members)) == len(members) == plan.k
        mass = sum(row.values())
        assert sorted((row[x] / mass for x in members), reverse=True) == sorted(plan.exact_target, reverse=True)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("order", [1, 3])
def test_every_set_of_all_strings_of_two_letters_up_to_four_induces_pi(k: int, order: int) -> None:
    model = NGram.fit(WORDS, order=order, longest=4, alphabet="ab", others=False)
    strings = [string for string, _ in strings_of(model, 100)]
    assert len(strings) == 31
    check(design_unlisted(model, k), strings)


@pytest.mark.parametrize("counts", [[5, 1, 1, 2, 1, 1], [400, 1, 1, 1, 1, 1], [30, 20, 1, 1, 0, 9]])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_counted_and_unlisted_strings_together_induce_pi(counts: list[int], k: int) -> None:
    model = NGram.fit(WORDS, order=2, longest=3, alphabet="ab", others=False)
    labels = ["ab", "ba", "aaa", "bbbb", "a", "longer than the model"]
    prior = ml.Prior(counts, labels=labels)
    strings = {string for string, _ in strings_of(model, 100)} | {x for x, c in zip(labels, counts, strict=True) if c}
    for share in (None, Fraction(1, 3), Fraction(99, 100)):
        check(design_unlisted(model, k, prior=prior, share=share), sorted(strings))
