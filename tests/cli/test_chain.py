"""minleak chain: a walk kept between calls, the truth beside the claim, engines and orders."""

from __future__ import annotations

import json
import os

import pytest

import minleak as ml
from minleak.cli import _chain as chains


def draw(*more):
    return ["chain", "draw", "visits.chain", "-k", "3", "--key", "queries.key", "--scope", "ann", *more]


def test_a_walk_goes_on_between_calls(run, typed, folder):
    """Two calls with --walk show what one call shows, and what Python shows."""
    typed(b"query-1\nquery-2\nquery-3\n")
    code, whole, err = run(*draw())
    assert code == 0, err
    parts = []
    for given in (b"query-1\nquery-2\n", b"query-3\n"):
        typed(given)
        parts.append(run(*draw("--walk", "ann.walk"))[1])
    assert "".join(parts) == whole
    typed(b"query-1\n")
    code, out, err = run(*["bob" if part == "ann" else part for part in draw("--walk", "ann.walk")])
    assert (code, out) == (2, "")
    assert "another scope" in err
    chain = ml.lab.sequences.Chain.load("visits.chain")
    tracks = ml.lab.sequences.Tracks(chain, 3, key="queries.key")
    shown = tracks.draw(["query-1", "query-2", "query-3"], scope="ann")
    assert [tuple(line.split("\t")) for line in whole.splitlines()] == shown


def test_a_walk_is_kept_for_its_owner_alone(run, typed, folder):
    """Whatever the umask allows, and whatever the file was."""
    before = os.umask(0o022)
    try:
        for state in (b"query-1\n", b"query-2\n"):
            typed(state)
            assert run(*draw("--walk", "ann.walk"))[0] == 0
            assert (folder / "ann.walk").stat().st_mode & 0o777 == 0o600
            (folder / "ann.walk").chmod(0o644)
    finally:
        os.umask(before)


def test_of_two_moves_of_one_walk_at_once_the_second_is_refused(run, typed, folder, monkeypatch):
    """Nothing is shown for it, so that what everybody sees is one walk."""
    typed(b"query-1\n")
    run(*draw("--walk", "ann.walk"))
    writing = chains.write_whole

    def meanwhile(path, data, **how):
        (folder / path).write_text("moved on")
        writing(path, data, **how)

    monkeypatch.setattr(chains, "write_whole", meanwhile)
    typed(b"query-2\n")
    code, out, err = run(*draw("--walk", "ann.walk"))
    assert (code, out) == (1, "")
    assert "another process has written it since it was read" in err
    assert (folder / "ann.walk").read_text() == "moved on"


def test_states_are_checked_before_anything_is_shown(run, typed, folder):
    """An unknown one is named by its line; nothing is printed, nothing kept."""
    for given, word in ((b"query-1\nhidden-thing\n", "line 2"), (b"", "stdin is empty")):
        typed(given)
        code, out, err = run(*draw("--walk", "ann.walk"))
        assert (code, out) == (2, "")
        assert word in err
        assert "hidden" not in err
    assert not (folder / "ann.walk").exists()
    (folder / "ann.walk").write_text("{}")
    typed(b"query-1\n")
    code, _, err = run(*draw("--walk", "ann.walk"))
    assert code == 2
    assert "no walk" in err


def test_the_truth_stands_beside_the_claim(asked, folder):
    """As a log and as another chain; with a report and a chart."""
    more = ["-k", "2", "--steps", "4", "--trials", "10", "--report", "w.html", "--chart", "w.svg"]
    for truth in ("visits.csv", "visits.chain"):
        said = asked("chain", "leakage", "visits.chain", "--truth", truth, *more)
        assert len(said["expected"]["rows"]) == len(said["truth"]["rows"]) == 5
        assert said["truth"]["rows"][0]["evidence"] is not None
        assert len(said["expected"]["rows"][0]["filtered"]["values"]) == 4
    assert (folder / "w.html").stat().st_size > 10**5
    assert (folder / "w.svg").exists()


def test_orders_hours_and_engines(asked, run, typed, folder):
    """States of several parts are written with slashes; DuckDB counts the same."""
    plain = asked("chain", "fit", "visits.csv")
    assert asked("chain", "fit", "visits.csv", "--engine", "duckdb") == pytest.approx(plain)
    assert asked("chain", "fit", "visits.csv", "--order", "2", "-o", "visits.chain")["order"] == 2
    steps = ["-k", "2", "--steps", "3", "--trials", "9", "--truth", "visits.csv"]
    assert asked("chain", "leakage", "visits.chain", *steps)["truth"]["rows"][0]["trials"] == 9
    pair = next(iter(ml.lab.sequences.Chain.load("visits.chain").labels))
    typed("/".join(pair).encode() + b"\n")
    code, out, err = run(*draw())
    assert code == 0, err
    assert "/".join(pair) in out.strip().split("\t")
    assert asked("chain", "fit", "visits.csv", "--clock", "24", "-o", "visits.chain")["clock"] == 24
    hour, place = ml.lab.sequences.Chain.load("visits.chain").labels[0]
    typed(f"{hour}/{place}\n".encode())
    code, out, _ = run(*draw("--json"))
    assert [hour, place] in json.loads(out)["steps"][0]
