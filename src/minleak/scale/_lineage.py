"""WarehouseLineage: a plan in an engine that is updated: parts that never change, and a ledger of what was counted."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from minleak.core._file.replacing import replace_file, replace_folder
from minleak.core._parameters import real, whole
from minleak.errors import InvalidParameter, InvalidPrior, UnreadableFile
from minleak.lineage._cadence import is_due
from minleak.lineage._ledger import UNIT
from minleak.scale._counts import count_if, count_prior
from minleak.scale._designing import ROWS, design
from minleak.scale._engines.base import Engine, ibis_module, path_text
from minleak.scale._plan import WarehousePlan, check_plan, load_plan, write
from minleak.scale._sources import read
from minleak.scale._tables import as_table, engine_of

FORMAT = "minleak-warehouse-lineage-1"
_HEADER, _LOCK = "lineage.json", "lineage.lock"
# The part of secrets that wait for a part.
WAITING = -1
# The columns of the ledger beside the secret, 64-bit integers all: the part, the count of the last day, the pool in
# units of 1/1024, and the days on which the secret was counted first and last.
COLUMNS = ("part", "weight", "pool", "first", "last")


@dataclass(frozen=True)
class Calendar:
    """The days of a lineage: the last one, that of the newest part, and how many were counted (`version`). `recent`
    has, for each day that still counts in the pools, its number, its share in units of 1/1024, and its events.
    """

    day: int
    began: int
    version: int
    recent: tuple[tuple[int, int, int], ...]

    def __post_init__(self) -> None:
        numbers = (self.day, self.began, self.version, *(number for row in self.recent for number in row))
        if not all(type(number) is int and 0 <= number < 2**62 for number in numbers) or not self.version:
            raise InvalidParameter("the days of a lineage are whole numbers from 0 on")


@dataclass(frozen=True, repr=False, eq=False)
class WarehouseLineage:
    """A plan in an engine that was updated: made by `minleak.scale.update`, or read by `load`.

    As in memory, the sets of listed secrets never change, and new secrets wait until there are enough for a part of
    their own. `parts` are ordinary plans, oldest first; `ledger` is a table (secret, part, weight, pool, first, last)
    of every secret that was ever counted, with -1 as the part of those that wait. `to_plan` brings it into memory,
    where `in_the_world` says what leaks today.
    """

    parts: tuple[WarehousePlan, ...]
    ledger: Any
    calendar: Calendar

    @property
    def k(self) -> int:
        """The cap on the size of a set: that of the first part."""
        return self.parts[0].header.k

    @property
    def version(self) -> int:
        """1 for a plan made from nothing, one more with each update."""
        return self.calendar.version

    @property
    def lineage(self) -> bytes:
        """32 bytes that identify all versions and key sticky draws: the digest of the first part."""
        return bytes.fromhex(self.parts[0].header.digest)

    @property
    def pending(self) -> Any:
        """A table of the secrets that wait for a part, and their pools."""
        return self.ledger.filter(self.ledger.part == WAITING).select("secret", weight=self.ledger.pool)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write it to a new folder, or into the one that holds the version before: parts that are there stay. A crash
        leaves the earlier version, and of two updates of one version the second is refused.
        """
        name = os.path.abspath(path_text(folder, InvalidParameter))
        engine = engine_of(self.ledger)
        try:
            os.makedirs(name, exist_ok=True)
            with _alone(name):
                written = self._earlier(name)
                for number, part in enumerate(self.parts[written:], start=written):
                    target = _part_folder(name, number)
                    _remove(target)  # left by a writer that was killed
                    write(part.table, part.header, target)
                with replace_folder(_ledger_folder(name, self.version)) as temporary:
                    engine.write(self.ledger, os.path.join(temporary, "rows"))
                content = {"format": FORMAT, "lineage": self.lineage.hex(), "parts": len(self.parts)}
                with replace_file(os.path.join(name, _HEADER)) as file:
                    file.write(json.dumps(content | vars(self.calendar)).encode())
                    file.flush()
                    os.fsync(file.fileno())
                if self.version > 1:
                    _remove(_ledger_folder(name, self.version - 1))
        except OSError as error:
            raise InvalidParameter(f"cannot write {os.fspath(folder)}: {error.strerror}") from None

    def _earlier(self, name: str) -> int:
        """The number of parts in the folder, which must be empty or hold the version before this one."""
        if not os.path.exists(os.path.join(name, _HEADER)):
            if set(os.listdir(name)) - {_LOCK}:
                raise InvalidParameter(f"{name} holds something else: choose a new folder for the lineage")
            return 0
        there = _read_header(name)
        if there["lineage"] != self.lineage.hex():
            raise InvalidParameter(f"{name} holds another lineage: choose a new folder for this one")
        if there["version"] != self.version - 1:
            raise InvalidParameter(
                f"{name} holds version {there['version']} of this lineage, and this is version {self.version}: another "
                "update may have been written meanwhile, so load it and update that"
            )
        return int(there["parts"])

    def __repr__(self) -> str:
        first = self.parts[0].header
        return (
            f"WarehouseLineage(k={first.k}, layout={first.layout!r}, version={self.version}, parts={len(self.parts)})"
        )


