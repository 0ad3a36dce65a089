"""minleak pad: what it prints, what it writes, and that the file can be deployed."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import minleak as ml

SIZES = [100 * i + i % 7 for i in range(1, 41)]
COUNTS = [1000 // i for i in range(1, 41)]


def test_buckets_are_written_as_designed(asked, run, folder):
    """The CSV holds the thresholds of `minleak.padding`; the JSON its figures and the policies'."""
    said = asked("pad", "files.csv", "--budget", "5%", "--weight", "count", "-e", "min-entropy", "-o", "b.csv")
    best = ml.padding.design(
        SIZES, COUNTS, budget=0.05 * float(np.average(SIZES, weights=COUNTS)), entropy="min-entropy"
    )
    assert said["padding"]["leakage"] == pytest.approx(best.leakage, rel=1e-12)
    assert said["padding"]["observables"] == best.observables.tolist()
    assert (said["padding"]["status"], said["padding"]["smallest_class"]) == (best.status, best.smallest_class)
    rows = list(csv.DictReader((folder / "b.csv").read_text().splitlines()))
    assert [int(row["padded"]) for row in rows] == best.observables.tolist()
    assert [int(row["above"]) for row in rows] == [-1, *best.observables.tolist()[:-1]]
    assert sum(int(row["secrets"]) for row in rows) == 40
    assert {row["name"] for row in said["policies"]} >= {"Padmé", "powers of two"}
    code, out, _ = run("pad", "files.csv", "--budget", "200", "--floor", "3")
    assert code == 0
    assert "smallest class" in out


def test_randomised_rows_are_a_channel(asked, folder):
    """They can be measured by `minleak measure`, with the leakage that was said."""
    said = asked("pad", "files.csv", "--budget", "50", "-e", "min-entropy", "--randomised", "-o", "rows.csv")
    measured = asked("measure", "files.csv", "rows.csv", "-e", "min-entropy")
    assert measured["leakage"]["min-entropy"]["leakage"] == pytest.approx(said["padding"]["leakage"], abs=1e-9)
    assert said["padding"]["overhead"] <= 50


def test_the_least_overhead_for_a_leakage(asked, folder):
    """As the library finds it, and written to draw from."""
    said = asked("pad", "files.csv", "--max-leakage", "0.5", "-o", "pad.cloak")
    least = ml.padding.least_budget(SIZES, COUNTS, leakage=0.5)
    assert (said["padding"]["overhead"], said["padding"]["leakage"]) == pytest.approx(
        (least.overhead, least.padding.leakage)
    )
    shown = asked("show", "pad.cloak", "-e", "shannon")
    assert shown["leakage"]["shannon"]["leakage"] == pytest.approx(said["padding"]["leakage"])


def test_times_from_stdin(asked, typed):
    """Seconds with a fraction have no policies to stand beside."""
    typed(b"secret,size\nlittle,10.5\nmuch,20\n")
    said = asked("pad", "-", "--budget", "4.75")
    assert (said["padding"]["observables"], said["padding"]["leakage"]) == ([20.0], 0)
    assert said["policies"] == []


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_charts(asked, folder, ending):
    """Buckets, randomised optimum and policies in one picture."""
    said = asked("pad", "files.csv", "--budget", "50", "-e", "min-entropy", "--randomised", "--chart", f"c.{ending}")
    assert said["files"] == [f"c.{ending}"]
    content = (folder / f"c.{ending}").read_bytes()
    assert len(content) > 5000
    if ending == "svg":
        text = content.decode()
        assert all(word in text for word in ("best buckets", "best randomised", "Padmé", "mean overhead"))


def test_frames_of_streams_are_written_as_chosen(asked, folder):
    """The JSON is what `minleak.padding.frames` finds; the file opens, and bad rows are one line."""
    rows = [(s, s % 3, 10 * j + s % 5, 1 + s % 3 + j % 4) for s in range(30) for j in range(5 + s % 7)]
    lines = [f"{s},t{x},{ms},{size}" for s, x, ms, size in rows]
    (folder / "streams.csv").write_text("\n".join(["id,topic,ms,bytes", *lines]) + "\n")
    names = ["--stream", "id", "--secret", "topic", "--time", "ms", "--size", "bytes"]
    said = asked("pad", "streams.csv", "--frames", *names, "--budget", "20%", "--delay", "100", "-o", "frames.json")
    columns = {"stream": "id", "secret": "topic", "time": "ms", "size": "bytes"}
    streams = ml.padding.read_streams(folder / "streams.csv", **columns)
    best = ml.padding.frames(streams, budget=0.2 * streams.bytes_on_the_wire().mean(), delay=100)
    assert (said["frame"], said["tick_ms"], said["totals"]) == (best.frame, best.tick_ms, list(best.totals))
    assert ml.padding.Frames.load(folder / "frames.json") == best
