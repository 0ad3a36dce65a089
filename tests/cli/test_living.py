"""Plans that are updated, at the command line: what is told, what stays, who is drawn by which lineage, and a crash."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.files import QUERIES

import minleak as ml
from minleak.cli import _update as updating
from minleak.lineage._summary import PARTS

STICKY = ("--key", "queries.key", "--scope", "user-17")


def write_counts(name, counts):
    rows = "".join(f"{secret},{count}\n" for secret, count in counts.items())
    Path(name).write_text(f"secret,count\n{rows}")


@pytest.fixture
def lineage(run):
    """lineage.cloak: two parts and a secret that waits."""
    newcomers = {f"new-{i}": 20 - i for i in range(12)}
    write_counts("day-1.csv", QUERIES | newcomers)
    write_counts("day-2.csv", {secret: count for secret, count in QUERIES.items() if count > 30} | {"rabies": 7})
    assert run("update", "queries.cloak", "day-1.csv", "-o", "lineage.cloak", "--cohort", "1")[0] == 0
    assert run("update", "lineage.cloak", "day-2.csv", "-o", "lineage.cloak")[0] == 0
    return ml.load("lineage.cloak")


def right_by_hand(plan):
    """How often a guess is right, in fractions: for every set the largest share of the last counts that leads to it."""
    total = sum(plan.prior.weights.tolist())
    matrix = plan.channel().matrix.tocsc()
    best = 0.0
    for column in range(matrix.shape[1]):
        begin, end = matrix.indptr[column : column + 2]
        best += max(
            plan.prior.weights[row] * share
            for row, share in zip(matrix.indices[begin:end], matrix.data[begin:end], strict=True)
        )
    return best / total


# -- a day in its life -----------------------------------------------------------------------------------------------


def test_a_day_in_the_life_of_a_plan(run, asked):
    """Design, draw, next day's counts: a dry run tells, update writes the same, and draws stay."""
    before = asked("draw", "queries.cloak", "query-9", *STICKY)
    told = asked("update", "queries.cloak", "tomorrow.csv", "--dry-run")
    assert not Path("newer.cloak").exists()
    done = asked("update", "queries.cloak", "tomorrow.csv", "-o", "newer.cloak")
    assert done == {**told, "files": ["newer.cloak"]}
    assert (done["version"], done["parts"], done["pending"]) == (2, 1, 1)
    assert done["pending_mass"] == pytest.approx(30 / sum(ml.read_prior("tomorrow.csv").weights))
    newer = ml.load("newer.cloak")
    assert newer.lineage == ml.load("queries.cloak").lineage
    assert done["success"] == pytest.approx(right_by_hand(newer))
    assert done["lineage"] == newer.lineage.hex()
    assert asked("draw", "newer.cloak", "query-9", *STICKY) == before, "the set, its name and its lineage"
    assert asked("update", "newer.cloak", "queries.csv", "-o", "third.cloak")["version"] == 3


def test_an_update_writes_or_tells_and_not_both(run):
    for arguments in ([], ["-o", "x.cloak", "--dry-run"]):
        code, out, err = run("update", "queries.cloak", "tomorrow.csv", *arguments)
        assert (code, out) == (2, "")
        assert "give either -o, the file to write, or --dry-run, to write nothing" in err
    assert not Path("x.cloak").exists()


def test_a_dry_run_of_the_same_counts_leaves_all_as_it_was(asked):
    told = asked("update", "queries.cloak", "queries.csv", "--dry-run")
    shown = asked("show", "queries.cloak")
    assert (told["pending"], told["not_seen_today"], told["parts"]) == (0, 0, 1)
    for name in ("success", "success_blind", "lineage"):
        assert told[name] == pytest.approx(shown[name])


# -- what commands say of it -----------------------------------------------------------------------------------------


def test_show_tells_of_parts_and_of_what_waits(run, asked, lineage):
    told = asked("show", "lineage.cloak")
    assert (told["version"], told["secrets"], told["parts"], told["pending"]) == (3, 52, 2, 1)
    assert told["not_seen_today"] == 52 - sum(count > 30 for count in QUERIES.values())
    assert told["success"] == pytest.approx(right_by_hand(lineage))
    first, second = told["each_part"]
    assert (first["secrets"], second["secrets"]) == (40, 12)
    assert first["made"] == pytest.approx(ml.load("queries.cloak").success)
    assert first["share"] * first["success"] == pytest.approx(told["success"])
    assert (second["share"], second["success"]) == (0, None), "nothing of it was counted on the last day"
    text = run("show", "lineage.cloak")[1]
    assert "version 3: 52 secrets in 2 parts" in text
    share = 7 / (7 + sum(count for count in QUERIES.values() if count > 30))
    assert f"1 new secret waits for a part, {share:.2%} of the last day's events: refused until then" in text
    assert "all versions show a secret in the same set: an observer of all versions has seen one set" in text
    assert lineage.lineage.hex() in text
    assert "rabies" not in text
    assert "tell more" not in text
    assert "version" not in run("show", "queries.cloak")[1]
    assert asked("show", "queries.cloak")["lineage"] == lineage.lineage.hex()


