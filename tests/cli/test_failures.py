"""How failures are told: exit codes, flags instead of parameters, JSON, and never a word that may be a secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import typer

import minleak as ml
from minleak.cli._failures import in_flags, tell
from minleak.cli._output import progressing, working

COMMAND = [sys.executable, "-m", "minleak.cli._app"]


def one_line(err):
    assert err.startswith("minleak: ")
    assert err.count("\n") == 1
    assert "unexpectedly" not in err
    return err


@pytest.mark.parametrize(
    "arguments",
    [
        ["draw", "queries.cloak", "my", "hidden", "words", "--fresh"],
        ["draw", "queries.cloak", "--hidden", "--fresh"],
        ["draw", "queries.cloak", "--fresh=hidden", "x"],
        ["hidden"],
        ["draw", "queries.cloak", "hidden", "--key", "queries.key", "--scope", "a"],
    ],
)
def test_words_of_the_command_line_are_not_repeated(run, arguments):
    code, _, err = run(*arguments)
    assert code == 2
    assert "hidden" not in one_line(err)
    assert "hidden" not in run(*arguments, "--json")[2]


def test_events_without_a_header_are_not_printed(run, folder):
    (folder / "bare.csv").write_text("alice,aspirin\nbob,quinine\n")
    code, _, err = run("audit", "bare.csv")
    assert code == 2
    assert "alice" not in one_line(err)
    assert "quinine" not in err


def test_an_empty_scope_is_refused(run):
    code, _, err = run("draw", "queries.cloak", "query-1", "--key", "queries.key", "--scope", "")
    assert code == 2
    assert "scope is empty" in one_line(err)


def test_a_batch_names_the_line_of_an_unknown_secret(run, typed):
    typed(b"query-1\nquery-2\nhidden\n")
    code, out, err = run("draw", "queries.cloak", "-", "--fresh")
    assert (code, out.count("\n")) == (2, 2)
    assert "line 3 of stdin" in one_line(err)
    assert "--stand-in" in err
    assert "hidden" not in err
    typed(b"query-1\n\xff\n")
    assert "line 2 of stdin" in one_line(run("draw", "queries.cloak", "-", "--fresh")[2])


def test_secrets_come_by_a_prompt_or_by_stdin(run, typed, monkeypatch):
    """Without an argument they are asked for on a terminal, unseen, and read from stdin elsewhere."""
    typed(b"query-3\r\nquery-17")
    code, out, _ = run("draw", "queries.cloak", "--fresh")
    assert code == 0
    assert "query-3" in out.splitlines()[0].split("\t")
    assert "query-17" in out.splitlines()[1].split("\t")
    asked = []
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda prompt, **_: asked.append(prompt) or "query-5")
    code, out, _ = run("draw", "queries.cloak", "--fresh")
    assert (code, len(asked)) == (0, 1)
    assert "query-5" in out.split()


@pytest.mark.parametrize("secret", ["²", "--5", "-", "1" * 5000, "٣", "1.0", "007", "1_0", "", "\udcff"])
def test_what_is_no_label_is_an_unknown_secret(run, typed, secret):
    typed(b"?\n")
    ml.design(ml.Prior([3, 2, 1], labels=[-5, 7, 9]), k=2).save("numbers.cloak")
    code, _, err = run("draw", "numbers.cloak", "--fresh", "--", secret)
    assert code == 2
    assert "does not know" in one_line(err)


def test_stand_ins_may_be_numbers(asked):
    ml.design(ml.Prior([3, 2, 1], labels=[-5, 7, 9]), k=2).save("numbers.cloak")
    assert -5 in asked("draw", "numbers.cloak", "x", "--fresh", "--stand-in", "-5")["sets"][0]["members"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["design", "queries.key", "-k", "3"], "say --format one of"),
        (["design", "queries.csv", "-k", "3", "--layout", "near"], "--layout near needs coordinates: give --near"),
        (["design", "queries.csv", "-k", "3", "--near", "haversine:count"], "--near haversine takes"),
        (["measure", "diagnoses.csv", "diagnoses.csv"], "--observable"),
        (["draw", "queries.cloak", "x", "--fresh"], "--stand-in"),
        (["optimise", "diagnoses.csv", "pairs.csv", "--tradeoff", "1"], "--tradeoff is a whole number from 2"),
        (["sweep", "queries.csv", "--max-success", "2"], "--max-success: expected a number from 0 to 1"),
        (["sweep", "queries.csv", "--max-success", "0"], "--max-success is a probability"),
        (["measure", "diagnoses.csv", "queries.key"], "queries.key from its ending: name it .csv"),
        (["optimise", "diagnoses.csv", "queries.key"], "queries.key from its ending: name it .csv"),
        (["design", "queries.csv", "-k", "3", "--engine", "duckdb", "--layout", "near"], "--layout near"),
        (["audit", "events.csv", "--secret", "query", "--observable", "size", "--level", "1"], "--level is between"),
    ],
)
def test_messages_speak_of_flags(run, arguments, words):
    assert words in one_line(run(*arguments)[2])


@pytest.mark.parametrize(
    ("error", "said", "code"),
    [
        (MemoryError(), "not enough memory", 1),
        (KeyboardInterrupt(), "interrupted; no file is half-written", 130),
        (typer.Abort(), "interrupted; no file is half-written", 130),
        (OSError(28, "No space left on device"), "cannot read or write stdin or stdout: No space left on device", 1),
        (BrokenPipeError(), "", 1),
    ],
    ids=repr,
)
def test_what_fails_outside_of_minleak(monkeypatch, capsys, error, said, code):
    """In one line, or none where nobody reads; a developer may see where."""
    assert tell(error, ["show"], None) == code
    assert capsys.readouterr() == ("", f"minleak: {said}\n" if said else "")
    monkeypatch.setenv("MINLEAK_DEBUG", "1")
    assert tell(error, ["show"], None) == code
    assert type(error).__qualname__ in capsys.readouterr().err


def test_a_developer_sees_where_it_failed_and_no_secret(monkeypatch, capsys):
    """The lines of code of the error and of those behind it, without their words."""
    monkeypatch.setenv("MINLEAK_DEBUG", "1")
    secret = "".join(["hu", "sh"])

    def look_up():
        try:
            {}[secret]
        except KeyError:
            raise RuntimeError(f"no {secret}") from None

    with pytest.raises(RuntimeError) as failed:
        look_up()
    assert tell(failed.value, ["show"], None) == 1
    seen = capsys.readouterr().err
    assert "hush" not in seen
    assert "in look_up" in seen
    assert seen.index("KeyError\n") < seen.index("RuntimeError\n") < seen.index("minleak: failed unexpectedly")


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_secret_in_the_place_of_the_file_is_not_repeated(run, typed, folder, monkeypatch, debug):
    """`minleak draw SECRET CLOAK`, whether there is something of that name or not; likewise a state for a chain."""
    monkeypatch.setenv("MINLEAK_DEBUG", debug)
    (folder / "hush-file").write_text("hush")
    (folder / "hush-folder").mkdir()
    os.mkfifo(folder / "hush-pipe")
    for secret in ("hush", "hush-file", "hush-folder", "hush-pipe", "hush/hush"):
        for how in (["--fresh"], ["--fresh", "--json"]):
            code, out, err = run("draw", secret, "queries.cloak", *how)
            assert (code, out) == (2, "")
            assert "cannot open CLOAK: " in err
            assert "the order is minleak draw CLOAK SECRET" in err
            assert "hush" not in err
    typed(b"query-1\n")
    code, out, err = run("chain", "draw", "hush", "-k", "3", "--key", "queries.key", "--scope", "ann")
    assert (code, out) == (2, "")
    assert "cannot open CHAIN: No such file or directory" in err
    assert "hush" not in err


def test_nothing_said_and_no_stdin(run, monkeypatch):
    """Without a word there is help, on request the version; a closed stdin is said to be closed."""
    assert "Usage: minleak" in run()[1]
    assert run("--version") == (0, f"minleak {ml.__version__}\n", "")
    monkeypatch.setattr(sys, "stdin", None)
    assert "stdin is closed: give a file instead of -" in one_line(run("design", "-", "-k", "2")[2])


def test_terminals_are_told_what_goes_on(monkeypatch, capsys):
    """Names of files stand there as they are, without colours or control characters of theirs."""
    monkeypatch.setattr("minleak.cli._output._watched", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with working("reading [red]a\x1b.csv"):
        pass
    with progressing("auditing [red]a\x1b.csv") as progress:
        progress(1, 2, "nearest")
    seen = capsys.readouterr().err
    assert "reading [red]a\\x1b.csv" in seen
    assert "auditing [red]a\\x1b.csv: nearest" in seen


def test_only_names_of_parameters_become_flags():
    flags = {"format": "--format", "secret": "--secret", "memory_limit": "--memory-limit"}
    assert in_flags("cannot open data/secret=7/a.csv: say format= or", flags) == (
        "cannot open data/secret=7/a.csv: say --format or"
    )
    assert in_flags("secret=7 is a folder", flags) == "secret=7 is a folder"
    assert in_flags("x.memory_limit memory_limit, format='csv'", flags) == "x.memory_limit --memory-limit, --format csv"


def test_errors_are_json_with_json(run):
    code, out, err = run("design", "queries.csv", "-k", "0", "--json")
    said = json.loads(err)
    assert (code, out, said["schema"], said["exit_code"]) == (2, "", "minleak/1", 2)
    assert "k" in said["error"]
    assert json.loads(run("nonsense", "--json")[2])["exit_code"] == 2
    assert run("draw", "queries.cloak", "--fresh", "--", "--json")[2].startswith("minleak: ")


def test_percentages_are_probabilities(asked):
    for text in ("0.3", "30%", "30.0%"):
        assert asked("sweep", "queries.csv", "--max-success", text)["least_k_success"] == 4
    events = ["audit", "events.csv", "--secret", "query", "--observable", "size"]
    said = asked(*events, "--alpha", "5%", "--level", "90%")
    assert (said["alpha"], said["level"]) == (0.05, 0.9)


def test_stdin_where_a_file_is_named(asked, typed, folder):
    """For plans, events, channels and pairs; the same answer as from the file."""
    events = ["--secret", "query", "--observable", "size"]
    for name, command in {
        "queries.cloak": ["show", "-"],
        "events.csv": ["audit", "-", *events],
        "test.csv": ["measure", "-", "--capacity"],
        "pairs.csv": ["optimise", "diagnoses.csv", "-", "--budget", "0.2"],
        "queries.csv": ["design", "-", "-k", "3", "--engine", "duckdb"],
    }.items():
        typed((folder / name).read_bytes())
        assert asked(*command) == asked(*(name if word == "-" else word for word in command))
    typed((folder / "queries.cloak").read_bytes())
    assert asked("draw", "-", "query-1", "--fresh")["sets"]


@pytest.mark.parametrize(
    "numbers",
    [
        ["sweep", "queries.csv", "--ks", "1:999999999999"],
        ["sweep", "queries.csv", "--ks", "5:1" + "0" * 5000],
        ["sweep", "queries.csv", "--ks", "9:1"],
        ["sweep", "queries.csv", "--max-success", "nan"],
        ["sweep", "queries.csv", "--max-leakage", "inf"],
        ["design", "queries.csv", "-k", "1" + "0" * 30],
        ["design", "queries.csv", "-k", "-1"],
        ["show", "queries.cloak", "-e", "guess-error:" + "9" * 400],
        ["sweep", "queries.csv", "-e", "guess-error:" + "9" * 400],
        ["audit", "events.csv", "--secret", "query", "--observable", "size", "--alpha", "1e-300"],
        ["optimise", "diagnoses.csv", "pairs.csv", "--tradeoff", "9" * 18],
        ["pad", "files.csv", "--budget", "1e999"],
        ["pad", "files.csv", "--budget", "1%%"],
    ],
)
def test_absurd_numbers_are_refused(run, numbers):
    code, _, err = run(*numbers)
    assert code == 2
    one_line(err)


@pytest.mark.parametrize("word", ["\ud800", "a\0b"])
def test_words_that_no_process_can_be_given_are_refused(run, word):
    code, _, err = run("key", "new", word)
    assert code == 2
    assert "argument 3" in one_line(err)


def test_a_missing_package_can_be_installed(run, monkeypatch):
    """There is no release yet, so the message says what can be done from the source."""
    monkeypatch.setitem(sys.modules, "altair", None)
    code, _, err = run("sweep", "queries.csv", "--chart", "x.png")
    assert code == 1
    assert "pip install '.[report]'" in one_line(err)


@pytest.mark.parametrize("arguments", [["show", "queries.cloak"], ["--help"], ["--version"]])
def test_a_full_device_is_one_line(folder, arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert "No space left" in one_line(done.stderr)


@pytest.mark.parametrize("arguments", [["show", "queries.cloak"], ["--version"]])
def test_a_reader_who_leaves_is_not_disturbed(folder, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_ctrl_c_while_python_still_loads(folder):
    """typer takes long to import, and is interrupted here while it is."""
    (folder / "typer").mkdir()
    (folder / "typer" / "__init__.py").write_text("raise KeyboardInterrupt\n")
    paths = os.pathsep.join([str(folder), *(path for path in sys.path if path)])
    done = subprocess.run(
        [*COMMAND, "show", "queries.cloak"],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert "interrupted" in one_line(done.stderr)
