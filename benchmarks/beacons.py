"""Beacons: what the operator of an encrypted database learns from truncated hashes, with and without partitions, beside
a beacon on the number of a block.

A model of beacons in the AWS Database Encryption SDK: the last bits of the first 8 bytes of HMAC-SHA384 of the value.
With partitions, the number of the partition follows the value as one byte; another encoding would be like another key.
Each row is stored under a partition at random, so a look-up asks for the beacons of all of them. A table holds each
value as often as the prior says, and look-ups follow the prior too. Nothing is run on a database.
"""

from __future__ import annotations

import hmac
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import minleak as ml

Array = npt.NDArray[np.float64]

NPM = Path("examples/data/npm_downloads.csv")
KEYS = 20
LENGTHS = (8, 12, 24)
PARTITIONS = 5
K = 12


@dataclass(frozen=True)
class Seen:
    """How often a guess is right that sees one stored row, or all queries of one look-up; the share of the table that a
    look-up reads, on the mean and at worst; and how many queries it takes on the mean.
    """

    row: float
    look_up: float
    mean: float
    worst: float
    queries: float

    def __str__(self) -> str:
        shares = (self.row, self.look_up, self.mean, self.worst)
        return " ".join(f"{share:>9.2%}" for share in shares) + f" {self.queries:>9.2f}"


def main() -> None:
    prior = ml.read_prior(NPM)
    names, p = list(prior.labels), prior.p
    numbers = {row["value"]: row["partition"] for row in ml.design(prior, K, layout="blocks").partitions().to_pylist()}
    places = [numbers[name] for name in names]
    print(f"\n{len(names):,} npm names, {len(set(places))} blocks of {K}, means over {KEYS} keys; blind {p.max():.2%}")
    print(f"{'':<44} {'one row':>9} {'look-up':>9} {'rows read':>9} {'at worst':>9} {'queries':>9}")
    for bits in LENGTHS:
        plain = mean([alone(p, beacons(names, bits, key)) for key in range(KEYS)])
        split = mean([alone(p, beacons(names, bits, key, places)) for key in range(KEYS)])
        five = mean([spread(names, p, bits, PARTITIONS, key) for key in range(KEYS)])
        tell(f"beacon of {bits} bits", plain)
        tell("  with the block's number as partition", split)
        tell("  blocks that read no more than the beacon", within(prior, plain))
        tell(f"  with {PARTITIONS} random partitions", five)
        tell("  blocks that read no more than partitions", within(prior, five))
    numbered = [str(place) for place in places]
    tell(
        f"32 bits of the number of a block of {K}", mean([alone(p, beacons(numbered, 32, key)) for key in range(KEYS)])
    )


def within(prior: ml.Prior, rival: Seen) -> Seen:
    """Blocks cut by rows that read no more than a rival does, on the mean and at worst, with a long beacon of their
    number.
    """
    total = prior.total
    cut = ml.Blocks(mean_rows=rival.mean * total, worst_rows=rival.worst * total)
    blocks = ml.design(prior, len(prior), layout=cut)
    numbers = {row["value"]: str(row["partition"]) for row in blocks.partitions().to_pylist()}
    return alone(prior.p, beacons([numbers[name] for name in prior.labels], 63, 0))


def beacons(values: Sequence[str], bits: int, key: int, partitions: Sequence[int] | None = None) -> list[int]:
    """The beacon of each value, in its partition where one is given."""
    secret = key.to_bytes(32, "big")
    ends = [b""] * len(values) if partitions is None else [bytes([partition]) for partition in partitions]
    digests = (hmac.digest(secret, value.encode() + end, "sha384") for value, end in zip(values, ends, strict=True))
    return [int.from_bytes(digest[:8], "big") % 2**bits for digest in digests]


def alone(p: Array, of_value: Sequence[int]) -> Seen:
    """One beacon for each value."""
    return seen(p, [[beacon] for beacon in of_value])


def spread(names: Sequence[str], p: Array, bits: int, partitions: int, key: int) -> Seen:
    """Every value under so many partitions, one of them at random for each row."""
    of_each = [beacons(names, bits, key, [i] * len(names)) for i in range(partitions)]
    return seen(p, list(zip(*of_each, strict=True)))


def seen(p: Array, of_value: Sequence[Sequence[int]]) -> Seen:
    """What is learnt and read if the rows of value x are spread evenly over the beacons `of_value[x]`.

    One row shows one beacon b: the best guess is right with probability sum over b of max over x of p(x, b). A look-up
    shows the set of all beacons of x, which is the same for each look-up of x.
    """
    rows: defaultdict[int, float] = defaultdict(float)
    best: defaultdict[int, float] = defaultdict(float)
    asked: defaultdict[frozenset[int], float] = defaultdict(float)
    for share, some in zip(p.tolist(), of_value, strict=True):
        for beacon, times in Counter(some).items():
            part = share * times / len(some)
            rows[beacon] += part
            best[beacon] = max(best[beacon], part)
        asked[frozenset(some)] = max(asked[frozenset(some)], share)
    read = np.array([sum(rows[beacon] for beacon in set(some)) for some in of_value])
    queries = np.array([len(set(some)) for some in of_value])
    return Seen(sum(best.values()), sum(asked.values()), float(p @ read), float(read.max()), float(p @ queries))


def mean(found: Sequence[Seen]) -> Seen:
    return Seen(*np.mean([astuple(one) for one in found], axis=0).tolist())


def tell(what: str, found: Seen) -> None:
    print(f"{what:<44} {found}", flush=True)
