"""WarehousePlan: a plan as a table of segments on one line and a small header, saved as a folder of Parquet files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array
from minleak.core._entropy.base import ConditionalEntropy, evaluate
from minleak.core._entropy.names import FEW, STANDARD, as_entropy
from minleak.core._file.replacing import replace_folder
from minleak.core._plan.fields import LIMIT
from minleak.errors import InvalidParameter, UnreadableFile
from minleak.rates._summaries import PlanSummary, summary
from minleak.rates._world import World
from minleak.scale._engines.base import ibis_module, path_text
from minleak.scale._sources import read
from minleak.scale._tables import as_table, engine_of

FORMAT = "minleak-warehouse-1"
COLUMNS = {"secret": None, "position": "int64", "ring": "int64", "start": "int64", "weight": "int64"}
GIANT = -(2**62)
_HEADER, _SEGMENTS = "header.json", "segments"


@dataclass(frozen=True)
class Header:
    """What a plan needs beside its segments.

    `giants` are (secret, weight), largest first; they are in every set. The other u places of a set share the weight
    `tail` of all others. `length` is that of a track of the common ring, `at_home` the weight in homes, so that
    length + at_home = tail. `digest` identifies the plan, also in sticky draws.
    """

    k: int
    n: int
    total: int
    layout: str
    giants: tuple[tuple[Any, int], ...]
    u: int
    tail: int
    length: int
    at_home: int
    idle: int
    is_text: bool
    digest: str

    def __post_init__(self) -> None:
        numbers = (self.k, self.n, self.total, self.u, self.tail, self.length, self.at_home, self.idle)
        secrets = str if self.is_text else int
        if not (
            all(type(number) is int and 0 <= number <= LIMIT for number in numbers)
            and (type(self.layout), type(self.is_text), type(self.digest)) == (str, bool, str)
            and re.fullmatch("[0-9a-f]{64}", self.digest)
            and type(self.giants) is tuple
            and all(type(giant) is tuple and [type(part) for part in giant] == [secrets, int] for giant in self.giants)
            and all(0 <= weight <= LIMIT and _is_label(secret) for secret, weight in self.giants)
        ):
            raise InvalidParameter("a part of the header of a plan is missing, of another type, or out of range")

    @property
    def fits(self) -> bool:
        """Whether the values are consistent."""
        weights = [weight for _, weight in self.giants]
        return (
            1 <= self.k <= self.n
            and self.idle + len(weights) <= self.n
            and self.u + len(weights) == self.k
            and 1 <= self.total == sum(weights) + self.tail
            and self.total * self.k <= LIMIT
            and self.length + self.at_home == self.tail
            and min(weights, default=1) > 0
            and weights == sorted(weights, reverse=True)
            and len({secret for secret, _ in self.giants}) == len(weights)
        )


@dataclass(frozen=True, repr=False, eq=False)
class WarehousePlan:
    """An optimal plan whose segments stay in an engine: made by `minleak.scale.design`, or read by `load`.

    `table` has a row for each segment: (secret, position, ring, start, weight). All rings lie on one line from 0 to
    u * tail, and a row owns the u * weight positions from its start on; every position has exactly one owner.

    - Ring 0 is the common ring: u tracks of `header.length` from 0 on. At phase t its set is the owners of t,
      t + length, ..., t + (u-1) length.
    - Rings from 1 on are homes: u members of one weight, always shown together.
    - Rings below 0 are sets of secrets of weight zero, which own nothing.

    A secret has at most one row on the common ring and one at home. The giants are in the header alone. Positions
    number all secrets, giants first; sets are shown in their order.
    """

    table: Any
    header: Header

    @property
    def everybody(self) -> Any:
        """The rows of all secrets: `table`, and a row for each giant on a ring of its own (`GIANT`)."""
        return self.table.union(giants_table(self.header)) if self.header.giants else self.table

    @property
    def exact_target(self) -> tuple[Fraction, ...]:
        """pi in exact fractions of the total weight, largest first, zeros left out."""
        h = self.header
        giants = tuple(Fraction(weight, h.total) for _, weight in h.giants)
        return giants + ((Fraction(h.tail, h.total * h.u),) * h.u if h.tail else ())

    @property
    def target(self) -> Array:
        """pi, largest first: the posterior that every observable induces."""
        return np.array([float(part) for part in self.exact_target])

    def entropy(self, entropy: ConditionalEntropy | str) -> float:
        """H(X|Y) = H(pi), the largest that any channel with sets of at most k can reach (Theorem 1 of the paper)."""
        H = as_entropy(entropy)
        if not H.symmetric:
            raise InvalidParameter("plans with gains are made in memory: minleak.design(prior, k, gains=...)")
        return evaluate([H], [self.target[:, None]])[0]

    @property
    def at_home(self) -> float:
        """The share of the non-giants' weight that is at home, where draws always show the same set."""
        return self.header.at_home / self.header.tail if self.header.tail else 0.0

    def in_the_world(
        self, *, entropies: Sequence[ConditionalEntropy | str] = FEW, events: int | None = None, seed: int = 0
    ) -> World:
        """What the plan leaks in the true population, if its weights are a sample of it, to an attacker who knows that
        population: as `minleak.population` for the same plan in memory, with other draws.

        Give `events`, the size of the sample, if weights are no counts. Takes one pass that checks the plan, the counts
        of counts, and look-ups of a few thousand sets; memory does not grow with n.

        >>> from minleak.scale import design
        >>> prior = pa.table({"secret": range(600), "count": [20 - i // 30 for i in range(600)]})
        >>> world = design(prior, k=10).in_the_world()
        >>> world.success > world.claimed == 0.1
        True
        """
        from minleak.scale._world import in_the_world  # which knows plans

        return in_the_world(self, entropies, events, seed)

    def summary(
        self, entropies: Sequence[ConditionalEntropy | str] = STANDARD, *, events: int | None = None
    ) -> PlanSummary:
        """Summary of the plan, with the leakage in each entropy; prints in words and tables. `events` as in
        `in_the_world`.
        """
        from minleak.scale._world import summarize

        return summarize(self, entropies, events)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the plan to a new folder: Parquet files and a header, whole or not at all."""
        plan = check_plan(self)
        write(plan.table, plan.header, folder)

    def __repr__(self) -> str:
        h = self.header
        return (
            f"WarehousePlan(n={h.n}, k={h.k}, giants={len(h.giants)}, layout={h.layout!r}, at_home={self.at_home:.3f})"
        )


def _is_label(secret: Any) -> bool:
    """Whether a giant's label can stand in a table."""
    if isinstance(secret, int):
        return -(2**63) <= secret < 2**63
    return re.search("[\ud800-\udfff]", secret) is None


