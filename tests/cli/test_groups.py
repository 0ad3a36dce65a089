"""Groups at the command line: read from columns, kept by every set, and refused in one line where they do not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import minleak as ml
from minleak.cli._app import main

CITIES = [("Rome", 9, "IT", "EU"), ("Milan", 5, "IT", "EU"), ("Lyon", 4, "FR", "EU"), ("Nice", 3, "FR", "EU")]
CITIES += [("Lima", 8, "PE", "SA"), ("Cusco", 2, "PE", "SA"), ("Quito", 6, "EC", "SA")]


@pytest.fixture(autouse=True)
def cities(tmp_path, monkeypatch):
    """A table of cities with country and continent."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{city},{count},{country},{continent}\n" for city, count, country, continent in CITIES)
    Path("cities.csv").write_text(f"secret,count,country,continent\n{rows}")


def run(capsys, *words):
    """Exit code, what was printed, and what was said."""
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    out, err = capsys.readouterr()
    return ended.value.code, out, err


NESTED = ("--group", "continent", "--at-most", "2", "--group", "country", "--at-most", "1")


def test_nested_groups_from_columns(capsys):
    """From outside to inside; every set of the file keeps them, and it is certified."""
    code, out, _ = run(capsys, "design", "cities.csv", "-k", "4", *NESTED, "-o", "cities.cloak", "--json")
    assert code == 0
    assert "inside them" in json.loads(out)["groups"]
    for members, _ in ml.load("cities.cloak").sets():
        found = [row for row in CITIES if row[0] in members]
        assert len({row[2] for row in found}) == len(found)
        assert sum(row[3] == "EU" for row in found) <= 2
    assert run(capsys, "certify", "cities.cloak", "cities.csv")[0] == 0


def test_the_effective_k_is_said(capsys):
    """Four countries, at most one city of each."""
    code, out, err = run(capsys, "design", "cities.csv", "-k", "6", "--group", "country", "--at-most", "1")
    assert code == 0
    assert "k = 4" in err
    assert "in sets of 4" in out


def test_updates_take_the_groups_of_new_secrets(capsys):
    """From the columns beside the counts; without them the option is named."""
    run(capsys, "design", "cities.csv", "-k", "2", "--group", "country", "--at-most", "1", "-o", "cities.cloak")
    Path("new.csv").write_text(Path("cities.csv").read_text() + "Bern,3,CH,EU\nOslo,2,NO,EU\n")
    code, _, err = run(capsys, "update", "cities.cloak", "new.csv", "-o", "newer.cloak")
    assert code == 2
    assert "--group" in err
    words = ("update", "cities.cloak", "new.csv", "--group", "country", "--at-most", "1", "-o", "newer.cloak")
    assert run(capsys, *words)[0] == 0
    assert set(ml.Cloak("newer.cloak").draw_fresh("Oslo")) == {"Bern", "Oslo"}


def test_sweeps_know_the_caps(capsys):
    """The least k that meets the target under them."""
    words = ("sweep", "cities.csv", "--ks", "2,4", "--group", "country", "--at-most", "1", "--on-counts", "--json")
    code, out, _ = run(capsys, *words, "--max-success", "0.4")
    assert code == 0
    told = json.loads(out)
    assert told["least_k_success"] == 3
    assert told["sweep"]["success"][1] == pytest.approx(14 / 37)


BAD = {
    "an empty group": ("Oslo,2,,EU\n", ("--group", "country", "--at-most", "1"), "group"),
    "groups that cross": ("Oslo,2,IT,SA\n", NESTED, "lies in"),
}


@pytest.mark.parametrize(("row", "words", "word"), BAD.values(), ids=BAD)
def test_refused(capsys, row, words, word):
    """In one line, with exit code 2."""
    with Path("cities.csv").open("a") as file:
        file.write(row)
    code, _, err = run(capsys, "design", "cities.csv", "-k", "3", *words)
    assert code == 2
    assert word in err
    assert len(err.strip().splitlines()) == 1
