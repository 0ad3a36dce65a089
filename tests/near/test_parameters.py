"""What design is told about costs: refused with a reason where it does not fit, kept in the file where it does."""

from __future__ import annotations

import io

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter, UnreadableFile
from minleak.io._reading import read_places

POINTS = [1, 2, 3]
BAD = {
    "too few rows": (lambda: ml.Near([1, 2]), "each of 3 secrets"),
    "no columns": (lambda: ml.Near(np.empty((3, 0))), "each of 3 secrets"),
    "ragged": (lambda: ml.Near([(1, 2), (3,), (4, 5)]), "same length"),
    "nan": (lambda: ml.Near([1, float("nan"), 3]), "row 1"),
    "infinite": (lambda: ml.Near([(1, 2), (3, 4), (5, float("inf"))]), "row 2"),
    "too large": (lambda: ml.Near([1, 2, 1e200]), "row 2"),
    "too dear": (lambda: ml.Cheapest([[1, 1e200, 1]]), r"cost\[0, 1\] is 1e\+200: costs are numbers from 0 to 1e\+100"),
    "a metric in a list": (lambda: ml.Near(POINTS, metric=["x"]), "metric is a name"),
    "no metric": (lambda: ml.Near(POINTS, metric=None), "metric is a name"),
    "a callable of numbers": (lambda: ml.Cheapest(lambda z, i: abs(int(z) - int(i))), r"a callable d\(z, i\) of index"),
    "a truth as stability": (lambda: ml.Near(POINTS, stability=True), "from 0"),
    "text as stability": (lambda: ml.Near(POINTS, stability="much"), "from 0"),
    "text": (lambda: ml.Near(["a", "b", "c"]), "numbers"),
    "metric": (lambda: ml.Near(POINTS, metric="taxi"), "taxi"),
    "three on a sphere": (lambda: ml.Near(np.ones((3, 3)), metric="haversine"), "latitude and longitude"),
    "swapped": (lambda: ml.Near([(0, 0), (121, 31), (0, 1)], metric="haversine"), "latitude .* before"),
    "matrix": (lambda: ml.Cheapest(np.ones((3, 4))), "column for each of the 3"),
    "vector": (lambda: ml.Cheapest(np.ones(3)), "column for each of the 3"),
    "negative": (lambda: ml.Cheapest([[1, 2, -1]]), r"cost\[0, 2\]"),
    "nan cost": (lambda: ml.Cheapest([[1, float("nan"), 1]]), r"cost\[0, 1\]"),
    "words": (lambda: ml.Cheapest("dear"), "matrix"),
    "a name that needs points": (lambda: "near", r"give layout=Near\(\.\.\.\)"),
    "a name that needs costs": (lambda: "cheapest", r"give layout=Cheapest\(\.\.\.\)"),
    "a class": (lambda: ml.Near, "unknown layout"),
    "no name": (lambda: "square", "one of stable, circle, blocks, near, cheapest"),
    "stability beyond": (lambda: ml.Near(POINTS, stability=1.5), "from 0"),
    "stability nan": (lambda: ml.Near(POINTS, stability=float("nan")), "from 0"),
}


@pytest.mark.parametrize(("layout", "word"), BAD.values(), ids=BAD)
def test_refused(layout, word):
    """One reason each."""
    with pytest.raises(InvalidParameter, match=word):
        ml.design([3, 3, 3], 2, layout=layout())


@pytest.mark.parametrize("stability", [np.float32(0.5), np.float64(0.5), np.int64(1), 1])
def test_stability_of_any_real_type(stability):
    """numpy's numbers are numbers."""
    plan = ml.design([3, 4, 3], 2, layout=ml.Near([1, 2, 3], stability=stability))
    assert plan.costs.stability == float(stability)


@pytest.mark.parametrize(
    "layout", [ml.Near([(1, 2), (3, 4), (5, 7)]), ml.Cheapest(np.ones((2, 3)))], ids=["near", "cheapest"]
)
def test_the_file_keeps_it(layout, tmp_path):
    """Cost, bound, rounding and coordinates come back as they were; draws are the same."""
    plan = ml.design(ml.Prior([3, 4, 3], labels=list("abc")), 2, layout=layout)
    plan.save(tmp_path / "x.cloak")
    back = ml.load(tmp_path / "x.cloak")
    assert (back.cost, back.cost_bound, back.layout) == (plan.cost, plan.cost_bound, plan.layout)
    assert (back.costs.metric, back.costs.stability) == (plan.costs.metric, plan.costs.stability)
    assert np.array_equal(back.costs.coordinates, plan.costs.coordinates)
    assert ml.certify(back, plan.prior)
    key = ml.Key.new()
    for label in "abc":
        assert ml.Cloak(back, key=key).draw(label, scope="s") == ml.Cloak(plan, key=key).draw(label, scope="s")


def test_other_plans_have_no_cost(tmp_path):
    """Nothing is claimed where nothing was said."""
    plan = ml.design([3, 4, 3], 2)
    assert plan.cost is plan.cost_bound is plan.costs is None
    plan.save(tmp_path / "x.cloak")
    assert ml.load(tmp_path / "x.cloak").cost is None


# -- places from files -----------------------------------------------------------------------------------------------

TEXT = b'secret,count,lat,lon\n"a,\n1",1,2.5,-3\nb,2,4,5\n'


def test_places_are_the_rows_of_the_file(tmp_path):
    """csv, tsv and parquet, also where a quoted secret has a line break."""
    from pyarrow import csv, parquet

    wanted = [[2.5, -3.0], [4.0, 5.0]]
    assert read_places(io.BytesIO(TEXT), columns=["lat", "lon"], format="csv").tolist() == wanted
    table = csv.read_csv(io.BytesIO(TEXT), parse_options=csv.ParseOptions(newlines_in_values=True))
    parquet.write_table(table, tmp_path / "x.parquet")
    assert read_places(tmp_path / "x.parquet", columns=["lat", "lon"]).tolist() == wanted
    tabs = io.BytesIO(b"secret\tlat\na\t1\nb\t2\n")
    assert read_places(tabs, columns=["lat"], format="tsv").tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize(
    ("text", "format", "word"),
    [
        (b"secret,lat\na,north\n", "csv", "line 2"),
        (b"secret,lat\na,1\nb,\n", "csv", "line 3"),
        (b"secret,lon\na,1\n", "csv", "no column 'lat'"),
        (b"secret,lat\na,1,2\n", "csv", "line 2 of the input has 3 columns"),
        (b'{"a": 1}', "json", "csv, tsv, parquet"),
        (b"nonsense", "parquet", "cannot parse"),
    ],
)
def test_places_that_cannot_be_read(text, format, word):
    """The row or the column is named."""
    with pytest.raises(UnreadableFile, match=word):
        read_places(io.BytesIO(text), columns=["lat"], format=format)
