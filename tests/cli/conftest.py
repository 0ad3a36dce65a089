"""A folder with the files that the commands' examples name, and a way to run a command in it."""

from __future__ import annotations

import io
import json
import sys

import pytest
from tests.cli.files import write_files

from minleak.cli._app import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files()
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
