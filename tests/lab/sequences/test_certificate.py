"""certify(tracks, step=): holds for what is drawn, and fails for whatever is changed in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter, UnknownSecret
from minleak.lab.sequences import _tracks as at_work
from minleak.lab.sequences._certificate import certify_step

COUNTS = np.eye(12, k=1, dtype=int) * 2 + np.eye(12, k=-11, dtype=int) + np.eye(12, dtype=int)
CHAIN = ml.lab.sequences.Chain([1] * 12, COUNTS, backoff=4)


@pytest.fixture
def draws(monkeypatch):
    """What was traced of a step."""
    kept = []
    monkeypatch.setattr(at_work, "certify_step", lambda chain, found: kept.extend(found) or certify_step(chain, found))
    assert ml.certify(ml.lab.sequences.Tracks(CHAIN, 3), step=(0, 4, 5)).ok
    return kept


def test_a_step_is_certify_step():
    """On the grid, with shared states, by the clock and in a higher order."""
    found = ml.certify(ml.lab.sequences.Tracks(CHAIN, 3), step=(0, 4, 4))
    assert found
    assert found.exact
    assert found.gaps["row on the grid"] == 0
    heavy = ml.lab.sequences.Chain([9, 1], [[9, 1], [5, 5]])
    assert ml.certify(ml.lab.sequences.Tracks(heavy, 2), step=(0, 0)).gaps[
        "tracks that must share a state"
    ] == pytest.approx(0.8)
    clock = ml.lab.sequences.Chain.from_sequences([[(0, "a"), (1, "b"), (0, "c"), (1, "a")]], clock=2)
    assert ml.certify(ml.lab.sequences.Tracks(clock, 2), step=((0, "a"), (0, "c")))
    order = ml.lab.sequences.Chain.from_sequences([list("abcab"), list("bab")], order=2)
    assert ml.certify(ml.lab.sequences.Tracks(order, 2), step=(("a", "b"), ("b", "a")))


def test_every_change_is_found(draws):
    """A row that is not the chain's, a heavy state left elsewhere, a bin too full, a wrong move, a wrong end."""
    one = next(draw for draw in draws if len(draw.moves) > 1 and len(draw.states) > 2)
    others = [draw for draw in draws if draw is not one]

    def failed(**changed):
        broken = certify_step(CHAIN, [replace(one, **changed), *others])  # what is said of the rows, of the first
        assert not broken.ok
        return [check.what for check in broken.checks if not check.ok]

    shifted = one.matrix.copy()
    shifted[0, 0] += 1
    shifted[1, 0] -= 1
    assert any("rows" in what for what in failed(matrix=shifted))
    assert any("put together" in what for what in failed(begin=np.array([0])))
    for column, by in ((2, 1), (3, 1), (4, 1)):
        moves = one.moves.copy()
        moves[0, column] += by
        assert any("means" in what for what in failed(moves=moves))
    twice = one.moves.copy()
    twice[0, 7] = twice[0, 6]
    assert any("means" in what for what in failed(moves=twice))
    turned = one.moves.copy()
    turned[-1, 5] ^= 1
    assert any("ends" in what or "means" in what for what in failed(moves=turned))
    assert any("ends" in what for what in failed(moves=one.moves[:-1]))
    assert any("different" in what for what in failed(after=(one.after[0],) * 3))
    assert any("different" in what for what in failed(after=(int(one.states[0]),) * 3))
    assert any("columns" in what for what in failed(states=one.states[:-1]))
    heavy = ml.lab.sequences.Chain([1] * 12, COUNTS, backoff=4, marginal=[1] * 11 + [99])
    assert any("heavy" in check.what for check in certify_step(heavy, draws).checks if not check.ok)


def test_what_is_no_step_is_refused():
    """A wrong number of states, unknown ones, no step, a step of a plan."""
    tracks = ml.lab.sequences.Tracks(CHAIN, 3)
    with pytest.raises(InvalidParameter, match="3 states"):
        ml.certify(tracks, step=(0, 1))
    with pytest.raises(UnknownSecret):
        ml.certify(tracks, step=(0, 1, "x"))
    with pytest.raises(InvalidParameter, match="step"):
        ml.certify(tracks)
    with pytest.raises(InvalidParameter, match="step"):
        ml.certify(ml.design([2, 1], 2), [2, 1], step=(0, 1))
    assert ml.certify(ml.design([2, 1], 2))  # a plan needs neither a step nor its prior