def test_the_successes_of_parts_add_up(asked, lineage):
    ml.update(lineage, QUERIES | {f"new-{i}": 3 * i for i in range(12)}).save("lineage.cloak")
    told = asked("show", "lineage.cloak", "-e", "guess-error:1")
    assert sum(part["share"] for part in told["each_part"]) == pytest.approx(1)
    assert sum(part["share"] * part["success"] for part in told["each_part"]) == pytest.approx(told["success"])
    assert told["leakage"]["guess-error:1"]["leakage"] == pytest.approx(told["success"] - told["success_blind"])


def test_of_many_parts_the_first_and_the_last_are_told(run):
    plan = ml.design(QUERIES, 2)
    for day in range(PARTS + 5):
        plan = ml.update(plan, QUERIES | {f"{day}-{i}": 1 for i in range(2)}, cohort=1)
    plan.save("many.cloak")
    assert len(plan.parts) == PARTS + 6
    text = run("show", "many.cloak")[1]
    assert f"the first part and the last {PARTS - 1}" in text
    assert len([line for line in text.splitlines() if line.split()[:1] and line.split()[0].isdigit()]) == PARTS


def test_certify_proves_each_part_for_its_own_counts(run, asked, lineage):
    told = asked("certify", "lineage.cloak")
    assert told["ok"]
    assert told["exact"]
    assert [check["what"] for check in told["checks"]] == [
        "part 0 is optimal for the counts it was made for",
        "part 1 is optimal for the counts it was made for",
        "no secret is in two parts",
    ]
    first, second = lineage.parts
    names = list(first.prior.labels)[: len(second.prior)]
    again = ml.design(ml.Prior(second.prior.weights, labels=names), second.k)
    twice = type(lineage)((first, again), lineage.ledger)
    assert [check.ok for check in ml.certify(twice).checks] == [True, True, False]
    code, out, err = run("certify", "lineage.cloak", "queries.csv")
    assert (code, out) == (2, "")
    assert "each part of an updated plan is certified for its own counts, which the file holds: leave out PRIOR" in err


def test_export_writes_all_parts(run, asked, lineage):
    """Rows of every listed secret, none of those that wait; places without gaps, and no set in two parts."""
    told = asked("export", "lineage.cloak", "-o", "sets.parquet")
    rows = [tuple(row.values()) for row in pq.read_table("sets.parquet").to_pylist()]
    assert told["rows"] == len(rows)
    assert {row[0] for row in rows} == set(lineage.prior.labels)
    parts = [set(part.prior.labels) for part in lineage.parts]
    numbers = [{row[1] for row in rows if row[0] in part} for part in parts]
    assert not numbers[0] & numbers[1]
    channel = lineage.channel()
    for secret in ("query-9", "new-3"):
        own = sorted((row for row in rows if row[0] == secret), key=lambda row: row[2])
        assert [row[2] for row in own] == [0, *(row[3] + 1 for row in own[:-1])]
        odds = {}
        for _, number, first, last in own:
            members = frozenset(row[0] for row in rows if row[1] == number)
            odds[members] = odds.get(members, 0) + Fraction(last - first + 1, own[-1][3] + 1)
        at = list(lineage.prior.labels).index(secret)
        expected = dict(zip(map(frozenset, channel.outputs), channel.toarray()[at], strict=True))
        assert {members: float(share) for members, share in odds.items()} == pytest.approx(
            {members: share for members, share in expected.items() if share}
        )


def test_report_judges_the_requirement_by_the_upper_end_of_today(run, lineage, folder):
    right = f"{100 * ml.population(lineage).high:.3g}%"
    for most, verdict in (("90%", "met"), ("1%", "not met")):
        code, _, err = run("report", "lineage.cloak", "-o", "r.html", "--max-success", most)
        assert code == 0, err
        page = (folder / "r.html").read_text()
        assert f"a guess is right at most {most} of the time: {verdict} ({right} at the most today)" in page
    assert "saw the sets of all 3 versions of this plan" in page
    assert "rabies" not in page
    assert run("report", "lineage.cloak", "-o", "charts", "--charts", "svg")[0] == 0
    assert sorted(file.name for file in (folder / "charts").iterdir()) == ["life.svg", "parts.svg"]