def update(
    plan: WarehousePlan | WarehouseLineage,
    counts: Any,
    *,
    secret: str = "secret",
    weight: str | None = "count",
    cohort: int | str = "auto",
    keep: float = 0.7,
    day: int | None = None,
    rows: int = ROWS,
) -> WarehouseLineage:
    """The next version of a plan in an engine, after the counts of one more day: as `Plan.update` in memory.

    Sets, odds and sticky draws of listed secrets stay as they are; new secrets wait, and become a part by another
    `design` when there are at least k of them and it is time (`cohort`). One join enters the counts into the ledger.
    The new part and the ledger stay in the engine for as long as the connection: `save` writes them.

    Parameters
    ----------
    plan
        A plan by `design` or a lineage by an earlier `update`, or either by `load`.
    counts
        Today's counts, a table in the same engine; `secret` and `weight` name its columns as in `design`.
    cohort, keep, day
        As in `Plan.update`.
    rows
        About how many secrets a partition of a new part has.

    >>> import pyarrow as pa
    >>> from minleak.scale import design
    >>> prior = pa.table({"secret": ["flu", "cold", "gout", "mumps"], "count": [36, 30, 20, 14]})
    >>> today = pa.table({"secret": ["cold", "flu", "ague", "croup"], "count": [31, 35, 2, 1]})
    >>> update(design(prior, k=2), today)
    WarehouseLineage(k=2, layout='stable', version=2, parts=2)
    """
    before = plan if isinstance(plan, WarehouseLineage) else begin(plan)
    calendar = before.calendar
    today = calendar.day + 1 if day is None else whole(day, "the day", 0)
    if today <= calendar.day:
        raise InvalidParameter(
            f"the day is {today}, and counts of day {calendar.day} are entered already: days go forwards"
        )
    keep = real(keep, "keep is a share from 0 to 1", least=0, most=1)
    share = round(UNIT * keep ** (today - calendar.day))
    source = as_table(counts)
    engine = engine_of(before.ledger, source)
    with ExitStack() as stack:
        found = stack.enter_context(count_prior(engine, source, secret, weight, 1))
        _check_kind(before, found.is_text)
        entered = stack.enter_context(engine.hold(_enter(before.ledger, found.table, today, share), lasting=True))
        told = _tell(engine, entered, today)
        if not told["known"]:
            raise InvalidParameter(
                "the new counts have none of the plan's labels: they are of other secrets, so design a plan for them"
            )
        recent = [(number, left * share >> 10, events) for number, left, events in calendar.recent]
        recent = [*(row for row in recent if row[1]), (today, UNIT, found.total)]
        calendar = replace(calendar, day=today, version=calendar.version + 1, recent=tuple(recent))
        newer = WarehouseLineage(before.parts, entered, calendar)
        waiting, success = told["weight"] / max(found.total, 1), float(before.parts[0].target.max())
        due = is_due(cohort, day=today, began=calendar.began, share=waiting, success=success)
        if told["waiting"] < before.k or not due:
            return newer
        listed = _list_waiting(newer, engine, rows)
    engine.drop(entered)
    return listed


def begin(plan: WarehousePlan) -> WarehouseLineage:
    """A new plan as a lineage of one part."""
    plan = check_plan(plan)
    ibis, everybody = ibis_module(), plan.everybody
    owned = everybody.group_by("secret").aggregate(weight=everybody.weight.sum().cast("int64"))
    zero = ibis.literal(0, "int64")
    ledger = owned.select(
        "secret",
        part=zero,
        weight=owned.weight,
        pool=(UNIT * owned.weight).cast("int64"),
        first=zero,
        last=ibis.ifelse(owned.weight > 0, 0, -1).cast("int64"),
    )
    if plan.header.total > 2**62 // (2 * UNIT):
        raise InvalidParameter("the plan is of more events than can be kept: divide its counts by a common number")
    return WarehouseLineage((plan,), ledger, Calendar(0, 0, 1, ((0, UNIT, plan.header.total),)))


