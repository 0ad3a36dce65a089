"""Layouts: every ring valid by walking along it, and what each layout promises beyond that."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import HARD, LAYOUTS

import minleak as ml
from minleak.core._layouts import LAYOUTS as KNOWN
from minleak.core._layouts.base import Laid, Layout
from minleak.core._plan.distances import from_coordinates
from minleak.errors import InvalidParameter
from minleak.near._pricing.cheapest import lay_cheapest
from minleak.testing import priors

ROOT = Path(__file__).parents[3]


def check(weights, k, layout):
    """Walk along all rings: at every phase u different secrets, no giants, and each u times its weight in all."""
    plan = ml.design(weights, k, layout=layout)
    owned: Counter[int] = Counter()
    for members, weight in zip(plan.home_members.tolist(), plan.home_weights.tolist(), strict=True):
        assert len(set(members)) == plan.u
        owned.update(dict.fromkeys(members, plan.u * weight))
    ends = [*plan.starts.tolist()[1:], plan.u * plan.length]
    spans = zip(plan.members.tolist(), plan.starts.tolist(), ends, strict=False)
    line = [x for x, start, end in spans for _ in range(end - start)]
    for t in range(plan.length):
        here = line[t :: plan.length]
        assert len(set(here)) == len(here) == plan.u
        owned.update(here)
    loose = {x: plan.u * w for x, w in enumerate(weights) if w and x not in plan.giants}
    assert owned == loose
    return plan


# One of each layout for n secrets: a new one joins them here.
EXAMPLES = {
    "stable": lambda _: ml.Stable(),
    "circle": lambda _: ml.Circle(),
    "blocks": lambda _: ml.Blocks(),
    "near": lambda n: ml.Near(range(n)),
    "cheapest": lambda _: ml.Cheapest(lambda z, i: abs(z - i) % 3),
}


def test_every_layout_is_tested_and_documented():
    """In this file, in the reference, and in the words of its class, with an example."""
    assert EXAMPLES.keys() == KNOWN.keys(), "add the layout to EXAMPLES in this file"
    reference = (ROOT / "docs" / "reference.md").read_text()
    for layout in KNOWN.values():
        assert f"::: minleak.{layout.__name__}\n" in reference, f"add {layout.__name__} to docs/reference.md"
        assert ">>> " in layout.__doc__, f"give {layout.__name__} an example"


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("weights", HARD.values(), ids=str)
def test_every_layout_is_optimal(name, weights):
    """Certified at every k up to n; those on rings with the same target."""
    for k in range(1, min(len(weights), 8) + 1):
        plan = ml.design(weights, k, layout=EXAMPLES[name](len(weights)))
        assert plan.layout == name
        assert ml.certify(plan, weights)
        assert not KNOWN[name].randomised or plan.exact_target == ml.design(weights, k).exact_target


@pytest.mark.parametrize("name", ["stable", "circle", "blocks"])
def test_a_name_stands_for_a_layout_without_arguments(name):
    """The same plan."""
    named, made = (ml.design([5, 4, 3, 2, 1], 3, layout=layout) for layout in (name, EXAMPLES[name](5)))
    assert list(named.sets()) == list(made.sets())


# -- one of the reader's own -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ByWeight(Layout):
    """One ring, the heaviest first."""

    name = "by weight"

    def lay(self, problem):
        members = problem.loose()
        members = members[np.argsort(-problem.weights[members], kind="stable")]
        ends = np.cumsum(problem.weights[members])
        starts = problem.u * (ends - problem.weights[members])
        return Laid.ring(members, starts, problem.u)


@dataclass(frozen=True)
class Told(ByWeight):
    """The same for those who say why."""

    why: str
    name = "told"


@dataclass(frozen=True)
class Odd(Layout):
    """Priced by coordinates, and no `Near`: odd and even secrets are far apart."""

    name = "odd"
    laid: ClassVar[list[int]] = []

    def distances(self, problem):
        return from_coordinates(np.arange(len(problem.weights)) % 2, "euclidean", problem.prior.labels)

    def lay(self, problem):
        self.laid.append(int(problem.weights.sum()))
        return lay_cheapest(problem, self.distances(problem))


@pytest.mark.parametrize("layout", [ByWeight(), Told("because"), Odd()], ids=lambda layout: layout.name)
def test_a_layout_of_ones_own_is_one_class_and_one_line(layout, monkeypatch, tmp_path):
    """Registered, it is designed, certified, saved, loaded and updated, by name where it needs no arguments."""
    monkeypatch.setitem(KNOWN, layout.name, type(layout))
    old, new = [9, 8, 7, 6, 5, 4, 3, 2], [9, 8, 7, 6, 3, 4, 5, 2, 1, 1, 1]
    ml.design(old, 3, layout=layout).save(tmp_path / "own.cloak")
    plan = ml.load(tmp_path / "own.cloak")
    assert plan.layout == layout.name
    assert ml.certify(tmp_path / "own.cloak", old)
    if isinstance(layout, Told):
        with pytest.raises(InvalidParameter, match=r"layout='told' needs arguments: give layout=Told\(...\)"):
            ml.design(old, 3, layout="told")
        with pytest.raises(InvalidParameter, match="a new part needs its Told layout"):
            plan.update(new)
        newer = plan.update(new, layout=layout)
    else:
        assert list(ml.design(old, 3, layout=layout.name).sets()) == list(plan.sets())
        newer = plan.update(new)
    assert ml.certify(newer)
    assert (newer.layout, newer.version, newer.lineage) == (layout.name, 2, plan.lineage)
    assert len(newer.parts[1].prior) == 3


def test_an_update_needs_to_know_the_layout():
    """A plan from a file may be of a layout that nobody registered, or that lays no rings."""
    plan = ml.design([5, 4, 3, 2], 2, layout="circle")
    with pytest.raises(InvalidParameter, match="the plan's layout 'by weight' is none that is known"):
        replace(plan, layout="by weight").update([5, 4, 2, 3, 1, 1])


# -- rings -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_every_small_prior(layout, n):
    """All weights of 0, 1, 3 and 4 in falling order, every k."""
    for weights in product((4, 3, 1, 0), repeat=n):
        if any(weights) and list(weights) == sorted(weights, reverse=True):
            for k in range(1, n + 1):
                check(weights, k, layout)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weights", [w for w in HARD.values() if sum(w) < 1000], ids=str)
def test_hard_priors(layout, weights):
    """Every k up to beyond n."""
    for k in range(1, len(weights) + 2):
        check(weights, k, layout)


@given(priors(max_size=12, max_weight=60), st.integers(1, 12), st.sampled_from(LAYOUTS))
def test_random_priors(prior, k, layout):
    """The same for random ones."""
    check(prior.weights.tolist(), k, layout)


# -- circle ----------------------------------------------------------------------------------------------------------


@given(priors(max_size=10), st.integers(1, 10))
def test_the_circle_is_one_line_in_input_order(prior, k):
    """One segment for every secret that is neither giant nor impossible, so at most n - n_giants sets."""
    plan = ml.design(prior, k, layout="circle")
    assert plan.n_homes == 0
    assert plan.members.tolist() == [x for x in range(len(prior)) if prior.weights[x] and x not in plan.giants]
    assert plan.n_cells - plan.n_fixed <= len(prior) - plan.n_giants
    assert plan.channel().shape[1] <= plan.n_cells


# -- stable ----------------------------------------------------------------------------------------------------------


def test_equal_weights_stay_at_home():
    """If u divides their number, nothing is left for another ring: repeated draws show nothing new."""
    plan = ml.design([5] * 12, 4)
    assert plan.home_members.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert plan.home_weights.tolist() == [5, 5, 5]
    assert plan.n_segments == plan.length == 0
    assert plan.repeated([1, 5]).success == (0.25, 0.25)


def kept_at_home(weights, u):
    """The most that homes can keep, by trying every amount for every home."""
    ordered = sorted(weights, reverse=True)
    groups = [ordered[i : i + u] for i in range(0, len(ordered) - len(ordered) % u, u)]
    rest = ordered[len(groups) * u :]
    best = 0
    for kept in product(*(range(min(group) + 1) for group in groups)):
        residues = [w - home for group, home in zip(groups, kept, strict=True) for w in group] + rest
        if u * max(residues) <= sum(residues):
            best = max(best, sum(kept))
    return best


GIVING = {
    "equal, one left over": ((20, 20, 20, 20, 20), 4),
    "equal, two left over": ((9, 9, 9, 9, 9), 3),
    "one just under its share": ((24, 19, 19, 19, 19), 4),
    "exactly its share": ((8, 3, 3, 2, 2, 2), 2),
    "heavy homes, light rest": ((12, 12, 12, 11, 3), 4),
    "two homes": ((11, 9, 9, 6, 6, 4, 4), 3),
}


@pytest.mark.parametrize(("weights", "k"), GIVING.values(), ids=GIVING)
def test_homes_give_back_as_little_as_possible(weights, k):
    """Where the residues cannot form a ring, homes keep the most that lets them."""
    plan = check(weights, k, "stable")
    assert plan.n_giants == 0
    full = sum(sorted(weights, reverse=True)[k - 1 :: k])
    assert int(plan.home_weights.sum()) == kept_at_home(weights, k) < full


@given(st.lists(st.integers(1, 12), min_size=2, max_size=8), st.integers(2, 4))
def test_homes_keep_the_most_they_can(weights, k):
    """For random priors without giants too."""
    plan = ml.design(weights, k)
    if plan.n_giants == 0 and plan.u == k:
        assert int(plan.home_weights.sum()) == kept_at_home(weights, k)


@given(priors(min_size=2, max_size=12), st.integers(2, 6))
def test_homes_are_neighbours_by_weight(prior, k):
    """Nobody outside a home has a weight strictly between those of two of its members."""
    plan = ml.design(prior, k)
    loose = [x for x in range(len(prior)) if x not in plan.giants and prior.weights[x]]
    for members in plan.home_members.tolist():
        inside = [int(prior.weights[x]) for x in members]
        others = [int(prior.weights[x]) for x in loose if x not in members]
        assert not any(min(inside) < w < max(inside) for w in others)


@given(priors(max_size=12), st.integers(1, 12))
def test_the_lazy_ring_is_short(prior, k):
    """Every member has a segment, and another one only if it had to give way, at most u times in all, or wraps."""
    plan = ml.design(prior, k)
    assert plan.n_segments <= len(set(plan.members.tolist())) + 2 * plan.u
