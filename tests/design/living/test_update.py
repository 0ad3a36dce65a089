"""plan.update: optimal for the new prior, with the homes of the old plan; what it says of itself; what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.design.living.worlds import changes, named, walked, zipf
from tests.plans import KEY

import minleak as ml
from minleak.errors import InvalidParameter


def homes(plan) -> set:
    return {frozenset(plan.prior.labels.at(row)) for row in plan.homes.members.astype(np.int64)}


def shown(plan, names, scopes=("a", "b", "c")):
    cloak = ml.Cloak(plan, key=KEY)
    return [frozenset(cloak.draw(name, scope=scope)) for name in names for scope in scopes]


@given(changes())
def test_every_update_is_certified(change):
    """Whatever is new, gone, a giant now or none any more; and so is an update of the update, and its file."""
    plan, prior = change
    newer = plan.update(prior)
    assert ml.certify(newer, prior)
    again = newer.update(plan.prior)
    assert ml.certify(again, plan.prior)
    assert (plan.version, newer.version, again.version) == (1, 2, 3)
    assert plan.lineage == newer.lineage == again.lineage == plan.digest
    assert again.descent.ancestors == (plan.digest, newer.digest)
    told = newer.changes
    assert told.kept + told.mended + told.remade >= len(plan.homes.weights)
    assert told.new == len(set(prior.labels) - set(plan.prior.labels))
    assert told.gone == len(set(plan.prior.labels) - set(prior.labels))


def test_homes_are_kept_mended_and_remade():
    """A home that loses a member keeps the others; a new secret of like weight takes the place."""
    plan = ml.design(named([100, 99, 98, 97, 50, 49, 48, 47]), 4)
    assert homes(plan) == {frozenset({"s0", "s1", "s2", "s3"}), frozenset({"s4", "s5", "s6", "s7"})}
    names = ["s0", "s1", "s3", "s4", "s5", "s6", "s7", "fresh"]
    newer = plan.update(named([100, 99, 97, 50, 49, 48, 47, 98], names))
    assert homes(newer) == {frozenset({"s0", "s1", "s3", "fresh"}), frozenset({"s4", "s5", "s6", "s7"})}
    assert str(newer.changes) == "homes: 1 kept, 1 mended, 0 re-made; secrets: 1 new, 1 gone"


def test_a_member_that_falls_far_leaves():
    """Two secrets that fall to a tenth keep their homes no longer from staying home; they are put together."""
    weights = np.repeat([1000, 900, 800, 700], 4)
    plan = ml.design(named(weights), 4)
    fallen = weights.copy()
    fallen[[0, 4, 8, 12]] = 10
    newer = plan.update(named(fallen))
    assert frozenset({"s0", "s4", "s8", "s12"}) in homes(newer)
    assert ml.certify(newer, named(fallen))


@pytest.mark.parametrize("layout", ["stable", "circle"])
def test_rows_in_another_order_and_a_common_factor_change_nothing(layout):
    """No set of any subject, in a plan, in its update, and where counts were multiplied or divided."""
    rng = np.random.default_rng(2)
    first = named(6 * zipf(120, 10**4))
    plan = ml.design(first, 5, layout=layout)
    names = list(first.labels)
    order = rng.permutation(120)
    expected = shown(plan, names)
    for factor in (1, 7):
        other = ml.Prior(first.weights[order] * factor, labels=[names[i] for i in order])
        assert shown(plan.update(other), names) == expected
    divided = ml.Prior(first.weights[order] // 3, labels=[names[i] for i in order])
    assert shown(plan.update(divided), names) == expected
    if layout == "stable":
        newer = walked(first, rng, churn=0.05)
        order = rng.permutation(120)
        other = ml.Prior(3 * newer.weights[order], labels=newer.labels.at(order))
        one, two = plan.update(newer).update(newer), plan.update(newer).update(other)
        assert shown(one, list(newer.labels)) == shown(two, list(newer.labels))


def test_few_sets_change_where_counts_change_a_little():
    """Under 6% of the subjects' sets, where a plan made anew changes most of them."""
    rng = np.random.default_rng(3)
    first = named(10**6 + 1000 * np.arange(2000))
    plan = ml.design(first, 8)
    prior = walked(first, rng, rate=0.001)
    names = list(first.labels)
    before, after, anew = (shown(one, names, ["s"]) for one in (plan, plan.update(prior), ml.design(prior, 8)))
    assert sum(a != b for a, b in zip(before, after, strict=True)) < 0.06 * len(names)
    assert sum(a != b for a, b in zip(before, anew, strict=True)) > 0.5 * len(names)


