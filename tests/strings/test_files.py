"""Plans over strings in files: whole, refused, or harmless; and what their certificate says."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import minleak as ml
from minleak.core._file.writing import write
from minleak.errors import InvalidCloak, InvalidParameter

WORDS = ["dragon", "monkey", "sunshine", "letmein", "qwerty", "shadow", "master", "tulips"]
COUNTS = ml.Prior([40, 30, 20, 10, 5, 1, 1, 1], labels=WORDS)
MODEL = ml.strings.NGram.fit(WORDS, order=3, longest=12)
ALONE = ml.design(MODEL, 4)
TOGETHER = ml.design(COUNTS, 4, unknown=MODEL)


@pytest.mark.parametrize("plan", [ALONE, TOGETHER], ids=["alone", "together"])
def test_a_loaded_plan_is_the_same(plan, tmp_path):
    plan.save(tmp_path / "plan.cloak")
    again = ml.load(tmp_path / "plan.cloak")
    assert again.digest == plan.digest
    assert again.exact_target == plan.exact_target
    for text in ("dragon", "tulips2", "日本", ""):
        place = plan.owned(text) // 3
        assert again.members(text, place) == plan.members(text, place)


def test_certificates():
    assert ml.certify(TOGETHER, COUNTS).ok
    assert ml.certify(ALONE, MODEL, k=4).ok
    assert not ml.certify(TOGETHER, ml.Prior([41, 30, 20, 10, 5, 1, 1, 1], labels=WORDS)).ok
    assert not ml.certify(ALONE, ml.strings.NGram.fit(["other"])).ok
    with pytest.raises(InvalidParameter, match="for k = 4, not 5"):
        ml.certify(TOGETHER, COUNTS, k=5)
    with pytest.raises(InvalidParameter, match="plans that draw sets"):
        ml.certify(TOGETHER, COUNTS, gains=[1] * 8)


def test_a_file_is_certified_for_the_model_that_it_was_made_for(tmp_path):
    """Read from another file, or made anew: the same contexts are the same model."""
    ALONE.save(tmp_path / "plan.cloak")
    MODEL.save(tmp_path / "model")
    for model in (MODEL, ml.strings.NGram.load(tmp_path / "model"), ml.load(tmp_path / "plan.cloak").prior):
        assert ml.certify(tmp_path / "plan.cloak", model).ok
    assert not ml.certify(tmp_path / "plan.cloak", ml.strings.NGram.fit(WORDS, order=2, longest=12)).ok


def test_all_strings_of_a_small_model_are_looked_at():
    class Wrong(ml.strings.NGram):
        def interval(self, string):
            start, weight = super().interval(string)
            return start, weight + (string == "ba")

    small = ml.strings.NGram.fit(["ab", "ba", "b"], longest=3, alphabet="ab", others=False)
    assert "all 15 strings" in str(ml.certify(ml.design(small, 3), small))
    wrong = Wrong(small.alphabet, small.longest, small.levels, small.escape)
    assert not ml.certify(ml.design(wrong, 3), wrong).ok


@pytest.mark.parametrize(
    "wrong",
    [
        lambda plan: replace(plan, giants=plan.giants[1:]),
        lambda plan: replace(plan, giants=(*plan.giants, ("tulips", plan.string_prior.weight("tulips")))),
        lambda plan: replace(plan, home_weights=tuple(10 * w for w in plan.home_weights)),
        lambda plan: replace(plan, homes=(plan.homes[0], plan.homes[0], *plan.homes[2:])),
    ],
)
def test_a_wrong_plan_is_not_certified(wrong):
    even = ml.design(ml.Prior([9, 8, 7, 6, 5, 4, 1, 1], labels=WORDS), 3, unknown=MODEL, unknown_share=0.5)
    for plan in (TOGETHER, even):
        changed = wrong(plan)
        if (changed.giants, changed.homes, changed.home_weights) != (plan.giants, plan.homes, plan.home_weights):
            assert ml.certify(plan, plan.prior).ok
            assert not ml.certify(changed, plan.prior).ok
            return
    raise AssertionError("nothing was changed")


def written(path, change):
    """The file of a plan, with its arrays and numbers changed before they are written."""
    arrays, numbers = TOGETHER._contents
    arrays, numbers = dict(arrays), {**numbers, "kind": "strings"}
    change(SimpleNamespace(a=arrays, n=numbers))
    write(str(path), arrays, numbers)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.n.update(k=0),
        lambda c: c.n.update(k=10**9),
        lambda c: c.n.update(k=2**18, longest=2**12),
        lambda c: c.n.update(share=[2, 1]),
        lambda c: c.n.update(share=[1, 0]),
        lambda c: c.n.update(share="1e-999999999"),
        lambda c: c.n.update(longest=10**9),
        lambda c: c.n.update(contexts=[1] * 70),
        lambda c: c.n.update(contexts=c.n["contexts"][:-1]),
        lambda c: c.a.pop("counts.ends"),
        lambda c: c.a.update(alphabet=c.a["alphabet"][::-1].copy()),
        lambda c: c.a.update(alphabet=np.array([0xD800], dtype=np.int32)),
        lambda c: c.a.update(escape_shares=c.a["escape_shares"] * 0),
        lambda c: c.a.update(escape_shares=c.a["escape_shares"] * 1000),
        lambda c: c.a.update(context_keys=c.a["context_keys"] * 0),
        lambda c: c.a.update(context_keys=c.a["context_keys"] - 5),
        lambda c: c.a.update(context_begins=c.a["context_begins"] * 0),
        lambda c: c.a.update(context_begins=c.a["context_begins"][:-1]),
    ],
)
def test_hostile_contents_are_refused(change, tmp_path):
    written(tmp_path / "plan.cloak", lambda _: None)
    assert ml.certify(tmp_path / "plan.cloak", COUNTS).ok
    written(tmp_path / "plan.cloak", change)
    with pytest.raises(InvalidCloak):
        ml.load(tmp_path / "plan.cloak")


def test_a_plan_that_would_take_long_to_open_is_not_saved(tmp_path):
    long = ml.strings.NGram.fit(["ab" * 600], order=2, longest=2048, alphabet="ab")
    with pytest.raises(InvalidParameter, match="k times the longest length"):
        ml.design(long, 600).save(tmp_path / "plan.cloak")


def test_a_model_of_ones_own_is_not_saved(tmp_path):
    class Own:
        total, weight, interval = MODEL.total, MODEL.weight, MODEL.interval
        at, heaviest = MODEL.at, MODEL.heaviest

    with pytest.raises(InvalidParameter, match="model of your own"):
        ml.design(Own(), 4).save(tmp_path / "plan.cloak")


def test_a_digest_is_computed_whatever_the_file_says(tmp_path):
    """Or a file from anybody could share the draws of another plan with the same key."""
    arrays, numbers = TOGETHER._contents
    write(str(tmp_path / "forged.cloak"), arrays, {**numbers, "kind": "strings"})
    assert ml.load(tmp_path / "forged.cloak").lineage == ml.load(tmp_path / "forged.cloak").digest == TOGETHER.digest
