"""What the commands answer is what the library answers."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import minleak as ml
from minleak.cli._options import whole_numbers

PRIOR = ml.Prior([5, 3, 2], labels=["flu", "cold", "gout"])


@pytest.fixture
def queries(folder):
    return ml.read_prior("queries.csv")


def test_design_writes_the_librarys_plan(asked, queries):
    """The file holds the plan that ml.design makes, and the numbers are its own."""
    said = asked("design", "queries.csv", "-k", "7", "-o", "new.cloak", "--layout", "circle", "-e", "shannon")
    plan = ml.design(queries, k=7, layout="circle")
    assert said["schema"] == "minleak/1"
    assert said["command"] == "design"
    assert said["files"] == ["new.cloak"]
    assert said["leakage"]["shannon"]["leakage"] == plan.leakage("shannon")
    assert ml.load("new.cloak").exact_target == plan.exact_target
    assert ml.certify(ml.load("new.cloak"), queries).ok


def test_design_reads_stdin_and_other_columns(asked, typed, folder):
    """`-` is stdin, csv unless said otherwise; columns and gains are named by options."""
    typed(b"name,n,worth\na,3,1\nb,2,4\nc,1,0\n")
    said = asked("design", "-", "-k", "2", "--secret", "name", "--weight", "n", "--gains", "worth")
    plan = ml.design(ml.Prior([3, 2, 1]), k=2, gains=[1, 4, 0])
    assert said["gains"] is True
    assert said["leakage"]["min-entropy"]["after"] == pytest.approx(plan.entropy("min-entropy"))


def test_show(asked, queries):
    """Giants are named, and the chances are those of the plan."""
    said = asked("show", "queries.cloak")
    plan = ml.design(queries, k=10)
    assert said["giants"] == plan.n_giants > 0
    assert said["giant_labels"] == [queries.labels[i] for i in plan.giants.tolist()]
    assert said["success"] == max(plan.target)


def test_sweep(asked, queries):
    """The table is ml.sweep's, the least k ml.least_k's."""
    said = asked("sweep", "queries.csv", "--ks", "1:5,9", "--max-leakage", "1", "--max-success", "0.3")
    swept = ml.sweep(queries, ks=[1, 2, 3, 4, 5, 9])
    assert said["sweep"]["ks"] == list(swept.ks)
    assert said["sweep"]["leakage"]["shannon"] == swept["shannon"].tolist()
    assert said["least_k_leakage"] == ml.least_k(queries, "shannon", leakage=1)
    assert said["least_k_success"] == ml.least_k(queries, success=0.3)


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_sweep_saves_its_chart(run, folder, ending):
    """As a picture or a page."""
    code, out, _ = run("sweep", "queries.csv", "--chart", f"chart.{ending}")
    assert f"written to chart.{ending}" in out
    assert code == 0
    assert f"chart.{ending}" in out
    start = {"png": b"\x89PNG", "svg": b"<svg", "html": b"<!doctype html>"}[ending]
    assert (folder / f"chart.{ending}").read_bytes().startswith(start)


def test_measure_and_capacity(asked):
    """The table, the vulnerabilities and the certified capacity of a channel."""
    channel = ml.read_channel("test.csv")
    said = asked("measure", "diagnoses.csv", "test.csv", "-e", "shannon", "-e", "collision")
    assert said["leakage"]["collision"]["leakage"] == ml.leakage(PRIOR, channel, "collision")
    assert said["vulnerability_after"] == ml.lab.posterior_vulnerability(PRIOR, channel)
    found = asked("measure", "test.csv", "--capacity", "-e", "arimoto:2")
    assert found["capacity"]["status"] == "certified"
    assert found["capacity"]["value"] == ml.capacity(channel, "arimoto:2").value


def test_optimise_writes_the_librarys_channel(asked, run):
    """The numbers are ml.lab.optimise's, and the file is the channel, as rows that `measure` reads."""
    pairs = ml.read_pairs("pairs.csv", inputs=PRIOR.labels)
    for ending in ("csv", "tsv", "parquet"):
        said = asked(
            "optimise", "diagnoses.csv", "pairs.csv", "--budget", "0.2", "-e", "arimoto:2", "-o", f"channel.{ending}"
        )
        best = ml.lab.optimise(PRIOR, entropy="arimoto:2", allowed=pairs.allowed, cost=pairs.cost, budget=0.2)
        assert said["stages"][0]["leakage"] == best.leakage
        assert said["stages"][0]["bound"] == best.bound
        read = ml.read_channel(f"channel.{ending}", inputs=PRIOR.labels)
        assert ml.leakage(PRIOR, read, "arimoto:2") == pytest.approx(best.leakage, abs=1e-12)
        assert said["costs"] == [pytest.approx(0.2, abs=1e-9)]
    assert run("measure", "diagnoses.csv", "channel.csv")[0] == 0


