"""One draw and many: the same sets, in a process that loads no compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from tests.cases import LAYOUTS
from tests.plans import KEY, homes_and_ring, members, plans, walked, zipf

import minleak as ml


def assert_alike(plan, secrets, places):
    """Many at once, one by one, and found by walking along homes and ring."""
    together = plan.locate(secrets, places).tolist()
    for x, place, row in zip(secrets.tolist(), places.tolist(), together, strict=True):
        assert plan.locate(np.array([x]), np.array([place])).tolist() == [row]
        if plan.weights[x] and plan.phases:
            assert members(row) == walked(plan, x, place)


def every_place(plan):
    owned = plan.places(np.arange(len(plan.weights))).tolist()
    pairs = [(x, place) for x, count in enumerate(owned) for place in range(max(count, 1))]
    return map(np.array, zip(*pairs, strict=True))


@given(plans())
def test_every_place_of_small_plans(plan):
    """Giants, homes, rings, secrets without weight."""
    assert_alike(plan, *every_place(plan))


def test_every_place_of_homes_and_ring():
    """A secret on two rings, and one on a ring and at home."""
    assert_alike(homes_and_ring(), *every_place(homes_and_ring()))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_places_of_a_larger_plan(layout):
    """Random ones, and the first and the last of each secret."""
    plan, rng = zipf(layout=layout), np.random.default_rng(3)
    secrets = rng.integers(0, len(plan.weights), 300)
    owned = plan.places(secrets)
    for places in (np.zeros_like(owned), owned - 1, rng.integers(0, owned)):
        assert_alike(plan, secrets, places)


ELSEWHERE = """
import json, sys
import minleak as ml
path, key, few = sys.argv[1], sys.argv[2], int(sys.argv[3])
cloak = ml.Cloak(path, key=key)
labels = [f"item-{i}" for i in range(few)]
one_by_one = [cloak.positions(cloak.draw(label, scope="u")).tolist() for label in labels]
cloak.draw_fresh("item-7")
together = cloak.draw_many(range(few), scopes=["u"] * few).tolist()
heavy = ["numba", "scipy", "pandas", "pyarrow.compute", "pyarrow.dataset", "pyarrow.parquet"]
light = [name for name in heavy if name in sys.modules]
print(json.dumps([one_by_one, together, light]))
"""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_draws_in_a_new_process_load_no_compiler(tmp_path, layout):
    """Nor anything else that is heavy."""
    plan = ml.design(ml.Prior(range(1, 1001), labels=[f"item-{i}" for i in range(1000)]), 6, layout=layout)
    plan.save(tmp_path / "plan.cloak")
    KEY.save(tmp_path / "key")
    command = [sys.executable, "-c", ELSEWHERE, os.fspath(tmp_path / "plan.cloak"), os.fspath(tmp_path / "key")]
    shown = subprocess.run([*command, "300"], capture_output=True, text=True, check=True).stdout
    one_by_one, together, heavy = json.loads(shown)
    expected = ml.Cloak(plan, key=KEY).draw_many(range(300), scopes=["u"] * 300).tolist()
    assert one_by_one == together == expected
    assert heavy == []
