"""The command that a command prints as the next one runs as it is printed."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import minleak as ml


@pytest.fixture
def codes(folder):
    """A file whose name and columns need quotes and flags: codes, counts, groups, and rows of a table."""
    rng = np.random.default_rng(3)
    counts = np.sort(rng.poisson(rng.lognormal(4, 1, 400)) + 1)[::-1]
    rows = [f"code {i},{count},g{i % 40},{1000 - i}" for i, count in enumerate(counts)]
    (folder / "my codes.csv").write_text("\n".join(["icd10,n,chapter,held", *rows]) + "\n")
    return ["my codes.csv", "--secret", "icd10", "--weight", "n"]


def follow(run, out: str) -> tuple[str, str]:
    """The command that the output names, and what it prints when it is run."""
    command = out.partition("next: minleak ")[2].splitlines()[0]
    code, then, err = run(*shlex.split(command))
    assert code == 0, err
    return command, then


def test_sweep_then_design_then_report(run, codes):
    code, out, _ = run("sweep", *codes, "--max-success", "10%", "--ks", "5")
    assert code == 0
    command, designed = follow(run, out)
    assert "--secret icd10 --weight n" in command
    follow(run, designed)
    assert Path("report.html").exists()


def test_sweep_under_caps_then_design(run, codes):
    flags = ["--group", "chapter", "--at-most", "1", "--events", "20000"]
    code, out, _ = run("sweep", *codes, *flags, "--max-leakage", "4", "--ks", "5")
    assert code == 0
    command, _ = follow(run, out)
    assert all(flag in command for flag in ("--group chapter", "--at-most 1", "--events 20000"))


def test_no_next_command_without_a_k(run, codes):
    assert "next:" not in run("sweep", *codes, "--ks", "5")[1]


def test_compare_then_design_then_export(run, codes):
    """The terminal and the page advise the same, and the table that is designed keeps it."""
    code, out, _ = run("compare", *codes, "--by", "chapter", "--report", "page.html")
    assert code == 0
    command, designed = follow(run, out)
    assert "-k 10 --layout blocks" in command
    advice = out.partition("advice: ")[2].splitlines()[0]
    assert advice[1:] in Path("page.html").read_text()
    assert "minleak design PRIOR -k 10 --layout blocks" in Path("page.html").read_text()
    follow(run, designed)
    assert Path("table.csv").exists()


@pytest.mark.parametrize("column", ["n", "held"])
def test_compare_rows_then_design(run, asked, codes, column):
    """The table that is advised reads no more rows than the buckets, whichever column counts them."""
    read = asked("compare", *codes, "--by", "chapter", "--rows", column)["rows"][0]["read"]
    follow(run, run("compare", *codes, "--by", "chapter", "--rows", column)[1])
    held = ml.read_prior("my codes.csv", secret="icd10", weight=column).weights
    found = ml.load("plan.cloak").rows_read(rows=held)
    assert found.mean <= read["mean"] + 1
    assert found.worst <= read["worst"] + 1


def test_rows_need_a_budget(run, codes):
    assert "--rows needs --mean-rows or --worst-rows" in run("design", *codes, "-k", "3", "--rows", "held")[2]


def test_update_then_its_report(run, codes):
    run("design", *codes, "-k", "5", "-o", "a plan.cloak")
    code, out, _ = run("update", "a plan.cloak", *codes, "-o", "a plan.cloak")
    assert code == 0
    follow(run, out)


def test_keygen_then_help(run, folder):
    assert "Draw the set" in follow(run, run("keygen", "a.key")[1])[1]


@pytest.mark.parametrize("output", ["channel.cloak", "channel.csv"])
def test_optimise_then_measure(run, folder, output):
    (folder / "few.csv").write_text("secret,n\na,4\nb,3\nc,3\n")
    pairs = [f"{x},{y},{int(x != y)}" for x in "abc" for y in "abc"]
    (folder / "pairs.csv").write_text("\n".join(["secret,observable,cost", *pairs]) + "\n")
    flags = ["--weight", "n", "--budget", "0.5", "-o", output]
    code, out, err = run("optimise", "few.csv", "pairs.csv", *flags)
    assert code == 0, err
    follow(run, out)


def test_chain_fit_then_leakage(run, folder):
    rows = [f"{who},{t},{'abc'[(t * who) % 3]}" for who in range(1, 5) for t in range(20)]
    (folder / "walks.csv").write_text("\n".join(["subject,time,state", *rows]) + "\n")
    code, out, err = run("chain", "fit", "walks.csv", "-o", "a.chain")
    assert code == 0, err
    follow(run, out)
