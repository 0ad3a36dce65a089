"""Plans with groups: tiers in draws, tables, files and attacks; updates; and what is refused, in one line each."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import minleak as ml
from minleak.core._keys import Key
from minleak.errors import InvalidParameter

LABELS = [f"city{i}" for i in range(12)]
WEIGHTS = [30, 25, 14, 3, 9, 8, 2, 2, 1, 5, 0, 0]
COUNTRY = ["cn", "cn", "cn", "cn", "in", "in", "fr", "fr", "de", "de", "de", "cn"]
PRIOR = ml.Prior(WEIGHTS, labels=LABELS)
ONE = ml.Groups(COUNTRY, at_most=1)


@pytest.fixture(params=["stable", "circle"])
def plan(request):
    """China weighs 72 of 99 and India 17, both more than one place of those left."""
    made = ml.design(PRIOR, 3, groups=ONE, layout=request.param)
    assert len(made.tiers) == 3
    return made


def test_what_a_plan_of_tiers_says(plan):
    """pi, success and leakage as by the explicit channel."""
    assert plan.exact_target == (Fraction(72, 99), Fraction(17, 99), Fraction(10, 99))
    assert plan.success == pytest.approx(72 / 99)
    for name in ("shannon", "min-entropy", "guesswork", "arimoto:2"):
        by_channel = ml.leakage(PRIOR, plan.channel(), name)
        assert plan.leakage(name) == pytest.approx(by_channel)
        assert plan.leakage(name, prior=PRIOR) == pytest.approx(by_channel)
    other = ml.Prior(WEIGHTS[::-1], labels=LABELS)
    assert plan.leakage("shannon", prior=other) == pytest.approx(ml.leakage(other, plan.channel(), "shannon"))
    assert sum(p for _, p in plan.sets()) == 1
    assert ml.repeated(plan, (1, 2)).success[0] == pytest.approx(plan.success)
    assert "3 tiers" in str(ml.summary(plan))


def test_places_lead_to_the_sets_of_the_channel(plan):
    """Every place of every secret, counted, gives the exact channel."""
    channel = plan.channel(exact=True)
    for x in range(len(LABELS)):
        owned = int(plan.places(np.array([x]))[0])
        rows = plan.locate(np.full(owned, x), np.arange(owned))
        found = [tuple(LABELS[i] for i in row if i >= 0) for row in rows.tolist()]
        for y, members in enumerate(channel.outputs):
            assert Fraction(found.count(members), owned) == channel.exact[x][y]


def test_a_table_draws_what_the_cloak_draws(plan):
    """floor(r N) of a secret's rows, as runtimes/spec.md says, with integers in text."""
    key = Key(bytes(range(32)))
    cloak, table = ml.Cloak(plan, key=key), plan.table().to_pylist()
    rows = [(row["secret"], row["set_number"], int(row["first"]), int(row["last"])) for row in table]
    for label in LABELS:
        own = sorted((first, last, number) for secret, number, first, last in rows if secret == label)
        assert own[0][0] == 0
        assert all(a[1] + 1 == b[0] for a, b in itertools.pairwise(own))
        for scope in ("u1", "u2", "u3"):
            drawn = set(cloak.draw(label, scope=scope))
            place = _place(key, plan.lineage, scope, label, own[-1][1] + 1)
            number = next(n for first, last, n in own if first <= place <= last)
            assert drawn == {secret for secret, n, _, _ in rows if n == number}


def _place(key, lineage, scope, label, count):
    import hashlib
    import hmac

    parts = [lineage, scope.encode(), b"s" + label.encode()]
    message = b"\x01" + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    number = int.from_bytes(hmac.digest(bytes(range(32)), message + bytes(4), hashlib.sha256), "big")
    return number * count >> 256


def test_a_file_gives_the_same_plan(plan, tmp_path):
    """Digest, draws and certificate."""
    plan.save(tmp_path / "plan.cloak")
    again = ml.load(tmp_path / "plan.cloak")
    assert again.digest == plan.digest
    assert list(again.sets()) == list(plan.sets())
    assert ml.certify(tmp_path / "plan.cloak", PRIOR)


def test_the_digest_knows_the_groups():
    """Two plans that draw alike and differ in their caps have two names; without groups nothing changes."""
    loose, plain = ml.design(PRIOR, 3, groups=ml.Groups(COUNTRY, at_most=3)), ml.design(PRIOR, 3)
    assert loose.exact_target == plain.exact_target
    other = replace(loose, groups=replace(loose.groups, caps=loose.groups.caps + 1))
    assert len({loose.digest, plain.digest, other.digest}) == 3