def test_giants_keep_their_sets_too():
    """A giant's set is as steady as others', though its homes have all changed weight."""
    rng = np.random.default_rng(5)
    first = named([10**9, *(10**6 + 1000 * np.arange(1600))])
    plan = ml.design(first, 5)
    newer = plan.update(walked(first, rng, rate=0.01))
    assert plan.n_giants == newer.n_giants == 1
    scopes = [str(i) for i in range(500)]
    before, after = (shown(one, ["s0"], scopes) for one in (plan, newer))
    assert sum(a != b for a, b in zip(before, after, strict=True)) < 50


@pytest.mark.parametrize(("k", "moved"), [(5, 2000), (5, 300), (6, 1)])
def test_another_number_of_giants(k, moved):
    """u changes, and with it every home; most members stay together."""
    weights = [900, 30, *range(40, 10, -1)]
    plan = ml.design(named(weights), k)
    prior = named([moved if i < 2 else w for i, w in enumerate(weights)])
    newer = plan.update(prior)
    assert newer.u != plan.u
    assert ml.certify(newer, prior)


def test_files(tmp_path):
    """A saved update opens, draws and certifies as it did, and says what it comes from."""
    rng = np.random.default_rng(7)
    first = named(zipf())
    prior = walked(first, rng, churn=0.02)
    plan = ml.design(first, 8).update(prior)
    plan.save(tmp_path / "newer.cloak")
    loaded = ml.load(tmp_path / "newer.cloak")
    assert (loaded.version, loaded.lineage, loaded.digest) == (2, plan.lineage, plan.digest)
    assert ml.certify(tmp_path / "newer.cloak", prior)
    names = list(prior.labels)[:50]
    assert shown(loaded, names) == shown(plan, names)
    assert loaded.update(first).digest == plan.update(first).digest


def test_refusals():
    """What cannot be updated, in one line that says what to do."""
    plan = ml.design(named([5, 4, 3, 2]), 2)
    for prior, words in (
        ([5, 4, 3], "has no labels and the plan has"),
        (named([1, 2], ["x", "y"]), "none of the plan's labels"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            plan.update(prior)
    with pytest.raises(InvalidParameter, match="stays with the plan's layout, stable, and does not take circle"):
        plan.update(named([5, 4, 3, 3]), layout=ml.Circle())
    with pytest.raises(InvalidParameter, match="with gains cannot be updated"):
        ml.design(named([5, 4, 3, 2]), 2, gains=[1, 2, 3, 4]).update(named([5, 4, 3, 2]))
    with pytest.raises(InvalidParameter, match="the plan has no labels"):
        ml.design([5, 4, 3], 2).update(named([5, 4, 3]))
    numbers = ml.design([5, 4, 3], 2).update([5, 4, 2, 1])
    assert numbers.changes.new == 1


def test_circle_keeps_nothing_and_says_so():
    """But it is optimal, and follows its lineage."""
    plan = ml.design(named([5, 4, 3, 2]), 2, layout="circle")
    newer = plan.update(named([5, 4, 3, 3]))
    assert str(newer.changes).startswith("no sets could be kept: ")
    assert (newer.layout, newer.version) == ("circle", 2)


def test_leakage_under_a_prior_in_another_order():
    """The same figure; labels that the prior lacks count as impossible, those that the plan lacks are told."""
    plan = ml.design(named([5, 4, 3, 2]), 2)
    names = ["s3", "s1", "s0", "s2"]
    in_order = plan.leakage("shannon", prior=named([1, 2, 3, 4]))
    assert plan.leakage("shannon", prior=named([4, 2, 1, 3], names)) == pytest.approx(in_order)
    without = plan.leakage("shannon", prior=named([0, 2, 3, 4]))
    assert plan.leakage("shannon", prior=named([2, 3, 4], ["s1", "s2", "s3"])) == pytest.approx(without)
    with pytest.raises(InvalidParameter, match=r"2 secrets of the prior, 0\.3 of its mass, are not among the plan's 4"):
        plan.leakage("shannon", prior=named([3, 2, 1, 3, 1], ["s1", "x", "y", "s2", "s0"]))


def test_heavy_tails_keep_what_they_can():
    """Homes that gave all their weight back are made again from nothing: they must not take the others' places, or an
    update is worse than a plan made anew.
    """
    rng = np.random.default_rng(0)
    weights = np.sort(rng.pareto(1.2, 300) * 1000).astype(int) + 1
    moved = (weights * rng.uniform(0.99, 1.01, 300)).astype(int) + 1
    labels = [f"s{i}" for i in range(300)]
    plan = ml.design(ml.Prior(weights.tolist(), labels=labels), 8)
    newer = plan.update(ml.Prior(moved.tolist(), labels=labels))
    anew = ml.design(newer.prior, 8)
    assert len(newer.homes.weights) == pytest.approx(len(plan.homes.weights), abs=2)
    assert ml.exposure([plan, newer], trials=2000).high < ml.exposure([plan, anew], trials=2000).low
