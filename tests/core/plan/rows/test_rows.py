"""Any channel can run: rounded, drawn from exactly, saved, opened and certified."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import minleak as ml
from minleak.core._file.writing import label_arrays, text_arrays, write
from minleak.errors import InvalidCloak, InvalidParameter, UnknownSecret

KEY = bytes(range(32))
PRIOR = ml.Prior([5, 3, 2], labels=["flu", "cold", "gout"])


def mechanism() -> ml.Channel:
    return ml.lab.mechanisms.geometric(3, 1.0, inputs=["flu", "cold", "gout"])


def test_rows_are_whole_numbers_near_the_channel():
    """By exact arithmetic: sums, distances, and nothing possible becomes impossible."""
    rng = np.random.default_rng(0)
    matrix = rng.dirichlet(np.full(9, 0.1), 6)
    matrix[0] = [1 - 1e-25, 1e-25, *np.zeros(7)]
    rows = ml.lab.mechanisms.rounded(matrix)
    assert (rows.totals == 2**60).all()
    worst = Fraction(0)
    for x in range(6):
        shares = dict(zip(rows.columns[rows.starts[x] : rows.starts[x + 1]].tolist(), range(9), strict=False))
        assert set(shares) == set(np.flatnonzero(matrix[x]).tolist())
        weights = rows.weights[rows.starts[x] : rows.starts[x + 1]].tolist()
        distance = sum(
            abs(Fraction(w, 2**60) - Fraction(float(matrix[x, y]))) for w, y in zip(weights, shares, strict=True)
        )
        worst = max(worst, distance / 2)
    assert rows.distance(matrix) == float(worst)
    assert rows.distance(matrix) < 1e-15


def test_fractions_stay_as_they_are():
    """Over their common denominator."""
    channel = [[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2), Fraction(1, 2)]]
    rows = ml.lab.mechanisms.rounded(channel)
    assert rows.weights.tolist() == [1, 2, 1, 1]
    assert rows.distance(channel) == 0
    long = [Fraction(1, 3), Fraction(10**20 // 7, 10**20), Fraction(2, 3) - Fraction(10**20 // 7, 10**20)]
    rows = ml.lab.mechanisms.rounded([long])  # over too large a denominator
    off = sum(abs(Fraction(w, 2**60) - entry) for w, entry in zip(rows.weights.tolist(), long, strict=True)) / 2
    assert rows.distance([long]) == float(off) > 0


def test_how_near_rows_are_is_computed_and_not_read(tmp_path):
    """Of a file, whoever wrote it, from the channel that it should be; the certificate does not say what it cannot."""
    rows = ml.lab.mechanisms.rounded([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]])
    rows.save(tmp_path / "x.cloak")
    found = ml.load(tmp_path / "x.cloak")
    assert found.distance([[0.5, 0.5], [0.5, 0.5]]) == 0.25
    assert found.distance([[0.5, 0.5], [0.0, 1.0]]) == 0.25
    assert found.distance(rows.channel()) == 0
    assert "of what was asked for" not in str(ml.certify(tmp_path / "x.cloak", [1, 1]))
    with pytest.raises(InvalidParameter, match="the channel is 1 x 2, the rows 2 x 2"):
        found.distance([[0.5, 0.5]])


def test_what_leaks_is_that_of_the_channel():
    """Under its own prior and under another in another order."""
    rows = ml.lab.mechanisms.rounded(mechanism(), PRIOR)
    assert rows.leakage("shannon") == pytest.approx(ml.leakage(PRIOR, mechanism(), "shannon"))
    assert rows.leakage("shannon") == pytest.approx(ml.Shannon()(PRIOR) - rows.entropy("shannon"))
    assert rows.success == pytest.approx(0.5 * 2 ** rows.leakage("min-entropy"))
    other = ml.Prior([1, 3], labels=["gout", "flu"])
    assert rows.leakage("shannon", prior=other) == pytest.approx(ml.leakage([3, 0, 1], mechanism(), "shannon"))


def test_every_place_of_a_row_is_drawn_once():
    """All of them, through the drawing itself: the odds are the whole numbers."""
    rows = ml.lab.mechanisms.rounded([[Fraction(1, 4), Fraction(3, 4)], [Fraction(2, 3), Fraction(1, 3)]])
    for x, total in enumerate(rows.totals.tolist()):
        secrets = np.full(total, x)
        assert rows.places(secrets).tolist() == [total] * total
        drawn = rows.locate(secrets, np.arange(total))[:, 0]
        weights = rows.weights[rows.starts[x] : rows.starts[x + 1]].tolist()
        assert np.bincount(drawn).tolist() == weights


def test_draws_are_sticky_and_the_same_from_a_file(tmp_path):
    """By the digest, which the file has too; and certified."""
    path = tmp_path / "m.cloak"
    ml.lab.mechanisms.rounded(mechanism(), PRIOR).save(path)
    cloak, again = ml.Cloak(mechanism(), key=KEY), ml.Cloak(path, key=KEY)
    for secret in PRIOR.labels:
        drawn = [cloak.draw(secret, scope=str(i)) for i in range(20)]
        assert drawn == [again.draw(secret, scope=str(i)) for i in range(20)]
        assert {label for (label,) in drawn} <= set(PRIOR.labels)
    assert cloak.set_id(["flu"]) == again.set_id(["flu"])
    certificate = ml.certify(path, PRIOR, k=3)
    assert certificate.ok
    assert "draws are exact" in str(certificate)
    assert not ml.certify(path, PRIOR, k=2).ok
    assert not ml.certify(path, [1, 2, 3, 4]).ok
    rows = ml.load(path)
    assert rows.k == 3
    assert ml.certify(rows, PRIOR).ok
    for field, wrong, named in (
        ("starts", [0, 3, 3, 9], "there is not one row for each secret"),
        ("starts", [0, 3, 6, 8], "there is not one row for each secret"),
        ("columns", rows.columns - 1, "an entry is of no observable"),
        ("columns", rows.columns[::-1], "a row is not in order of its observables"),
        ("weights", rows.weights * 0, "a number is not from 1 to 2\\^62"),
        ("weights", rows.weights * 0 + 2**61, "a row sums to more than 2\\^62"),
        ("weights", rows.weights.astype(float), "are not 64-bit integers"),
    ):
        with pytest.raises(InvalidParameter, match=f"not those of a channel in whole numbers: .*{named}"):
            replace(rows, **{field: np.array(wrong)})
    with pytest.raises(InvalidParameter, match="gains= goes with plans"):
        ml.certify(rows, PRIOR, gains=[1, 2, 3])
    assert ml.leakage(PRIOR, ml.load(path).channel(), "shannon") == pytest.approx(
        ml.leakage(PRIOR, mechanism(), "shannon")
    )


def test_what_optimise_and_padding_find_can_run(tmp_path):
    """Observables that are tuples and numbers survive the file."""
    best = ml.lab.optimise([3, 2, 2, 1], entropy="min-entropy", k=2)
    cloak = ml.Cloak(best, key=KEY)
    cloak.plan.save(tmp_path / "o.cloak")
    assert ml.Cloak(tmp_path / "o.cloak", key=KEY).draw(0, scope="a") == cloak.draw(0, scope="a")
    assert 0 in cloak.draw(0, scope="a")[0]
    padding = ml.padding.design([10, 12, 15, 21], [5, 3, 8, 1], budget=2.0, randomised=True)
    cloak = ml.Cloak(padding, key=KEY)
    cloak.plan.save(tmp_path / "p.cloak")
    (size,) = ml.Cloak(tmp_path / "p.cloak", key=KEY).draw(1, scope="a")
    assert size == cloak.draw(1, scope="a")[0] >= 12
    least = ml.lab.least_budget([3, 2, 1], cost=1 - np.eye(3), leakage=0.5)
    assert ml.Cloak(least, insecure_seed_for_experiments=0).draw_fresh(0)[0] in range(3)


@pytest.mark.parametrize("outputs", [None, ["a", "b"], [1.5, 2.5], ["a", 1], [(1, "x"), (2.5, (3,))]])
def test_observables_come_back_from_a_file(tmp_path, outputs):
    rows = ml.lab.mechanisms.rounded(ml.Channel([[0.5, 0.5]], outputs=outputs))
    rows.save(tmp_path / "x.cloak")
    assert list(ml.load(tmp_path / "x.cloak").outputs) == (outputs or [0, 1])


def test_what_cannot_run_is_refused(tmp_path):
    """In words, without the secret."""
    with pytest.raises(InvalidParameter, match="a channel that tolerates so much cannot be drawn from"):
        ml.lab.mechanisms.rounded(ml.Channel([[0.5, 0.4]], tolerance=0.2))
    with pytest.raises(InvalidParameter, match="file or a channel, not float"):
        ml.Cloak(0.5)
    with pytest.raises(InvalidParameter, match="file or a channel, not Table"):
        ml.Cloak(type("Table", (), {"rows": lambda _: [(1, 2)], "channel": None})())  # such as a data frame's
    with pytest.raises(InvalidCloak, match="text, numbers, or tuples of these"):
        ml.lab.mechanisms.rounded(ml.Channel([[1.0]], outputs=[frozenset([1])])).save(tmp_path / "x.cloak")
    with pytest.raises(UnknownSecret) as raised:
        ml.Cloak(mechanism(), key=KEY).draw("plague", scope="a")
    assert "plague" not in str(raised.value)


@pytest.mark.parametrize(
    "change",
    [
        {"columns": [0, 1, 2, 0, 1, 2, 0, 1, 7]},
        {"columns": [0, 1, 1, 0, 1, 2, 0, 1, 2]},
        {"weights": [0, 1, 1, 1, 1, 1, 1, 1, 1]},
        {"weights": [2**62, 2**62, 2**62, 1, 1, 1, 1, 1, 1]},
        {"starts": [0, 3, 3, 9]},
        {"starts": [0, 6, 3, 9]},
        {"starts": [0, 3, 6, 8]},
        {"number": ["json", 3]},
        {"number": ["default", 10]},
        {"number": ["text", 3], "outputs": ["a", "a", "b"]},
        {"number": ["json", 3], "outputs": ["1", "2", "null"]},
    ],
)
def test_a_file_that_holds_no_rows_is_refused(tmp_path, change):
    """Whoever wrote it."""
    rows = ml.lab.mechanisms.rounded(mechanism(), PRIOR)
    secrets = rows.prior.labels.indexed()
    arrays = {"prior": PRIOR.weights, "starts": rows.starts, "columns": rows.columns, "weights": rows.weights}
    arrays |= label_arrays(secrets)
    arrays |= {name: np.array(value) for name, value in change.items() if name not in ("number", "outputs")}
    arrays |= text_arrays("outputs", pa.array(change["outputs"])) if "outputs" in change else {}
    numbers = {"kind": "channel", "events": 10, "outputs": change.get("number", ["default", 3])}
    write(str(tmp_path / "x.cloak"), arrays, numbers)
    with pytest.raises(InvalidCloak, match="does not hold a plan"):
        ml.load(tmp_path / "x.cloak")