def test_optimise_to_a_leakage_or_under_d_privacy(asked, run, folder):
    """The least cost for a leakage, and the least leakage of d-private channels, are the library's; a channel written
    to draw from tells what it leaks.
    """
    pairs = ml.read_pairs("pairs.csv", inputs=PRIOR.labels)
    said = asked("optimise", "diagnoses.csv", "pairs.csv", "--max-leakage", "0.1", "-o", "least.cloak")
    least = ml.lab.least_budget(PRIOR, leakage=0.1, allowed=pairs.allowed, cost=pairs.cost)
    assert (said["budget"], said["bound"]) == pytest.approx((least.budget, least.bound))
    assert (said["leakages"], said["targets"]) == ([pytest.approx(0.1, abs=1e-6)], [0.1])
    shown = asked("show", "least.cloak")
    assert shown["leakage"]["shannon"]["leakage"] == pytest.approx(0.1, abs=1e-6)
    assert (shown["secrets"], shown["observables"], shown["most_causes"]) == (3, 3, 3)
    assert (
        "3 secrets, 3 observables, each from up to 3 secrets\ndrawn in whole numbers" in run("show", "least.cloak")[1]
    )
    (folder / "at.csv").write_text("secret,count,at\nflu,5,0\ncold,3,1\ngout,2,5\n")
    every = [f"{x},{y},{int(x != y)}" for x in PRIOR.labels for y in PRIOR.labels]
    (folder / "every.csv").write_text("\n".join(["secret,observable,cost", *every]) + "\n")
    at = np.array([0, 1, 5])
    for more, distances in (([], 1 - np.eye(3)), (["--places", "at"], np.abs(at[:, None] - at))):
        said = asked("optimise", "at.csv", "every.csv", "--budget", "0.45", "--d-privacy", "1", *more)
        best = ml.lab.optimise(PRIOR, cost=1 - np.eye(3), budget=0.45, d_privacy=(1, distances))
        assert said["stages"][0]["leakage"] == pytest.approx(best.leakage, abs=1e-9)
    said = asked("optimise", "at.csv", "every.csv", "--budget", "0.45", "--d-privacy", "0.5", "--delta", "0.1")
    best = ml.lab.optimise(PRIOR, cost=1 - np.eye(3), budget=0.45, d_privacy=(0.5, 1 - np.eye(3)), delta=0.1)
    assert said["stages"][0]["leakage"] == pytest.approx(best.leakage, abs=1e-9)


def test_what_does_not_refine_is_told_by_gains(asked, run, folder):
    """Exit code 1, and what guesses are worth."""
    (folder / "sharp.csv").write_text("secret,observable,probability\nflu,yes,1\ncold,no,1\ngout,no,1\n")
    code, out, _ = run("measure", "test.csv", "--against", "sharp.csv", "--json")
    said = json.loads(out)
    assert (code, said["ok"]) == (1, False)
    A, B = (ml.read_channel(name, inputs=PRIOR.labels) for name in ("test.csv", "sharp.csv"))
    uniform = ml.Prior.uniform(3)
    earned = [ml.lab.posterior_vulnerability(uniform, channel, gain=np.array(said["gain"])) for channel in (A, B)]
    assert said["earned"] == pytest.approx(earned)
    assert run("measure", "test.csv", "--against", "sharp.csv")[1].startswith("the first is not refined by the second")


def test_audits_draw(asked, folder):
    """Both charts are written."""
    given = ["audit", "events.csv", "--secret", "query", "--observable", "size", "-e", "shannon"]
    said = asked(*given, "--chart", "seen.svg", "--curve", "curve.svg")
    assert said["files"] == ["seen.svg", "curve.svg"]
    assert all(b"<svg" in (folder / name).read_bytes() for name in ("seen.svg", "curve.svg"))


