"""Text is written as it is: no markup, no emoji, nothing that steers a terminal, and labels that can be read back."""

from __future__ import annotations

import json
from datetime import date

import pyarrow as pa
import pytest
from pyarrow import parquet

import minleak as ml
from minleak._cli.output import field, record, table, visible

HOSTILE = [
    "00:ab:12:34",
    "[red]y[/red]",
    "[/b]",
    "new york",
    "new\tyork",
    "a\nb\r",
    "c:\\temp\\new",
    "\x1b[31mred\x9b2J",
    "日本",
]


def read_back(line):
    """The members of a printed set, as docs/cli.md says to read them."""
    return [part.encode("latin-1", "backslashreplace").decode("unicode_escape") for part in line.split("\t")]


@pytest.fixture
def hostile(folder):
    plan = ml.design(ml.Prior([5] * len(HOSTILE), labels=HOSTILE), k=len(HOSTILE))
    plan.save("hostile.cloak")
    return plan


@pytest.mark.parametrize("secret", HOSTILE)
def test_a_drawn_set_can_be_read_back(run, hostile, secret):
    """One line, tabs only between members; each is the label itself."""
    code, out, _ = run("draw", "hostile.cloak", "--fresh", "--", secret)
    assert code == 0
    assert out.count("\n") == 1
    assert read_back(out.rstrip("\n")) == HOSTILE
    assert all(c.isprintable() or c in "\t\n" for c in out)
    assert "00:ab:12:34\t[red]y[/red]\t[/b]\tnew york\tnew\\tyork" in out


def test_tables_show_labels_as_they_are(run, folder):
    """In `capacity` and in the giants of `show`."""
    rows = [f'"{label}",{i % 2},1\n' for i, label in enumerate(["[red]y[/red]", ":ab:", "\x1b[31m"])]
    (folder / "hostile.csv").write_text("secret,observable,probability\n" + "".join(rows))
    code, out, _ = run("capacity", "hostile.csv")
    assert code == 0
    assert all(text in out for text in ("[red]y[/red]", ":ab:", "\\x1b[31m"))
    ml.design(ml.Prior([9, 1, 1, 1], labels=["[/b]\x1b]0;", "b", "c", "d"]), k=2).save("giant.cloak")
    assert "giants): 1: [/b]\\x1b]0;\n" in run("show", "giant.cloak")[1]


def test_columns_are_aligned_by_what_is_seen():
    """Wide letters take two places."""
    lines = table("t", ["secret", "p"], [["日本", 0.5], ["flu", 0.25]]).splitlines()
    assert lines == ["t", "secret     p", "日本     0.5", "flu     0.25"]


@pytest.mark.parametrize(
    ("labels", "said"),
    [([date(2020, 1, day) for day in (1, 2, 3, 4)], "2020-01-01"), ([b"\xff\x00", b"a", b"b", b"c"], "ff00")],
)
def test_labels_that_json_does_not_have(asked, run, folder, labels, said):
    """Dates as text, bytes in hexadecimal, in JSON and in tables."""
    parquet.write_table(pa.table({"secret": labels, "count": [9, 1, 1, 1]}), "odd.parquet")
    assert asked("design", "odd.parquet", "-k", "2")["giant_labels"] == [said]
    assert f"giants): 1: {said}\n" in run("design", "odd.parquet", "-k", "2")[1]


def test_json_is_ascii(run, folder):
    """A lone surrogate, as in a path that is no UTF-8, is carried too."""
    code, out, _ = run("key", "new", "\udcff.key", "--json")
    assert code == 0
    assert out.isascii()
    assert json.loads(out)["file"] == "\udcff.key"
    assert run("key", "new", "\udcfe\x1b.key")[1].endswith("written to \\udcfe\\x1b.key\n")


def test_the_module_itself():
    assert visible("a\tb\x1b", keep="\t") == "a\tb\\x1b"
    assert field("\\t") == "\\\\t" != field("\t")
    assert field(b"\xff") == "ff"
    assert record([1, "a\tb"]) == "1\ta\\tb"
    assert read_back(record(HOSTILE)) == HOSTILE