def load(folder: str | os.PathLike[str], *, engine: Any = None) -> WarehousePlan | WarehouseLineage:
    """The plan or the lineage in a folder that `design` or `save` wrote, in the engine, as in `read`."""
    name = path_text(folder)
    if not os.path.exists(os.path.join(name, _HEADER)):
        return load_plan(name, engine=engine)
    content = _read_header(name)
    first = load_plan(_part_folder(name, 0), engine=engine)
    engine = engine_of(first.table).backend  # one for all
    others = (load_plan(_part_folder(name, number), engine=engine) for number in range(1, content["parts"]))
    parts = (first, *others)
    recent = tuple(tuple(row) for row in content["recent"])
    try:
        calendar = Calendar(content["day"], content["began"], content["version"], recent)
        ledger = read(os.path.join(_ledger_folder(name, calendar.version), "rows"), engine=engine)
    except (InvalidParameter, UnreadableFile) as error:
        raise UnreadableFile(f"the lineage {name} is damaged: {error}") from None
    missing = [column for column in ("secret", *COLUMNS) if column not in ledger.columns]
    if missing or parts[0].header.digest != content["lineage"]:
        raise UnreadableFile(f"the lineage {name} is damaged: its ledger or its first part is another's")
    kind = "string" if parts[0].header.is_text else "int64"
    columns = {column: ledger[column].cast("int64") for column in COLUMNS}
    return WarehouseLineage(parts, ledger.select(secret=ledger.secret.cast(kind), **columns), calendar)


def _enter(ledger: Any, counts: Any, today: int, share: int) -> Any:
    """The ledger after today's counts: pools keep their share, and unknown secrets start to wait."""
    ibis = ibis_module()
    new = counts.select(secret="secret", today="weight")
    both = ledger.outer_join(new, "secret")
    known = both.part.notnull()
    count = ibis.coalesce(both.today, 0)
    kept = (both.pool >> 10) * share + (((both.pool & (UNIT - 1)) * share) >> 10)
    entered = both.select(
        secret=ibis.coalesce(both.secret, both.secret_right),
        part=ibis.coalesce(both.part, WAITING).cast("int64"),
        weight=count.cast("int64"),
        pool=(ibis.coalesce(kept, 0) + UNIT * count).cast("int64"),
        first=ibis.coalesce(both["first"], today).cast("int64"),
        last=ibis.ifelse(count > 0, today, ibis.coalesce(both["last"], today)).cast("int64"),
        wanted=known | (count > 0),
    )
    return entered.filter(entered.wanted).drop("wanted")


def _tell(engine: Engine, ledger: Any, today: int) -> dict[str, int]:
    """How many secrets wait, their weight today, and how many secrets known before were counted today."""
    ibis = ibis_module()
    waiting, known = ledger.part == WAITING, (ledger["first"] < today) & (ledger["last"] == today)
    found = engine.row(
        ledger.aggregate(
            waiting=count_if(waiting),
            weight=ibis.coalesce(ibis.ifelse(waiting, ledger.weight, 0).sum(), 0),
            known=count_if(known),
        )
    )
    return {name: int(value) for name, value in found.items()}


def _list_waiting(lineage: WarehouseLineage, engine: Engine, rows: int) -> WarehouseLineage:
    """The lineage with one more part, of all secrets that wait, by their pools."""
    ibis, ledger, first = ibis_module(), lineage.ledger, lineage.parts[0].header
    waiting = lineage.pending
    waiting = waiting.mutate(weight=ibis.greatest(waiting.weight, 1).cast("int64"))
    part = design(waiting, first.k, weight="weight", layout=first.layout, rows=rows)
    number = ibis.ifelse(ledger.part == WAITING, len(lineage.parts), ledger.part).cast("int64")
    listed = engine.keep(ledger.mutate(part=number))
    calendar = replace(lineage.calendar, began=lineage.calendar.day)
    return WarehouseLineage((*lineage.parts, part), listed, calendar)


def _check_kind(lineage: WarehouseLineage, is_text: bool) -> None:
    if lineage.parts[0].header.is_text != is_text:
        plan, new = ("text", "integers") if not is_text else ("integers", "text")
        raise InvalidPrior(f"the plan's secrets are {plan} and the new ones {new}: cast them to the plan's type")


# -- the folder -------------------------------------------------------------------------------------------------------


def _part_folder(name: str, number: int) -> str:
    return os.path.join(name, f"part-{number:06}")


def _ledger_folder(name: str, version: int) -> str:
    return os.path.join(name, f"ledger-{version:06}")


def _remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Lock the folder against other writers."""
    with open(os.path.join(name, _LOCK), "a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidParameter(f"another update is being written to {name}: load it when that is done") from None
        yield


def _read_header(name: str) -> dict[str, Any]:
    try:
        with open(os.path.join(name, _HEADER), encoding="utf-8") as file:
            content: dict[str, Any] = json.load(file)
        whole_numbers = all(type(content[field]) is int for field in ("parts", "day", "began", "version"))
        if content["format"] != FORMAT or not whole_numbers or not 1 <= content["parts"] <= content["version"]:
            raise ValueError
        if not all(len(row) == 3 for row in content["recent"]) or type(content["lineage"]) is not str:
            raise ValueError
        return content
    except OSError as error:
        raise UnreadableFile(f"{name} is not the folder of a lineage: {error.strerror} ({_HEADER})") from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise UnreadableFile(f"{name}/{_HEADER} is not the header of a lineage of this format ({FORMAT})") from None