def test_plans_of_places_in_words(run, folder):
    """How far members are from the centre, of weights that needed a grid."""
    rows = "".join(f"p{i},{0.1 + 1e-30 * i},5{i}.0,1{i}.5\n" for i in range(1, 10))
    (folder / "places.csv").write_text(f"secret,count,lat,lon\n{rows}last,1e-40,59,20\n")
    code, out, _ = run("design", "places.csv", "-k", "3", "--near", "lat,lon")
    assert code == 0
    assert re.search(r"members of a set are [0-9.]+ km from its centre on average; no plan .* less than", out)
    assert re.search(r"weights are on an integer grid, \S+ from those given \(total variation\)", out)


def test_optimise_takes_gains_and_lists(asked, folder):
    """The second entropy breaks ties of the first; gains are a column of the prior's file."""
    (folder / "worth.csv").write_text("secret,count,worth\nflu,5,1\ncold,3,3\ngout,2,0\n")
    said = asked(
        "optimise",
        "worth.csv",
        "pairs.csv",
        "--budget",
        "0.2",
        "--gains",
        "worth",
        "-e",
        "min-entropy",
        "-e",
        "guesswork",
    )
    pairs = ml.read_pairs("pairs.csv", inputs=PRIOR.labels)
    best = ml.lab.optimise(
        PRIOR,
        entropy=["min-entropy", "guesswork"],
        allowed=pairs.allowed,
        cost=pairs.cost,
        budget=0.2,
        gains=[1.0, 3.0, 0.0],
    )
    assert [stage["leakage"] for stage in said["stages"]] == [stage.leakage for stage in best.stages]


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_optimise_follows_the_frontier(asked, folder, ending):
    """--tradeoff gives ml.lab.tradeoff's points, and the chart of them."""
    said = asked("optimise", "diagnoses.csv", "pairs.csv", "--tradeoff", "4", "--chart", f"frontier.{ending}")
    pairs = ml.read_pairs("pairs.csv", inputs=PRIOR.labels)
    found = ml.lab.tradeoff(PRIOR, cost=pairs.cost, allowed=pairs.allowed, points=4)
    assert [point["leakage"] for point in said["points"]] == [point.leakage for point in found.points]
    start = {"png": b"\x89PNG", "svg": b"<svg", "html": b"<!doctype html>"}[ending]
    assert (folder / f"frontier.{ending}").read_bytes().startswith(start)


def test_infinities_are_text_in_json(asked, folder):
    """JSON has no infinity."""
    (folder / "sure.csv").write_text("secret,observable,probability\nflu,a,1\ncold,b,1\ngout,b,1\n")
    assert asked("measure", "diagnoses.csv", "sure.csv")["local_dp_epsilon_nats"] == "inf"


def test_draw_is_the_cloaks(asked, run, typed):
    """Sticky draws are those of ml.Cloak; secrets may come by stdin; fresh draws hold the secret."""
    cloak = ml.Cloak("queries.cloak", key="queries.key")
    said = asked("draw", "queries.cloak", "query-17", "--key", "queries.key", "--scope", "user-1")
    assert said["sets"][0]["members"] == list(cloak.draw("query-17", scope="user-1"))
    assert said["sets"][0]["id"] == cloak.set_id(cloak.draw("query-17", scope="user-1"))
    typed(b"query-3\nquery-17\n")
    lines = run("draw", "queries.cloak", "-", "--fresh", "--json")[1].splitlines()
    for line, secret in zip(lines, ("query-3", "query-17"), strict=True):
        assert secret in json.loads(line)["sets"][0]["members"]


