"""The vectors of runtimes/spec.md: python -m tests.draw.vectors > runtimes/vectors.json.

What must be shown is computed by the page alone, with the standard library; the tests compare it with `minleak.Cloak`.
"""

from __future__ import annotations

import hmac
import json
from itertools import product

import minleak as ml

KEYS = [bytes(range(32)), bytes(32), bytes([255]) * 32]
SCOPES = ["user-17", "é", "日本", "a b", "x" * 300]


def plans() -> dict:
    """Plans of several kinds: homes and rings, giants, zero weights, labels of many scripts, numbers, parts, blocks."""
    text = ml.Prior([9, 7, 5, 5, 4, 3, 2, 1], labels=["flu", "cold", "gout", "é", "日本", "🦉", "a\tb", "1"])
    newer = ml.Prior([9, 2, 2, 1, 1], labels=["flu", "new-1", "new-2", "new-3", "ß"])
    late = ml.Prior([3, 1, 1, 1, 1], labels=["cold", "l-1", "l-2", "l-3", "l-4"])
    return {
        "homes and a ring": ml.design(text, 3),
        "a circle": ml.design(text, 3, layout="circle"),
        "giants": ml.design(ml.Prior([900, 300, 20, 10, 9, 8, 7, 1], labels=text.labels), 4),
        "zero weights": ml.design(ml.Prior([5, 4, 0, 3, 0, 2, 0, 1], labels=text.labels), 2),
        "whole numbers": ml.design(ml.Prior([5, 4, 3, 2, 1], labels=[7, -3, 0, 2**53 + 1, -(2**63)]), 2),
        "large weights": ml.design(ml.Prior([2**58 + 1, 2**58, 2**57 + 3, 5], labels=["a", "b", "c", "d"]), 2),
        "two parts": ml.design(text, 4).update(newer, cohort=1),
        "three parts": ml.design(text, 4).update(newer, cohort=1).update(late, cohort=1),
        "blocks": ml.design(text, 3, layout="blocks"),
    }


def table(plan) -> list[list]:
    """Rows of (secret, set_number, first, last); integers as text."""
    rows = plan.table().to_pylist()
    return [
        [_written(row["secret"]), row["set_number"], str(row.get("first", 0)), str(row.get("last", 0))] for row in rows
    ]


def _written(label) -> dict:
    return {"s": label} if isinstance(label, str) else {"i": str(label)}


def as_bytes(label: dict) -> bytes:
    """A label as the page says."""
    ((kind, value),) = label.items()
    return kind.encode() + value.encode()


def shown(rows: list[list], lineage: bytes, key: bytes, scope: str, label: dict) -> list[dict]:
    """The set, by the page alone."""
    own = [row for row in rows if row[0] == label]
    places = 1 + max(int(row[3]) for row in own)
    message = b"\x01"
    for part in (lineage, scope.encode(), as_bytes(label)):
        message += len(part).to_bytes(4, "big") + part
    number, bits, block = 0, 0, 0
    while True:
        digest = hmac.digest(key, message + block.to_bytes(4, "big"), "sha256")
        number, bits, block = number << 256 | int.from_bytes(digest, "big"), bits + 256, block + 1
        if number * places % 2**bits + places <= 2**bits:
            break
    place = number * places >> bits
    (at,) = [row[1] for row in own if int(row[2]) <= place <= int(row[3])]
    return [row[0] for row in rows if row[1] == at]


def large() -> tuple[list[list], bytes]:
    """A table by hand whose places are more than 2^64."""
    half = 10**30
    rows = [
        [{"s": "a"}, 0, "0", str(half - 1)],
        [{"s": "a"}, 1, str(half), str(3 * half - 1)],
        [{"s": "b"}, 0, "0", str(half - 1)],
        [{"s": "c"}, 1, "0", str(2 * half - 1)],
    ]
    return rows, bytes(range(100, 132))


def cases() -> list[dict]:
    """Tables, and draws from each."""
    found = []
    given = {name: (table(plan), plan.lineage) for name, plan in plans().items()}
    for name, (rows, lineage) in (given | {"more places than 2^64": large()}).items():
        labels = list({json.dumps(row[0]): row[0] for row in rows}.values())
        draws = [
            {"key": key.hex(), "scope": scope, "label": label, "set": shown(rows, lineage, key, scope, label)}
            for key, scope, label in product(KEYS, SCOPES, labels)
        ]
        found.append({"name": name, "lineage": lineage.hex(), "rows": rows, "draws": draws})
    return found


if __name__ == "__main__":
    print(json.dumps({"spec": 1, "cases": cases()}, indent=0, ensure_ascii=True))
