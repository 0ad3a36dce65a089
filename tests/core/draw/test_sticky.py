"""Sticky draws: the same for the same, independent where anything differs, and never changing between versions."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from tests.cases import LAYOUTS
from tests.plans import DISEASES, EIGHT, ERROR_RATE, KEY, diseases, members, plans, row_of, zipf

import minleak as ml
from minleak.core._keys import scope_problem

OTHER_KEY = ml.Key(bytes(32))
DRAWS = 20_000


@pytest.fixture(params=LAYOUTS)
def cloak(request):
    return ml.Cloak(diseases(request.param), key=KEY)


@given(plans(), st.text().filter(lambda scope: scope_problem(scope) is None), st.integers(0, 7))
def test_the_same_subject_and_secret_get_the_same_set(plan, scope, secret):
    """Again and again, by another cloak of the same plan, and among many."""
    secret %= len(plan.weights)
    cloak, again = ml.Cloak(plan, key=KEY), ml.Cloak(plan, key=ml.Key(KEY.reveal()))
    shown = cloak.draw(secret, scope=scope)
    assert cloak.draw(secret, scope=scope) == shown == again.draw(secret, scope=scope)
    many = cloak.draw_many([0, secret, secret], scopes=["else", scope, scope])
    assert members(many[1].tolist()) == members(many[2].tolist()) == shown


def test_one_by_one_and_many_at_once(cloak):
    """draw and draw_many agree, in whatever order and company, and so do text and bytes with themselves."""
    secrets = [i % 5 for i in range(300)]
    scopes = [f"user-{i // 7}" if i % 2 else f"user-{i // 7}".encode() for i in range(300)]
    one_by_one = [cloak.draw(DISEASES[x], scope=scope) for x, scope in zip(secrets, scopes, strict=True)]
    for order in (range(300), range(299, -1, -1), range(0, 300, 11)):
        rows = cloak.draw_many([secrets[i] for i in order], scopes=(scopes[i] for i in order)).tolist()
        assert [tuple(DISEASES[x] for x in members(row)) for row in rows] == [one_by_one[i] for i in order]
    assert cloak.draw_all([DISEASES[x] for x in secrets], scopes=scopes) == one_by_one
    with pytest.raises(ml.errors.InvalidParameter, match="not both"):
        cloak.draw_all(DISEASES, scope="user-1", scopes=scopes)


@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_loaded_plan_draws_the_same(tmp_path, layout, mapped):
    """From the file, and from a file of what came from the file."""
    plan = zipf(300, layout=layout)
    plan.save(tmp_path / "first")
    ml.load(tmp_path / "first", mapped=mapped).save(tmp_path / "second")
    secrets, scopes = np.arange(300), [f"user-{i}" for i in range(300)]
    expected = ml.Cloak(plan, key=KEY).draw_many(secrets, scopes=scopes)
    for name in ("first", "second"):
        cloak = ml.Cloak(ml.load(tmp_path / name, mapped=mapped), key=KEY)
        assert np.array_equal(cloak.draw_many(secrets, scopes=scopes), expected)


# The same prior with names, and another one.
NAMED = ml.design(ml.Prior(range(1, 9), labels=list("abcdefgh")), 3, layout="circle")
LIKE = ml.design([1, 2, 3, 4, 5, 6, 8, 7], 3, layout="circle")

# (plan, key, secret, what its scopes begin with), twice: draws that differ in one of them.
PAIRS = {
    "scopes": [(EIGHT, KEY, 7, "a"), (EIGHT, KEY, 7, "b")],
    "secrets": [(EIGHT, KEY, 7, "a"), (EIGHT, KEY, 6, "a")],
    "keys": [(EIGHT, KEY, 7, "a"), (EIGHT, OTHER_KEY, 7, "a")],
    "labels": [(EIGHT, KEY, 7, "a"), (NAMED, KEY, 7, "a")],
    "priors": [(EIGHT, KEY, 7, "a"), (LIKE, KEY, 7, "a")],
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_draws_that_differ_in_one_thing_are_independent(pair):
    """Pairs of sets come as often as the product of the two channels says; a right PRF fails with probability 1e-6."""
    shown, rows = [], []
    for plan, key, secret, begin in pair:
        scopes = [begin + (str(i) if isinstance(begin, str) else str(i).encode()) for i in range(DRAWS)]
        drawn = ml.Cloak(plan, key=key).draw_many([secret] * DRAWS, scopes=scopes)
        shown.append([tuple(row) for row in drawn.tolist()])
        labels = list(plan.prior.labels)
        row = row_of(plan.channel(exact=True), secret)
        rows.append({tuple(labels.index(name) for name in names): float(p) for names, p in row.items()})
    seen = Counter(zip(*shown, strict=True))
    assert min(map(len, rows)) > 2
    possible = {(a, b): DRAWS * rows[0][a] * rows[1][b] for a, b in product(*rows)}
    assert seen.keys() <= possible.keys()
    assert chisquare([seen[pair] for pair in possible], list(possible.values())).pvalue > ERROR_RATE


def test_golden(cloak):
    """Key bytes(range(32)), the plans of `diseases`, scope "user-17": draws, digests and set ids never change."""
    expected = {
        "circle": (
            "79e6a4e8a357ac236b0f8fe2ed7904d4ee36c653e050ec8f970f5bb229442c77",
            (("flu", "gout"), ("flu", "cold"), ("flu", "gout"), ("flu", "mumps"), ("rabies",)),
            "fbd5f1181f5062d5c06f7bb8",
        ),
        "stable": (
            "6eb4bfbe78b9c14b90376e88fbb68abf65ad866c4f2ccea186ccea6a89d86e50",
            (("flu", "mumps"), ("flu", "cold"), ("flu", "gout"), ("flu", "mumps"), ("rabies",)),
            "4f455ab5b96fc1c36d697ebe",
        ),
    }[cloak.plan.layout]
    assert cloak.plan.digest.hex() == expected[0]
    assert tuple(cloak.draw(name, scope="user-17") for name in DISEASES) == expected[1]
    assert cloak.set_id(["cold", "flu"]) == expected[2]


def test_the_digest_is_that_of_everything_a_draw_depends_on():
    """Labels, their type, their order, weights, k and layout; not how the labels are kept."""
    variants = [
        ml.design(ml.Prior([5, 3, 2], labels=["a", "b", "c"]), 2),
        ml.design(ml.Prior([5, 3, 2], labels=["a", "bc", ""]), 2),
        ml.design(ml.Prior([5, 3, 2], labels=["b", "a", "c"]), 2),
        ml.design(ml.Prior([5, 3, 2], labels=[0, 1, 2]), 2),
        ml.design(ml.Prior([5, 3, 2], labels=["0", "1", "2"]), 2),
        ml.design(ml.Prior([5, 3, 2], labels=[("a", 0), "b", "c"]), 2),
        ml.design([5, 3, 2], 2),
        ml.design([5, 3, 3], 2),
        ml.design([10, 6, 4], 2),
        ml.design([5, 3, 2], 1),
        ml.design([5, 3, 2], 3),
        ml.design([7, 6, 5, 4], 2, layout="circle"),
        ml.design([7, 6, 5, 4], 2, layout="stable"),
    ]
    assert len({plan.digest for plan in variants}) == len(variants)
    for kept in (pa.array(["a", "b", "c"], type=pa.large_string()), pa.array(["x", "a", "b", "c"])[1:]):
        assert ml.design(ml.Prior([5, 3, 2], labels=kept), 2).digest == variants[0].digest
    for kept in (pa.array([0, 1, 2]), pa.array([9, 0, 1, 2], type=pa.int8())[1:]):
        assert ml.design(ml.Prior([5, 3, 2], labels=kept), 2).digest == variants[3].digest