def check_new(folder: Any) -> None:
    """Refuse to write a plan to a name that exists."""
    if os.path.exists(path_text(folder, InvalidParameter)):
        raise InvalidParameter(f"{os.fspath(folder)} exists already: plans are not overwritten, choose another name")


def write(table: Any, header: Header, folder: str | os.PathLike[str]) -> None:
    """Write segments, then the header, to a temporary folder, which is then renamed."""
    check_new(folder)
    name = os.path.abspath(folder)
    try:
        with replace_folder(name) as temporary:
            engine_of(table).write(table, os.path.join(temporary, _SEGMENTS))
            with open(os.path.join(temporary, _HEADER), "x", encoding="utf-8") as file:
                json.dump({"format": FORMAT, **vars(header)}, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
    except OSError as error:
        raise InvalidParameter(f"cannot write {os.fspath(folder)}: {error.strerror}") from None


def load_plan(folder: str | os.PathLike[str], *, engine: Any = None) -> WarehousePlan:
    """The plan in a folder that `design` or `save` wrote, in the engine, as in `read`."""
    name = path_text(folder)
    header = _read_header(name)
    try:
        segments = read(os.path.join(name, _SEGMENTS), engine=engine)
    except UnreadableFile as error:
        raise UnreadableFile(f"the plan {name} is damaged: {error}") from None
    return WarehousePlan(check_plan_columns(segments, header, name), header)


def _read_header(name: str) -> Header:
    try:
        with open(os.path.join(name, _HEADER), encoding="utf-8") as file:
            content = json.load(file)
        if content.pop("format") != FORMAT:
            raise ValueError
        content["giants"] = tuple((secret, weight) for secret, weight in content["giants"])
        header = Header(**content)
        if not header.fits:
            raise ValueError
        return header
    except OSError as error:
        raise UnreadableFile(f"{name} is not the folder of a plan: {error.strerror} ({_HEADER})") from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise UnreadableFile(f"{name}/{_HEADER} is not the header of a plan of this format ({FORMAT})") from None


def check_plan(plan: Any, *, fitting: bool = True) -> WarehousePlan:
    """The plan, refused unless its table has the right columns and (if `fitting`) its header is consistent."""
    if not isinstance(plan, WarehousePlan) or not isinstance(plan.header, Header):
        raise InvalidParameter(f"a plan is a WarehousePlan, from scale.design or load, not {type(plan).__name__}")
    if fitting and not plan.header.fits:
        raise InvalidParameter("the numbers in the plan's header do not fit each other: design it anew")
    return WarehousePlan(check_plan_columns(as_table(plan.table), plan.header, "the plan"), plan.header)


def check_plan_columns(table: Any, header: Header, name: str) -> Any:
    """The table with the columns of a plan, in order and type; refused without them. `name` is for messages."""
    missing = [column for column in COLUMNS if column not in table.columns]
    if missing:
        raise UnreadableFile(f"the segments of {name} have no column {missing[0]!r}: it was not written by minleak")
    kinds = COLUMNS | {"secret": "string" if header.is_text else "int64"}
    exact = header.u * header.tail <= 2**53  # starts were once written as floats, which are whole up to here
    for column, kind in kinds.items():
        found = table[column].type()
        whole = found.is_signed_integer() or (column == "start" and found.is_floating() and exact)
        if not (found.is_string() if kind == "string" else whole):
            raise UnreadableFile(f"the plan {name} is damaged: {column!r} is {found}, where its header wants {kind}")
    return table.select(**{column: table[column].cast(kind) for column, kind in kinds.items()})


def giants_table(header: Header) -> Any:
    """The giants as rows like those of the plan, on a ring of their own."""
    rows = [(secret, i, GIANT, 0, weight) for i, (secret, weight) in enumerate(header.giants)]
    kinds = [pa.string() if header.is_text else pa.int64(), *[pa.int64()] * 4]
    columns = [pa.array(column, type=kind) for column, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
    return ibis_module().memtable(pa.table(dict(zip(COLUMNS, columns, strict=True))))


@summary.register(WarehousePlan)
def _of_warehouse(
    plan: WarehousePlan, entropies: Sequence[ConditionalEntropy | str] = STANDARD, *, of: Any = None
) -> PlanSummary:
    if of is not None:
        raise InvalidParameter("properties of secrets are measured in memory: bring the plan there with to_plan")
    return plan.summary(entropies)
