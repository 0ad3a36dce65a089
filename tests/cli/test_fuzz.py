"""Hostile arguments for every command: an exit code that is promised, one line on stderr, and never a surprise."""

from __future__ import annotations

import json
import random
import shlex

import pytest
from tests import hostile
from typer.testing import CliRunner

from minleak._cli.app import main
from minleak._cli.reference import commands, example

COMMANDS = dict(commands())


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
        words = hostile.words(rng, name, COMMANDS[name], shlex.split(example(COMMANDS[name]))[1:])
        words = ["--json", *words] if at % 2 else words
        done = CliRunner().invoke(Application(), words, input=rng.choice(hostile.STDIN))
        assert done.exit_code in (0, 1, 2), (words, done.stderr)
        assert "unexpectedly" not in done.stderr, (words, done.stderr)
        assert "Traceback" not in done.stderr, (words, done.stderr)
        if done.exit_code and done.stderr:
            assert done.stderr.count("\n") == 1, (words, done.stderr)
        if done.exit_code == 0 and "--json" in words[:1]:
            json.loads(done.stdout)
