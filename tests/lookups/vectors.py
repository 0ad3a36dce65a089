"""The vectors of runtimes/selector.md: python -m tests.lookups.vectors > runtimes/selector.json.

Files are made by the page alone, with the standard library, name by name; the tests compare them with what
`minleak.selector` writes.
"""

from __future__ import annotations

import hashlib
import json
import random
import struct
from itertools import count

ODD = [
    "",
    "\0",
    "a\0b",
    "é",
    "e\u0301",
    "日本",
    "🦉",
    "\ufeff",
    "\u202e",
    "x" * 1000,
    "a b",
    "A",
    "ß",
    "\r\n",
    "\U0010ffff",
]
# Text that UTF-8 cannot hold, as UTF-16; and the bytes that stand for such text where text is bytes.
UNENCODABLE, INVALID = [[0xD800], [0x61, 0xDC00], [0xDC00, 0xD800]], ["ff", "c080", "eda080", "61f0"]


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def u32(*numbers):
    return struct.pack(f">{len(numbers)}I", *numbers)


def head(prefix):
    return b"selector" + u32(1) + prefix.encode().ljust(20, b"\0")


def popular_first(counts):
    return sorted(counts, key=lambda name: (-counts[name], sha(bytes(4), name.encode())))


def layer(before, names, k, serves, first):
    """The file with one layer more, of names in order of popularity."""
    blocks = max(1, len(names) // k)
    of = [min(i // k, blocks - 1) for i in range(len(names))]
    bits, third = 1, -(-124 * len(names) // 300) + 8
    while 2**bits < max(blocks + 1, -(-20 * serves // k)):
        bits += 1
    d = [sha(bytes(4), name.encode()) for name in names]
    sizes = [of.count(block) for block in range(blocks)]
    key = sha(u32(first, blocks, *sizes), *(digest for _, digest in sorted(zip(of, d, strict=True))))
    order = sorted(range(blocks), key=lambda block: sha(key, b"block", u32(block)))
    for seed in count():
        h = [sha(u32(seed), name.encode()) for name in names]
        slots = [[int.from_bytes(x[6 * i : 6 * i + 6], "big") % third + i * third for i in range(3)] for x in h]
        owned = peel(slots)
        if owned is not None:
            break
    table = []
    for slot in range(3 * third):
        words = sha(key, b"slots", u32(slot // 8))
        table.append(int.from_bytes(words[4 * (slot % 8) :][:4], "big") >> (32 - bits))
    for who, slot in reversed(owned):
        others = [table[other] for other in slots[who] if other != slot]
        table[slot] = order.index(of[who]) ^ others[0] ^ others[1]
    text = "".join(f"{value:0{bits}b}" for value in table)
    packed = int(text.ljust(-(-len(text) // 8) * 8, "0"), 2).to_bytes(-(-len(text) // 8), "big")
    size = len(before) + 32 + len(packed) + 32
    made = before + u32(size, seed, third, first, blocks, bits, k, len(names)) + packed
    return made + sha(made)


def peel(slots):
    """Names and the slots that they own, round after round; None if some are left."""
    left, owned = set(range(len(slots))), []
    while left:
        have = {}
        for who in left:
            for slot in slots[who]:
                have.setdefault(slot, []).append(who)
        lone = [(who, min(s for s in slots[who] if len(have[s]) == 1)) for who in left
                if any(len(have[s]) == 1 for s in slots[who])]  # fmt: skip
        if not lone:
            return None
        owned += lone
        left -= {who for who, _ in lone}
    return owned


def look_up(data, name):
    """The block of a name, by the page."""
    at = 32
    while at < len(data):
        size, seed, third, first, blocks, bits, _, _ = struct.unpack_from(">8I", data, at)
        h, text, v = sha(u32(seed), name.encode()), "".join(f"{byte:08b}" for byte in data[at + 32 : size - 32]), 0
        for i in range(3):
            slot = i * third + int.from_bytes(h[6 * i : 6 * i + 6], "big") % third
            v ^= int(text[slot * bits : slot * bits + bits], 2)
        if v < blocks:
            return first + v
        at = size
    return None


def builds():
    """What files are made of: counts, k, the prefix, how many names the service answers for, how many are listed."""
    rng = random.Random(0)
    plain = {f"name-{i}": 1000 // i for i in range(1, 61)}
    odd = {name: 100 - i for i, name in enumerate(ODD)}
    ties = {f"tie-{i}": rng.choice([5, 4]) for i in range(40)}
    return {
        "blocks of four, all listed": {"counts": odd, "k": 4, "prefix": "sha256:16", "names": len(odd), "listed": 15},
        "a third listed": {"counts": plain, "k": 5, "prefix": "sha256:3", "names": 60, "listed": 20},
        "one block": {"counts": {"a": 2, "b": 1}, "k": 57, "prefix": "sha1:20", "names": 2, "listed": 2},
        "ties": {"counts": ties, "k": 7, "prefix": "blake2b:8", "names": 40, "listed": 21},
        "a service of many names": {"counts": plain, "k": 5, "prefix": "sha256:16", "names": 10**9, "listed": 60},
    }


NEWER = {"counts": {f"new-{i}": 50 - i for i in range(20)}, "k": 5, "listed": 10}


def files():
    """Each build, as a file; and one with a second layer."""
    made = {}
    for what, build in builds().items():
        names = popular_first(build["counts"])[: build["listed"]]
        made[what] = layer(head(build["prefix"]), names, build["k"], build["names"], 0)
    old = made["a third listed"]
    news = [name for name in popular_first(NEWER["counts"]) if look_up(old, name) is None][: NEWER["listed"]]
    made["two layers"] = layer(old, news, NEWER["k"], len(NEWER["counts"]), 4)
    return made


def refused():
    """Files that are no selectors, each with a digest that is right, but where it is what is wrong."""
    good = files()["two layers"]
    (first_size,) = struct.unpack_from(">I", good, 32)
    one = good[:first_size]

    def signed(content):
        return content + sha(content)

    def with_field(number, value):
        return signed(one[: 32 + 4 * number] + u32(value) + one[36 + 4 * number : -32])

    bits = struct.unpack_from(">8I", one, 32)[5]
    return {
        "nothing": b"",
        "a magic alone": b"selector",
        "no layer": signed(head("sha256:16")),
        "another magic": signed(b"selectoR" + one[8:-32]),
        "version 0": signed(one[:8] + u32(0) + one[12:-32]),
        "version 2": signed(one[:8] + u32(2) + one[12:-32]),
        "a byte less": one[:-1],
        "cut in the second layer": good[:-40],
        "cut and signed": signed(good[:-40]),
        "a byte more": one + b"\0",
        "a byte more and signed": signed(one + b"\0"),
        "half a layer more": signed(one + bytes(20)),
        "a flipped bit in the table": one[:70] + bytes([one[70] ^ 1]) + one[71:],
        "a flipped bit in the prefix": one[:14] + bytes([one[14] ^ 1]) + one[15:],
        "a flipped bit in the digest": one[:-1] + bytes([one[-1] ^ 128]),
        "a size too small": with_field(0, first_size - 1),
        "a size of nothing": with_field(0, 0),
        "a size too large": with_field(0, 2**32 - 1),
        "no slots": with_field(2, 0),
        "slots beyond the file": with_field(2, 2**32 - 1),
        "blocks from 1 on": with_field(3, 1),
        "no blocks": with_field(4, 0),
        "as many blocks as values": with_field(4, 1 << bits),
        "no bits": with_field(5, 0),
        "too many bits": with_field(5, 33),
        "very many bits": with_field(5, 2**32 - 1),
        "a second layer that counts from 0": signed(good[: first_size + 12] + u32(0) + good[first_size + 16 : -32]),
    }


def vectors():
    asked = [*ODD, *(f"{what}-{i}" for what in ("name", "tie", "new") for i in range(61)), "a", "b", "c"]
    return {
        "files": [
            {"name": what, "file": data.hex(), "find": [[name, look_up(data, name)] for name in asked]}
            for what, data in files().items()
        ],
        "refused": [{"name": what, "file": data.hex()} for what, data in refused().items()],
        "unencodable": UNENCODABLE,
        "invalid": INVALID,
    }


if __name__ == "__main__":
    told = vectors()
    print(json.dumps(told, separators=(",", ":")))