# -- draws -----------------------------------------------------------------------------------------------------------


def test_secrets_that_wait_are_refused_in_words_of_their_own(run, typed, lineage):
    typed(b"query-3\nrabies\n")
    code, out, err = run("draw", "lineage.cloak", "-", *STICKY)
    assert (code, out) == (2, run("draw", "lineage.cloak", "query-3", *STICKY)[1])  # the first line was answered
    assert "line 2 of stdin: this secret was counted but has no set yet: refuse it until an update" in err
    assert "rabies" not in err
    standing = run("draw", "lineage.cloak", "rabies", *STICKY, "--stand-in", "query-3")[1]
    assert standing == run("draw", "lineage.cloak", "query-3", *STICKY)[1]


def test_everybody_stays_with_the_lineage_they_began_with(run, asked, lineage):
    """A plan designed anew is for those who come later; --lineage asks for one by its name."""
    run("design", "tomorrow.csv", "-k", "10", "-o", "june.cloak")
    pinned = (*STICKY, "--pins", "pins.sqlite")
    first = asked("draw", "queries.cloak", "query-9", *pinned)
    again = asked("draw", "june.cloak", "query-9", "--older", "lineage.cloak", *pinned)
    assert again == first
    assert first["lineage"] == lineage.lineage.hex()
    other = ("--key", "queries.key", "--scope", "user-18")
    later = asked("draw", "june.cloak", "query-9", "--older", "lineage.cloak", *other, "--pins", "pins.sqlite")
    assert later["lineage"] == ml.load("june.cloak").lineage.hex()
    assert later == asked("draw", "june.cloak", "query-9", *other)
    named = asked("draw", "june.cloak", "query-9", "--older", "lineage.cloak", *STICKY, "--lineage", first["lineage"])
    assert named == first
    assert Path("pins.sqlite").stat().st_mode & 0o777 == 0o600
    code, out, err = run("draw", "june.cloak", "query-9", *pinned)
    assert (code, out) == (2, "")
    assert "this subject is pinned to a lineage of neither CLOAK nor --older: add its file" in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--fresh", "--pins", "p"], "--pins needs --key and --scope"),
        ([*STICKY, "--pins", "p", "--lineage", "00"], "does not go with --lineage"),
        ([*STICKY, "--lineage", "query-9"], "--lineage is hexadecimal"),
        ([*STICKY, "--lineage", "00"], "neither CLOAK nor --older"),
        ([*STICKY, "--older", "queries.cloak"], "versions of one lineage"),
        ([*STICKY, "--older", "missing.cloak"], "missing.cloak"),
        ([*STICKY, "--pins", "queries.csv"], "queries.csv"),
    ],
)
def test_pins_and_lineages_are_refused_in_one_line(run, arguments, why):
    Path("queries.csv").chmod(0o600)
    code, out, err = run("draw", "queries.cloak", "query-9", *arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert err.count("\n") == 1
    assert "query-9" not in err


# -- reading and writing ---------------------------------------------------------------------------------------------


def test_a_log_is_read_as_design_reads_it(asked, folder):
    """Rows counted, blanks taken off: the plan of a log is updated by another, and certified."""
    for name, shift in (("old.csv", 0), ("new.csv", 1)):
        rows = "".join(f"ann, place-{(i * i + shift * i) % 31} \n" for i in range(900))
        (folder / name).write_text(f"user,place\n{rows}")
    how = ["--secret", "place", "--weight", "1", "--clean"]
    asked("design", "old.csv", "-k", "4", "-o", "old.cloak", *how)
    assert asked("update", "old.cloak", "new.csv", "-o", "new.cloak", *how)["version"] == 2
    assert asked("certify", "old.cloak", "old.csv", *how)["ok"]
    assert asked("certify", "new.cloak")["ok"]
    assert ml.load("new.cloak").prior.labels[0] == "place-0"


@pytest.mark.parametrize("kind", ["stable", "blocks"])
def test_of_two_updates_of_one_file_at_once_the_second_is_refused(run, folder, monkeypatch, kind):
    """It would undo the first without a word; the file stays what the first made it."""
    run("design", "queries.csv", "-k", "4", "--layout", kind, "-o", "plan.cloak")
    before, telling = (folder / "plan.cloak").read_bytes(), updating.summarize
    first = []

    def meanwhile(*arguments):
        monkeypatch.setattr(updating, "summarize", telling)
        first.append(run("update", "plan.cloak", "tomorrow.csv", "-o", "plan.cloak")[0])
        first.append((folder / "plan.cloak").read_bytes())
        return telling(*arguments)

    monkeypatch.setattr(updating, "summarize", meanwhile)
    code, out, err = run("update", "plan.cloak", "queries.csv", "-o", "plan.cloak")
    assert (code, out) == (2, "")
    assert "cannot write plan.cloak: another process has written it since it was read: do the same again" in err
    assert first == [0, (folder / "plan.cloak").read_bytes()]
    assert first[1] != before


def test_an_update_and_an_export_are_as_private_as_what_they_replace(run, folder):
    for name, command in {
        "queries.cloak": ("update", "queries.cloak", "tomorrow.csv"),
        "queries.sqlite": ("export", "queries.cloak"),
        "table.csv": ("export", "queries.cloak"),
    }.items():
        (folder / name).touch()
        (folder / name).chmod(0o600)
        code, _, err = run(*command, "-o", name)
        assert code == 0, err
        assert (folder / name).stat().st_mode & 0o777 == 0o600


def test_blocks_are_updated_too(run, asked):
    """Without a key: the block of a secret stays, and those that wait get blocks of their own."""
    run("design", "queries.csv", "-k", "4", "--layout", "blocks", "-o", "blocks.cloak")
    before = asked("draw", "blocks.cloak", "query-9")
    write_counts("day-1.csv", QUERIES | {f"new-{i}": 20 - i for i in range(12)})
    told = asked("update", "blocks.cloak", "day-1.csv", "-o", "blocks.cloak")
    assert (told["notes"], told["parts"]) == (["1 new part made from the secrets that were waiting"], 2)
    assert asked("draw", "blocks.cloak", "query-9") == before
    assert json.dumps(asked("draw", "blocks.cloak", "new-3")["sets"]).count("new-") == 4
    assert asked("certify", "blocks.cloak")["ok"]


def test_what_new_secrets_are_worth_stands_beside_the_counts(run, asked):
    for name, secrets in (("old", list(QUERIES)), ("new", [*QUERIES, *(f"new-{i}" for i in range(12))])):
        rows = "".join(f"{secret},{QUERIES.get(secret, 9)},{1 + i % 3}\n" for i, secret in enumerate(secrets))
        Path(f"{name}.csv").write_text(f"secret,count,worth\n{rows}")
    run("design", "old.csv", "-k", "4", "--gains", "worth", "-o", "plan.cloak")
    code, out, err = run("update", "plan.cloak", "new.csv", "-o", "plan.cloak")
    assert (code, out) == (2, "")
    assert "which new secrets need too: give --gains by label" in err
    assert asked("update", "plan.cloak", "new.csv", "--gains", "worth", "-o", "plan.cloak")["parts"] == 2
    assert asked("certify", "plan.cloak")["ok"]


SLOW = """
import os, sys, time
import minleak.core._file.writing as form
wait = os.fsync
def fsync(handle):
    print("writing", flush=True)
    time.sleep(60)
    wait(handle)
form.os.fsync = fsync
from minleak.cli._app import main
main(["update", "queries.cloak", "tomorrow.csv", "-o", "queries.cloak"])
"""


def test_a_crash_in_the_middle_leaves_the_old_file(run):
    """Killed while the new file is being written: the old one is whole, and opens."""
    before = Path("queries.cloak").read_bytes()
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "writing\n"
        process.send_signal(signal.SIGKILL)
    assert Path("queries.cloak").read_bytes() == before
    assert ml.load("queries.cloak").version == 1
    assert run("update", "queries.cloak", "tomorrow.csv", "-o", "queries.cloak")[0] == 0
    assert ml.load("queries.cloak").version == 2


def test_newcomers_of_near_plans_take_their_coordinates_from_the_counts(run, asked, folder):
    rows = [f"s{i},{20 - i},{i % 4},{i // 4}" for i in range(12)]
    (folder / "places.csv").write_text("\n".join(["secret,count,x,y", *rows]))
    assert asked("design", "places.csv", "-k", "3", "--near", "x,y", "-o", "near.cloak")["layout"] == "near"
    new = [f"n{i},{9 - i},{i},{i}" for i in range(4)]
    (folder / "today.csv").write_text("\n".join(["secret,count,x,y", *rows, *new]))
    code, _, err = run("update", "near.cloak", "today.csv", "--dry-run")
    assert code == 2
    assert "the plan was made with --near: give the columns with the coordinates of new secrets" in err
    told = asked("update", "near.cloak", "today.csv", "--near", "x,y", "-o", "newer.cloak")
    assert (told["parts"], told["pending"]) == (2, 0)
    assert [part.layout for part in ml.load("newer.cloak").parts] == ["near", "near"]
    code, _, err = run("update", "queries.cloak", "today.csv", "--near", "x,y", "--dry-run")
    assert code == 2
    assert "--near needs a plan made with --near" in err
