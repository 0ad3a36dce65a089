"""audit: known truths are inside of brackets, leaks are seen and nothing is not, whatever the events come in."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.samples.known import channels, corners, gaussian

import minleak as ml
from minleak import scale
from minleak.errors import InvalidParameter
from minleak.samples._attacks import ATTACKS, by_rank, in_units
from minleak.samples._bounds import at_least, at_most
from minleak.samples._trials import find_leader

TRUTH = 0.53179


@pytest.fixture(scope="module")
def timings():
    return gaussian(20_000, np.random.default_rng(5), sigma=1.0208)


def test_timings_as_floats(timings):
    """Four Gaussians, as a new user tried them: the bracket holds the truth, close from below, and says so."""
    found = ml.audit(*timings, enough=0.02)
    assert 0.515 <= found.success.low <= TRUTH
    assert found.success.high is None
    assert 0.49 < found["shannon"].low <= 0.5515
    assert found["shannon"].high is None
    assert found.rejected
    assert not found.warnings
    assert found.enough
    assert "no upper bound without an assumption" in str(found)
    assert "taken as numbers (recognised)" in found.said
    assert found["collision"].low is found["arimoto:2"].low is None
    with pytest.raises(KeyError):
        found["nothing"]


def test_rounded_timings(timings):
    """To three decimals, as names: a wide bracket that holds the truth, and a warning."""
    x, y = timings
    found = ml.audit(x, np.round(y, 3), numeric=False, measures=["shannon"])
    assert found.success.low <= TRUTH <= found.success.high
    assert found["shannon"].low <= 0.5515
    assert "undersampled" in found.warnings[0]


def test_brackets_cover():
    """Of 40 channels of five kinds the 95% brackets of five measures hold the truth in at least 37 each, which is
    missed with probability 0.01 at exactly 95%; the benchmark has 200.
    """
    missed = dict.fromkeys(("success", "shannon", "min-entropy", "guesswork", "guess-error:2"), 0)
    for run, (_, (x, y), truth) in enumerate(channels(8)):
        found = ml.audit(x, y, measures=[name for name in truth if name != "success"], permutations=99, seed=run)
        for name, true in truth.items():
            bracket = found.success if name == "success" else found[name]
            missed[name] += not (bracket.low <= true + 1e-9 and (bracket.high is None or true <= bracket.high + 1e-9))
    assert max(missed.values()) <= 3, missed


def test_nothing_is_not_seen():
    """60 runs where nothing leaks: rejected at .05 in at most 9, which happens with probability .001."""
    rejected = 0
    for run in range(60):
        rng = np.random.default_rng(run)
        x, y = rng.choice(4, 300, p=[0.6, 0.2, 0.1, 0.1]), rng.normal(size=300)
        found = ml.audit(x, y.astype(str) if run % 3 == 0 else y, alpha=0.05, permutations=39, measures=["shannon"])
        rejected += found.rejected
    assert rejected <= 9


def test_a_leak_that_no_guess_gains_from_is_seen():
    """Nine of ten secrets are the same whatever is seen, so that one guess gains nothing; what is seen still tells."""
    rng = np.random.default_rng(3)
    x = (rng.random(8000) < 0.1).astype(int)
    found = ml.audit(x, rng.normal(0.3 * x, 1.0))
    assert found["min-entropy"].low == 0
    assert found.rejected


def test_a_ratio_to_a_chance_that_may_be_zero_has_no_upper_bound():
    """Secrets that are all different: a blind guess may never be right, so no factor bounds what is gained."""
    found = ml.audit([f"page {i}" for i in range(400)], [str(i % 7) for i in range(400)])
    assert found.success.high < 1
    assert found["min-entropy"].high is None
    assert found["multiplicative-leakage"].high is None
    assert found["additive-leakage"].high is not None


def test_vectors(timings):
    """A leak in the difference of two numbers, which neither tells alone; forests and any classifier are attacks."""
    from sklearn.linear_model import LogisticRegression

    x, y = (column[:3000] for column in timings)
    noise = np.random.default_rng(6).normal(0, 20, 3000)
    pairs = np.stack([noise, noise + y], axis=1)
    near = ml.audit(x, pairs, measures=["min-entropy"])
    fitted = ml.audit(x, pairs, attack=[LogisticRegression(max_iter=1000), "histogram"], measures=["min-entropy"])
    assert 0.26 < near.success.low <= TRUTH
    assert 0.48 < fitted.success.low <= TRUTH
    assert fitted.attack == "LogisticRegression"
    assert near.attack.startswith("nearest")
    traces = np.random.default_rng(7).normal(size=(1500, 6))
    traces[:, 4] += 2 * x[:1500]
    found = ml.audit(x[:1500], traces, measures=["shannon"])
    assert found.attack == "forest"
    assert found.success.low > 0.5
    assert ml.audit(x[:400], traces[:400], attack="boosted", measures=["shannon"]).success.low > 0.4


class OwnGuesswork(ml.Guesswork):
    """The same by another name."""

    name = "own guesswork"


class Silent(ml.Guesswork):
    """The same, of which nothing is known but its values."""

    name = "silent"
    form = None


def test_samples_are_sure_of_a_form(timings):
    """One of the reader's own gets its bracket by its form, not by its name."""
    x, y = (column[:1000] for column in timings)
    found = ml.audit(x, y, measures=["guesswork", OwnGuesswork(), Silent()])
    known, own, silent = found.rows
    assert (own.low, own.estimate) == (known.low, known.estimate)
    assert known.low > 0
    assert silent.low is None


