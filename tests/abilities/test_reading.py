"""Counts from files of every format: csv, tsv, json, jsonl, parquet, uniq -c, lines, access logs; and cleaned."""

import json

import pytest
from tests.abilities.names import InvalidPrior, read_prior

COUNTS = {"flu": 5, "cold": 3, "gout": 2}


def log(page, status=200):
    return f'::1 - - [18/Nov/2026:04:00:00 +0000] "GET /{page}?from=1 HTTP/1.1" {status} 512 "-" "curl/8.5"\n'


OPTIONS = {"a.jsonl": {"field": "ill"}, "a.uniq": {"format": "uniq"}}
FILES = {
    "a.csv": "secret,count\n" + "".join(f"{name},{n}\n" for name, n in COUNTS.items()),
    "a.tsv": "secret\tcount\n" + "".join(f"{name}\t{n}\n" for name, n in COUNTS.items()),
    "a.json": json.dumps(COUNTS),
    "a.jsonl": "".join((json.dumps({"ill": name}) + "\n") * n for name, n in COUNTS.items()),
    "a.uniq": "".join(f"{n:7} {name}\n" for name, n in COUNTS.items()),
    "a.log": "".join(f"{name}\n" * n for name, n in COUNTS.items()),
}


@pytest.mark.parametrize("name", FILES)
def test_text(name, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    found = read_prior(tmp_path / name, **OPTIONS.get(name, {}))
    assert dict(zip(found.labels, found.weights.tolist(), strict=True)) == COUNTS


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").table({"secret": list(COUNTS), "count": list(COUNTS.values())})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert read_prior(tmp_path / "a.parquet").weights.tolist() == [5, 3, 2]


def test_access_log(tmp_path):
    text = "".join(log(name) * n for name, n in COUNTS.items()) + log("wrong", 404)
    (tmp_path / "access.log").write_text(text)
    found = read_prior(tmp_path / "access.log", field="path", status="2xx", query=False)
    assert dict(zip(found.labels, found.weights.tolist(), strict=True)) == {f"/{name}": n for name, n in COUNTS.items()}


def test_cleaning(tmp_path):
    (tmp_path / "a.log").write_text("cafe\u0301\n caf\u00e9 \nflu\ncaf\u00e9\n")
    found = read_prior(tmp_path / "a.log", strip=True, nfc=True)
    assert dict(zip(found.labels, found.weights.tolist(), strict=True)) == {"caf\u00e9": 3, "flu": 1}
    (tmp_path / "b.csv").write_text("secret,count\nflu,-1\n")
    with pytest.raises(InvalidPrior):
        read_prior(tmp_path / "b.csv")
