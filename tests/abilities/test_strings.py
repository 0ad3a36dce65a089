"""Secrets that nobody can list: a model of strings, plans over it, decoys for passwords."""

from fractions import Fraction

import pytest
from tests.abilities.names import (
    Cloak,
    Key,
    Policy,
    certify,
    check_model,
    design_strings,
    fit_strings,
    honeywords,
    load,
    load_strings,
    prior_from_counts,
    unlisted,
)

COUNTS = {"new york": 9, "new jersey": 7, "york road": 4, "old road": 2, "road map": 1, "map of york": 1}
MODEL = fit_strings(list(COUNTS), order=3)


def test_model(tmp_path):
    check_model(MODEL)
    assert MODEL.at(MODEL.interval("yorkshire")[0]) == "yorkshire"
    assert 0 < Fraction(MODEL.weight("yorkshire"), MODEL.total) < Fraction(MODEL.weight("new york"), MODEL.total)
    MODEL.save(tmp_path / "names.model")
    assert load_strings(tmp_path / "names.model").weight("yorkshire") == MODEL.weight("yorkshire")


def test_counts_and_unlisted(tmp_path):
    plan = design_strings(MODEL, 4, counts=prior_from_counts(COUNTS))
    assert (plan.success, unlisted(plan)) == (pytest.approx(0.34375), pytest.approx(2 / 24))  # two were seen once
    cloak = Cloak(plan, key=Key(bytes(32)))
    shown = cloak.draw("yorkshire", scope="ann")
    assert (len(set(shown)), "yorkshire" in shown, shown) == (4, True, cloak.draw("yorkshire", scope="ann"))
    plan.save(tmp_path / "names.cloak")
    assert Cloak(load(tmp_path / "names.cloak"), key=Key(bytes(32))).draw("yorkshire", scope="ann") == shown
    assert certify(plan).ok


def test_model_alone():
    plan = design_strings(MODEL, 3)
    shown = Cloak(plan, key=Key(bytes(32))).draw("old york", scope="ann")
    assert (len(set(shown)), "old york" in shown) == (3, True)
    assert plan.success == pytest.approx(1 / 3)


def test_honeywords():
    policy = Policy(min_length=8, max_length=20, require=["digit"])
    model = fit_strings(["dragon12", "monkey1977", "sunshine9", "letmein21"], accept=policy)
    words = honeywords("tulips2025", 8, model=model)
    assert (len(set(words)), "tulips2025" in words) == (8, True)
    assert all(8 <= len(word) <= 20 and any(map(str.isdigit, word)) for word in words)
