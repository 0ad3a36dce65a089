"""minleak pad: what it prints, what it writes, and that the file can be deployed."""

from __future__ import annotations

import csv

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import minleak as ml

SIZES = [100 * i + i % 7 for i in range(1, 41)]
COUNTS = [1000 // i for i in range(1, 41)]


def test_buckets_are_written_as_designed(asked, run, folder):
    """The CSV holds the thresholds of `minleak.padding`; the JSON its figures and the policies'."""
    said = asked("pad", "files.csv", "--budget", "5%", "--weight", "count", "-e", "min-entropy", "-o", "b.csv")
    best = ml.padding.design(SIZES, COUNTS, overhead=0.05, entropy="min-entropy")
    assert said["padding"]["leakage"] == pytest.approx(best.leakage, rel=1e-12)
    assert said["padding"]["observables"] == best.observables.tolist()
    assert (said["padding"]["status"], said["padding"]["smallest_class"]) == (best.status, best.smallest_class)
    rows = list(csv.DictReader((folder / "b.csv").read_text().splitlines()))
    assert [int(row["padded"]) for row in rows] == best.observables.tolist()
    assert [int(row["above"]) for row in rows] == [-1, *best.observables.tolist()[:-1]]
    assert {row["name"] for row in said["policies"]} >= {"Padmé", "powers of two"}
    code, out, _ = run("pad", "files.csv", "--budget", "200", "--floor", "3")
    assert code == 0
    assert "smallest class" in out


def test_the_least_overhead_for_a_leakage(asked, folder):
    """As the library finds it."""
    said = asked("pad", "files.csv", "--max-leakage", "0.5")
    least = ml.padding.least_budget(SIZES, COUNTS, leakage=0.5)
    assert (said["padding"]["overhead"], said["padding"]["leakage"]) == pytest.approx(
        (least.overhead, least.padding.leakage)
    )


def test_times_from_stdin(asked, typed):
    """Seconds with a fraction have no policies to stand beside."""
    typed(b"secret,size\nlittle,10.5\nmuch,20\n")
    said = asked("pad", "-", "--budget", "4.75")
    assert (said["padding"]["observables"], said["padding"]["leakage"]) == ([20.0], 0)
    assert said["policies"] == []


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_charts(asked, folder, ending):
    """Buckets and policies in one picture."""
    named = {"50": ("multiples of 4096", "mean overhead"), "5%": ("Padmé", "mean growth of an object")}
    for budget, words in named.items():
        given = ["--budget", budget, *(["--relative"] if budget == "5%" else [])]
        said = asked("pad", "files.csv", *given, "-e", "min-entropy", "--chart", f"c.{ending}")
        assert said["files"] == [f"c.{ending}"]
        content = (folder / f"c.{ending}").read_bytes()
        assert len(content) > 5000
        if ending == "svg":
            text = content.decode()
            assert all(word in text for word in ("best buckets", *words))
            assert ("Padmé" in text) == (budget == "5%")


def test_a_cap_and_a_budget(asked, run, folder):
    """Both are kept, what each costs is said, and the table is read back and pads sizes that were never seen."""
    said = asked("pad", "files.csv", "--budget", "5%", "--most", "12%", "--relative", "-o", "table.json")
    best = ml.padding.design(SIZES, COUNTS, relative=0.05, most=0.12)
    assert said["padding"]["limits"] == {"relative": 0.05, "most": 0.12}
    assert said["padding"]["leakage"] == pytest.approx(best.leakage, rel=1e-12)
    assert said["padding"]["overheads"]["worst"] <= 0.12
    assert said["prices"].keys() == {"relative", "most"}
    table = ml.padding.SizeTable.load(folder / "table.json")
    assert [table.pad(size) for size in SIZES] == [best.pad(size) for size in SIZES]
    assert all(0 <= table.pad(size) - size <= 0.12 * size for size in range(9000))
    asked("pad", "files.csv", "--most", "12%", "-o", "table.csv")
    lines = (folder / "table.csv").read_text().splitlines()
    assert lines[:2] == ["above,padded,beyond", "-1,0,0.12"]
    code, out, _ = run("pad", "files.csv", "--most", "12%", "--budget", "3%")
    assert code == 0
    assert "what each limit costs" in out
    assert "worst" in out


def test_times_that_vary(asked, folder):
    """Several rows of a secret are samples: what the padded time tells about the topic is judged on held-out rows."""
    rng = np.random.default_rng(0)
    rows = [f"{topic},{10 + 3 * i + rng.exponential():.6f}" for i, topic in enumerate("ab") for _ in range(300)]
    (folder / "times.csv").write_text("\n".join(["topic,ms", *rows]))
    said = asked("pad", "times.csv", "--secret", "topic", "--size", "ms", "--budget", "30%", "-o", "t.csv")
    assert (said["secrets"], said["rows"], said["held_out"]) == (2, 300, 300)
    assert said["leakage"] < 0.1 < 0.7 < said["unpadded"]
    assert ml.padding.SizeTable.load(folder / "t.csv").pad(10.1) >= 10.1


@pytest.mark.parametrize(
    ("rest", "word"),
    [
        (["files.csv"], "--most"),
        (["files.csv", "--budget", "5", "--relative"], "--relative needs a percentage"),
        (["files.csv", "--most", "-1%"], "--most: expected a percentage"),
        (["files.csv", "--most", "lots"], "--most: expected a percentage"),
        (["files.csv", "--most", "15"], "--most: expected a percentage, such as 12% or 150%, or a number below 1"),
        (["files.csv", "--most", "1"], "--most: expected a percentage"),
        (["files.csv", "--most", "nan"], "--most: expected a percentage"),
        (["files.csv", "--budget", "5%", "--most", "1.5"], "--most: expected a percentage"),
        (["files.csv", "--budget", "1%", "--max-leakage", "1"], "either --budget"),
        (["one.csv", "--secret", "topic", "--size", "ms", "--budget", "5%"], "has one sample"),
        (["two.csv", "--secret", "topic", "--size", "ms", "--budget", "5%", "-o", "x.cloak"], ".csv, .json"),
        (["two.csv", "--secret", "topic", "--size", "ms", "--max-leakage", "1"], "one row per secret"),
    ],
)
def test_refusals(run, folder, rest, word):
    """One line, exit code 2."""
    (folder / "one.csv").write_text("topic,ms\na,1\na,2\nb,3\n")
    (folder / "two.csv").write_text("topic,ms\na,1\na,2\nb,3\nb,4\n")
    code, _, error = run("pad", *rest)
    assert code == 2
    assert word in error
    assert len(error.strip().splitlines()) == 1


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


OBJECTS = [size for size in SIZES for _ in range(2 + size % 3)]


def lists_of_sizes(ending="\n"):
    """The same sizes in every form in which they come without names."""
    counts = {size: OBJECTS.count(size) for size in sorted(OBJECTS)}
    lines, counted = [f"{size}{ending}" for size in OBJECTS], [f"{size},{n}{ending}" for size, n in counts.items()]
    uniq = "".join(f"{n:7d} {size}{ending}" for size, n in counts.items())
    return {
        "sizes.txt": "".join(lines),
        "sizes": "".join(lines).rstrip("\r\n"),
        "sizes.log": "".join(lines),
        "plain.csv": "".join(lines),
        "named.csv": "".join([f"size{ending}", *lines]),
        "other.csv": "".join([f"bytes of a file{ending}", *lines]),
        "uniq.txt": uniq,
        "uniq": uniq,
        "counted.csv": "".join([f"size,count{ending}", *counted]),
    }


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("name", lists_of_sizes())
def test_a_list_of_sizes_is_padded_by_its_sizes(asked, folder, typed, name, ending):
    """Counts were taken for sizes, and the answer called optimal. Every form gives what named objects give."""
    content = lists_of_sizes(ending)[name].encode()
    (folder / name).write_bytes(content)
    best = ml.padding.design(OBJECTS, relative=0.05, most=0.12, floor=2)
    typed(content)
    formats = {"sizes.txt": [["--format", "lines"]], "uniq.txt": [["--format", "uniq"]]}.get(name, [])
    for source in ([name], ["-"], *([name, *given] for given in formats)):
        said = asked("pad", *source, "--budget", "5%", "--relative", "--most", "12%", "--floor", "2", "-o", "t.json")
        assert said["padding"]["observables"] == best.observables.tolist()
        assert said["padding"]["leakage"] == pytest.approx(best.leakage, rel=1e-12)
        assert said["padding"]["overhead"] == pytest.approx(best.overhead, rel=1e-12)
        assert ml.padding.SizeTable.load(folder / "t.json").pad(SIZES[0]) == best.pad(SIZES[0])
        assert f"each of its {len(OBJECTS)} sizes" in said["notes"][0]


def test_other_formats_of_sizes_without_names(asked, folder):
    """A column of sizes in parquet or tsv, another name for it, and times."""
    parquet.write_table(pa.table({"size": OBJECTS}), folder / "s.parquet")
    (folder / "s.tsv").write_text("bytes\tn\n" + "".join(f"{size}\t{2 + size % 3}\n" for size in SIZES))
    (folder / "s.txt").write_text("".join(f"{size / 8}\n" for size in OBJECTS))
    best = ml.padding.design(OBJECTS, most=0.12)
    for source in (["s.parquet"], ["s.tsv", "--size", "bytes", "--weight", "n"]):
        assert asked("pad", *source, "--most", "12%")["padding"]["observables"] == best.observables.tolist()
    times = asked("pad", "s.txt", "--most", "12%")["padding"]["observables"]
    assert times == ml.padding.design(np.array(OBJECTS) / 8, most=0.12).observables.tolist()


@pytest.mark.parametrize(
    ("name", "content", "rest", "word"),
    [
        ("a.txt", "10\n20\nhidden\n", ["--format", "lines"], "line 3 of a.txt must be one size, such as 1024"),
        ("a.txt", "10\n-20\n", ["--format", "lines"], "line 2 of a.txt must be one size"),
        ("a.txt", "  3 10\n  2 hidden\n", ["--format", "uniq"], "line 2 of a.txt must be a count and a size"),
        ("a.txt", "hidden\nhidden\n", ["--format", "lines"], "must be one size"),
        ("a.txt", "\n", ["--format", "lines"], "a.txt must list sizes; got none"),
        ("a.txt", "100\t3\n250\t1\n", [], "a.txt must say which of its two numbers a line is the size; got no names"),
        ("a.tsv", "100\t3\n250\t1\n", [], "say --format uniq if the count stands first"),
        ("a", "3 100\n1 250\n", [], "Give a .csv with a first line of size,count"),
        ("a.csv", "size,count\n10,1.5\n", [], "must be whole numbers of objects"),
        ("a.csv", "size,count\n10,99999999999\n", [], "must be whole numbers of objects, in all at most 20,000,000"),
        ("a.csv", "size,count\n10,0\n", [], "must be whole numbers of objects"),
    ],
)
def test_lists_that_are_none(run, folder, name, content, rest, word):
    """One line that leads to the form with names, and repeats nothing of the input."""
    (folder / name).write_text(content)
    code, _, err = run("pad", name, "--most", "12%", *rest)
    assert code == 2, err
    assert word in err
    assert "hidden" not in err
    assert len(err.splitlines()) == 1
