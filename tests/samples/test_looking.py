"""Looks at a leak that was audited, against the exact number for the true channel."""

from __future__ import annotations

import json

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter


@pytest.fixture(scope="module")
def coins():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 20_000)
    return ml.audit(x, (rng.random(20_000) < 0.6) ^ (x == 1), permutations=99)


def test_two_coins_take_as_many_looks_as_the_channel_needs(coins):
    """The interval holds the exact number for the true channel, 41, and more success takes more looks."""
    exact = ml.lab.observations_needed([1, 1], [[0.6, 0.4], [0.4, 0.6]], success=0.9).looks
    found = coins.looks(0.9)
    assert found.low <= exact <= found.high
    assert abs(found.looks - exact) < 0.25 * exact
    assert coins.looks(0.7).looks < found.looks < coins.looks(0.99).looks
    assert coins.looks(0.9) == found
    assert coins.looks(0.55).looks == 1


def test_timings_are_binned_on_one_half_and_judged_on_the_other():
    """Two normal laws one half apart: 4 z^2 / d^2 looks bring success Phi(z)."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, 8000)
    found = ml.audit(x, 0.5 * x + rng.normal(0, 1, 8000), permutations=99).looks(0.9)
    assert found.low <= 27 <= found.high
    assert 22 <= found.looks <= 40


def test_secrets_that_show_the_same_are_never_told_apart():
    """Noise that the attack was fitted to is not in the other half, so that many looks do not make a leak of it."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 4, 4000)
    found = ml.audit(x, rng.normal(x == 3, 1), permutations=99).looks(0.95)
    assert (found.looks, found.low, found.high) == (None, None, None)
    assert found.most < 0.95
    assert "no number of looks" in str(found)


def test_bad_targets_are_refused(coins):
    for wrong in (0, 1, -1, float("nan"), "0.9"):
        with pytest.raises(InvalidParameter, match="between 0 and 1"):
            coins.looks(wrong)


def test_on_the_command_line_with_the_names_of_columns(tmp_path, monkeypatch, capsys):
    from minleak.cli._app import main

    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(6)
    rows = [f"{x},{20 + 3 * x + rng.normal():.3f}" for x in rng.integers(0, 2, 500).tolist()] + ["1,900000"]
    (tmp_path / "events.csv").write_text("user,millis\n" + "\n".join(rows) + "\n")
    with pytest.raises(SystemExit) as ended:
        main(["audit", "events.csv", "--secret", "user", "--observable", "millis", "--looks", "90%", "--json"])
    assert ended.value.code == 0
    assert json.loads(capsys.readouterr().out)["needed"]["looks"] == 1
    spec = ml.audit("events.csv", secret="user", observable="millis", permutations=99).chart().to_dict()
    assert spec["encoding"]["x"]["title"] == ["millis", "6 of 501 events are beyond the axis, in the outer cells"]
    assert spec["encoding"]["y"]["title"] == "user"
    assert max(cell["high"] for cell in spec["data"]["values"]) < 100
