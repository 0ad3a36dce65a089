"""A walk over all commands: each has help, documentation, an example that runs, and refuses bad input in one line."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import minleak as ml
from minleak.cli._reference import commands, example, markdown
from minleak.results import fields_of

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS = dict(commands())
# A parameter as Python says it, such as columns=, or a call.
IN_PYTHON = re.compile(r"(?<![\w,-])[a-z_]+=|\w\(")

# For each command, arguments that are wrong, and a word that the one line must hold.
BAD = {
    "design": [
        (["design", "missing.csv", "-k", "3"], "missing.csv"),
        (["design", "queries.csv", "-k", "0"], "k"),
        (["design", "queries.csv", "-k", "three"], "-k"),
        (["design", "queries.csv"], "-k"),
        (["design", "queries.csv", "-k", "3", "--layout", "square"], "layout"),
        (["design", "queries.csv", "-k", "3", "--weight", "price"], "price"),
        (["design", "queries.csv", "-k", "3", "-o", "no/such/folder/x.cloak"], "x.cloak"),
        (["design", "queries.csv", "-k", "3", "--near", "lat,lon"], "no column 'lat'"),
        (["design", "queries.csv", "-k", "3", "--near", "secret"], "is not a number"),
        (["design", "queries.csv", "-k", "3", "--near", "miles:count"], "miles"),
        (["design", "queries.csv", "-k", "3", "--stability", "0.5"], "--near"),
        (["design", "queries.csv", "-k", "3", "--near", "lon,lat"], "latitude first (--near lat,lon)"),
        (["design", "queries.csv", "-k", "3", "--near", "Lng,Latitude,height"], "--near euclidean:"),
        (["design", "queries.csv", "-k", "3", "--near", "count", "--layout", "circle"], "layout"),
        (["design", "queries.csv", "-k", "3", "--engine", "abacus"], "abacus"),
        (["design", "queries.csv", "-k", "3", "--engine", "duckdb", "--layout", "blocks"], "in memory"),
        (["design", "queries.csv", "-k", "3", "--engine", "duckdb", "--weight", "price"], "price"),
        (["design", "queries.csv", "-k", "3", "--engine", "duckdb,table=t"], "table"),
        (["design", "queries.csv", "-k", "3", "--engine", "duckdb", "-o", "no/such/folder/x"], "no/such/folder"),
        (["design", "queries.csv", "-k", "3", "--engine", "duckdb,memory=much"], "1GB"),
        (["design", "-", "-k", "3", "--engine", "duckdb,table=t"], "stdin"),
        (["design", "queries.csv", "-k", "3", "--engine", "duckdb", "--near", "lat,lon"], "--near"),
        (["design", "queries.csv", "-k", "3", "--engine", "duckdb,colour=red"], "--engine"),
        (["design", "queries.csv", "-k", "3", "--on-counts"], "--max-success"),
        (["design", "queries.csv", "-k", "3", "--group", "count"], "--at-most"),
        (["design", "queries.csv", "-k", "3", "--at-most", "2"], "--group"),
        (["design", "queries.csv", "-k", "3", "--group", "count", "--at-most", "0"], "--at-most"),
        (["design", "queries.csv", "-k", "3", "--group", "country", "--at-most", "2"], "no column 'country'"),
        (["design", "queries.csv", "-k", "3", "--group", "count", "--at-most", "2", "--engine", "duckdb"], "in memory"),
        (["design", "queries.csv", "-k", "3", "--policy", "min=8"], "--unknown"),
        (
            ["design", "passwords.csv", "-k", "3", "--unknown", "m", "--policy", "vowel"],
            "--policy is a list of classes",
        ),
        (
            ["design", "passwords.csv", "-k", "3", "--unknown", "m", "--policy", "matching=(a)\\1"],
            "more than a regular language",
        ),
        (["design", "passwords.csv", "-k", "3", "--unknown", "m", "--policy", "min=-1"], "--policy"),
        (["design", "passwords.csv", "-k", "3", "--unknown", "m", "--policy", "min=x"], "whole number"),
        (["design", "queries.csv", "--max-success", "30%", "--gains", "count"], "give -k"),
    ],
    "audit": [
        (["audit", "missing.csv"], "missing.csv"),
        (["audit", "events.csv"], "secret"),
        (["audit", "events.csv", "--secret", "query", "--observable", "size", "--alpha", "0.00001"], "permutations"),
        (["audit", "events.csv", "--secret", "query", "--observable", "size", "--engine", "abacus"], "abacus"),
        (["audit", "events.csv", "--secret", "query", "--observable", "size", "-e", "nonsense"], "nonsense"),
        (
            ["audit", "events.csv", "--secret", "query", "--observable", "size", "--attack", "magic"],
            "--attack is histogram",
        ),
        (["audit", "events.csv", "--secret", "query", "--observable", "size", "--blocks", "hour"], "hour"),
        (["audit", "events.csv", "--secret", "query", "--observable", "size", "--blocks", "0"], "--blocks is how many"),
        (["audit", "events.csv", "--secret", "query", "--observable", "size", "--enough", "0"], "--enough is between"),
        (
            ["audit", "events.csv", "--secret", "query", "--observable", "size", "--engine", "duckdb", "--blocks", "5"],
            "give --blocks a column",
        ),
        (["audit", "events.csv", "--secret", "query", "--observable", "size", "--chart", "x.gif"], ".png"),
        (["audit", "events.csv", "--secret", "size", "--observable", "query", "--numeric"], "--numeric"),
    ],
    "optimise": [
        (["optimise", "-", "-"], "both PRIOR and PAIRS"),
        (["optimise", "diagnoses.csv", "missing.csv"], "missing.csv"),
        (["optimise", "diagnoses.csv", "test.csv", "--budget", "1"], "cost"),
        (["optimise", "queries.csv", "pairs.csv"], "not among the inputs"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--budget", "-1"], "least expected cost"),
        (["optimise", "diagnoses.csv", "pairs.csv", "-e", "hartley"], "order"),
        (["optimise", "diagnoses.csv", "pairs.csv", "-o", "channel.xls"], ".parquet"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--chart", "x.png"], "--tradeoff"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--tradeoff", "5", "--chart", "x.gif"], ".png"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--tradeoff", "5", "--budget", "1"], "--budget"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--tradeoff", "1"], "--tradeoff"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--tradeoff", "5", "--d-privacy", "1"], "--d-privacy"),
        (
            ["optimise", "diagnoses.csv", "pairs.csv", "--tradeoff", "5", "-e", "shannon", "-e", "guesswork"],
            "takes one --entropy",
        ),
        (["optimise", "diagnoses.csv", "pairs.csv", "--budget", "1", "--max-leakage", "1"], "not both"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--places", "count"], "needs --d-privacy"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--delta", "0.1"], "needs --d-privacy"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--d-privacy", "1", "--places", "nosuch"], "with --places"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--d-privacy", "1", "--places", "count,count"], "each once"),
    ],
    "pad": [
        (["pad", "missing.csv", "--budget", "10%"], "missing.csv"),
        (["pad", "files.csv"], "--budget"),
        (["pad", "files.csv", "--budget", "ten"], "budget"),
        (["pad", "files.csv", "--budget", "nan"], "budget"),
        (["pad", "files.csv", "--budget", "1", "--floor", "20"], "floor"),
        (["pad", "files.csv", "--budget", "1", "--size", "bytes"], "bytes"),
        (["pad", "files.csv", "--budget", "1", "--weight", "count", "-e", "guesswork"], "guesswork"),
        (["pad", "files.csv", "--budget", "1", "-o", "x.txt"], ".csv"),
        (["pad", "files.csv", "--frames", "-o", "x.csv"], ".json"),
        (["pad", "files.csv", "--frames"], "'stream'"),
        (["pad", "files.csv", "--budget", "1", "--chart", "x.gif"], ".png"),
    ],
    "update": [
        (["update", "queries.cloak", "missing.csv", "-o", "x.cloak"], "missing.csv"),
        (["update", "queries.cloak", "tomorrow.csv"], "-o"),
        (["update", "queries.cloak", "diagnoses.csv", "-o", "x.cloak"], "none of the plan's labels"),
        (["update", "queries.csv", "tomorrow.csv", "-o", "x.cloak"], ".cloak"),
        (["update", "queries.cloak", "tomorrow.csv", "-o", "no/such/folder/x.cloak"], "x.cloak"),
        (["update", "queries.cloak", "tomorrow.csv", "-o", "x.cloak", "--cohort", "weekly"], "whole number"),
        (["update", "queries.cloak", "tomorrow.csv", "-o", "x.cloak", "--cohort", "0"], "cohort"),
        (["update", "queries.cloak", "tomorrow.csv", "-o", "x.cloak", "--dry-run"], "--dry-run"),
        (["update", "-", "-", "-o", "x.cloak"], "stdin"),
        (["update", "channel.cloak", "tomorrow.csv", "-o", "x.cloak"], "make it anew"),
    ],
    "show": [
        (["show", "queries.csv"], ".cloak"),
        (["show", "queries.cloak", "-e", "nonsense"], "nonsense"),
        (["show", "queries.cloak", "--property", "kind"], "PRIOR"),
        (["show", "queries.cloak", "kinds.csv"], "--property"),
        (["show", "queries.cloak", "kinds.csv", "--property", "colour"], "no column 'colour'"),
        (["show", "queries.cloak", "diagnoses.csv", "--property", "count"], "no property for 40 of the 40 secrets"),
        (
            ["show", "queries.cloak", "events.csv", "--secret", "query", "--property", "size"],
            "second, different property",
        ),
    ],
    "sweep": [
        (["sweep", "queries.csv", "--ks", "a"], "whole numbers"),
        (["sweep", "queries.csv", "--max-leakage", "much"], "--max-leakage"),
        (["sweep", "queries.csv", "--events", "some"], "whole number"),
        (["sweep", "queries.csv", "--max-success", "0.0001"], "blind guess"),
        (["sweep", "queries.csv", "--chart", "x.gif"], ".png"),
    ],
    "measure": [
        (["measure", "-", "-"], "both PRIOR and CHANNEL"),
        (["measure", "diagnoses.csv", "diagnoses.csv"], "observable"),
        (["measure", "queries.csv", "test.csv"], "test.csv"),
        (["measure", "test.csv"], "PRIOR and CHANNEL"),
        (["measure", "diagnoses.csv", "test.csv", "--capacity"], "only CHANNEL"),
        (["measure", "test.csv", "--capacity", "-e", "arimoto:-1"], "alpha"),
        (["measure", "test.csv", "--capacity", "-e", "shannon", "-e", "guesswork"], "one --entropy"),
        (["measure", "test.csv", "--capacity", "--against", "test.csv"], "not both"),
        (["measure", "-", "--against", "-"], "both CHANNEL and --against"),
        (["measure", "test.csv", "--against", "diagnoses.csv"], "observable"),
    ],
    "compare": [
        (["compare", "missing.csv", "--by", "bucket"], "missing.csv"),
        (["compare", "queries.csv", "--by", "bucket"], "no column 'bucket'"),
        (["compare", "queries.csv"], "--by"),
        (["compare", "queries.csv", "--by", "count", "--prefix", "3"], "--by"),
        (["compare", "queries.csv", "--prefix", "sha256:63"], "at most 62 bits"),
        (["compare", "queries.csv", "--prefix", "sha99:8"], "sha256"),
        (["compare", "queries.csv", "--prefix", "sha256:0"], "sha256:8"),
        (["compare", "queries.csv", "--prefix", "sha256:"], "sha256:8"),
        (["compare", "queries.csv", "--prefix", "-1"], "sha256:8"),
        (["compare", "queries.csv", "--prefix", "1.5"], "sha256:8"),
        (["compare", "queries.csv", "--prefix", "3", "--compare-with", "queries.cloak"], "got a plan"),
    ],
    "selector": [
        (["selector", "queries.csv"], "-o"),
        (["selector", "queries.csv", "-o", "names.bin"], ".selector"),
        (["selector", "queries.csv", "-o", "names.selector", "-k", "0"], "k is a whole number"),
        (["selector", "queries.csv", "-k", "5", "--prefix", "3", "-o", "names.selector"], "of a hash"),
        (["selector", "queries.csv", "-k", "5", "--listed", "41", "-o", "names.selector"], "from 5 to 40"),
        (["selector", "queries.csv", "-k", "5", "--max-size", "many", "-o", "names.selector"], "100kB"),
        (["selector", "queries.csv", "-k", "5", "--max-size", "80", "-o", "names.selector"], "must hold a block"),
        (["selector", "queries.csv", "-k", "5", "--since", "queries.csv", "-o", "names.selector"], "--after"),
        (["selector", "queries.csv", "--after", "queries.cloak", "-o", "names.selector"], "got a plan"),
        (["selector", "queries.csv", "--after", "queries.csv", "-o", "names.selector"], ".cloak"),
    ],
    "export": [
        (["export", "queries.csv", "-o", "table.csv"], ".cloak"),
        (["export", "queries.cloak", "-o", "table.xls"], ".csv, .parquet, .json, .sqlite"),
        (["export", "queries.cloak"], "-o"),
        (["export", "queries.cloak", "queries.csv", "-o", "table.csv"], "for a selector"),
        (["export", "channel.cloak", "-o", "table.csv"], "draw from its .cloak file"),
    ],
    "draw": [
        (["draw", "queries.cloak", "hidden-thing", "--fresh"], "does not know"),
        (["draw", "queries.cloak", "query-1"], "--fresh"),
        (["draw", "queries.cloak", "query-1", "--fresh", "--key", "queries.key"], "or --fresh"),
        (["draw", "queries.cloak", "query-1", "--fresh", "--scope", "a"], "or --fresh"),
        (["draw", "queries.cloak", "query-1", "--key", "queries.csv", "--scope", "a"], "queries.csv"),
        (["draw", "queries.cloak", "query-1", "--key", "queries.key", "--scope", ""], "scope is empty"),
        (["draw", "-", "-", "--fresh"], "give one of them as a file"),
    ],
    "serve": [
        (["serve"], "PLAN"),
        (["serve", "missing.cloak", "--key", "queries.key", "--check"], "missing.cloak"),
        (["serve", "queries.csv", "--key", "queries.key", "--check"], ".cloak"),
        (["serve", "queries.cloak", "--check"], "need a key: give --key"),
        (["serve", "queries.cloak", "queries.cloak", "--key", "queries.key", "--check"], "one lineage"),
        (["serve", "queries.cloak", "--key", "queries.csv"], "queries.csv"),
        (["serve", "queries.cloak", "--key", "queries.key", "--host", "0.0.0.0"], "give --token, --tls-cert"),
        (["serve", "queries.cloak", "--key", "queries.key", "--host", "::1", "--socket", "s"], "either --socket"),
        (["serve", "queries.cloak", "--key", "queries.key", "--port", "70000"], "--port"),
        (["serve", "queries.cloak", "--key", "queries.key", "--every", "5"], "--every"),
        (["serve", "queries.cloak", "--key", "queries.key", "--token", "queries.csv"], "token"),
        (["serve", "queries.cloak", "--key", "queries.key", "--tls-cert", "queries.csv"], "--tls-key"),
        (["serve", "queries.cloak", "--key", "queries.key", "--workers", "0"], "--workers"),
        (["serve", "queries.cloak", "--key", "queries.key", "--chain", "queries.csv"], "chain"),
        (["serve", "queries.cloak", "--key", "queries.key", "--padding", "queries.csv"], "padded"),
    ],
    "chain fit": [
        (["chain", "fit", "missing.csv"], "missing.csv"),
        (["chain", "fit", "queries.csv"], "subject"),
        (["chain", "fit", "visits.csv", "--columns", "subject,time"], "--columns"),
        (["chain", "fit", "visits.csv", "--order", "0"], "--order"),
        (["chain", "fit", "visits.csv", "--engine", "duckdb", "--order", "2"], "--engine"),
        (["chain", "fit", "visits.csv", "--engine", "abacus"], "abacus"),
    ],
    "chain leakage": [
        (["chain", "leakage", "visits.csv", "-k", "3"], "chain"),
        (["chain", "leakage", "visits.chain"], "-k"),
        (["chain", "leakage", "visits.chain", "-k", "0"], "k"),
        (["chain", "leakage", "visits.chain", "-k", "3", "--steps", "0"], "--steps"),
        (["chain", "leakage", "visits.chain", "-k", "3", "--truth", "visits.csv", "--steps", "99"], "two are needed"),
        (["chain", "leakage", "visits.chain", "-k", "3", "--report", "x.png"], ".html"),
        (["chain", "leakage", "visits.chain", "-k", "3", "--chart", "x.gif"], ".png"),
    ],
    "chain draw": [
        (["chain", "draw", "visits.chain", "-k", "3", "--scope", "a"], "--key"),
        (["chain", "draw", "visits.chain", "-k", "3", "--key", "queries.csv", "--scope", "a"], "queries.csv"),
        (["chain", "draw", "-", "-k", "3", "--key", "queries.key", "--scope", "a"], "stdin"),
    ],
    "key new": [(["key", "new", "queries.key"], "exists")],
    "keygen": [(["keygen", "queries.key"], "exists")],
    "certify": [
        (["certify", "queries.key"], ".cloak"),
        (["certify", "queries.cloak", "missing.csv"], "missing.csv"),
        (["certify", "queries.cloak", "--gains", "count"], "give PRIOR too"),
    ],
    "report": [
        (["report", "queries.csv", "-o", "r.html"], ".cloak"),
        (["report", "queries.cloak", "-o", "r.html", "--charts", "gif"], "gif"),
        (["report", "-", "-o", "r.html", "--held-out", "-"], "both CLOAK and --held-out"),
        (["report", "queries.cloak", "-o", "r.html", "--held-out", "queries.csv"], "--unknown"),
        (
            ["report", "queries.cloak", "-o", "r.html", "--held-out", "queries.key"],
            "queries.key from its ending: name it .csv",
        ),
        (["report", "queries.cloak", "-o", "r.html", "--held-out", "queries.csv", "--weight", "n"], "--weight"),
        (["report", "queries.cloak", "-o", "r.html", "--secret", "query"], "--held-out"),
    ],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_has_help_and_documentation(name, run):
    """`--help` and `-h` work and say something of every parameter; docs/cli.md has its section."""
    code, out, _ = run(*name.split(), "--help")
    assert code == 0
    assert run(*name.split(), "-h") == (0, out, "")
    assert "Usage" in out
    assert COMMANDS[name].help
    for parameter in COMMANDS[name].params:
        assert parameter.help, f"{name}: {parameter.name} has no help"
    for found in COMMANDS[name].callback.results():
        assert not found.__module__.startswith("minleak.cli") or all(text for _, _, text in fields_of(found)), found
    assert f"## minleak {name}\n" in (DOCS / "cli.md").read_text()


def test_the_documentation_is_the_help():
    """docs/cli.md is what `python -m minleak.cli._reference` prints."""
    assert (DOCS / "cli.md").read_text() == markdown()


@pytest.mark.parametrize("name", COMMANDS)
def test_example_runs(name, run, typed, folder):
    """The example in the help runs, and prints JSON when asked to."""
    words = shlex.split(example(COMMANDS[name]))
    assert words[:1] == ["minleak"], f"{name} has no example"
    if name in ("key new", "keygen"):
        (folder / "queries.key").unlink()
    typed(b"query-2\n")
    code, out, err = run(*words[1:], "--json")
    assert code == 0, err
    said = json.loads(out)
    assert (said["schema"], said["command"]) == ("minleak/1", name)
    told = {
        field
        for found in COMMANDS[name].callback.results()
        if found is not type(None)
        for field, *_ in fields_of(found)
    }
    assert said.keys() <= told | {"schema", "command", "files", "notes"}, "a field that docs/cli.md does not name"


@pytest.mark.parametrize("name", COMMANDS)
def test_bad_input_is_one_line_and_exit_code_2(name, run):
    """What was wrong, on one line of stderr, and no traceback."""
    assert BAD.get(name), f"{name} has no bad-input test"
    for arguments, word in BAD[name]:
        code, out, err = run(*arguments)
        assert code == 2, (arguments, out, err)
        assert err.startswith("minleak: ")
        assert err.count("\n") == 1
        assert word in err
        assert "Traceback" not in err
        assert "hidden-thing" not in err
        assert not IN_PYTHON.search(err), err


def test_nobody_is_tested_who_is_gone():
    """The table of bad input names only commands that exist."""
    assert set(BAD) == set(COMMANDS)


def test_failures_leave_no_file(run, folder):
    """A command that is refused writes nothing."""
    before = {path.name for path in folder.iterdir()}
    run("design", "queries.csv", "-k", "0", "-o", "x.cloak")
    run("report", "queries.csv", "-o", "x.html")
    run("sweep", "queries.csv", "--chart", "x.gif")
    assert {path.name for path in folder.iterdir()} == before


def test_unexpected_failures_are_one_line(run, monkeypatch):
    """A bug is exit code 1 and one line without the values at hand."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("query-1")

    monkeypatch.setattr(ml, "design", broken)
    code, _, err = run("design", "queries.csv", "-k", "2")
    assert code == 1
    assert err.count("\n") == 1
    assert "query-1" not in err


@pytest.fixture
def interruptible():
    """Children heed SIGINT even where whoever started the tests ignores it, as a shell does for a background job."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a signal with a handler is reset in a child
    yield
    signal.signal(signal.SIGINT, before)


def test_the_command_itself_and_ctrl_c(folder, interruptible):
    """The command runs; interrupted while it reads stdin it exits 130 with one line and leaves no file."""
    command = [sys.executable, "-m", "minleak.cli._app"]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("minleak ")
    with subprocess.Popen(
        [*command, "design", "-", "-k", "2", "-o", "x.cloak"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as reading:
        reading.stdin.write("secret,count\n" + "a,1\n" * 50_000)  # more than a pipe holds: some of it was read
        reading.send_signal(signal.SIGINT)
        _, err = reading.communicate(timeout=30)
    assert reading.returncode == 130
    assert err.strip().splitlines()[-1].startswith("minleak: interrupted")
    assert not (folder / "x.cloak").exists()