WRONG = {
    "a cap that sets pass": lambda plan: replace(plan.groups, group_of=np.zeros(12, dtype=np.int64)),
    "a cap that a tier could pass": lambda plan: replace(plan.groups, caps=plan.groups.caps + 1),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_other_groups_are_not_certified(plan, wrong):
    """Sets that break a cap, and tiers that are not the principal partition."""
    assert not ml.certify(replace(plan, groups=wrong(plan)), PRIOR)


def test_tiers_of_other_weights_are_not_certified(plan):
    """Two members of a tier change places with two of the other."""
    lane = plan.starts >= plan.tiers[0][0] * plan.length
    first, second = plan.members[~lane][0], plan.members[lane][0]
    weights = plan.weights.copy()
    weights[[first, second]] = weights[[second, first]]
    assert not ml.certify(replace(plan, prior=ml.Prior(weights, labels=LABELS), weights=weights), ml.Prior(weights))


def test_sizes_that_the_caps_allow():
    """All in one group: the effective k is that of the cap."""
    plan = ml.design([5, 4, 3, 2, 1], 4, groups=ml.Groups(["a"] * 5, at_most=2))
    assert plan.k == 2
    assert ml.certify(plan, [5, 4, 3, 2, 1])
    assert ml.design([5, 4, 3], 3, groups=ml.Groups([0, 0, 1], at_most=1), layout="blocks").k == 2


def test_gains_with_groups():
    """pi is that of gamma_x p(x) under the caps."""
    gains = [1, 1, 2, 3, 1, 1, 2, 2, 1, 1, 1, 1]
    plan = ml.design(PRIOR, 3, groups=ONE, gains=gains)
    same = ml.design([w * g for w, g in zip(WEIGHTS, gains, strict=True)], 3, groups=ONE)
    assert plan.exact_target == same.exact_target
    assert ml.certify(plan, PRIOR, gains=gains)


def test_blocks_keep_the_caps(tmp_path):
    """Where sorted blocks do, they are the best by the theorem; else the best found, and said."""
    blocks = ml.design(PRIOR, 3, groups=ml.Groups(COUNTRY, at_most=2), layout="blocks")
    for members, _ in blocks.sets():
        assert max(np.unique([COUNTRY[LABELS.index(x)] for x in members], return_counts=True)[1]) <= 2
    assert not ml.summary(blocks).best
    assert "not proven" in str(ml.summary(blocks))
    assert not ml.certify(blocks, PRIOR, entropies=["shannon"])
    assert blocks.loss("shannon") >= 0
    free = ml.design(PRIOR, 3, groups=ml.Groups(LABELS, at_most=1), layout="blocks")
    assert ml.summary(free).best
    assert ml.certify(free, PRIOR, entropies=["shannon"])
    blocks.save(tmp_path / "blocks.cloak")
    assert ml.load(tmp_path / "blocks.cloak").digest == blocks.digest


def test_sweeps_with_groups():
    """pi_1 for each k, and the least k that meets a target under the caps."""
    groups = ml.Groups(COUNTRY, at_most=2)
    swept = ml.sweep(PRIOR, ks=[1, 2, 3, 5], groups=groups, on_counts=True)
    for k, success, leakage in zip(swept.ks, swept.success, swept["shannon"], strict=True):
        plan = ml.design(PRIOR, k, groups=groups)
        assert success == pytest.approx(plan.success)
        assert leakage == pytest.approx(plan.leakage("shannon"))
    k = ml.least_k(PRIOR, success=0.37, groups=groups, on_counts=True)
    assert ml.design(PRIOR, k, groups=groups).success <= 0.37 < ml.design(PRIOR, k - 1, groups=groups).success
    least = [ml.least_k(PRIOR, "shannon", leakage=1.5, groups=caps, on_counts=True) for caps in (groups, None)]
    assert least[0] >= least[1]
    with pytest.raises(InvalidParameter, match=r"no k can do that under the caps .* up to 4"):
        ml.least_k(PRIOR, success=0.5, groups=ONE, on_counts=True)
    with pytest.raises(InvalidParameter, match="no k can do that under the caps"):
        ml.least_k(PRIOR, "shannon", leakage=0, groups=ONE, on_counts=True)


def test_updates_need_the_groups_of_new_secrets(tmp_path):
    """By label; new secrets wait while their caps allow no set of k; a part keeps them."""
    plan = ml.design(PRIOR, 3, groups=ONE)
    new = {**dict(zip(LABELS[:10], WEIGHTS, strict=False)), "a": 3, "b": 2, "c": 2}
    country = dict(zip(LABELS, COUNTRY, strict=True))
    same = ml.Groups(country | dict.fromkeys("abc", "es"), at_most=1)
    waiting = ml.update(plan, new, groups=same)
    assert waiting.pending == ("a", "b", "c")
    newer = ml.update(waiting, new, groups=ml.Groups(country | {"a": "es", "b": "pt", "c": "gr"}, at_most=1))
    assert newer.pending == ()
    assert set(ml.Cloak(newer).draw_fresh("a")) == {"a", "b", "c"}
    assert ml.certify(newer)
    newer.save(tmp_path / "newer.cloak")
    again = ml.load(tmp_path / "newer.cloak")
    key = Key(bytes(32))
    drawn = [ml.Cloak(one, key=key).draw("city0", scope="x") for one in (plan, newer, again)]
    assert drawn[0] == drawn[1] == drawn[2]
    assert ml.exposure([plan, newer]).lineages == 1
    with pytest.raises(InvalidParameter, match="which new secrets need too"):
        ml.update(plan, new)
    with pytest.raises(InvalidParameter, match="a mapping by label"):
        ml.update(plan, new, groups=ml.Groups(["es"] * 13, at_most=1))
    with pytest.raises(InvalidParameter, match="leave out groups="):
        ml.update(ml.design(PRIOR, 3), new, groups=same)


def test_the_world_of_a_plan_of_tiers():
    """It is estimated, about what the counts say where these are many."""
    rng = np.random.default_rng(3)
    counts, groups = rng.integers(900, 1100, 60), [0] * 40 + list(range(1, 21))
    plan = ml.design(counts, 5, groups=ml.Groups(groups, at_most=1))
    assert len(plan.tiers) == 2
    assert ml.population(plan).success == pytest.approx(plan.success, rel=0.05)
    assert ml.population(ml.update(plan, counts)).success == pytest.approx(plan.success, rel=0.1)


BAD = {
    "none for a secret": (lambda: ml.Groups(["a", None, "b"], at_most=1), "group at secret 1 is missing"),
    "NaN for a secret": (lambda: ml.Groups([1.0, float("nan"), 2.0], at_most=1), "group at secret 1 is missing"),
    "NaN among others": (lambda: ml.Groups(["a", 2, float("nan")], at_most=1), "group at secret 2 is missing"),
    "a label that is missing": (lambda: ml.Groups({0: "a", 1: "b"}, at_most=1), "1 secrets are missing"),
    "too few": (lambda: ml.Groups(["a", "b"], at_most=1), "2 values for 3 secrets"),
    "text": (lambda: ml.Groups("abc", at_most=1), "not str"),
    "a number": (lambda: ml.Groups(3, at_most=1), "not int"),
    "lists": (lambda: ml.Groups([["a"], {"b": 1}, ["c"]], at_most=1), "no names"),
    "a cap of 0": (lambda: ml.Groups(["a", "b", "c"], at_most=0), "from 1 on, not 0"),
    "half a cap": (lambda: ml.Groups(["a", "b", "c"], at_most=1.5), "from 1 on, not 1.5"),
    "a group without a cap": (lambda: ml.Groups(["a", "b", "c"], at_most={"a": 1, "b": 1}), "the group 'c'"),
    "a cap of 0 by group": (lambda: ml.Groups(["a", "b", "b"], at_most={"a": 1, "b": 0}), "the group 'b'"),
    "caps as a short list": (lambda: ml.Groups(["a", "b", "c"], at_most=[1, 2]), "2 caps, and there are 3 groups"),
    "groups that cross": (
        lambda: ml.Groups(["x", "x", "y"], at_most=2, inside=ml.Groups(["a", "b", "b"], at_most=1)),
        "inner group 'b' lies in 'x' and in 'y'.*optimise",
    ),
    "inside of another type": (lambda: ml.Groups(["x", "x", "y"], at_most=2, inside=["a"]), "inside= are finer"),
    "no Groups": (lambda: {"a": 1}, r"groups= is Groups\(by, at_most=...\), not dict"),
}


@pytest.mark.parametrize(("groups", "word"), BAD.values(), ids=BAD)
def test_refused(groups, word):
    """One reason each, in one line."""
    with pytest.raises(InvalidParameter, match=word) as caught:
        ml.design([3, 2, 1], 2, groups=groups())
    assert "\n" not in str(caught.value)


def test_caps_by_group_and_by_list():
    """The same caps, said in three ways."""
    by = ["a", "b", "b", "a", "c"]
    sets = [
        list(ml.design([5, 4, 3, 2, 1], 3, groups=ml.Groups(by, at_most=caps)).sets())
        for caps in ({"a": 1, "b": 2, "c": 1}, [1, 2, 1], np.array([1, 2, 1]))
    ]
    assert sets[0] == sets[1] == sets[2]
