"""Bad events and bad attacks: one clear line each."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import minleak as ml
from minleak.errors import InvalidParameter, UnreadableFile

X, Y = ["a", "b"] * 50, [float(i % 7) + 0.5 for i in range(100)]


class Cheat:
    """Predicts a class that is no secret."""

    def fit(self, _points, codes):
        self.classes_ = np.append(np.unique(codes), 99)

    def predict_proba(self, points):
        return np.full((len(points), len(self.classes_)), 1 / len(self.classes_))


class Careless(Cheat):
    """Gives what are no probabilities."""

    def fit(self, _points, codes):
        self.classes_ = np.unique(codes)

    def predict_proba(self, points):
        return np.ones((len(points), len(self.classes_)))


class Wordy(Careless):
    """Gives words."""

    def predict_proba(self, _points):
        return "likely"


@pytest.mark.parametrize(
    ("secrets", "observables", "given", "words"),
    [
        (["a"] * 100, Y, {}, "all events have the same secret"),
        (X, Y, {"status": "2xx"}, "choose records of a log"),
        (X, Y, {"query": False}, "choose records of a log"),
        (X, [*Y[:-1], float("nan")], {}, "the observable at event 99 is not a finite number"),
        (X, [*Y[:-1], float("inf")], {}, "not a finite number"),
        (X, [*Y[:-1], -1e200], {}, r"beyond 1e\+150"),
        (X, np.ma.array(Y, mask=[1] + [0] * 99), {}, "the observables have masked"),
        (np.ma.array(range(100), mask=[1] + [0] * 99), Y, {}, "the secrets have masked"),
        (X, [*Y[:-1], 10**400], {}, "too large to stand beside floats"),
        (X, pa.table({}), {}, "without columns"),
        (X, pa.array([dt.date(2026, 1, 1)] * 100), {"numeric": True}, "date32"),
        (X, pa.array([*Y[:-1], None]), {"numeric": True}, "the observable at event 99 is missing"),
        (X, pa.array([*map(str, Y[:-1]), None]), {}, "the observable at event 99 is missing"),
        (pa.array([*X[:-1], None]).dictionary_encode(), Y, {}, "the secret at event 99 is missing"),
        (X, [*Y[:-1], "fast"], {}, "the observable at event 99 is no number where others are"),
        (X, [*map(str, Y[:-1]), "fast"], {"numeric": True}, "event 99 is no number"),
        (X, ["fast"] * 100, {"numeric": True}, "spells no numbers"),
        (X, [b"x"] * 100, {"numeric": True}, "no numbers"),
        (X, Y[:-1], {}, "100 secrets and 99 observables"),
        (X[:49], Y[:49], {}, "49 events are too few: collect at least 50"),
        ([*X[:-1], None], Y, {}, "the secret at event 99 is missing"),
        (X, [*["u"] * 99, None], {}, "the observable at event 99 is missing"),
        (X, np.zeros((100, 2, 2)), {}, "of shape"),
        (X, [[1.0, 2.0]] * 99 + [["a"]], {}, "the sequence of event 99 is not of numbers"),
        (X, [[1.0, 2.0]] * 99 + [[float("nan")]], {}, "the sequence of event 99 is not of finite numbers"),
        (np.zeros((10, 10)), Y, {}, "the secrets are one column"),
        (X, Y, {"attack": Cheat()}, "predicts classes that it was not trained on"),
        (X, Y, {"attack": Careless()}, "probabilities"),
        (X, Y, {"attack": Wordy()}, "must give 2 probabilities for each event"),
        (X, Y, {"attack": "magic"}, "attack is histogram, nearest"),
        (X, Y, {"attack": []}, "empty list"),
        (X, ["u", "v"] * 50, {"attack": "nearest"}, "needs observables that are numbers"),
        (X, Y, {"level": 1.0}, "level is between 0 and 1"),
        (X, Y, {"alpha": float("nan")}, "alpha is between 0 and 1"),
        (X, Y, {"enough": 0}, "enough is between 0 and 1"),
        (X, Y, {"permutations": 9}, "take at least 99"),
        (X, Y, {"permutations": 10**12}, "to 10,000,000"),
        (X, Y, {"numeric": "yes"}, "numeric is True or False"),
        (X, Y, {"blocks": 0}, "blocks is how many events"),
        (X, Y, {"blocks": [1, 2]}, "100 events and 2 blocks"),
        (X, Y, {"weight": "n"}, "weight= names a column"),
        (X, Y, {"measures": "shannon"}, "list of entropies"),
        (X, Y, {"measures": []}, "not none"),
        (X, Y, {"measures": [ml.Gain(ml.Shannon(), [1, 2])]}, "gains belong"),
        (X, Y, {"seed": -1}, "seed"),
        (17, None, {}, "rows are a file, an Arrow table or a data frame, not int"),
        (pa.table({"secret": X}), None, {}, "no column 'observable'; its columns are 'secret' .*secret=, observable="),
        (pa.table({"secret": X, "observable": Y}), None, {"blocks": "hour"}, "no column 'hour'"),
        (pa.table({"secret": X, "observable": Y}), None, {"observable": ["observable"] * 2}, "each once"),
        (pa.table([X, X, Y], names=["secret", "secret", "observable"]), None, {}, "2 columns named 'secret'"),
        (pa.table({"secret": X, "observable": Y, "n": [0.5] * 100}), None, {"weight": "n"}, "weights are whole"),
        (pa.table({"secret": X, "observable": Y, "n": [10**17] * 100}), None, {"weight": "n"}, "divide the weights"),
    ],
)
def test_one_clear_line(secrets, observables, given, words):
    with pytest.raises(InvalidParameter, match=words) as caught:
        ml.audit(secrets, observables, **given)
    assert "\n" not in str(caught.value)


def test_what_would_take_days():
    """More than can be taken apart, or tabulated."""
    log = pa.table({"secret": ["a", "b"], "observable": ["u", "v"], "n": [10**9, 10**9], "day": [1, 2]})
    with pytest.raises(InvalidParameter, match="blocks need events one by one"):
        ml.audit(log, weight="n", blocks="day")
    with pytest.raises(InvalidParameter, match="too many to attack"):
        ml.audit(np.arange(50_000), [f"u{i}" for i in range(50_000)])


def test_files_name_the_line(tmp_path):
    file = tmp_path / "events.csv"
    file.write_text("secret,observable\n" + "a,1\nb,2.5\n" * 30 + "a,slow\n")
    with pytest.raises(UnreadableFile, match=r"line 62 of .*events.csv is no number where others are"):
        ml.audit(file)
    file.write_text("secret,observable\n" + "a,1\nb,nan\n" * 30)
    with pytest.raises(UnreadableFile, match="line 3"):
        ml.audit(file, numeric=True)
