"""Tables that are deployed: what they pad, that files hold them, universal ones, and updates that move nothing."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.padding.exhaustive import keeps, thresholds

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter, UnreadableFile
from minleak.padding import SizeTable, universal

SIZES = np.unique(np.round(np.exp(np.random.default_rng(5).uniform(3, 9, 80))).astype(int))


@pytest.mark.parametrize("most", [0.05, 0.12, 1.0])
def test_no_size_seen_or_not_is_padded_by_more_than_the_cap(most):
    """Below, between and above the sizes of the design; and those of the design are padded as it says."""
    padding = ml.padding.design(SIZES, most=most)
    table = padding.table()
    for size in range(int(3 * SIZES.max())):
        shown = table.pad(size)
        assert size <= shown <= size + round(most * 100) * size // 100
    shown = padding.observables[padding.columns]
    assert table(SIZES).tolist() == shown.tolist()


@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("most", [0.05, 0.1])
def test_times_keep_the_cap_too(zero, most):
    """However small, and above the largest; with a time of 0 among them or not."""
    times = np.append([0.0] * zero, SIZES / 7)
    padding = ml.padding.design(times, most=most)
    table = padding.table()
    assert table(times).tolist() == padding.observables[padding.columns].tolist()
    assert table.pad(0) == 0
    for time in np.geomspace(times[-1] / 1e9, 5 * times.max(), 5000).tolist():
        assert time <= table.pad(time) <= (1 + most) * time * (1 + 1e-12)


def test_times_under_a_cap_of_zero_or_a_function():
    """Nothing is padded to the next time; a function is kept down to a sixteenth of the smallest."""
    assert ml.padding.design([0.0, 1.5, 2.5], most=0).table().values == (0.0, 1.5, 2.5)
    table = ml.padding.design([0.0, 1.5, 2.5], most=lambda _: 0.1).table()
    for time in np.geomspace(1.5 / 16, 2.5, 500).tolist():
        assert time <= table.pad(time) <= 1.1 * time * (1 + 1e-12)


VECTORS = json.loads((Path(__file__).parents[2] / "runtimes" / "vectors.json").read_text())["paddings"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
@pytest.mark.parametrize("ending", ["json", "csv"])
def test_files_pad_as_the_specification_says(tmp_path, vector, ending):
    """As all runtimes do, from either file; and the file is written as it was read."""
    path = tmp_path / f"table.{ending}"
    path.write_text(vector[ending])
    table = SizeTable.load(path)
    assert [[size, table.pad(size)] for size, _ in vector["pads"]] == vector["pads"]
    for size in vector["refused"] if table.beyond is None else []:
        with pytest.raises(InvalidParameter, match="largest designed for"):
            table.pad(size)
    table.save(path)
    assert path.read_text() == vector[ending]


@pytest.mark.parametrize("rows", ["7,0.1\n9,0.2", "7,-1", "7,x", "7,0"])
def test_a_csv_repeats_one_rule(tmp_path, rows):
    """Another one in each row, or one that is no share, is refused."""
    path = tmp_path / "table.csv"
    path.write_text(f"padded,beyond\n{rows}\n")
    with pytest.raises(UnreadableFile, match=r"table\.csv"):
        SizeTable.load(path)


def test_without_a_cap_larger_sizes_are_refused():
    """By a message that does not say the size."""
    table = ml.padding.design(SIZES, overhead=0.05).table()
    with pytest.raises(InvalidParameter, match="largest designed for") as refused:
        table.pad(987654321)
    assert "987654321" not in str(refused.value)


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_a_file_holds_the_table(tmp_path, ending):
    """What is loaded pads as what was saved; the file names no secret."""
    sizes = {f"secret-{i}": size for i, size in enumerate(SIZES.tolist())}
    padding = ml.padding.design(sizes, most=0.12)
    path = tmp_path / f"table.{ending}"
    padding.save(path)
    loaded = ml.padding.Padding.load(path)
    assert loaded.values == padding.table().values
    assert loaded.beyond == 0.12
    assert loaded.pad(10**12) == padding.pad(10**12) <= 112 * 10**10
    assert "secret-" not in path.read_text()
    times = ml.padding.design(SIZES / 7, budget=3.0)
    times.save(path)
    assert SizeTable.load(path).values == times.table().values


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"form": "minleak padding table 1"}',
        b'{"form": "minleak padding table 1", "values": []}',
        b'{"form": "minleak padding table 1", "values": [2, 1]}',
        b'{"form": "minleak padding table 1", "values": [1, 1]}',
        b'{"form": "minleak padding table 1", "values": [-1]}',
        b'{"form": "minleak padding table 1", "values": ["1"]}',
        b'{"form": "minleak padding table 1", "values": [NaN]}',
        b'{"form": "minleak padding table 1", "values": [1], "beyond": -1}',
        b'{"form": "minleak padding table 1", "values": [1], "beyond": "x"}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_hostile_files(tmp_path, content):
    """One line that names the file."""
    path = tmp_path / "table.json"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"table\.json") as refused:
        SizeTable.load(path)
    assert "\n" not in str(refused.value)


def test_endings(tmp_path):
    """Only .json and .csv."""
    padding = ml.padding.design([1, 2, 5], budget=1)
    with pytest.raises(InvalidParameter, match=r"\.json or \.csv"):
        padding.save(tmp_path / "table.txt")


@pytest.mark.parametrize(("begin", "end", "most"), [(1, 40, 0.25), (7, 60, 0.12), (0, 20, 0.5), (30, 90, 0.05)])
def test_no_table_has_fewer_values_than_the_universal_one(begin, end, most):
    """By dynamic programming over all tables of whole values that keep the cap."""
    share = round(most * 100)
    least = {begin - 1: 0}
    for value in range(begin, 2 * end + 2):
        starts = [s for s in least if s < value and value <= (s + 1) + share * (s + 1) // 100]
        if starts:
            least[value] = 1 + min(least[s] for s in starts)
    table = universal(begin, end, most=most)
    assert len(table.values) == min(count for value, count in least.items() if value >= end)
    assert all(table.pad(size) <= size + share * size // 100 for size in range(begin, 3 * end))


def test_the_capacity_bounds_every_prior():
    """Whatever the sizes are, no more than log2 of the number of values leaks."""
    table = universal(100, 5000, most=0.12)
    rng = np.random.default_rng(3)
    for _ in range(20):
        sizes, weights = rng.integers(100, 5001, 200), rng.zipf(1.5, 200)
        channel = ml.Channel.deterministic(table(sizes).tolist())
        assert max(ml.leakage(weights, channel, name) for name in ("shannon", "min-entropy")) <= math.log2(
            len(table.values)
        )


def test_an_update_moves_no_object():
    """Old objects are padded as before; new ones keep the limits; the result is the best of all that do so."""
    rng = np.random.default_rng(8)
    for trial in range(6):
        old, new = rng.integers(20, 60, 6), rng.integers(10, 90, 4)
        padding = ml.padding.design(old, most=0.2, floor=1)
        updated = ml.padding.update(padding, new)
        together = np.concatenate([old, new])
        shown = np.array([updated.pad(size) for size in together.tolist()])
        assert shown[:6].tolist() == [padding.pad(size) for size in old.tolist()], trial
        assert (10 * (shown - together) <= 2 * together).all()
        best = min(
            ml.leakage(np.ones(10), ml.Channel.deterministic(way.tolist()), "shannon")
            for way in thresholds(together)
            if (way[:6] == shown[:6]).all() and keeps(way, together, np.ones(10), most=0.2)
        )
        assert updated.leakage == pytest.approx(best, abs=1e-9)


def test_updates_by_name_and_what_they_cannot_keep():
    """Named secrets need names; a budget that the new objects overspend in the old buckets is named."""
    named = ml.padding.design({"a": 10, "b": 12}, most=0.3)
    updated = ml.padding.update(named, {"c": 11, "d": 40})
    assert list(updated.prior.labels) == ["a", "b", "c", "d"]
    assert (updated.pad(11), updated.pad(40)) == (12, 40)
    with pytest.raises(InvalidParameter, match="as a mapping"):
        ml.padding.update(named, [11])
    tight = ml.padding.design([10, 100], budget=45)
    assert tight.observables.tolist() == [100]
    with pytest.raises(Infeasible, match="more than the budget of 45"):
        ml.padding.update(tight, [11] * 50)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((5, 4, 0.1), "the largest size"),
        ((-1, 4, 0.1), "the smallest size"),
        ((1, 4, 0), "share from 0 on"),
        ((1, 2**60, 1e-9), "more than 1,000,000 values"),
    ],
)
def test_universal_refusals(arguments, word):
    """In one line."""
    begin, end, most = arguments
    with pytest.raises(InvalidParameter, match=word):
        universal(begin, end, most=most)


def test_a_table_says_what_it_is():
    """As text and as JSON."""
    table = universal(1, 1000, most=0.12)
    assert "5.524 bits of sizes up to these, and more of larger ones" in str(table)
    assert json.loads(json.dumps(table.to_dict()))["capacity"] == "inf"
    ends = SizeTable(table.values)
    assert "5.524 bits\n" in str(ends)
    assert ends.to_dict()["capacity"] == math.log2(len(table.values))


def test_a_table_that_goes_on_has_no_capacity():
    """Each larger size may have a value of its own."""
    table = SizeTable((100,), beyond=0.1)
    assert len({table.pad(size) for size in (50, 500, 5000)}) == 3
    assert table.capacity == math.inf
