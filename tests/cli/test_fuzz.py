"""Hostile arguments for every command: an exit code that is promised, one line on stderr, and never a surprise."""

from __future__ import annotations

import json
import random
import shlex

import pytest
from typer.testing import CliRunner

from minleak.cli._app import main
from minleak.cli._reference import commands, example

COMMANDS = dict(commands())
FILES = ["queries.csv", "queries.cloak", "queries.key", "diagnoses.csv", "test.csv", "pairs.csv", "files.csv"]
DIGITS = ["0", "1", "3", "-1", "0.5", "5%", "nan", "inf", "1e308", "1e-308", "-0.0", "²", "9" * 18, "9" * 5000, "1:3"]
STRANGE = [
    "",
    "-",
    "--",
    "secret",
    "count",
    "shannon",
    "[/b]",
    "\x1b[2J",
    "\udc80",
    "\ud800",
    "\0",
    "a\nb",
    "..",
    "no/x",
]
ENTROPIES = [f"{name}:{order}" for name in ("arimoto", "tsallis", "guess-error") for order in ("2", "nan", "9" * 400)]
MEANT = ["min-entropy=0.5", "shannon=-1", "duckdb", "x.csv", "x.html", "x.cloak", "circle", "json", "uniq", "lat,lon"]
WORDS = [*FILES, *DIGITS, *STRANGE, *ENTROPIES, *MEANT]
STDIN = [b"", b"query-1\n", b"secret,count\na,1\nb,2\n", b"\xff\x00"]
# Each would be minutes of honest work if it were asked for much of it.
MODEST = {"audit": ["--permutations", "9", "--alpha", "0.5", "--patience", "0"], "report": ["--trials", "50"]}


def words_for(rng: random.Random, name, command, example):
    """The example of a command, with some words and options of which each may be anything."""
    line = [*example, *MODEST.get(name, [])]
    for place in range(len(name.split()), len(line)):
        if rng.randrange(8) == 0:
            line[place] = rng.choice(WORDS)
    for parameter in command.params:
        if parameter.param_type_name == "option" and parameter.name != "help" and rng.randrange(6) == 0:
            line.append(max(parameter.opts, key=len))
            if not parameter.is_flag:
                line.append(rng.choice(WORDS))
    return line


class Application:
    """What CliRunner wants of an application: `main` of the command line itself, with its errors and exit codes."""

    name = "minleak"

    def main(self, args, **_):
        main(args)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_surprises(name, folder, monkeypatch):
    monkeypatch.setattr("typer.testing._get_command", lambda app: app)
    rng = random.Random(7)
    for at in range(4 if name == "report" else 15):
        words = words_for(rng, name, COMMANDS[name], shlex.split(example(COMMANDS[name]))[1:])
        words = ["--json", *words] if at % 2 else words
        done = CliRunner().invoke(Application(), words, input=rng.choice(STDIN))
        assert done.exit_code in (0, 1, 2), (words, done.stderr)
        assert "unexpectedly" not in done.stderr, (words, done.stderr)
        assert "Traceback" not in done.stderr, (words, done.stderr)
        if done.exit_code and done.stderr:
            assert done.stderr.count("\n") == 1, (words, done.stderr)
        if done.exit_code == 0 and "--json" in words[:1]:
            json.loads(done.stdout)
