"""A folder with the files that the commands' examples name, and a way to run a command in it."""

from __future__ import annotations

import io
import json
import sys

import pytest

import minleak as ml
from minleak._cli.app import main

QUERIES = {f"query-{i}": 1000 // i for i in range(1, 41)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prior = ml.Prior.from_counts(QUERIES)
    (tmp_path / "queries.csv").write_text("secret,count\n" + "".join(f"{s},{c}\n" for s, c in QUERIES.items()))
    ml.design(prior, k=10).save("queries.cloak")
    ml.Key(bytes(range(32))).save("queries.key")
    (tmp_path / "diagnoses.csv").write_text("secret,count\nflu,5\ncold,3\ngout,2\n")
    rows = ["flu,yes,0.9", "flu,no,0.1", "cold,yes,0.9", "cold,no,0.1", "gout,yes,0.2", "gout,no,0.8"]
    (tmp_path / "test.csv").write_text("\n".join(["secret,observable,probability", *rows]) + "\n")
    pairs = ["flu,hot,0", "flu,mild,1", "cold,hot,1", "cold,mild,0", "cold,none,1", "gout,mild,1", "gout,none,0"]
    (tmp_path / "pairs.csv").write_text("\n".join(["secret,observable,cost", *pairs]) + "\n")
    sizes = [f"query-{i % 5},{(i % 5) // 2 + (i % 7 == 0)}" for i in range(200)]
    (tmp_path / "events.csv").write_text("\n".join(["query,size", *sizes]) + "\n")
    files = "".join(f"file-{i},{100 * i + i % 7},{1000 // i}\n" for i in range(1, 41))
    (tmp_path / "files.csv").write_text(f"secret,size,count\n{files}")
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    """run("show", "queries.cloak") -> (exit code, stdout, stderr)."""

    def call(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        seen = capsys.readouterr()
        return ended.value.code, seen.out, seen.err

    return call


@pytest.fixture
def typed(monkeypatch):
    """typed(b"...") is what stdin holds."""
    return lambda data: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.fixture
def asked(run):
    """The JSON that a command prints."""

    def call(*arguments):
        code, out, err = run(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    return call
