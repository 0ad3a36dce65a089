"""Cloak: fresh draws, and what is published."""

from __future__ import annotations

import os

import numpy as np
import pytest
from tests.cases import LAYOUTS
from tests.plans import DISEASES, EIGHT, KEY, diseases

import minleak as ml
from minleak.errors import InvalidCloak, InvalidKey


@pytest.fixture(params=LAYOUTS)
def cloak(request):
    return ml.Cloak(diseases(request.param), key=KEY)


def test_fresh_draws_are_fresh():
    """Sixty draws in two rows from at least six sets each: the same with probability below 6^-60."""
    cloak = ml.Cloak(EIGHT)
    assert [cloak.draw_fresh(7) for _ in range(60)] != [cloak.draw_fresh(7) for _ in range(60)]
    assert not np.array_equal(cloak.draw_many([7] * 60, fresh=True), cloak.draw_many([7] * 60, fresh=True))


def test_a_seed_repeats_fresh_draws():
    """One by one or many at once; another seed gives others."""
    first, again, other = (ml.Cloak(EIGHT, insecure_seed_for_experiments=seed) for seed in (1, 1, 2))
    shown = [first.draw_fresh(7) for _ in range(60)]
    assert shown == [again.draw_fresh(7) for _ in range(60)]
    assert shown != [other.draw_fresh(7) for _ in range(60)]


def test_a_seed_does_not_touch_sticky_draws(cloak):
    """They depend on the key alone."""
    seeded = ml.Cloak(cloak.plan, key=KEY, insecure_seed_for_experiments=1)
    assert seeded.draw("gout", scope="s") == cloak.draw("gout", scope="s")


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(list("hgfedcba"), str), ([80, -7, 6, 5, 2**62, 3, 2, 1], int), (None, int), ([(x,) for x in range(8)], tuple)],
    ids=["text", "numbers", "default", "tuples"],
)
def test_sets_are_in_the_order_of_the_prior(labels, kind):
    """Whichever member was the secret, the same set looks the same; labels come as they were given."""
    cloak = ml.Cloak(ml.design(ml.Prior(range(1, 9), labels=labels), 3), key=KEY, insecure_seed_for_experiments=4)
    names = list(cloak.plan.prior.labels)
    possible = {y for y, _ in cloak.plan.sets()}
    for name in names:
        for shown in [cloak.draw(name, scope=f"user-{i}") for i in range(20)] + [cloak.draw_fresh(name)]:
            assert name in shown
            assert shown in possible
            assert [names.index(member) for member in shown] == sorted(names.index(member) for member in shown)
            assert {type(member) for member in shown} == {kind}


def test_set_ids(cloak):
    """The same for the same set in any order, whoever drew it; another for another set or plan."""
    pairs = [(a, b) for i, a in enumerate(DISEASES) for b in DISEASES[i + 1 :]]
    ids = {pair: cloak.set_id(pair) for pair in [*pairs, ("flu",), ()]}
    assert len(set(ids.values())) == len(ids)
    assert all(cloak.set_id(reversed(pair)) == ids[pair] for pair in pairs)
    assert cloak.set_id({"flu", "cold"}) == ids[("flu", "cold")]
    assert cloak.set_id(["flu", "cold", "flu"]) == ids[("flu", "cold")]
    assert ml.Cloak(cloak.plan).set_id(("flu", "cold")) == ids[("flu", "cold")]
    other = ml.Cloak(ml.design(ml.Prior([5, 3, 2, 2, 1], labels=DISEASES), 2))
    assert other.set_id(("flu", "cold")) != ids[("flu", "cold")]
    assert all(len(name) == 24 for name in ids.values())


def test_set_ids_of_a_loaded_plan(cloak, tmp_path):
    """Are those of the plan that was saved."""
    cloak.plan.save(tmp_path / "plan")
    assert ml.Cloak(tmp_path / "plan").set_id(["flu", "gout"]) == cloak.set_id(["flu", "gout"])


def test_idle_secrets_are_filled_up(cloak):
    """The impossible secret has a set of its own, which is smaller: -1 in an array, nothing in a tuple."""
    assert cloak.draw("rabies", scope="s") == cloak.draw_fresh("rabies") == ("rabies",)
    assert cloak.draw_many([4], fresh=True).tolist() == [[4, -1]]
    assert cloak.draw_many([4], scopes=["s"]).tolist() == [[4, -1]]


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda x: np.array(x, dtype=np.uint8), lambda x: x])
def test_shapes(cloak, kind):
    """An int64 array of k columns, whatever kind of whole numbers came in; none for none."""
    for count in (0, 1, 5):
        rows = cloak.draw_many(kind(range(count)), scopes=["s"] * count)
        assert rows.shape == (count, 2)
        assert rows.dtype == np.int64


def test_indices_that_are_not_in_one_piece(cloak):
    """Every other entry of an array that may not be written to."""
    indices = np.arange(10) % 5
    indices.flags.writeable = False
    scopes = ["s"] * 5
    assert np.array_equal(
        cloak.draw_many(indices[::2], scopes=scopes), cloak.draw_many(indices[::2].tolist(), scopes=scopes)
    )


def test_positions(cloak):
    """From labels to what draw_many takes."""
    assert cloak.positions(["gout", "flu"]).tolist() == [2, 0]
    assert cloak.positions([]).dtype == np.int64


def test_paths_in_place_of_plan_and_key(cloak, tmp_path):
    """Are loaded; what is wrong with the files is said as ever."""
    cloak.plan.save(tmp_path / "plan")
    KEY.save(tmp_path / "key")
    loaded = ml.Cloak(os.fspath(tmp_path / "plan"), key=tmp_path / "key")
    assert loaded.draw("flu", scope="s") == cloak.draw("flu", scope="s")
    with pytest.raises(InvalidKey, match="cannot read the key file"):
        ml.Cloak(tmp_path / "plan", key=tmp_path / "none")
    with pytest.raises(InvalidCloak, match="cannot read"):
        ml.Cloak(tmp_path / "none")


def test_a_cloak_says_little_of_itself(cloak):
    """Its size and its key's id."""
    assert repr(cloak) == f"Cloak(n=5, k=2, layout={cloak.plan.layout!r}, key {KEY.id})"
    assert repr(ml.Cloak(cloak.plan)) == f"Cloak(n=5, k=2, layout={cloak.plan.layout!r}, no key)"
