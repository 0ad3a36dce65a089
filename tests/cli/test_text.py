"""Text is written as it is: no markup, no emoji, nothing that steers a terminal, and labels that can be read back."""

from __future__ import annotations

import json
from datetime import date

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import minleak as ml
from minleak.core._plain import field_text, record, visible

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
    """In `measure --capacity` and in the giants of `show`."""
    rows = [f'"{label}",{i % 2},1\n' for i, label in enumerate(["[red]y[/red]", ":ab:", "\x1b[31m"])]
    (folder / "hostile.csv").write_text("secret,observable,probability\n" + "".join(rows))
    code, out, _ = run("measure", "hostile.csv", "--capacity")
    assert code == 0
    assert all(text in out for text in ("[red]y[/red]", ":ab:", "\\x1b[31m"))
    ml.design(ml.Prior([9, 1, 1, 1], labels=["[/b]\x1b]0;", "b", "c", "d"]), k=2).save("giant.cloak")
    assert "(1): [/b]\\x1b]0;\n" in run("show", "giant.cloak")[1]


@pytest.mark.parametrize(
    ("labels", "said"),
    [([date(2020, 1, day) for day in (1, 2, 3, 4)], "2020-01-01"), ([b"\xff\x00", b"a", b"b", b"c"], "ff00")],
)
def test_labels_that_json_does_not_have(asked, run, folder, labels, said):
    """Dates as text, bytes in hexadecimal, in JSON and in tables."""
    parquet.write_table(pa.table({"secret": labels, "count": [9, 1, 1, 1]}), "odd.parquet")
    assert asked("design", "odd.parquet", "-k", "2")["giant_labels"] == [said]
    assert f"contains them (1): {said}\n" in run("design", "odd.parquet", "-k", "2")[1]


def test_json_is_ascii(run, folder):
    """A lone surrogate, as in a path that is no UTF-8, is carried too."""
    code, out, _ = run("key", "new", "\udcff.key", "--json")
    assert code == 0
    assert out.isascii()
    assert json.loads(out)["files"] == ["\udcff.key"]
    assert "written to \\udcfe\\x1b.key; next: minleak draw" in run("key", "new", "\udcfe\x1b.key")[1]


def test_the_module_itself():
    assert visible("a\tb\x1b", keep="\t") == "a\tb\\x1b"
    assert field_text("\\t") == "\\\\t" != field_text("\t")
    assert field_text(b"\xff") == "ff"
    assert record([1, "a\tb"]) == "1\ta\\tb"
    assert read_back(record(HOSTILE)) == HOSTILE


FORMULAS = ["=1+1", "+cmd", "-2+3", "@sum", "\tx", "\rx", "\nx", "\uff1d1"]
HARMLESS = ["-5", "+49123", "+1.5", "a=b", "", "'=1", "5"]


@pytest.mark.parametrize("label", FORMULAS, ids=ascii)
def test_labels_that_a_spreadsheet_would_run_are_not_written_to_csv_unasked(run, folder, label):
    """Other formats have them as they are, and so has csv where it is asked for: programs need the label itself."""
    ml.design(ml.Prior([3, 2, 2], labels=["flu", label, "-5"]), 2).save("odd.cloak")
    code, out, err = run("export", "odd.cloak", "-o", "odd.csv")
    assert (code, out) == (2, "")
    assert "1 labels begin with =, +, -, @, a tab or a line break" in err
    assert "write .parquet, .json or .sqlite, or say --raw-labels if programs alone read it" in err
    assert not (folder / "odd.csv").exists()
    for name, how in (("odd.parquet", []), ("odd.csv", ["--raw-labels"])):
        assert run("export", "odd.cloak", "-o", name, *how)[0] == 0
    options = csv.ParseOptions(newlines_in_values=True)
    kinds = csv.ConvertOptions(column_types={"secret": pa.string()}, strings_can_be_null=False)
    for found in (parquet.read_table("odd.parquet"), csv.read_csv("odd.csv", None, options, kinds)):
        assert set(found["secret"].to_pylist()) == {"flu", label, "-5"}


def test_labels_that_are_no_formulas_are_written(run, folder):
    """Numbers with a sign among them; and whole numbers are no texts."""
    for labels in (HARMLESS, [-3, 1, 2, 3, 4, 5, 6]):
        ml.design(ml.Prior([7, 6, 5, 4, 3, 2, 1], labels=labels), 2).save("odd.cloak")
        assert run("export", "odd.cloak", "-o", "odd.csv")[0] == 0


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_channel_with_formulas_is_not_written_as_text(run, folder, ending):
    (folder / "counts.csv").write_text("secret,count\n=1+1,3\nflu,2\n")
    rows = "".join(f"{x},{y},{int(x != y)}\n" for x in ("=1+1", "flu") for y in ("=1+1", "flu"))
    (folder / "allowed.csv").write_text(f"secret,observable,cost\n{rows}")
    code, _, err = run("optimise", "counts.csv", "allowed.csv", "--budget", "0.2", "-o", f"channel.{ending}")
    assert code == 2
    assert "would run as formulas: write .parquet or .cloak" in err
    assert not (folder / f"channel.{ending}").exists()
