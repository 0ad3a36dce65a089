"""Blocks that follow new counts: who was together stays together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import minleak as ml
from minleak.errors import InvalidParameter

OLD = {"a": 9, "b": 8, "c": 7, "d": 3, "e": 2, "f": 1}


def updated(new, old=OLD, k=3):
    return ml.design(old, k, layout="blocks").update(new)


def as_sets(blocks):
    return {frozenset(block) for block, _ in blocks.sets()}


def test_counts_alone_change_nothing():
    """Whatever they are, in whichever order the rows are."""
    found = updated({"f": 90, "d": 1, "a": 3, "c": 4, "b": 500, "e": 6})
    assert as_sets(found) == {frozenset("abc"), frozenset("def")}
    assert (found.changes.kept, found.changes.new, found.changes.gone) == (2, 0, 0)
    assert not ml.certify(found, found.prior)
    assert found.leakage("shannon") > ml.design(found.prior, 3, layout="blocks").leakage("shannon")


@pytest.mark.parametrize(
    ("new", "sets", "said"),
    [
        ({**OLD, "e": None, "x": 2}, ["abc", "dfx"], (1, 1, 0)),  # fills the gap
        ({**OLD, "a": None, "e": None, "x": 2}, ["bc", "dfx"], (0, 2, 0)),  # the lightest gap that is as heavy
        ({**OLD, "a": None, "e": None, "x": 5}, ["bcx", "df"], (0, 2, 0)),
        ({**OLD, "e": None, "x": 50}, ["abc", "dfx"], (1, 1, 0)),  # heavier, but better than alone
        ({**OLD, "x": 5, "y": 50, "z": 6}, ["abc", "def", "xyz"], (2, 0, 0)),  # a block of their own
        ({**OLD, "e": None}, ["abc", "df"], (1, 1, 0)),  # smaller
        ({**OLD, "x": 50}, ["abc", "xd", "ef"], (1, 0, 1)),  # the lightest block is cut in two
        ({**OLD, "b": None, "c": None, "d": None}, ["aef"], (0, 2, 0)),  # what is left fits into one
        ({"a": 1, "x": 1}, ["ax"], (0, 1, 0)),  # one stays
    ],
)
def test_gaps_are_filled_and_blocks_cut_only_where_they_must_be(new, sets, said):
    """Kept, mended, re-made."""
    found = updated({name: weight for name, weight in new.items() if weight})
    assert as_sets(found) == {frozenset(block) for block in sets}
    changes = found.changes
    assert (changes.kept, changes.mended, changes.remade) == said
    assert f"blocks: {said[0]} kept" in str(changes)


@settings(max_examples=60)
@given(
    st.dictionaries(st.integers(0, 30), st.integers(1, 40), min_size=5, max_size=14),
    st.dictionaries(st.integers(0, 30), st.integers(0, 40), min_size=1, max_size=14).filter(lambda d: any(d.values())),
    st.integers(1, 5),
)
def test_a_partition_that_keeps_together_who_was(old, new, k):
    """Blocks of at most k of all new secrets; at most one old block is cut, in two; nobody is alone who need not be."""
    assume(set(old) & set(new))
    before, after = ml.design(old, k, layout="blocks"), updated(new, old, k)
    sets = as_sets(after)
    assert sorted(secret for block in sets for secret in block) == sorted(new)
    assert max(map(len, sets)) <= k
    where = {secret: block for block in sets for secret in block}
    spread = [len({where[secret] for secret in block if secret in new}) for block, _ in before.sets()]
    assert max(spread) <= 2
    assert sum(pieces == 2 for pieces in spread) == after.changes.remade <= 1
    sizes = sorted(map(len, sets))
    assert len(sizes) < 2 or sizes[0] + sizes[1] > k
    assert after.changes.new == len(set(new) - set(old))
    assert after.changes.gone == len(set(old) - set(new))


def test_labels_of_all_kinds():
    """Numbers, numbers that nobody named, text of another width, tuples."""
    assert as_sets(ml.design([3, 2, 1], 2, layout="blocks").update([1, 2, 3])) == {frozenset([0, 1]), frozenset([2])}
    odd = ml.design(ml.Prior([3, 2, 1], labels=[(1,), (2,), (3,)]), 2, layout="blocks")
    assert odd.update(ml.Prior([1, 1, 1], labels=[(3,), (2,), (1,)])).changes.kept == 2


def test_priors_of_other_secrets_are_refused():
    """Names for numbers, numbers for names, and wholly other names (1 and "1" are two): no block could be kept."""
    numbered = ml.design([3, 2, 1], 2, layout="blocks")
    named = ml.design(ml.Prior([3, 2, 1], labels=[7, 8, 9]), 2, layout="blocks")
    for plan, new, said in (
        (numbered, ml.Prior([3, 2, 1], labels=["a", "b", "c"]), "the plan has no labels and the new prior has"),
        (named, [3, 2, 1], "the new prior has no labels and the plan has"),
        (named, ml.Prior([1, 1], labels=["7", "8"]), "none of the plan's labels"),
    ):
        with pytest.raises(InvalidParameter, match=said):
            plan.update(new)


def test_an_updated_plan_is_saved_and_drawn(tmp_path):
    """Like any other."""
    found = updated({**OLD, "x": 5})
    found.save(tmp_path / "x.cloak")
    assert as_sets(ml.load(tmp_path / "x.cloak")) == as_sets(found)
    assert "x" in ml.Cloak(tmp_path / "x.cloak").draw("x")


def test_many():
    """A hundred thousand, of which one in a hundred is new and one gone."""
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 1000, 100_000)
    before = ml.design(ml.Prior(weights, labels=np.arange(100_000)), 8, layout="blocks")
    after = before.update(ml.Prior(rng.integers(1, 1000, 100_000), labels=np.arange(1000, 101_000)))
    assert after.changes.gone == after.changes.new == 1000
    assert after.changes.kept > 10_000
    assert int(after.partition.sizes.max()) <= 8
