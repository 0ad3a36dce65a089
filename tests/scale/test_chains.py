"""A chain counted inside an engine is the one that is read into memory."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak import scale
from minleak.errors import InvalidPrior

ROWS = "subject,time,state\nb,10,x\na,9,x\na,10,y\nb,2,z\na,100,x\nb,11,y\nc,1,z\n"
DATED = "subject,time,state\nb,2026-07-02,x\na,2026-07-01,x\na,2026-07-03,y\nb,2026-07-01,z\n"


@pytest.mark.parametrize("text", [ROWS, DATED], ids=["numbers", "dates"])
def test_counts_are_those_of_memory(backend, text, tmp_path):
    """Times that are text are sorted as numbers or as dates."""
    path = tmp_path / "log.csv"
    path.write_text(text)
    inside = scale.chain(scale.read(path, engine=backend))
    read = ml.lab.sequences.read_chain(path)
    names = sorted(read.labels)
    assert list(inside.labels) == names
    for a in names:
        assert [inside.probability(a, b) for b in names] == [read.probability(a, b) for b in names]
        assert inside.initial.weights[inside.position(a)] == read.initial.weights[read.position(a)]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("subject,time,state\n", "no rows"),
        ("subject,time,state\na,1,x\n,2,y\n", "1 rows lack a subject, a time or a state"),
        ("subject,time,state\na,1,x\na,1,y\n", "two states at one time"),
        ("subject,time,state\na,soon,x\n", "neither"),
        ("who,time,state\na,1,x\n", "subject"),
    ],
)
def test_what_has_no_walks_is_refused(text, word, tmp_path, duckdb):
    """Without saying what is in the table."""
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(InvalidPrior, match=word):
        scale.chain(scale.read(path, engine=duckdb))


def test_integers_are_states_too(duckdb):
    """And tables of pandas do as well."""
    import pandas as pd

    log = pd.DataFrame({"subject": [1, 1, 2, 2], "time": [1.5, 2.5, 1.0, 2.0], "state": np.array([3, 4, 4, 3])})
    assert scale.chain(log).probability(3, 4) > 0.5
    with pytest.raises(InvalidPrior, match="cast"):
        scale.chain(log.assign(state=[0.5, 1.5, 0.5, 1.5]))