def test_every_attack_is_in_the_words_of_audit():
    """The command's help has the table; the library's says what each is."""
    assert all(f'"{name}"' in ml.audit.__doc__ for name in ATTACKS)


class Memory:
    """Knows every event it was trained on, and nothing else."""

    def fit(self, points, codes):
        self.classes_ = np.unique(codes)
        self._known = dict(zip(points[:, 0].tolist(), codes.tolist(), strict=True))

    def predict_proba(self, points):
        known = np.array([self._known.get(point, -1) for point in points[:, 0].tolist()])
        return np.where(known[:, None] < 0, 1 / len(self.classes_), known[:, None] == self.classes_)


def test_what_was_trained_on_is_not_tried():
    """An attack that only remembers gains nothing."""
    rng = np.random.default_rng(4)
    found = ml.audit(rng.integers(0, 4, 2000), rng.normal(size=2000), attack=Memory(), measures=["min-entropy"])
    assert found.success.low < 0.26
    assert not found.rejected


def test_who_leads_is_chosen_before_the_test():
    """By the parts before alone, so that the choice is paid for."""
    scores = [{1: 5.0, 2: 0.0, 3: 0.0}, {1: 4.0, 2: 9.0, 3: 0.0}]
    assert [find_leader(scores, part, float) for part in (2, 3)] == [0, 1]


