"""--property: what is shown tells about a column of the secrets' file, by the library's own numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

import minleak as ml


@pytest.fixture
def kinds(folder):
    lines = Path("kinds.csv").read_text().splitlines()[1:]
    return {line.split(",")[0]: line.split(",")[2] for line in lines}


def test_show_tells_what_the_plan_says(asked, run, kinds):
    plan = ml.load("queries.cloak")
    told = plan.property_leakage(kinds, ["shannon"])
    said = asked("show", "queries.cloak", "kinds.csv", "--property", "kind", "-e", "shannon")
    assert said["property_leakage"] == told.to_dict()
    assert asked("show", "queries.cloak")["property_leakage"] is None
    assert (
        f"guessed with probability {told.success:.6g}"
        in run("show", "queries.cloak", "kinds.csv", "--property", "kind")[1]
    )


def test_a_plan_that_was_updated_has_properties_of_all_its_secrets(asked, kinds):
    asked("update", "queries.cloak", "tomorrow.csv", "-o", "next.cloak")
    said = asked("show", "next.cloak", "kinds.csv", "--property", "kind")
    assert said["property_leakage"]["success"] == ml.load("next.cloak").success_of(kinds)


def test_measure_tells_about_a_property(asked, folder):
    Path("diagnoses.csv").write_text("secret,count,ward\nflu,5,a\ncold,3,b\ngout,2,b\n")
    said = asked("measure", "diagnoses.csv", "test.csv", "--property", "ward", "-e", "shannon")
    prior = ml.read_prior("diagnoses.csv")
    channel = ml.read_channel("test.csv", inputs=prior.labels)
    assert said["property_leakage"] == ml.property_leakage(prior, channel, ["a", "b", "b"], ["shannon"]).to_dict()
    assert asked("measure", "diagnoses.csv", "test.csv")["property_leakage"] is None


def test_audit_tells_about_a_property(asked, run, folder):
    lines = Path("events.csv").read_text().splitlines()
    rows = [f"{line},{int(line.split(',')[0][-1]) % 2}" for line in lines[1:]]
    Path("events.csv").write_text("\n".join([lines[0] + ",odd", *rows]) + "\n")
    names = ["--secret", "query", "--observable", "size"]
    said = asked("audit", "events.csv", *names, "--property", "odd")
    assert said["secrets"] == 2
    assert said["success"] == asked("audit", "events.csv", "--secret", "odd", "--observable", "size")["success"]
    by_label = {f"query-{i}": str(i % 2) for i in range(5)}
    found = ml.audit("events.csv", secret="query", observable="size", of=by_label, permutations=199)
    assert found.success.to_dict() == said["success"]
    code, _, told = run("audit", "events.csv", *names, "--property", "odd", "--engine", "duckdb")
    assert (code, "--secret" in told) == (2, True)
    Path("events.csv").write_text("\n".join([lines[0] + ",odd", f"{lines[1]},7", *rows]) + "\n")
    code, _, told = run("audit", "events.csv", *names, "--property", "odd")
    assert code == 2
    assert "gives a secret a second, different property" in told


def test_the_report_states_it_or_asks_for_it(run, folder):
    places = "".join(f"c{i},{9 + i % 5},{'ab'[i % 2]},{i % 7},{i % 3}\n" for i in range(20))
    Path("cities.csv").write_text(f"secret,count,country,lat,lon\n{places}")
    run("design", "cities.csv", "-k", "3", "--near", "lat,lon", "-o", "near.cloak")
    assert "name a property" in run("show", "near.cloak")[1]
    assert "name a property" not in run("show", "near.cloak", "cities.csv", "--property", "country")[1]
    assert run("report", "near.cloak", "-o", "page.html", "--trials", "50")[0] == 0
    assert "Add a property" in Path("page.html").read_text()
    assert (
        run("report", "near.cloak", "cities.csv", "--property", "country", "-o", "page.html", "--trials", "50")[0] == 0
    )
    told = ml.load("near.cloak").property_leakage(dict(zip([f"c{i}" for i in range(20)], "ab" * 10, strict=True)))
    assert f"guesses it is right {100 * told.success:.3g}% of the time" in Path("page.html").read_text()
    assert "Add a property" not in Path("page.html").read_text()
    run("update", "near.cloak", "cities.csv", "-o", "next.cloak")
    for plan in ("next.cloak",):
        assert run("report", plan, "cities.csv", "--property", "country", "-o", "page.html")[0] == 0
        assert "The property, one of 2 values" in Path("page.html").read_text()
