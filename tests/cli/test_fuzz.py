"""Hostile arguments for every command: an exit code that is promised, one line on stderr, and never a surprise."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from minleak._cli.app import main
from minleak._cli.reference import commands, example

COMMANDS = dict(commands())
FILES = ["queries.csv", "queries.cloak", "queries.key", "diagnoses.csv", "test.csv", "pairs.csv", "files.csv"]
NUMBERS = ["0", "1", "3", "-1", "0.5", "5%", "nan", "inf", "1e308", "1e-308", "-0.0", "²", "9" * 18, "9" * 5000, "1:3"]
WORDS = ["", "-", "--", "secret", "count", "shannon", "[/b]", "\x1b[2J", "\udc80", "\ud800", "\0", "a\nb", "..", "no/x"]
ENTROPIES = [f"{name}:{order}" for name in ("arimoto", "tsallis", "guess-error") for order in ("2", "nan", "9" * 400)]
OTHERS = ["min-entropy=0.5", "shannon=-1", "duckdb", "x.csv", "x.html", "x.cloak", "circle", "json", "uniq", "lat,lon"]
VALUES = st.sampled_from([*FILES, *NUMBERS, *WORDS, *ENTROPIES, *OTHERS]) | st.text(max_size=5)
# Each would be minutes of honest work if it were asked for much of it.
BOUNDS = {"audit": ["--resamples", "3", "--permutations", "9", "--alpha", "0.5"], "report": ["--trials", "50"]}


class Application:
    """What CliRunner wants of an application: `main` of the command line itself, with its errors and exit codes."""

    name = "minleak"

    def main(self, args, **_):
        main(args)


@st.composite
def calls(draw, name):
    """The example of a command, with some words and options of which each may be anything."""
    words = [*shlex.split(example(COMMANDS[name]))[1:], *BOUNDS.get(name, [])]
    for place in range(len(name.split()), len(words)):
        if draw(st.integers(0, 7)) == 0:
            words[place] = draw(VALUES)
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "option" and parameter.name != "help" and draw(st.integers(0, 5)) == 0:
            words.append(max(parameter.opts, key=len))
            if not parameter.is_flag:
                words.append(draw(VALUES))
    return words


@pytest.mark.parametrize("name", COMMANDS)
def test_no_surprises(name, folder, monkeypatch):
    monkeypatch.setattr("typer.testing._get_command", lambda app: app)

    @settings(
        max_examples=5 if name == "report" else 40,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(calls(name), st.sampled_from([b"", b"query-1\n", b"secret,count\na,1\nb,2\n", b"\xff\x00"]))
    def check(words, stdin):
        done = CliRunner().invoke(Application(), words, input=stdin)
        assert done.exit_code in (0, 1, 2), (words, done.stderr)
        assert "unexpectedly" not in done.stderr, (words, done.stderr)
        assert "Traceback" not in done.stderr, (words, done.stderr)
        if done.exit_code and done.stderr:
            assert done.stderr.count("\n") == 1, (words, done.stderr)
        if done.exit_code == 0 and "--json" in words and "--" not in words:
            json.loads(done.stdout)

    check()
