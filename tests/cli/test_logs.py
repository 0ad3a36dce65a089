"""Commands that read logs as programs write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ACCESS = "".join(
    f'10.0.0.{i % 9} - - [18/Nov/2026:04:00:00 +0000] "GET /p/{min(i % 40, i % 37)}?q={i} HTTP/1.1" '
    f'{404 if i % 5 == 0 else 200} {i} "-" "curl/8.5"\n'
    for i in range(800)
)


@pytest.fixture
def log(folder):
    Path("access.log").write_text(ACCESS + "junk\n")
    return "access.log"


def test_a_plan_from_an_access_log(run, log):
    code, _, err = run("design", log, "--field", "path", "--no-query", "--status", "2xx", "-k", "4", "-o", "x.cloak")
    assert (code, err.strip()) == (
        0,
        "minleak: note: 1 lines of access.log are no records of the format combined: left out",
    )
    code, out, err = run("update", "x.cloak", log, "--column", "path", "--no-query", "--dry-run", "--json")
    assert code == 0, err
    assert json.loads(out)["notes"]


def test_a_log_without_a_field_is_refused_with_the_line_that_works(run, log):
    code, out, err = run("design", log, "--max-success", "30%")
    assert (code, out) == (2, "")
    assert "(try: minleak design access.log --max-success 30% --field path)" in err
    assert "such as --field path, of 'server'" in err
    assert run("design", log, "--max-success", "30%", "--field", "path", "--no-query")[0] == 0
    code, _, err = run("sweep", log, "--field", "pth")
    assert code == 2
    assert "its fields are 'server', 'host'" in err


@pytest.mark.parametrize("format", [(), ("--format", "combined")])
def test_a_log_in_stdin(run, typed, folder, format):
    typed(ACCESS.encode())
    code, out, err = run("compare", "-", *format, "--field", "path", "--no-query", "--prefix", "sha256:3", "--json")
    assert code == 0, err
    assert json.loads(out)["rows"][0]["k"] > 1


def test_an_engine_refuses_an_access_log(run, log):
    pytest.importorskip("duckdb")
    code, _, err = run("design", log, "-k", "3", "--engine", "duckdb")
    assert code == 2
    assert "is a log of the format combined" in err


def test_errors_about_columns_list_them(run, folder):
    Path("counts.csv").write_text("name,n\nanna,3\nbob,2\n")
    Path("channel.csv").write_text("who,cell,p\nanna,x,1\nbob,y,1/2\n")
    for command in (
        ["design", "counts.csv", "-k", "2"],
        ["sweep", "counts.csv"],
        ["compare", "counts.csv", "--prefix", "1"],
        ["pad", "counts.csv", "--budget", "5%"],
        ["audit", "counts.csv"],
        ["update", "queries.cloak", "counts.csv", "--dry-run"],
        ["measure", "counts.csv", "channel.csv"],
        ["chain", "fit", "counts.csv", "-o", "x.chain"],
    ):
        code, _, err = run(*command)
        assert code == 2
        assert "its columns are 'name', 'n'" in err, (command, err)
        assert "anna" not in err


def test_a_channel_as_a_matrix_with_fractions(run, folder):
    Path("counts.csv").write_text("secret,count\nflu,2\ngout,1\n")
    Path("matrix.csv").write_text(",hot,cold\ngout,0,1\nflu,2/3,1/3\n")
    Path("rows.csv").write_text("secret,observable,probability\nflu,hot,2/3\nflu,cold,1/3\ngout,cold,1\n")
    told = [json.loads(run("measure", "counts.csv", name, "--json")[1]) for name in ("matrix.csv", "rows.csv")]
    assert told[0]["leakage"].keys() == told[1]["leakage"].keys()
    for one in told:
        assert one["vulnerability_after"] == pytest.approx(7 / 9, abs=1e-15)
        assert one["leakage"]["guess-error:1"]["leakage"] == pytest.approx(1 / 9, abs=1e-15)
    Path("other.csv").write_text("secret,out,p\nflu,hot,1\ngout,cold,1\n")
    code, _, err = run("measure", "counts.csv", "other.csv")
    assert code == 2
    assert "no column 'observable' (choose it with --observable), its columns are 'secret', 'out', 'p'" in err
    assert "hot" not in err
    Path("other.csv").write_text("secret,hot,cold\nflu,1/0,1\ngout,0,1\n")
    assert "in column 2 at line 2 of other.csv is not a number" in run("measure", "counts.csv", "other.csv")[2]
    Path("other.csv").write_text("secret,hot,cold\nflu,1,0\nflu,0,1\n")
    assert "for the second time" in run("measure", "counts.csv", "other.csv")[2]
    Path("other.csv").write_text("secret,hot,cold\nflu,1,0\n")
    assert "no rows for secret 1" in run("measure", "counts.csv", "other.csv")[2]
    Path("other.csv").write_text("secret,hot,cold\nflu,1,0\ngout,1,0\nflux,1,0\n")
    assert "not among the inputs" in run("measure", "counts.csv", "other.csv")[2]


def test_an_audit_chooses_records_as_other_commands_do(asked, log):
    found = asked("audit", log, "--secret", "host", "--observable", "path", "--status", "2xx", "--no-query")
    assert found["events"] == 640
    assert found["observables"] <= 40
    assert asked("audit", log, "--secret", "host", "--observable", "path")["observables"] == 800


def test_an_audit_chooses_records_in_memory_only(run, log):
    code, _, err = run("audit", log, "--secret", "host", "--observable", "path", "--no-query", "--engine", "duckdb")
    assert code == 2
    assert "--no-query" in err


def test_an_audit_of_a_table_has_no_status(run, folder):
    code, _, err = run("audit", "events.csv", "--secret", "query", "--observable", "size", "--status", "2xx")
    assert (code, err) == (2, "minleak: events.csv is not an access log: leave out --status and --no-query\n")


def test_keys_that_are_data_are_not_shown(run, folder):
    """Records like {"time": ..., "alice@example.org": 3} have secrets for keys."""
    records = [{"time": i, f"user-{i}@example.org": 1, "x" * 90: 2} for i in range(50)]
    Path("users.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for arguments in (["design", "users.jsonl", "-k", "2"], ["sweep", "users.jsonl", "--field", "path"]):
        code, _, err = run(*arguments)
        assert code == 2
        assert "'time', 'xxx" in err
        assert "example.org" not in err
        assert "x" * 41 not in err
    Path("other.jsonl").write_text("".join(json.dumps({f"user-{i}": 1}) + "\n" for i in range(50)))
    code, _, err = run("sweep", "other.jsonl", "--field", "path")
    assert code == 2
    assert "its fields are not the same in most records" in err
    assert "user-" not in err