def test_without_scikit_learn(timings, monkeypatch):
    """One number needs nothing more; a forest says what it needs, and who may have missed something is told."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    monkeypatch.setattr("minleak.samples._told.find_spec", lambda _: None)
    x, y = (column[:500] for column in timings)
    assert ml.audit(x, y).rejected
    assert ml.audit(x, y, attack="nearest").rejected
    with pytest.raises(ml.errors.MissingExtra, match=r"pip install '\.\[samples\]'"):
        ml.audit(x, y, attack="forest")
    assert "forest was not tried" in ml.audit(x, np.tile(y[:, None], 4) + 0.1 * np.eye(500, 4)).warnings[-1]


def test_drift():
    """Timings that drift, secrets in stretches: without blocks a false alarm, of which a line warns; with them none,
    and the bound counts blocks. Where blocks hold all secrets they change places within.
    """
    rng = np.random.default_rng(8)
    block = np.repeat(np.arange(60), 25)
    drift = np.repeat(rng.normal(size=60), 25) + 0.1 * rng.normal(size=1500)
    stretches = np.repeat(rng.integers(0, 3, 60), 25)
    alarm = ml.audit(stretches, drift, measures=["shannon"])
    assert alarm.rejected
    assert any("long stretches" in warning for warning in alarm.warnings)
    found = ml.audit(stretches, drift, blocks=25, measures=["shannon"])
    assert not found.rejected
    assert found.success.low < 0.4
    assert "of whole blocks" in found.verdict
    assert ml.audit(stretches, drift + 3 * stretches, blocks=25, measures=["shannon"]).rejected
    along = rng.random(1500) < np.repeat(np.where(drift[::25] > 0, 0.8, 0.2), 25)  # secrets drift as timings do
    assert ml.audit(along, drift, measures=["shannon"]).rejected
    assert not ml.audit(along, drift, blocks=block, measures=["shannon"]).rejected
    mixed = rng.integers(0, 3, 1500)
    assert not ml.audit(mixed, drift, blocks=block, measures=["shannon"]).rejected
    leaking = ml.audit(mixed, drift + mixed, blocks=block, measures=["shannon", "guesswork", "guess-error:2"])
    assert leaking.rejected
    assert "within blocks" in leaking.verdict
    assert [row.low for row in leaking.rows] == [None] * 3
    assert "shannon, guesswork, guess-error:2 have estimates only" in leaking.warnings[-1]
    assert any("only 10 blocks" in w for w in ml.audit(mixed, drift, blocks=150, measures=["shannon"]).warnings)


def test_a_block_counts_as_one_event():
    """Blocks whose events are all alike are worth one event each: above, and before anything is seen."""
    rng = np.random.default_rng(2)
    x, y = rng.choice(3, 80, p=[0.7, 0.2, 0.1]), rng.choice(list("uv"), 80)
    single = ml.audit(x, y, measures=["shannon"])
    found = ml.audit(np.repeat(x, 25), np.repeat(y, 25), blocks=25, measures=["shannon"])
    assert found.success.high == single.success.high
    assert found.blind.high == at_most(single.blind.estimate, 80, 0.025)
    assert found.blind.low < at_least(60, 80, 0.025)  # of 1,500 in 2,000 it is .73
    assert found.blind.estimate == single.blind.estimate == 0.75
    assert single.blind.low < 0.75 < single.blind.high < found.blind.high < 1


def test_every_source_is_the_same(timings, tmp_path):
    """Arrays, lists, tables, columns of pandas, csv and parquet; weights stand for events."""
    x, y = (column[:600] for column in timings)
    table = pa.table({"secret": [f"s{i}" for i in x], "observable": y, "other": y})
    pq.write_table(table, tmp_path / "events.parquet")
    lines = "".join(f"s{i},{float(seen)!r}\n" for i, seen in zip(x, y, strict=True))
    (tmp_path / "events.csv").write_text(f"secret,observable\n{lines}")
    expected = ml.audit([f"s{i}" for i in x], y.tolist())
    frame = table.to_pandas()
    for found in (
        ml.audit(table),
        ml.audit(frame),
        ml.audit(frame["secret"], frame["observable"]),
        ml.audit(table["secret"], table["observable"]),
        ml.audit(tmp_path / "events.parquet"),
        ml.audit(str(tmp_path / "events.csv")),
    ):
        assert found == expected
    with pytest.raises(InvalidParameter, match="not whole have no counts"):
        expected.channel()
    assert expected.prior.labels[0] == "s0"
    twice = ml.audit(table, observable=["observable", "other"], measures=["shannon"])
    assert "vectors of 2 numbers" in twice.said
    sizes = pa.table({"secret": ["a", "b", "a", "b"], "observable": ["x", "x", "y", "y"], "n": [90, 10, 20, 80]})
    counted = ml.audit(sizes, weight="n")
    assert (counted.events, counted.observables) == (200, 2)
    assert counted.channel().toarray() == pytest.approx(np.array([[9, 2], [1, 8]]) / [[11], [9]])


def test_dictionaries_are_what_they_name():
    """A dictionary of Arrow may name a value twice, and values that never come; a table may hold such columns."""
    x, y = np.arange(200) % 3, np.arange(200) % 7
    plain = ml.audit(["a" if i < 2 else "b" for i in x], [[float(i), i % 2.0] for i in y], measures=["shannon"])
    secrets = pa.DictionaryArray.from_arrays(pa.array(x), pa.array(["a", "a", "b", "never"]))
    table = pa.record_batch({"u": pa.array(y).dictionary_encode(), "v": pa.array(y % 2)})
    assert ml.audit(secrets, table, measures=["shannon"]) == plain
    assert ml.audit(secrets, table.to_pandas(), measures=["shannon"]) == plain


def test_warnings_of_what_hides_a_leak():
    """Whole numbers that hardly repeat, vectors of too many events, too few blocks to be trained on; and how many
    events more are needed.
    """
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 2, 200), rng.permutation(200)
    assert "200 different observables in 200 events: the upper bound is loose" in ml.audit(x, y).warnings
    heavy = pa.table({"secret": ["a", "b"], "u": [1, 2], "v": [1, 2], "n": [10**7, 10**7]})
    found = ml.audit(heavy, observable=["u", "v"], weight="n", measures=["shannon"])
    assert any("weighted events are taken as names" in warning for warning in found.warnings)
    for attack in ("nearest", Memory()):
        found = ml.audit(x, y + 0.5, attack=attack, blocks=200, measures=["min-entropy"])
        assert found.success.low == 0
        assert found.warnings == ("only 1 blocks: bounds count blocks, so collect 20 or more",)
    found = ml.audit(x, y % 2, attack="histogram", enough=0.01)
    assert f"the bracket is {found.width:.4f} wide: about {found.more:,} more events are needed" in str(found)
    zero = pa.table({"secret": ["a", "b", "c"], "observable": ["u", "v", "u"], "n": [90, 60, 0]})
    assert np.isfinite(ml.audit(zero, weight="n").seen.shares).all()


def test_a_billion_events():
    """Counts stand for events: a tiny leak is invisible in a thousand events and plain in a billion, at one cost."""
    table = pa.table({"secret": ["a", "a", "b", "b"], "observable": ["x", "y", "x", "y"]})
    few = table.append_column("times", pa.array([251, 249, 249, 251]))
    many = table.append_column("times", pa.array([251_000_000, 249_000_000, 249_000_000, 251_000_000]))
    small, large = (scale.audit(t, weight="times", permutations=99) for t in (few, many))
    assert not small.rejected
    assert small["shannon"].low == 0
    assert large.rejected
    assert 0.5 < large.success.low <= 0.502 <= large.success.high < 0.5021
    assert "not rejected" in small.verdict


def test_sets_of_a_cloak_can_be_audited():
    """What a plan shows, audited: each set tells no more than the plan says."""
    prior = pa.table({"secret": list("abcdef"), "count": [6, 5, 4, 3, 2, 1]})
    plan = scale.design(prior, 3)
    rng = np.random.default_rng(9)
    secrets = rng.choice(list("abcdef"), 4000, p=np.arange(6, 0, -1) / 21)
    events = pa.table({"secret": secrets, "scope": [f"u{i}" for i in range(4000)]})
    shown = scale.cloak(plan, events, key=ml.Key(bytes(32)), keep_secret=True)
    found = scale.audit(shown, observable="set", measures=["shannon", "min-entropy"], permutations=99)
    assert found.success.low <= plan.target.max() <= found.success.high
    assert found["shannon"].low <= ml.Shannon()(ml.Prior([6, 5, 4, 3, 2, 1])) - plan.entropy("shannon")


def test_charts(timings, tmp_path):
    """Both are saved; of names as of numbers."""
    x, y = (column[:400] for column in timings)
    for found in (ml.audit(x, y), ml.audit(x, np.round(y).astype(int).astype(str))):
        for chart in (found.chart(), found.curve_chart()):
            ml.report.save_chart(chart, tmp_path / "chart.svg", title="chart")
            assert b"<svg" in (tmp_path / "chart.svg").read_bytes()


def test_a_few_events_far_out_do_not_spoil_nearest_neighbours():
    """Four secrets at the corners of a square, in normal noise: the best attack is right with probability
    Phi(3/4)^2 = .5981. One event in 1,000 is at 1e10 or further: success is nearly what it is without them, which it
    was not when columns were divided by their standard deviation. Each of the two has a standard deviation of .005.
    """
    x, y = corners(np.random.default_rng(11), 20_000)
    y[:, 1] /= 1000  # the noise of the one column is the signal of the other
    whole = ml.audit(x, y, attack="nearest", measures=["shannon"], permutations=99)
    far = y.copy()
    far[::1000, 1] = np.random.default_rng(12).choice([-1, 1], 20) * np.logspace(10, 12, 20)
    found = ml.audit(x, far, attack="nearest", measures=["shannon"], permutations=99)
    assert found.success.estimate > 0.575
    assert found.success.low <= 0.5982
    assert abs(found.success.estimate - whole.success.estimate) < 0.01
    assert abs(found["shannon"].estimate - whole["shannon"].estimate) < 0.03


def test_neighbours_are_seen_in_heavy_tails_and_far_clusters():
    """The same for a column that is exponentiated, and for one that jumps by a million with equal odds: only the ranks
    of its numbers see what is near.
    """
    x, y = corners(np.random.default_rng(13), 10_000)
    jumps = np.random.default_rng(14).integers(0, 2, 10_000) * 1e6
    for column in (np.exp(6 * y[:, 1]), y[:, 1] + jumps):
        found = ml.audit(x, np.stack([y[:, 0], column], axis=1), measures=["shannon"], permutations=99)
        assert found.success.estimate > 0.57
        assert "by rank" in found.attack


def test_the_order_of_events_decides_no_ties_between_neighbours():
    """Observables that many events share, sorted by secret: neighbours at equal distances are not those of the first
    secrets. Standard deviations are .004 and .02.
    """
    rng = np.random.default_rng(15)
    x = rng.integers(0, 60, 10_000)
    y = (x[:, None] + rng.normal(0, 4, (10_000, 2))) // 5
    order = np.argsort(x, kind="stable")
    asked = {"attack": "nearest", "measures": ["shannon"], "permutations": 99}
    found, mixed = ml.audit(x[order], y[order], **asked), ml.audit(x, y, **asked)
    assert abs(found.success.estimate - mixed.success.estimate) < 0.012
    assert abs(found["shannon"].estimate - mixed["shannon"].estimate) < 0.1


@pytest.mark.parametrize("compared", [in_units, by_rank])
def test_columns_are_compared_by_what_was_trained_on(compared):
    """Constants, columns that are mostly one value and single outliers give finite numbers that keep the order."""
    train = np.array([[0, 7, 0], [0, 7, 1], [0, 7, 2], [0, 7, 3], [0, 7, 1e12], [3, 7, 4], [0, 7, 5], [0, 7, 6]], float)
    points = np.array([[0, 7, 0], [3, 8, 5], [9, 6, 1e12]], float)
    found = compared(train, points)
    assert np.isfinite(found).all()
    assert found[1, 0] - found[0, 0] > 0.1
    assert found[1, 2] - found[0, 2] > 0.5
    assert found[0, 1] < found[1, 1]
    np.testing.assert_array_equal(found[:1], compared(train, points[:1]))  # what is tested says nothing of the units
