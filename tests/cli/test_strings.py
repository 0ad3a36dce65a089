"""From a list of strings to a plan over all of them, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import minleak as ml


@pytest.fixture
def plan(folder, asked):
    (folder / "words.csv").write_text("secret,count\n" + "".join(f"word{i},{1 + 40 // (i + 1)}\n" for i in range(60)))
    ml.strings.NGram.fit([f"word{i}" for i in range(60)], order=3, longest=12).save("words.model")
    said = asked(
        "design", "words.csv", "-k", "5", "--unknown", "words.model", "--unknown-share", "20%", "-o", "w.cloak"
    )
    asked("key", "new", "w.key")
    return said


def test_design_and_show(plan, asked):
    shown = asked("show", "w.cloak")
    assert shown["success"] == plan["success"]
    assert shown["unlisted"] == ml.load("w.cloak").unlisted
    assert len(set(shown["example"])) == 5
    assert asked("certify", "w.cloak", "words.csv")["ok"]
    assert asked("certify", "w.cloak")["ok"]


def test_draw(plan, asked, typed, run):
    typed("word3\nnever seen\nпароль\n".encode())
    sets = [
        json.loads(line)["sets"][0]
        for line in run("draw", "w.cloak", "-", "--key", "w.key", "--scope", "user-1", "--json")[1].splitlines()
    ]
    cloak = ml.Cloak("w.cloak", key="w.key")
    for text, shown in zip(["word3", "never seen", "пароль"], sets, strict=True):
        assert tuple(shown["members"]) == cloak.draw(text, scope="user-1")
        assert shown["id"] == cloak.set_id(shown["members"])
    typed(b"word3\n" + b"x" * 13 + b"\n")
    code, _, err = run("draw", "w.cloak", "-", "--key", "w.key", "--scope", "user-1")
    assert code == 2
    assert "line 2 of stdin: the plan does not know this secret: refuse it" in err
    assert "xxx" not in err


def test_held_out_counts_name_their_columns(plan, asked, folder, typed):
    """As a table with names of its own, as a log, and from stdin."""
    rows = "".join(f"word{i},{1 + 30 // (i + 1)}\n" for i in range(50))
    (folder / "other.csv").write_text("query,times\n" + rows)
    (folder / "log.csv").write_text("query\n" + "word1\nword2\nword1\nother\n" * 5 + "once\n")
    asked("report", "w.cloak", "-o", "a.html", "--held-out", "other.csv", "--secret", "query", "--weight", "times")
    asked("report", "w.cloak", "-o", "b.html", "--held-out", "log.csv", "--secret", "query", "--weight", "1")
    typed(("query,times\n" + rows).encode())
    asked("report", "w.cloak", "-o", "c.html", "--held-out", "-", "--secret", "query", "--weight", "times")
    assert (folder / "c.html").read_text() == (folder / "a.html").read_text()
    assert (folder / "b.html").exists()


def test_the_share_on_the_command_line_is_the_share_of_the_plan(plan):
    """It gave part of it to counted strings that the model holds too."""
    assert plan["unlisted"] == 0.2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["design", "words.csv", "-k", "5", "--unknown", "words.model", "--policy", "min=3"], "leave out --policy"),
        (["design", "words.csv", "-k", "5", "--unknown", "words.csv"], "not a .cloak file"),
        (["design", "words.csv", "-k", "5", "--unknown", "w.cloak"], "does not hold a model"),
        (["design", "words.csv", "-k", "5", "--unknown-share", "5%"], "need --unknown"),
        (["design", "words.csv", "-k", "5", "--unknown", "words.model", "--layout", "circle"], "leave out --layout"),
        (["draw", "w.cloak", "word3", "--fresh"], "a key and a scope alone"),
        (["report", "queries.cloak", "-o", "r.html", "--held-out", "words.csv"], "plan over all strings"),
        (["report", "w.cloak", "-o", "r.html", "--max-success", "5%"], "judges no requirement"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(plan, run, arguments, message):
    code, _, err = run(*arguments)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_the_report(plan, asked):
    asked("report", "w.cloak", "-o", "r.html", "--held-out", "words.csv", "--trials", "20")
    with open("r.html", encoding="utf-8") as file:
        page = file.read()
    assert "What this plan over all strings leaks" in page
    assert "By other data" in page
    assert "A rule that all secrets follow" in page


def test_a_model_is_fitted_once_and_used_again(folder, asked, run):
    """A file that is not there is made, with a note; the next design reads it and leaves it as it is."""
    code, _, err = run("design", "passwords.csv", "-k", "4", "--unknown", "p.model", "-o", "p.cloak")
    assert code == 0
    assert err == "minleak: note: p.model is new: a model of strings fitted to the 56 secrets of PRIOR\n"
    model = Path("p.model").read_bytes()
    ml.strings.NGram.fit(list(ml.read_prior("passwords.csv").labels)).save("same.model")
    assert model == Path("same.model").read_bytes()
    code, _, err = run(
        "design", "queries.csv", "-k", "4", "--unknown", "p.model", "--unknown-share", "5%", "-o", "q.cloak"
    )
    assert (code, err) == (0, "")
    assert Path("p.model").read_bytes() == model
    assert run("design", "queries.csv", "-k", "0", "--unknown", "none.model")[0] == 2
    assert not Path("none.model").exists(), "what is refused leaves no file"


def test_a_policy_holds_for_every_decoy(folder, asked, run, typed):
    """Design, draw: what does not meet the policy is refused, and shown in no set."""
    how = ["--unknown", "p.model", "--policy", "min=8,max=12, digit, upper,matching=[A-Z].*"]
    asked("design", "passwords.csv", "-k", "6", *how, "--unknown-share", "0.5", "-o", "p.cloak")
    assert asked("certify", "p.cloak", "passwords.csv")["ok"]
    policy = {"min_length": 8, "max_length": 12, "require": ["digit", "upper"], "matching": "[A-Z].*"}
    assert asked("show", "p.cloak")["policy"] == policy
    assert "every string that meets the policy in sets of 6" in run("show", "p.cloak")[1]
    asked("report", "p.cloak", "-o", "p.html")
    assert "up to a length that meets the policy has its sets, and no set holds another" in Path("p.html").read_text()
    asked("key", "new", "p.key")
    typed("".join(f"Monkey-{i}\n" for i in range(10, 40)).encode())
    for line in run("draw", "p.cloak", "-", "--key", "p.key", "--scope", "u", "--json")[1].splitlines():
        [shown] = json.loads(line)["sets"]
        assert all(8 <= len(x) <= 12 and x[0].isupper() and any(map(str.isdecimal, x)) for x in shown["members"])
    typed(b"monkey-10\n")
    code, _, err = run("draw", "p.cloak", "-", "--key", "p.key", "--scope", "u")
    assert code == 2
    assert "does not know this secret" in err
    assert "monkey" not in err


def test_strings_outside_the_policy_are_left_out_with_a_note(folder, run):
    code, _, err = run("design", "passwords.csv", "-k", "4", "--unknown", "p.model", "--policy", "min=10")
    assert code == 2, err
    assert "6 of 56" in err
