"""Some forty wrong inputs: each gives one line and exit code 2, and repeats no secret."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SECRET = "hunter2-the-secret"

WRONG = [
    "design missing.csv -k 3",
    "design . -k 3",
    "design empty.csv -k 3",
    "design header.csv -k 3",
    "design binary.csv -k 3",
    "design negative.csv -k 3",
    "design text.csv -k 3",
    "design nan.csv -k 3",
    "design twice.csv -k 3",
    "design ragged.csv -k 3",
    "design zeros.csv -k 3",
    "design queries.csv -k 0",
    "design queries.csv -k -1",
    "design queries.csv -k three",
    "design queries.csv -k 3 --weight cuont",
    "design queries.csv -k 3 --secret query",
    "design queries.csv -k 3 --format xml",
    "design queries.csv -k 3 --layout spiral",
    "design queries.csv --max-success 120%",
    "design queries.csv -k 3 --gains gain",
    "design queries.csv -k 3 --near lat,lon",
    "design queries.csv -k 3 --group country --at-most 1",
    "design queries.parquet -k 3",
    "sweep queries.csv --ks 5:x",
    "sweep queries.csv -e nonsense",
    "show queries.csv",
    "show binary.csv",
    "show cut.cloak",
    "show empty.csv",
    "certify visits.chain",
    "certify queries.cloak missing.csv",
    "draw queries.cloak hunter2-the-secret --fresh",
    "draw hunter2-the-secret queries.cloak --fresh",
    "draw queries.cloak query-1 --key queries.csv --scope a",
    "draw queries.cloak query-1 --key empty.csv --scope a",
    "draw queries.cloak query-1 --key open.key --scope a",
    "export channel.cloak -o x.json --partitions",
    "export queries.cloak -o x.xls",
    "report queries.cloak -o x.pdf",
    "report queries.cloak -o x.html --trials 0",
    "measure diagnoses.csv queries.csv",
    "measure queries.csv test.csv",
    "optimise diagnoses.csv pairs.csv --budget -1",
    "pad files.csv --budget ten",
    "pad files.csv --budget 5% --size sise",
    "audit events.csv --secret query --observable sise",
    "audit events.csv --secret query --observable size --level 2",
    "update visits.chain tomorrow.csv --dry-run",
    "chain leakage queries.cloak -k 3",
    "chain fit visits.csv --columns who,when",
    "compare queries.csv --prefix sha0:8",
    "serve visits.chain --check",
]


@pytest.fixture
def files(folder):
    rows = f"{SECRET},%s\nother,2\n"
    for name, text in {
        "empty.csv": "",
        "header.csv": "secret,count\n",
        "negative.csv": "secret,count\n" + rows % "-4",
        "text.csv": "secret,count\n" + rows % "many",
        "nan.csv": "secret,count\n" + rows % "nan",
        "twice.csv": f"secret,count\n{SECRET},1\n{SECRET},2\n",
        "ragged.csv": f"secret,count\n{SECRET},1,2\nother\n",
        "zeros.csv": f"secret,count\n{SECRET},0\nother,0\n",
        "open.key": Path("queries.key").read_text(errors="replace"),
    }.items():
        Path(name).write_text(text)
    Path("binary.csv").write_bytes(os.urandom(4000))
    Path("queries.parquet").write_bytes(Path("queries.csv").read_bytes())
    Path("cut.cloak").write_bytes(Path("queries.cloak").read_bytes()[:300])
    Path("open.key").chmod(0o644)


@pytest.mark.parametrize("line", WRONG)
def test_one_line_and_exit_code_2(files, run, line):
    code, out, err = run(*line.split())
    assert (code, out) == (2, ""), err
    assert err.startswith("minleak: ")
    assert err.count("\n") == 1, err
    assert SECRET not in err
    assert "Traceback" not in err
    assert "unexpectedly" not in err


EVENTS = ["audit", "events.csv", "--secret", "query", "--observable", "size"]


@pytest.mark.parametrize(
    "command",
    [
        ["pad", "files.csv", "--most", "15"],
        ["design", "queries.csv", "--max-success", "15"],
        ["design", "queries.csv", "-k", "3", "--near", "count,count", "--stability", "15"],
        ["design", "passwords.csv", "-k", "3", "--unknown", "m.json", "--unknown-share", "15"],
        ["sweep", "queries.csv", "--max-success", "15"],
        ["report", "queries.cloak", "-o", "r.html", "--max-success", "15"],
        ["optimise", "diagnoses.csv", "pairs.csv", "--d-privacy", "1", "--delta", "15"],
        *([*EVENTS, flag, "15"] for flag in ("--level", "--alpha", "--enough", "--looks")),
    ],
    ids=lambda command: f"{command[0]} {command[-2]}",
)
def test_fifteen_is_never_taken_for_fifteen_percent_or_more(run, folder, command):
    """Every option that takes a share refuses it, and takes 15%."""
    code, _, err = run(*command)
    assert code == 2
    assert command[-2] in err
    assert len(err.splitlines()) == 1
    accepted = run(*command[:-1], "0.15" if command[-2] == "--delta" else "15%")
    assert command[-2] not in accepted[2].partition("minleak: note")[0], accepted
