"""Pairs from files: what is listed is allowed, costs if there are any, and errors that name the line."""

from __future__ import annotations

import io

import pyarrow as pa
import pytest
from pyarrow import parquet

import minleak as ml
from minleak.errors import UnreadableFile

ROWS = "secret,observable,cost\nflu,hot,0\nflu,mild,1.5\ngout,mild,0.5\n"


def read(text, **options):
    return ml.read_pairs(io.BytesIO(text.encode()), **{"inputs": ["flu", "gout"], "format": "csv"} | options)


def test_csv_and_tsv():
    for text, kind in ((ROWS, "csv"), (ROWS.replace(",", "\t"), "tsv")):
        pairs = read(text, format=kind)
        assert pairs.allowed.tolist() == [[True, True], [False, True]]
        assert pairs.cost.tolist() == [[0.0, 1.5], [0.0, 0.5]]
        assert list(pairs.outputs) == ["hot", "mild"]


def test_parquet(tmp_path):
    table = pa.table({"secret": ["flu", "gout"], "observable": ["hot", "mild"], "cost": [1.0, 2.0]})
    parquet.write_table(table, tmp_path / "pairs.parquet")
    pairs = ml.read_pairs(tmp_path / "pairs.parquet", inputs=["flu", "gout"])
    assert pairs.cost.tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_other_columns_and_no_costs():
    pairs = read("name,shown\nflu,hot\ngout,hot\n", secret="name", observable="shown")
    assert pairs.cost is None
    assert pairs.allowed.tolist() == [[True], [True]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("secret,observable\n", "a header but no rows"),
        ("secret,count\nflu,3\n", "no column 'observable'"),
        ("secret,observable\nflu\n", "line 2 .* has 1 columns"),
        ("secret,observable\ncold,hot\n", "line 2 .* names a secret that is not among the inputs"),
        ("secret,observable\nflu,hot\nflu,hot\n", "line 3 .* second time"),
        ("secret,observable,cost\nflu,hot,much\n", "cost at line 2 .* is not a number"),
        ("secret,observable,cost\nflu,hot,nan\n", "cost at line 2 .* is not a number"),
    ],
)
def test_bad_files(text, words):
    with pytest.raises(UnreadableFile, match=words):
        read(text)


def test_other_formats_are_refused():
    with pytest.raises(UnreadableFile, match="not json"):
        read("{}", format="json")
    with pytest.raises(UnreadableFile, match="cannot parse"):
        read("no parquet", format="parquet")
    with pytest.raises(UnreadableFile, match="not UTF-8"):
        ml.read_pairs(io.BytesIO(b"secret,observable\n\xff,a\n"), inputs=["a"], format="csv")