def test_draw_answers_line_by_line(folder):
    """As another program asks: the next line comes after the answer to the one before; scopes are in a column."""
    command = [sys.executable, "-m", "minleak.cli._app", "draw", "queries.cloak", "-", "--key", "queries.key"]
    cloak = ml.Cloak("queries.cloak", key="queries.key")
    with subprocess.Popen([*command, "--scope-column"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        for scope, secret in (("ann", "query-3"), ("bob", "query-3"), ("ann", "query-17")):
            running.stdin.write(f"{scope}\t{secret}\n".encode())
            running.stdin.flush()
            assert tuple(running.stdout.readline().decode().split()) == cloak.draw(secret, scope=scope)
        running.stdin.close()
        assert running.wait(60) == 0


def test_scopes_in_a_column(run, typed):
    """In JSON a line that is refused is answered too; elsewhere it ends the command, after the answers before it."""
    sticky = ("draw", "queries.cloak", "-", "--key", "queries.key", "--scope-column")
    data = b"ann\tquery-3\nbob\thidden\nhidden\n \tquery-3\nann\tquery-3"
    typed(data)
    code, out, err = run(*sticky, "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert (code, err, len(told)) == (2, "", 5)
    assert told[0] == told[4]
    for at, words in ((1, "line 2 of stdin: the plan does not know"), (2, "has no tab"), (3, "scope is empty")):
        assert words in told[at]["error"]
    assert "hidden" not in out
    typed(data)
    code, out, err = run(*sticky)
    assert (code, out.count("\n"), err.count("\n")) == (2, 1, 1)
    assert "line 2 of stdin" in err
    typed(b"ann\tquery-3\0bob\tquery-4\0")
    assert run(*sticky)[1].count("\n") == 2
    for more in (["--scope", "ann"], ["--fresh"]):
        typed(data)
        assert run(*sticky, *more)[0] == 2
    assert run("draw", "queries.cloak", "query-3", "--key", "queries.key", "--scope-column")[0] == 2


def test_every_line_has_its_pin(run, typed, asked):
    """Whoever was drawn for stays with the lineage they began with."""
    ml.design(ml.read_prior("queries.csv"), k=5).save("june.cloak")
    sticky = ("-", "--key", "queries.key", "--scope-column", "--pins", "pins.sqlite", "--json")
    typed(b"ann\tquery-3\n")
    first = json.loads(run("draw", "queries.cloak", *sticky)[1])
    typed(b"ann\tquery-3\nbob\tquery-3\n")
    later = run("draw", "june.cloak", *sticky, "--older", "queries.cloak")[1].splitlines()
    assert json.loads(later[0]) == first
    assert json.loads(later[1])["lineage"] == ml.load("june.cloak").lineage.hex()


def test_a_draw_loads_no_compiler(folder):
    """One set takes no numba, which would take longer to load, and more memory, than all the rest."""
    code = (
        "import sys; from minleak.cli._app import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: assert 'numba' not in sys.modules"
    )
    arguments = ["draw", "queries.cloak", "query-3", "--key", "queries.key", "--scope", "a"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_draw_from_a_plan_of_numbers(asked):
    """Where nobody named the secrets, numbers do."""
    ml.design([3, 2, 1], k=2).save("plain.cloak")
    assert 1 in asked("draw", "plain.cloak", "1", "--fresh")["sets"][0]["members"]


def test_key_new(run, folder):
    """A file that only its owner can read; its bytes are not printed."""
    code, out, _ = run("key", "new", "mine.key")
    assert code == 0
    assert os.stat("mine.key").st_mode & 0o777 == 0o600
    assert ml.Key.load("mine.key").reveal().hex() not in out


def test_certify(run, asked):
    """Exit code 0 for its own prior, 1 for another one."""
    assert asked("certify", "queries.cloak", "queries.csv")["ok"] is True
    assert run("certify", "queries.cloak")[0] == 0
    code, out, _ = run("certify", "queries.cloak", "diagnoses.csv")
    assert code == 1
    assert "NOT certified" in out


def test_report(run, folder):
    """One page for the plan."""
    assert run("report", "queries.cloak", "-o", "report.html", "--trials", "500")[0] == 0
    assert (folder / "report.html").read_text().startswith("<!doctype html>")


def test_whole_numbers():
    """Lists and stretches."""
    assert whole_numbers("1:3,7") == [1, 2, 3, 7]


@pytest.fixture
def log(folder):
    """A log of 3,000 lines, three blank, one in capitals and one with a blank behind."""
    rng = np.random.default_rng(4)
    lines = [f"query-{i}" for i in rng.geometric(0.01, 2995)]
    lines += ["", "", "", lines[0].upper(), f"{lines[1]} "]
    (folder / "events.log").write_text("\n".join(lines) + "\n")
    return lines


def test_design_finds_the_least_k(asked, run, log):
    """For how often a guess may be right, in the world or as counted; the report says whether it is."""
    said = asked("design", "events.log", "--max-success", "10%", "-o", "events.cloak")
    world = said["in_the_world"]["success"]
    with pytest.warns(ml.errors.MinleakWarning):
        prior = ml.read_prior("events.log")
    assert said["k"] == ml.least_k(prior, success=0.1) > 10
    assert world <= 0.1 < ml.population(ml.design(prior, said["k"] - 1)).success
    assert asked("design", "events.log", "--max-success", "0.1", "--on-counts")["k"] == 10
    _, out, err = run("design", "events.log", "--max-success", "10%", "-o", "events.cloak")
    assert "least k with a guess right at most 10% of the time, in the true population" in err
    assert "minleak report events.cloak -o report.html --max-success 10%" in out
    assert run("report", "events.cloak", "-o", "report.html", "--max-success", "10%", "--trials", "9")[0] == 0
    page = Path("report.html").read_text()
    assert "Requirement: a guess is right at most 10% of the time: met (estimate" in page
    assert "events.cloak" in page
    for wrong in (["-k", "3", "--max-success", "5%"], [], ["-k", "3", "--on-counts"]):
        code, _, err = run("design", "events.log", *wrong)
        assert code == 2
        assert "--max-success" in err


UNTOLD = {
    "seen once": "secret,count\n" + "".join(f"s{i},1\n" for i in range(200)),
    "too few": "secret,count\na,4\nb,3\nc,3\n",
    "say with --events how many": "secret,count\na,0.4\nb,0.3\nc,0.3\n",
}


@pytest.mark.parametrize("why", UNTOLD)
def test_why_nothing_is_said_about_the_world(asked, run, folder, why):
    """Never a figure as counted for one in the world without a word."""
    (folder / "odd.csv").write_text(UNTOLD[why])
    for command in (["design", "-k", "2"], ["design", "--max-success", "60%"], ["sweep", "--max-success", "60%"]):
        code, out, _ = run(command[0], "odd.csv", *command[1:])
        assert code == 0
        assert re.search(rf"^as counted only: .*{why}", out, re.MULTILINE)
        said = asked(command[0], "odd.csv", *command[1:])
        assert said["sweep"]["on_counts"] if "sweep" in said else said["in_the_world"] is None
        assert why in said.get("sweep", said)["untold"]
    assert "only" not in run("sweep", "odd.csv", "--on-counts")[1]
    run("design", "odd.csv", "-k", "2", "-o", "odd.cloak")
    shown = run("show", "odd.cloak")[1]  # which has no such flag itself
    assert why.replace("--events", "design --events") in shown


def test_counts_that_differ_by_chance_are_told(asked, run, folder):
    """Equally frequent secrets: in the world they are taken as such, and how bad it could be is said."""
    counts = np.random.default_rng(1).multinomial(2000, np.full(5000, 1 / 5000))
    rows = "".join(f"s{i},{count}\n" for i, count in enumerate(counts) if count)
    (folder / "equal.csv").write_text(f"secret,count\n{rows}")
    world = asked("design", "equal.csv", "-k", "20")["in_the_world"]
    assert world["alike"]
    said = f"differences too small to show in 2,000 events could make it {world['high']:.4g}"
    assert said in run("design", "equal.csv", "-k", "20")[1]


def test_shares_are_of_so_many_events(asked, folder):
    (folder / "shares.csv").write_text("secret,count\na,0.5\nb,0.3\nc,0.2\n")
    (folder / "counts.csv").write_text("secret,count\na,500\nb,300\nc,200\n")
    shares = asked("design", "shares.csv", "-k", "2", "--events", "1000")["in_the_world"]
    counts = asked("design", "counts.csv", "-k", "2")["in_the_world"]
    assert shares["success"] == pytest.approx(counts["success"])
    assert shares["events"] == counts["events"] == 1000


def test_logs_are_tidied_and_told_of(asked, run, log):
    """Notes are on stderr, in flags, and name no secret."""
    plain = asked("design", "events.log", "-k", "5")["secrets"]
    code, _, err = run("design", "events.log", "-k", "5")
    assert code == 0
    blanks, alike, _ = err.splitlines()
    assert blanks == "minleak: note: 3 blank lines of events.log were skipped"
    assert alike.startswith("minleak: note: 2 labels of events.log differ from another only in blanks")
    assert "--clean takes off" in alike
    assert not any(line in err for line in log if line)
    assert asked("design", "events.log", "-k", "5", "--clean")["secrets"] == plain - 1
    assert asked("sweep", "events.log", "--ks", "2", "--clean")["secrets"] == plain - 1
    assert run("design", "events.log", "-k", "5", "--clean", "-o", "stripped.cloak")[0] == 0
    assert run("certify", "stripped.cloak", "events.log", "--clean")[0] == 0
    assert run("draw", "stripped.cloak", " query-1 ", "--fresh")[0] == 2
    assert run("draw", "stripped.cloak", " query-1 ", "--fresh", "--clean")[0] == 0
    assert run("certify", "stripped.cloak", "events.log")[0] == 1


def test_a_blind_guess_where_the_sum_of_weights_is_beyond_floats(asked, folder):
    (folder / "huge.csv").write_text("secret,count\na,1e308\nb,1e308\nc,1e308\n")
    assert asked("design", "huge.csv", "-k", "2")["success_blind"] == pytest.approx(1 / 3)


def test_no_message_of_optimise_names_a_secret(run, folder):
    (folder / "two.csv").write_text("secret,count\nhidden-thing,3\nother,1\n")
    (folder / "one.csv").write_text("secret,observable,cost\nother,a,0\n")
    code, _, err = run("optimise", "two.csv", "one.csv", "--budget", "1")
    assert code == 2
    assert "no allowed observable" in err
    assert "hidden" not in err


def test_notes_are_part_of_the_json(run, asked, log):
    """One object on one line, of an answer and of an error; for people a line on stderr."""
    said = asked("design", "queries.csv", "-k", "1000")
    assert said["notes"] == [f"-k is larger than the number of secrets: k = {said['secrets']}"]
    code, out, err = run("design", "events.log", "-k", "0", "--json")
    assert (code, out) == (2, "")
    assert len(json.loads(err)["notes"]) == 2
    assert run("design", "queries.csv", "-k", "1000")[2].startswith("minleak: note: -k is larger")


def test_a_plan_that_is_not_saved_is_said_to_be_lost(run):
    """On stderr for people, and not in the JSON."""
    code, out, err = run("design", "queries.csv", "-k", "3")
    assert (code, err) == (0, "minleak: note: no .cloak file was written: add -o plan.cloak to save the plan\n")
    assert "was written: add" not in out
    code, out, err = run("design", "queries.csv", "-k", "3", "--json")
    assert (code, err) == (0, "")
    assert "notes" not in json.loads(out)
    assert "was written: add" not in run("design", "queries.csv", "-k", "3", "-o", "x.cloak")[2]


def test_one_default_in_python_and_on_the_command_line(asked, run, folder, log):
    """The true population where weights are counts, the counts where they are asked for; and every command says it."""
    with pytest.warns(ml.errors.MinleakWarning):
        prior = ml.read_prior("events.log")
    for flags, how in ([[], {}], [["--on-counts"], {"on_counts": True}]):
        swept = asked("sweep", "events.log", "--ks", "2,10", "--max-success", "10%", "--max-leakage", "3", *flags)
        assert swept["least_k_success"] == ml.least_k(prior, success=0.1, **how)
        assert swept["least_k_leakage"] == ml.least_k(prior, "shannon", leakage=3, **how)
        assert swept["sweep"] == ml.sweep(prior, ks=[2, 10], **how).to_dict()
        compared = asked("compare", "events.log", "--prefix", "sha256:3", *flags)
        buckets = [hashlib.sha256(name.encode()).digest()[0] >> 5 for name in prior.labels]
        found = ml.compare(prior, buckets, **how)
        assert (compared["success"], compared["on_counts"]) == (found.success, bool(flags))
        for command in (["sweep", "events.log", "--ks", "2"], ["compare", "events.log", "--prefix", "sha256:3"]):
            said = "as counted" if flags else "in the true population, of which the counts are a sample"
            assert re.search(f"^{said}$", run(*command, *flags)[1], re.MULTILINE)


def test_a_top_list_is_not_called_a_sample(run, folder):
    """In the terminal and on the page: what a list without singletons leaves out is not known."""
    rows = "".join(f"s{i},{600 // (i + 30) + 12}\n" for i in range(1, 200))
    (folder / "top.csv").write_text(f"secret,count\n{rows}")
    said = "no secret was counted fewer than 14 times: if the list is complete"
    assert said in run("design", "top.csv", "-k", "10", "-o", "top.cloak", "--report", "top.html")[1]
    page = " ".join(Path("top.html").read_text().split())
    assert said[1:] in page
    assert "Hardly any" not in page
