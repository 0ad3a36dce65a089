"""Ready-made tables: made as they say, and leaking what they say on data they were not made from."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import minleak as ml
from minleak.padding import profiles

DATA = Path(__file__).parents[2] / "examples" / "data"


def column(name, of):
    with (DATA / name).open() as file:
        return np.array([int(row[of]) for row in csv.DictReader(file)])


def judged_sizes():
    """What each profile was judged on."""
    return {
        "backup": column("package_sizes.csv", "size"),
        "messages": column("answer_sizes.csv", "size")[1::2],
        "dns": np.repeat(column("dns_query_sizes.csv", "size"), column("dns_query_sizes.csv", "hosts")),
    }


@pytest.mark.parametrize("name", ["backup", "messages", "dns"])
def test_the_figures_are_measured(name):
    """Leakage and overhead as stated, by the channel of the table."""
    profile, sizes = getattr(profiles, name)(), judged_sizes()[name]
    shown = profile.table(sizes)
    uniform = np.ones(len(sizes))
    leaks = [ml.leakage(uniform, ml.Channel.deterministic(seen.tolist()), "shannon") for seen in (sizes, shown)]
    assert (profile.unpadded, profile.leakage) == pytest.approx(leaks, abs=5e-5)
    assert profile.overhead == pytest.approx((shown - sizes).sum() / sizes.sum(), abs=5e-5)


def test_messages_are_made_as_they_say():
    """From the other half."""
    made = ml.padding.design(column("answer_sizes.csv", "size")[::2], overhead=0.25)
    assert profiles.messages().table.values == made.table().values
