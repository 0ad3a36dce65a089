"""Selectors by the command line: made, compared, extended, exported."""

import csv
import json
from pathlib import Path

import pytest

import minleak as ml

MADE = ["selector", "queries.csv", "-k", "5", "--prefix", "sha256:3", "-o", "names.selector"]


def test_a_selector_is_the_librarys(asked):
    said = asked(*MADE)
    counts = ml.read_prior("queries.csv")
    made = ml.selector(counts, 5, prefix="sha256:3")
    assert Path("names.selector").read_bytes() == made.data
    assert (said["sha256"], said["listed"], said["after"]["success"]) == (
        made.sha256,
        made.report.listed,
        made.report.after.success,
    )
    said = asked(*MADE, "--listed", "10", "--names", "1000")
    assert said["sha256"] == ml.selector(counts, 5, prefix="sha256:3", listed=10, names=1000).sha256
    assert asked(*MADE, "--max-size", "150B")["size"] <= 150


def test_compare_with_a_selector(run, asked):
    asked(*MADE, "--listed", "10")
    words = ["compare", "queries.csv", "--prefix", "sha256:3", "--compare-with", "names.selector", "--on-counts"]
    said, after = asked(*words), ml.load("names.selector").audit(ml.read_prior("queries.csv")).after
    assert said["beside"][0]["success"] == pytest.approx(after.success)
    code, out, _ = run(*words)
    assert code == 0
    assert "selector" in out


def test_a_layer(asked):
    asked(*MADE, "--listed", "40")
    old = Path("names.selector").read_bytes()
    newer = "".join(f"new-{i},500\n" for i in range(10))
    Path("newer.csv").write_text(Path("queries.csv").read_text() + newer)
    said = asked("selector", "newer.csv", "--after", "names.selector", "--since", "queries.csv", "-o", "newer.selector")
    assert said["layers"] == 2
    assert Path("newer.selector").read_bytes().startswith(old)


@pytest.mark.parametrize("padded", [False, True])
def test_buckets_to_serve(run, asked, padded):
    asked(*MADE, "--listed", "10")
    code, _, err = run("export", "names.selector", "queries.csv", "-o", "served/", *(["--padded"] if padded else []))
    assert code == 0, err
    made = ml.load("names.selector")
    with open("served/names.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["name"]: row["bucket"] for row in rows} == {
        name: made.bucket(name) for name in ml.read_prior("queries.csv").labels
    }
    files = {path.stem: path for path in Path("served/buckets").iterdir()}
    held = {bucket: set(json.loads(path.read_text())) for bucket, path in files.items()}
    assert held == {row["bucket"]: {r["name"] for r in rows if r["bucket"] == row["bucket"]} for row in rows}
    assert (len({path.stat().st_size for path in files.values()}) == 1) == padded


def test_formulas_are_not_written(run, asked):
    Path("npm.csv").write_text("secret,count\n@types/node,5\nreact,4\n")
    asked("selector", "npm.csv", "-k", "1", "-o", "npm.selector")
    code, _, err = run("export", "npm.selector", "npm.csv", "-o", "served")
    assert (code, "formulas" in err, "@types" in err) == (2, True, False)
    assert run("export", "npm.selector", "npm.csv", "-o", "served", "--raw-labels")[0] == 0
