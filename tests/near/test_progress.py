"""Progress of layouts: the callback hears at once that work begins, then often, and never that it goes back."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.core import _progress as progress
from minleak.near._pricing import cheapest, peeling

RNG = np.random.default_rng(4)
WEIGHTS, POINTS = RNG.integers(1, 500, 700), RNG.random((700, 2))
GROUPS = ml.Groups(RNG.integers(0, 4, 700).tolist(), at_most=2)


def hear(layout, groups=None):
    """What the callback hears while a plan for sets of 6 is made."""
    heard = []
    ml.design(WEIGHTS, 6, layout=layout, groups=groups, progress=lambda *told: heard.append(told))
    shares = [done / steps for done, steps, _ in heard]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] <= 1
    return heard


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["plain", "groups"])
def test_near_reports_each_batch_of_sets_and_each_region(monkeypatch, groups):
    """A first plan is reported every few sets, then every region, then the ring."""
    monkeypatch.setattr(peeling, "_AT_A_TIME", 20)
    heard = [what for _, _, what in hear(ml.Near(POINTS), groups)]
    assert sum("a first plan" in what for what in heard) >= 700 // 6 // 20
    assert sum("gap in regions" in what for what in heard) >= 3 * 700 // 120
    assert "on a ring" in heard[-2]


def test_a_first_plan_in_blocks_is_one_progress(monkeypatch):
    """Each block goes on where the one before it ended."""
    monkeypatch.setattr(cheapest, "_BLOCK", 150)
    monkeypatch.setattr(cheapest, "REGIONS", 600)
    assert sum("a first plan" in what for _, _, what in hear(ml.Near(POINTS))) >= 4


def test_the_exact_plan_reports_before_its_first_round(monkeypatch):
    """Nothing is silent until the linear programme is solved once."""
    monkeypatch.setattr(cheapest, "EXACT", 700)
    heard = hear(ml.Near(POINTS))
    assert heard[0][2] == "a first plan"
    assert sum(what.startswith("gap ") for _, _, what in heard) >= 10


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["plain", "groups"])
def test_blocks_of_space_are_reported_one_by_one(groups):
    """Between near and stable there is a report for each block."""
    heard = hear(ml.Near(POINTS, stability=0.5), groups)
    assert sum("blocks" in what for _, _, what in heard) >= 5
    assert heard[-1][0] == heard[-1][1]


def test_tiers_are_one_progress():
    """A group that outweighs its cap is a tier of its own, and all tiers count as one piece of work."""
    heavy = ml.Groups((np.arange(700) % 2).tolist(), at_most={0: 1, 1: 5})
    heard = [what for _, _, what in hear(ml.Near(POINTS), heavy)]
    assert heard[1].startswith("tier 1 of 2, ")
    assert heard[-1].startswith("tier 2 of 2, ")


def test_the_stable_layout_says_what_it_does():
    """A few steps, which take seconds only for millions of secrets."""
    assert [what for _, _, what in hear("stable", GROUPS)] == [
        "the principal partition under the caps",
        "sorting secrets by weight",
        "homes and a ring of residues",
    ]


def test_a_long_solve_is_reported_while_it_runs(monkeypatch):
    """With no seconds between two reports, each solver run and each batch of the first plan is reported on the way."""
    monkeypatch.setattr(cheapest, "EXACT", 700)
    few = hear(ml.Near(POINTS))
    monkeypatch.setattr(progress, "_EVERY", 1e-4)
    assert len(hear(ml.Near(POINTS))) > 2 * len(few)


def test_what_a_callback_raises_ends_the_design(monkeypatch):
    """Also where it is raised while the solver runs."""
    monkeypatch.setattr(progress, "_EVERY", 1e-4)
    calls = []

    def stop(*told):
        calls.append(told)
        if len(calls) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ml.design(WEIGHTS, 6, layout=ml.Near(POINTS), progress=stop)
    assert len(calls) == 5


def test_work_may_itself_run_out_of_time():
    """An error of the work is raised as it is, a TimeoutError too."""

    def fail():
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        progress.report_during(fail, lambda: None)
    assert progress.report_during(lambda: 7, None) == 7
