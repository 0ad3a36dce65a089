"""The vectors of runtimes/spec.md: python -m tests.core.draw.vectors > runtimes/vectors.json.

Tables, and what must be shown, are made by the page alone, with the standard library, from the rows of plans; the tests
compare them with `plan.export` and `minleak.Cloak`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from fractions import Fraction
from itertools import groupby, pairwise, product
from typing import Any

import minleak as ml

KEYS = [bytes(range(32)), bytes(32), bytes([255]) * 32]
HASH_KEY = bytes(range(32, 64))
SCOPES = ["user-17", "é", "日本", "a b", "x" * 300]
TEXT = ["flu", "cold", "gout", "é", "日本", "🦉", "a\tb", "1"]


def plans() -> dict:
    """Versions of plans of several kinds: homes and rings, giants, zero weights, labels of many scripts, numbers,
    parts, blocks, groups; two lineages.
    """
    text = ml.Prior([9, 7, 5, 5, 4, 3, 2, 1], labels=TEXT)
    numbers = ml.Prior([5, 4, 3, 2, 1], labels=[7, -3, 0, 2**53 + 1, -(2**63)])
    newer = ml.Prior([9, 2, 2, 1, 1], labels=["flu", "new-1", "new-2", "new-3", "ß"])
    late = ml.Prior([3, 1, 1, 1, 1], labels=["cold", "l-1", "l-2", "l-3", "l-4"])
    two = ml.update(ml.design(text, 4), newer, cohort=1)
    # groups that outweigh their cap, whose weights have no common divisor: more places than 2^64
    heavy = ml.Prior([2**40 + 15, 2**40 - 87, 2**39 + 23, 2**38 + 7, 2**30 + 3, 1009, 1013, 1019], labels=TEXT)
    tiers = ml.design(heavy, 4, groups=ml.Groups(list("aaabbcde"), at_most=1))
    new_groups = {"new-1": 1, "new-2": 2, "new-3": 3, "ß": 4, "flu": 5}
    june = ml.design(ml.Prior([1, 2, 3, 9, 4, 5, 7, 5], labels=TEXT), 4)
    return {
        "homes and a ring": [ml.design(text, 3)],
        "a circle": [ml.design(text, 3, layout="circle")],
        "giants": [ml.design(ml.Prior([900, 300, 20, 10, 9, 8, 7, 1], labels=TEXT), 4)],
        "zero weights": [ml.design(ml.Prior([5, 4, 0, 3, 0, 2, 0, 1], labels=TEXT), 2)],
        "whole numbers": [ml.design(numbers, 2)],
        "large weights": [ml.design(ml.Prior([2**58 + 1, 2**58, 2**57 + 3, 5], labels=["a", "b", "c", "d"]), 2)],
        "three versions of three parts": [ml.design(text, 4), two, ml.update(two, late, cohort=1)],
        "two lineages": [two, june],
        "blocks": [ml.design(text, 3, layout="blocks")],
        "at most one of a group": [ml.design(text, 3, groups=ml.Groups(list("aabbccdd"), at_most=1))],
        "groups in several tiers": [tiers, ml.update(tiers, newer, cohort=1, groups=ml.Groups(new_groups, at_most=1))],
        "hashed labels": [ml.design(text, 3), ml.update(ml.design(text, 3), newer, cohort=1)],
        "hashed numbers": [ml.design(numbers, 2)],
    }


# -- the page --------------------------------------------------------------------------------------------------------


def message(*parts: bytes) -> bytes:
    """Parts of a message, each after its length."""
    return b"\x01" + b"".join(map(prefixed, parts))


def prefixed(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


def document(secrets: list, sets: list, **header) -> dict:
    """A table in JSON with its digest, whatever it holds."""
    said = {"format": "minleak table 1", "lineage": "ab" * 32, "version": "1", "labels": "text", "hashed": ""}
    said |= {"keyed": "yes"} | header
    mark = "i" if said["labels"] == "integers" and not said["hashed"] else "s"
    records = [
        prefixed((mark + str(label)).encode(errors="replace")) + prefixed(str(at).encode()) for label, at in secrets
    ]
    blocks = [b"".join(records[i : i + 16]) for i in range(0, len(records), 16)]
    records = [prefixed(str(members).encode()) for members in sets]
    blocks += [b"".join(records[i : i + 16]) for i in range(0, len(records), 16)]
    head = "".join(f"{value}\n" for value in [*said.values(), len(secrets), len(sets)]).encode()
    digest = hashlib.sha256(head + b"".join(hashlib.sha256(block).digest() for block in blocks)).hexdigest()
    return said | {"digest": digest, "secrets": [list(pair) for pair in secrets], "sets": sets}


def table(rows: list[dict], hash_key: bytes | None, *, lineage: bytes, version: int, keyed: bool) -> dict:
    """The table of rows of `secret`, `set_number`, `first`, `last`."""
    secrets, members, labels, hashed = [], {}, "integers" if type(rows[0]["secret"]) is int else "text", ""
    for number, (label, own) in enumerate(groupby(rows, key=lambda row: row["secret"])):
        ends = []
        for row in own:
            ends.append(f"{row['set_number']} {row['last']}")
            members.setdefault(row["set_number"], []).append(str(number))
        shown = str(label) if hash_key is None else hash_label(hash_key, in_bytes(label))
        secrets.append((shown, ";".join(ends)))
    if hash_key is not None:
        lineage = hmac.digest(hash_key, message(b"lineage", lineage), "sha256")
        hashed = hmac.digest(hash_key, message(b"name"), "sha256")[:8].hex()
    sets = [" ".join(members[number]) for number in range(len(members))]
    said = {"lineage": lineage.hex(), "version": str(version), "labels": labels, "hashed": hashed}
    return document(secrets, sets, **said, keyed="yes" if keyed else "no")


def in_bytes(label) -> bytes:
    return f"s{label}".encode() if isinstance(label, str) else f"i{label}".encode()


def hash_label(key: bytes, label: bytes) -> str:
    """A label as a hashed table lists it."""
    return hmac.digest(key, message(b"label", label), "sha256").hex()


def shown(table: dict, key: bytes, scope: str, secret: str, hash_key: bytes | None) -> list[str]:
    """The set, by the page alone."""
    label = ("i" if table["labels"] == "integers" else "s").encode() + secret.encode()
    if hash_key is not None:
        secret = hash_label(hash_key, label)
        label = b"s" + secret.encode()
    (places,) = [places for name, places in table["secrets"] if name == secret]
    ends = [(int(pair.split()[0]), int(pair.split()[1])) for pair in places.split(";")]
    bound, begin = ends[-1][1] + 1, message(bytes.fromhex(table["lineage"]), scope.encode(), label)
    number, bits, block = 0, 0, 0
    while True:
        digest = hmac.digest(key, begin + block.to_bytes(4, "big"), "sha256")
        number, bits, block = number << 256 | int.from_bytes(digest, "big"), bits + 256, block + 1
        if number * bound % 2**bits + bound <= 2**bits:
            break
    place = number * bound >> bits
    at = next(at for at, last in ends if place <= last)
    return [table["secrets"][int(number)][0] for number in table["sets"][at].split()]


# -- what comes out ----------------------------------------------------------------------------------------------------


def large() -> dict:
    """A table by hand whose places are more than 2^64."""
    half = 10**30
    secrets = [("a", f"0 {half - 1};1 {3 * half - 1}"), ("b", f"0 {half - 1}"), ("c", f"1 {2 * half - 1}")]
    return document(secrets, ["0 1", "0 2"], lineage=bytes(range(100, 132)).hex())


def huge() -> dict:
    """One with so many places that 256 bits never decide."""
    secrets = [("a", f"0 {10**299};1 {2 * 10**299}"), ("b", "0 0"), ("c", "1 0")]
    return document(secrets, ["0 1", "0 2"], lineage=bytes(range(132, 164)).hex())


def cases() -> list[dict]:
    """Tables, and draws from the newest version of each lineage."""
    found = []
    for name, versions in plans().items():
        key = HASH_KEY if name.startswith("hashed") else None
        tables = [
            table(plan.table().to_pylist(), key, lineage=plan.lineage, version=plan.version, keyed=plan.randomised)
            for plan in versions
        ]
        newest = {
            table["lineage"]: (table, list(plan.prior.labels)) for table, plan in zip(tables, versions, strict=True)
        }
        found.append(_case(name, tables, newest, key))
    for name, one in {"more places than 2^64": large(), "more places than 2^256": huge()}.items():
        found.append(_case(name, [one], {one["lineage"]: (one, ["a", "b", "c"])}, None))
    return found


def _case(name: str, tables: list[dict], newest: dict, hash_key: bytes | None) -> dict:
    draws = [
        {
            "lineage": lineage,
            "key": key.hex(),
            "scope": scope,
            "secret": str(label),
            "set": shown(one, key, scope, str(label), hash_key),
        }
        for lineage, (one, labels) in newest.items()
        for key, scope, label in product(KEYS, SCOPES if len(labels) < 10 else SCOPES[:2], labels)
    ]
    hashing = {} if hash_key is None else {"hash_key": hash_key.hex()}
    return {"name": name, **hashing, "tables": tables, "draws": draws}


def refused_tables() -> list[dict]:
    """Texts that are no tables, or from which "hidden" cannot be drawn."""
    good = [["hidden", "0 14;1 20"], ["secret-1", "0 14"], ["secret-2", "1 5"]]
    sets = ["0 1", "0 2"]

    def places(text):
        return document([["hidden", text], *good[1:]], sets)

    def members(text):
        return document(good, [text, text])

    made = {
        "places that overlap": places("0 14;1 14"),
        "places that go back": places("0 14;1 3"),
        "a set that is not there": places("0 14;2 20"),
        "a set far away": places(f"{10**200} 14"),
        "a leading zero": places("0 014"),
        "a sign": places("0 +14"),
        "a negative place": places("0 -1"),
        "a blank too many": places("0  14"),
        "a line break at the end": places("0 14\n"),
        "other digits": places("0 ١٤"),
        "a place too many": places("0 14;1"),
        "no places": places(""),
        "a number of 301 digits": places(f"0 {10**300}"),
        "a number of ten thousand digits": places(f"0 {'9' * 10_000}"),
        "places that are a number": places(14),
        "places that are nothing": places(None),
        "a member that is not there": members("0 3"),
        "a set without the secret": members("1 2"),
        "a member twice": members("0 0 1"),
        "members out of order": members("1 0"),
        "a set without members": members(""),
        "members that are a list": members([0, 1]),
        "a label twice": document([*good, good[0]], sets),
        "a label that is a number": document([["hidden", "0 14"], [7, "0 14"]], ["0 1"]),
        "a label that is nothing": document([["hidden", "0 14"], [None, "0 14"]], ["0 1"]),
        "a label that is no integer": document(good, sets, labels="integers"),
        "no secrets": document([], []),
        "no sets": document(good, []),
        "a secret of three": document(good, sets) | {"secrets": [[*good[0], "0"], *good[1:]]},
        "no key, yet several places": document(good, sets, keyed="no"),
        "a lineage in capitals": document(good, sets, lineage="AB" * 32),
        "a short lineage": document(good, sets, lineage="ab" * 31),
        "version 0": document(good, sets, version="0"),
        "a version that is a number": document(good, sets, version=1),
        "another format": document(good, sets, format="minleak table 2"),
        "labels of a third kind": document(good, sets, labels="hidden"),
        "a key's name too short": document(good, sets, hashed="ab"),
        "another digest": document(good, sets) | {"digest": "00" * 32},
        "a digest of something else": document(good, sets) | {"sets": ["0 1", "0 1 2"]},
        "a label of something else": document(good, sets)
        | {"secrets": [["hidden", "0 14;1 20"], ["hidden-1", "0 14"], good[2]]},
        "one more field": document(good, sets) | {"hidden": "hidden"},
        "no digest": {name: value for name, value in document(good, sets).items() if name != "digest"},
        "secrets by name": document(good, sets) | {"secrets": {"hidden": "0 14"}},
        "half of a surrogate pair": document([["hidden", "0 14"], ["\ud800", "0 14"]], ["0 1"]),
    }
    texts = {name: json.dumps(one) for name, one in made.items()}
    texts |= {
        "nothing": "",
        "no JSON": "hidden",
        "half": texts["another digest"][:200],
        "a list": "[]",
        "null": "null",
        "deep": "[" * 20_000,
        "deep inside": '{"secrets": ' + '{"a":' * 20_000,
        "a number without end": '{"secrets": 1e999999, "sets": []}',
    }
    return [{"name": name, "text": text} for name, text in texts.items()]


# -- paddings --------------------------------------------------------------------------------------------------------

PADDINGS: dict[str, tuple[tuple[float, ...], float | None]] = {
    "whole sizes without a rule": ((100, 250, 1000), None),
    "whole sizes and a rule": ((100, 250, 1000), 0.12),
    "one value and a rule": ((100,), 0.1),
    "from zero on": ((0, 1, 2, 3, 7), 0.05),
    "a rule of a tenth of a millionth": ((10**9,), 1e-7),
    "a rule of more than everything": ((10,), 2.5),
    "a rule with many digits": ((21, 40), 0.1234567890123),
    "times without a rule": ((0.5, 1.25, 7.0), None),
    "times and a rule": ((0.5, 1.25, 7.0), 0.12),
    "times that are whole": ((100.0, 250.0), 0.1),
    "times from zero on": ((0.0, 1.5, 2.5), 0.05),
}


def pad_by_page(values: tuple[float, ...], beyond: float | None, size: float) -> float | None:
    """What the page says, in fractions and one value after the other; None is refused."""
    times = isinstance(values[0], float)
    positive = next(value for value in values if value > 0)
    if beyond is None or positive <= size <= values[-1]:
        return next((value for value in values if value >= size), None)
    if not times:
        value: Any = values[-1]
        while size > value:
            value = math.floor((value + 1) * (1 + Fraction(str(beyond))))
        return next((one for one in values if one >= size), value)
    if size == 0:
        return 0.0
    chain = [positive]
    while size <= chain[-1]:
        chain.append(chain[-1] / (1 + beyond))
    if len(chain) > 1:
        return chain[-2]
    found = values[-1]
    while found < size:
        found *= 1 + beyond
    return found


def paddings() -> list[dict[str, Any]]:
    """Tables as `minleak pad` writes them; sizes below, among and above their values, and what these are padded to."""
    made = []
    for name, (values, beyond) in PADDINGS.items():
        times = isinstance(values[0], float)
        rule = "" if beyond is None else f",{beyond!r}"
        lines = [f"{above!r},{value!r}{rule}" for above, value in pairwise((-1, *values))]
        least, last = values[0], values[-1]
        some = [0, *values, *(value + 1 for value in values), last // 2, last + last // 3]
        some += [least + (last - least) * i // 23 for i in range(24)]
        some += [int(last * 1.07**i) if not times else last * 1.07**i for i in range(1, 60)]
        some += [10**6, 10**9 + 7, 10**12]
        some += (
            [value / 3**i for value in values for i in range(9)] if times else [value - 1 for value in values if value]
        )
        if beyond == 1e-7:  # whose values are close to one another
            some = [*(size for size in some if size <= last), *range(last, last + 500_000, 9973)]
        pads = {size: pad_by_page(values, beyond, size) for size in sorted(set(some))}
        refused = [size for size, padded in pads.items() if padded is None]
        made.append(
            {
                "name": name,
                "json": json.dumps({"form": "minleak padding table 1", "beyond": beyond, "values": values}) + "\n",
                "csv": "\n".join(["above,padded" + (",beyond" if rule else ""), *lines]) + "\n",
                "pads": [[size, padded] for size, padded in pads.items() if padded is not None],
                "refused": refused if times or beyond is None else [*refused, 2**53],
            }
        )
    return made


REFUSED_SCOPES = ["", " ", "\t\n", "\u200b", "\u00a0", "\u3164", "\u0301", "a\0b", "\ud800"]
REFUSED_SCOPES += ["None", "nan", "NaN", "NAN", "null", "NULL", "nil", "undefined", "NaT", "<NA>", " null "]


if __name__ == "__main__":
    lines = ['{"spec": 1, "refused_scopes": ' + json.dumps(REFUSED_SCOPES) + ', "refused_tables": [']
    lines += [",\n".join(map(json.dumps, refused_tables())), '], "paddings": [']
    lines += [",\n".join(map(json.dumps, paddings())), '], "cases": [']
    for i, case in enumerate(cases()):
        head = json.dumps({name: value for name, value in case.items() if name != "draws"})[:-1]
        lines += [f'{"," if i else ""}{head}, "draws": [', ",\n".join(map(json.dumps, case["draws"])), "]}"]
    print("\n".join([*lines, "]}"]))
