"""Today's buckets beside blocks and the optimal plan; hash prefixes by the command line."""

import hashlib

import pytest
from tests.abilities.names import command, compare, design

COUNTS = {f"name-{i}": 1000 // i for i in range(1, 41)}
FIRST = [hashlib.sha256(name.encode()).digest()[0] >> 5 for name in COUNTS]


def share(buckets):
    heaviest = [max(n for n, b in zip(COUNTS.values(), FIRST, strict=True) if b == bucket) for bucket in set(buckets)]
    return sum(heaviest) / sum(COUNTS.values())


def test_buckets():
    found = compare(COUNTS, FIRST, entropies=["shannon"], on_counts=True)
    assert (found.secrets, found.buckets, found.success) == (40, len(set(FIRST)), pytest.approx(share(FIRST)))
    assert found.plan == pytest.approx(design(COUNTS, found.average).success)
    assert found.plan <= found.blocks


def test_prefixes(tmp_path):
    (tmp_path / "names.csv").write_text("secret,count\n" + "".join(f"{name},{n}\n" for name, n in COUNTS.items()))
    code, text = command("compare", "names.csv", "--prefix", "sha256:3", "--on-counts", cwd=tmp_path)
    assert code == 0
    assert f"{share(FIRST):.6g}" in text
