"""One door for data: whatever a table comes in, and wherever it goes, the same entries mean the same."""

from __future__ import annotations

import io
import time
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import minleak as ml
from minleak.core._labels import Labels
from minleak.errors import InvalidParameter, UnreadableFile
from minleak.io._tables import Column, Frame, as_values, encode, first_repeat
from minleak.lab.sequences._reading import read_chain

COUNTS = {"secret": ["flu", "cold", "gout"], "count": [5, 3, 2]}


def frames():
    """The same table in everything that holds one."""
    yield COUNTS
    yield pa.table(COUNTS)
    yield pytest.importorskip("pandas").DataFrame(COUNTS)
    yield io.BytesIO(b"secret,count\nflu,5\ncold,3\ngout,2\n")


def test_frames_are_read_as_files_are():
    for source in frames():
        prior = ml.read_prior(source, format="csv")
        assert list(prior.labels) == COUNTS["secret"]
        assert prior.weights.tolist() == COUNTS["count"]
    rows = pa.table({"secret": ["a", "b"], "observable": ["y", "z"], "probability": [1, 1]})
    assert ml.read_channel(rows).toarray().tolist() == [[1, 0], [0, 1]]
    assert ml.read_pairs(rows, inputs=["b", "a"]).allowed.tolist() == [[False, True], [True, False]]
    assert ml.read_places(pa.table({"lat": [1.5]}), columns=["lat"]).tolist() == [[1.5]]
    walk = pa.table({"subject": ["s"] * 3, "time": [1, 2, 3], "state": ["x", "y", "x"]})
    assert read_chain(walk).probability("x", "y") > 0
    with pytest.raises(InvalidParameter, match="the table has no column 'count'; its columns are 'secret', 'n'"):
        ml.read_prior(pa.table({"secret": ["a"], "n": [1]}))
    with pytest.raises(InvalidParameter, match="the weight at row 2 of the table is missing"):
        ml.read_prior(pa.table({"secret": ["a", "b"], "count": [1, None]}))


SPELLED = [(".5e1", 5.0), ("5.", 5.0), ("+5", 5), (" 5 ", 5), ("5E0", 5.0), ("05", 5)]
NOT_SPELLED = ["0x5", "5_0", "nan", "inf", "5,0", "five", "1e", ".", "5 0"]


@pytest.mark.parametrize(("text", "value"), SPELLED)
def test_what_spells_a_number_does_so_everywhere(text, value):
    """As a weight, a probability or cost, a place, a time and an observable."""
    assert ml.read_prior(io.BytesIO(f"secret,count\na,{text}\n".encode()), format="csv").weights.tolist() == [value]
    assert ml.read_places(io.BytesIO(f"lat\n{text}\n".encode()), columns=["lat"], format="csv").tolist() == [[value]]
    log = f"subject,time,state\ns,{text},y\ns,4.5,x\n".encode()
    assert read_chain(io.BytesIO(log), format="csv").probability("x", "y") > 0
    events = "secret,observable\n" + f"a,{text}\nb,7\n" * 30
    assert ml.audit(io.BytesIO(events.encode()), format="csv").said.startswith("taken as whole numbers")


@pytest.mark.parametrize("text", NOT_SPELLED)
def test_what_spells_no_number_does_so_nowhere(text):
    with pytest.raises(UnreadableFile, match="line 2"):
        ml.read_prior(io.BytesIO(f'secret,count\na,"{text}"\n'.encode()), format="csv")
    with pytest.raises(UnreadableFile, match="line 3"):
        read_chain(io.BytesIO(f'subject,time,state\ns,1,x\ns,"{text}",x\n'.encode()), format="csv")
    with pytest.raises(UnreadableFile, match=r"line 62 .* is no number where others are"):
        ml.audit(io.BytesIO(("secret,observable\n" + "a,1\nb,2\n" * 30 + f'a,"{text}"\n').encode()), format="csv")


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", "b"],
        [2, 1, 2],
        [2**70, 1, 2**70],
        [0.5, 1.5, 0.5],
        [True, False, True],
        [1, "1", 1.0],
        [(1, "a"), None, (1, "a")],
        ["\ud800", "a", "\ud800"],
        [Fraction(1, 3), 0, Fraction(1, 3)],
        np.array(["b", "a", "b"]),
        np.array([2, 1, 2], dtype=np.uint8),
        pa.chunked_array([["b"], ["a", "b"]]),
        pa.array(["b", "a", "b"]).dictionary_encode(),
        pa.array([0.0, 1.0, -0.0]),
        pa.array([b"b", b"a", b"b"]),
        pa.array([1, 2, 1], pa.float16()),
    ],
)
def test_codes_are_by_appearance(values):
    codes, names = encode(as_values(values, "the secrets"))
    assert codes.tolist() == [0, 1, 0]
    assert isinstance(names, Labels)
    assert len(names) == 2


def test_columns_say_where_and_never_what():
    column = Column(as_values(["a", "hidden"], "the secrets"), "secret", "row {}".format, UnreadableFile)
    with pytest.raises(UnreadableFile, match="row 1 names a secret that is not among the inputs") as refused:
        column.codes_among(Labels.of(["a"], 0))
    assert "hidden" not in str(refused.value)
    for values in (["a", None], pa.array([1.0, float("nan")]), [1, float("nan")]):
        with pytest.raises(UnreadableFile, match="the secret at row 1 is missing"):
            Column(as_values(values, "the secrets"), "secret", "row {}".format, UnreadableFile).check_complete()
    assert first_repeat(np.array([3, 1, 2, 1, 3])) == 3
    assert first_repeat(np.array([3, 1, 2])) is None
    assert Frame(pa.table({"Count": [1]})).has("count")


@pytest.mark.parametrize("kind", ["ints", "floats", "labels"])
def test_long_lists_are_taken_at_once(kind):
    """Half a million entries of one type in a fraction of a second, where it took four."""
    n = 500_000
    given = {
        "ints": lambda: ml.Prior(list(range(n))),
        "floats": lambda: ml.Prior([0.5] * n),
        "labels": lambda: ml.Prior.from_counts({f"label {i}": 1 for i in range(n)}),
    }[kind]
    start = time.process_time()
    assert len(given()) == n
    assert time.process_time() - start < 2.0
