"""Lineages: parts that never change, secrets that wait, files, certificates, wrong input."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lineage.worlds import histories, named, walked, zipf
from tests.plans import KEY

import minleak as ml
from minleak.errors import InvalidCloak, InvalidParameter, UnknownSecret
from minleak.results import Lineage

SCOPES = [f"user-{i}" for i in range(6)]


def shown(plan, labels):
    """Sticky sets of some subjects, by label."""
    cloak = ml.Cloak(plan, key=KEY)
    return {(label, scope): cloak.draw(label, scope=scope) for label in labels for scope in SCOPES}


@settings(max_examples=40)
@given(histories(), st.sampled_from(["auto", 1, 2, 5]))
def test_what_was_shown_once_is_shown_for_ever(history, cohort):
    """Sets, odds and sticky draws of a listed secret are the same in every later version, whatever is counted."""
    plan, days = history
    seen, versions = {}, [plan]
    for counts in days:
        versions.append(ml.update(versions[-1], counts, cohort=cohort))
    for version in versions:
        now = shown(version, list(version.prior.labels))
        assert {key: now[key] for key in seen} == seen
        seen = now
        assert version.lineage == plan.lineage
        assert ml.certify(version, None if isinstance(version, Lineage) else version.prior, entropies=["min-entropy"])
    assert [version.version for version in versions] == list(range(1, len(versions) + 1))


@settings(max_examples=40)
@given(histories())
def test_a_label_is_in_one_part_or_waits(history):
    """Every label that was ever counted is listed in one part, or pending; none is lost."""
    plan, days = history
    known = set(plan.prior.labels)
    for counts in days:
        plan = ml.update(plan, counts, cohort=1)
        known |= {name for name, w in zip(counts.labels, counts.weights.tolist(), strict=True) if w}
        listed = [name for part in plan.parts for name in part.prior.labels]
        assert len(set(listed)) == len(listed)
        assert set(listed) | set(plan.pending) == known
        assert not set(listed) & set(plan.pending)
        assert len(plan.pending) < plan.k or plan.k == 0


@settings(max_examples=25)
@given(histories())
def test_what_leaks_is_one_look_at_one_set(history):
    """By the counts of the last day: the sum over all sets of the largest joint weight, counted from the draws."""
    plan, days = history
    plan = ml.update(ml.update(plan, days[0], cohort=1), days[1], cohort=1)
    joint = {}
    for part in plan.parts:
        channel = part.channel().toarray()
        for x, name in enumerate(part.prior.labels):
            at = plan.prior.labels.position(name)
            for y, names in enumerate(part.channel().outputs):
                key = id(part), names
                joint[key] = max(joint.get(key, 0.0), float(plan.prior.p[at] * channel[x, y]))
    assert plan.success == pytest.approx(sum(joint.values()))
    assert ml.exposure([plan]).success == pytest.approx(plan.success)


def test_new_secrets_wait_until_they_are_enough_and_it_is_time():
    """At least k of them, and the number of updates that was asked for."""
    plan = ml.design(named(zipf(40)), 4)
    day = named([5, 5, 5], ["s0", "new-1", "new-2"])
    first = ml.update(plan, day, cohort=2)
    assert (first.pending, len(first.parts)) == (("new-1", "new-2"), 1)
    second = ml.update(first, named([5, 1, 1], ["s0", "new-3", "new-4"]), cohort=3)
    assert (second.pending, len(second.parts)) == (("new-1", "new-2", "new-3", "new-4"), 1)
    third = ml.update(second, named([4], ["s1"]), cohort=3)
    assert (third.pending, len(third.parts)) == ((), 2)
    assert list(third.parts[1].prior.labels) == ["new-1", "new-2", "new-3", "new-4"]
    assert third.parts[0] is plan


def test_auto_is_daily_at_first_and_weekly_later():
    """Parts are made at once while the plan is young, and every seven days once it is old."""
    plan, made = ml.design(named(zipf(400)), 2), []
    for day in range(1, 61):
        before = len(plan.parts)
        plan = ml.update(plan, named([9, 2, 1], ["s0", f"a{day}", f"b{day}"]))
        if len(plan.parts) > before:
            made.append(day)
    waits = np.diff(made)
    assert made[:2] == [1, 3]
    assert (np.diff(waits) >= 0).all()
    assert waits[-1] == 7


def test_a_pending_secret_is_refused_and_never_passed_through():
    """Or takes the stand-in."""
    plan = ml.update(ml.design(named(zipf(40)), 4), named([5, 5], ["s0", "new"]))
    with pytest.raises(UnknownSecret) as caught:
        ml.Cloak(plan, key=KEY).draw("new", scope="u")
    assert "new" not in str(caught.value).split()
    assert "s3" in ml.Cloak(plan, key=KEY, stand_in="s3").draw("new", scope="u")


@pytest.mark.parametrize("layout", ["stable", "circle", "blocks"])
@pytest.mark.parametrize("mapped", [True, False])
def test_a_file_and_back(tmp_path, layout, mapped):
    """Parts, draws, what is pending, the certificate of the file; and the next update."""
    rng, path = np.random.default_rng(1), tmp_path / "x.cloak"
    plan = ml.design(named(zipf(200)), 5, layout=layout)
    newer = ml.update(
        ml.update(plan, walked(plan.prior, rng, churn=0.1), cohort=1), named([3, 2], ["s1", "late"]), cohort=1
    )
    newer.save(path)
    loaded = ml.load(path, mapped=mapped)
    assert repr(loaded) == repr(newer)
    assert (loaded.digest, loaded.lineage) == (newer.digest, plan.lineage)
    labels = list(newer.prior.labels)[::17]
    assert shown(loaded, labels) == shown(newer, labels) == shown(path, labels)
    assert ml.certify(path)
    assert loaded.pending == ("late",)
    counts = named([3, 2, 2, 1, 1, 1], ["s1", "late", "l2", "l3", "l4", "l5"])
    assert ml.update(loaded, counts, cohort=1).digest == ml.update(newer, counts, cohort=1).digest


def test_numbers_for_labels(tmp_path):
    """Secrets that nobody named are known by their numbers, new ones by the numbers that follow."""
    plan = ml.update(ml.design([5, 4, 3, 2, 1], 2), [5, 5, 3, 2, 1, 1, 1], cohort=1)
    assert [list(part.prior.labels) for part in plan.parts] == [[0, 1, 2, 3, 4], [5, 6]]
    plan.save(tmp_path / "x.cloak")
    loaded = ml.load(tmp_path / "x.cloak")
    assert shown(loaded, [0, 4, 5, 6]) == shown(plan, [0, 4, 5, 6])
    assert ml.certify(tmp_path / "x.cloak")


def test_many_at_once_and_one_by_one():
    """draw_many goes by positions in the order of the parts."""
    rng = np.random.default_rng(2)
    plan = ml.design(named(zipf(60)), 3)
    plan = ml.update(
        ml.update(plan, walked(plan.prior, rng, churn=0.3), cohort=1), walked(plan.prior, rng, churn=0.3), cohort=1
    )
    assert len(plan.parts) == 3
    cloak, labels = ml.Cloak(plan, key=KEY), list(plan.prior.labels)
    order = rng.permutation(len(labels))
    rows = cloak.draw_many(order, scopes=["u"] * len(order))
    for x, row in zip(order.tolist(), rows.tolist(), strict=True):
        assert tuple(labels[i] for i in row if i >= 0) == cloak.draw(labels[x], scope="u")
    assert cloak.positions(labels).tolist() == list(range(len(labels)))


def test_the_table_draws_as_the_plan_does():
    """Rows of all parts: the place of a draw lies in the row of its set."""
    plan = ml.update(ml.design(named([5, 4, 3, 2]), 2), named([5, 2, 1, 1], ["s0", "a", "b", "c"]), cohort=1)
    rows = plan.table().to_pylist()
    members = {}
    for row in rows:
        members.setdefault(row["set_number"], set()).add(row["secret"])
    for name in plan.prior.labels:
        secret = np.array([plan.find(name)])
        places = int(plan.places(secret)[0])
        own = [row for row in rows if row["secret"] == name]
        assert sorted(x for row in own for x in range(int(row["first"]), int(row["last"]) + 1)) == list(range(places))
        for place in range(places):
            (row,) = [row for row in own if int(row["first"]) <= place <= int(row["last"])]
            assert members[row["set_number"]] == set(plan.show(plan.locate(secret, np.array([place])))[0])


def test_near_plans_ask_for_the_layout_of_a_part():
    """As a function of its labels."""
    places = {f"s{i}": float(i) for i in range(30)}
    plan = ml.design(named([3] * 12), 2, layout=ml.Near([places[f"s{i}"] for i in range(12)]))
    day = named([3] * 6, [f"s{i}" for i in (0, 12, 13, 20, 21, 22)])
    with pytest.raises(InvalidParameter, match="a new part needs its Near layout"):
        ml.update(plan, day)
    newer = ml.update(plan, day, layout=lambda labels: ml.Near([places[name] for name in labels]))
    assert newer.parts[1].cost is not None
    with pytest.raises(InvalidParameter, match="a new part has the plan's layout, near, and not circle"):
        ml.update(plan, day, layout=ml.Circle())


def test_gains_of_new_secrets():
    """By label, for plans that were made with gains, and not for others."""
    plan = ml.design(named([5, 4, 3, 2]), 2, gains=[1, 2, 1, 1])
    day = named([5, 2, 1], ["s0", "a", "b"])
    with pytest.raises(InvalidParameter, match="new secrets need too"):
        ml.update(plan, day)
    with pytest.raises(InvalidParameter, match="1 of the new secrets have no gain"):
        ml.update(plan, day, gains={"a": 1})
    assert ml.update(plan, day, gains={"a": 1, "b": 3}).parts[1].gains.tolist() == [1.0, 3.0]
    with pytest.raises(InvalidParameter, match="leave out gains="):
        ml.update(ml.design(named([5, 4]), 2), day, gains={"a": 1, "b": 3})


WRONG = {
    "other secrets": (named([1, 2], ["x", "y"]), {}, "none of the plan's labels"),
    "no names": ([5, 4, 3], {}, "secrets are matched by label"),
    "shares": (ml.Prior([0.5, 0.5], labels=["s0", "s1"]), {}, "not counts of events"),
    "negative": ({"s0": -1}, {}, "negative"),
    "a day gone by": (named([5]), {"day": 0}, "days go forwards"),
    "no cohort": (named([5]), {"cohort": 0}, "cohort"),
    "a word": (named([5]), {"cohort": "daily"}, "cohort"),
    "to keep more": (named([5]), {"keep": 1.5}, "keep is a share"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_counts_are_refused_in_one_line(case):
    """And the plan is as it was."""
    plan = ml.design(named([5, 4, 3, 2]), 2)
    counts, options, words = WRONG[case]
    with pytest.raises(ml.errors.MinleakError, match=words) as caught:
        ml.update(plan, counts, **options)
    assert "\n" not in str(caught.value)
    assert plan.version == 1


def test_kinds_that_are_not_updated():
    """Say what to do instead."""
    with pytest.raises(InvalidParameter, match="make it anew"):
        ml.update(ml.lab.mechanisms.rounded([[0.5, 0.5], [0.25, 0.75]]), [1, 2])
    with pytest.raises(InvalidParameter, match="whose model covers every newcomer"):
        ml.update(ml.design(ml.strings.NGram.fit(["flu", "cold", "gout"]), 2), {"flu": 1})


def test_a_part_that_was_changed_is_not_certified():
    """Each is proven for the counts that it was made for."""
    plan = ml.update(ml.design(named([5, 4, 3, 2]), 2), named([5, 2, 1], ["s0", "a", "b"]), cohort=1)
    other = ml.design(named([1, 2], ["a", "b"]), 2)
    wrong = replace(other, prior=plan.parts[1].prior)
    found = ml.certify(Lineage((plan.parts[0], wrong), plan.ledger))
    assert not found
    assert "NO  part 1" in str(found)
    with pytest.raises(InvalidParameter, match="these parts are no lineage"):
        Lineage((plan.parts[0], plan.parts[0]), plan.ledger)
    twice = Lineage((plan.parts[0], ml.design(named([2, 1], ["a", "s1"]), 2)), plan.ledger)
    assert "NO  no secret is in two parts" in str(ml.certify(twice))


def test_a_file_of_two_parts_with_one_label_is_refused(tmp_path):
    """Or its secret would have two sets."""
    plan = ml.design(named([5, 4, 3, 2]), 2)
    newer = ml.update(plan, named([5, 2, 1], ["s0", "a", "b"]), cohort=1)
    forged = Lineage((plan, ml.design(named([2, 1], ["a", "s1"]), 2)), newer.ledger)
    forged.save(tmp_path / "x.cloak")
    with pytest.raises(InvalidCloak, match="does not hold a plan"):
        ml.load(tmp_path / "x.cloak")


@given(st.integers(0, 2**60), st.integers(0, 40))
def test_pools_are_whole_numbers(pool, days):
    """A share in units of 1/1024, rounded down, without overflow."""
    from minleak.lineage._ledger import _keep_share

    assert _keep_share(np.array([pool]), days, 0.7).tolist() == [pool * round(1024 * 0.7**days) // 1024]


@pytest.mark.parametrize("label", ["cafe\u0301", " flu", "flu\t", b"flu", "7 ", "12"])
def test_another_spelling_of_a_listed_label_is_refused(label):
    """Else one secret would get sets under two names, and both would be seen."""
    plan = ml.design(ml.Prior([9, 8, 7, 6], labels=["caf\u00e9", "flu", "7", 12]), 2)
    with pytest.raises(InvalidParameter, match="1 of the new labels differ from the plan's only in spaces, Unicode"):
        ml.update(plan, ml.Prior([3, 1], labels=["flu", label]))
    assert ml.update(plan, ml.Prior([3, 1], labels=["flu", "Flu"])).pending == ("Flu",)


def test_what_leaked_day_by_day_is_kept_by_files_and_updates(tmp_path):
    """Where it was asked for; and once for each day, however often that is."""
    counts = named([20 - i // 30 for i in range(600)])
    first = ml.update(ml.design(counts, 10), counts)
    assert first.life == ()
    stated = ml.population(first)
    first.save(tmp_path / "first.cloak")
    loaded = ml.load(tmp_path / "first.cloak")
    assert loaded.life == (stated,)
    ml.population(loaded)
    second = ml.update(loaded, counts)
    ml.population(second)
    assert [one.day for one in second.life] == [1, 2]


@pytest.mark.parametrize(
    "change",
    [{"success": 2}, {"low": "x"}, {"high": True}, {"day": 9}, {"events": -1}, {"movement": math.nan}, {"more": 1}],
)
def test_a_life_that_cannot_be_is_refused(change):
    from minleak.lineage._lineage import _read_life

    counts = named([20 - i // 30 for i in range(600)])
    row = dataclasses.asdict(ml.population(ml.update(ml.design(counts, 10), counts)))
    assert _read_life([row], 3)[0].day == 1
    for rows in ([row | change], [row, row], None, [None]):
        with pytest.raises(ValueError):  # noqa: PT011 - which the reader of files turns into a refusal
            _read_life(rows, 3)


def test_a_prior_beside_a_lineage_is_refused():
    """A prior that is not looked at would be said to be certified: all ones, other labels, too few."""
    plan = ml.design({"a": 40, "b": 30, "c": 20, "d": 10}, 2)
    newer = ml.update(plan, {"a": 38, "b": 31, "c": 21, "d": 9})
    assert ml.certify(newer).own_prior
    for prior in (dict.fromkeys("abcd", 1), dict.fromkeys("wxyz", 1), [1, 1, 1], newer.prior):
        with pytest.raises(InvalidParameter, match="certified for its own counts"):
            ml.certify(newer, prior)
    with pytest.raises(InvalidParameter, match="certified for its own counts"):
        ml.certify(newer, gains=[1, 1, 1, 1])
