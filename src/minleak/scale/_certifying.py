"""certify: prove by queries that a plan in an engine is optimal, with code that shares nothing with its making."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from minleak.core._certify.certificate import Certificate, Check
from minleak.errors import InvalidParameter, InvalidPrior, UnreadableFile
from minleak.scale._counts import count_if, integer_column
from minleak.scale._engines.base import Engine, ibis_module
from minleak.scale._lineage import WarehouseLineage
from minleak.scale._plan import GIANT, Header, WarehousePlan, check_plan, giants_table
from minleak.scale._tables import as_table, check_columns, engine_of

DAMAGED = "the plan was changed or damaged after it was made: design it anew (scale.certify says what is wrong)"

# The number of bins, each sorted separately, in which the line is checked for gaps.
_BINS = 4096


def certify(
    plan: WarehousePlan | WarehouseLineage, table: Any = None, *, secret: str = "secret", weight: str | None = "count"
) -> Certificate:
    """Verify a plan exactly, by queries: its giants and u are those of the theorem, its segments tile the line, no
    member meets itself, homes are sets of u different secrets, and every secret owns u times its weight. Checks run in
    order; if the header or a row is damaged, the others are left out.

    With `table`, the prior that the plan was designed for, weights are compared secret by secret; without it they are
    taken from the plan, and `own_prior` of the certificate says so. These checks imply that every posterior is pi (see
    the theory page on rings), so for one observation the plan is optimal in every symmetric, expansible,
    core-concave entropy at once. Two aggregates over all segments, three within partitions, a join with the prior.

    For a lineage, every part is verified for the weights in it, and that no secret is in two parts.

    >>> import pyarrow as pa
    >>> from minleak.scale import design
    >>> prior = pa.table({"secret": ["flu", "cold", "gout", "mumps"], "count": [36, 30, 20, 14]})
    >>> print(certify(design(prior, k=3), prior))
    certified, exactly
    ok  the header is whole: u = 2, s = 64, total 100
    ok  every row is whole and in range
    ok  giants are the heaviest secrets, each above its share: 1 giants, the heaviest other 30
    ok  every other secret fits its share s/u
    ok  every secret has one number, at most one segment on the common ring and one at home: 4 secrets
    ok  segments tile the line from end to end: 5 segments
    ok  no member of the common ring meets itself
    ok  homes are sets of u different secrets of one weight: 1 homes
    ok  idle secrets are in sets of at most k
    ok  the weights are the prior's: compared secret by secret
    total variation between the prior and the plan's integer weights: 0
    """
    if isinstance(plan, WarehouseLineage):
        return _certify_lineage(plan, table)
    plan = check_plan(plan, fitting=False)
    prior = None if table is None else as_table(table)
    engine = engine_of(plan.table) if prior is None else engine_of(plan.table, prior)
    if prior is not None:
        check_columns(prior, InvalidPrior, secret=secret, weight=weight)
    checks = tuple(_checks(engine, plan, prior, secret, weight))
    return Certificate(all(check.ok for check in checks), True, checks, {"prior": 0.0}, own_prior=prior is None)


def _certify_lineage(lineage: WarehouseLineage, table: Any) -> Certificate:
    """Verify each part for its own weights, and that every secret is in one part, the one in the ledger."""
    if table is not None:
        raise InvalidParameter("a lineage is certified for the counts its parts were made for: leave out the table")
    checks = []
    for number, part in enumerate(lineage.parts):
        found = certify(part)
        failed = "; ".join(check.what for check in found.checks if not check.ok)
        what = f"part {number} is optimal for the weights in it"
        checks.append(Check(what, found.ok, failed or f"{part.header.n:,} secrets"))
    ibis, ledger = ibis_module(), lineage.ledger
    owned = [
        rows.select("secret").distinct().mutate(own=ibis.literal(number, "int64"))
        for number, part in enumerate(lineage.parts)
        for rows in ([part.table, giants_table(part.header)] if part.header.giants else [part.table])
    ]
    listed = ibis.union(*owned) if len(owned) > 1 else owned[0]
    engine = engine_of(ledger)
    both = ledger.filter(ledger.part >= 0).outer_join(listed, "secret")
    row = engine.row(both.aggregate(rows=both.count(), same=count_if(ibis.coalesce(both.part == both.own, False))))
    total = sum(part.header.n for part in lineage.parts)
    checks.append(Check("every secret is in one part, as the ledger says", row["rows"] == row["same"] == total))
    return Certificate(all(check.ok for check in checks), True, tuple(checks), {"prior": 0.0}, own_prior=True)


def require_whole(plan: WarehousePlan) -> None:
    """Refuse a plan whose current table and header `certify` does not accept."""
    if not certify(plan):
        raise UnreadableFile(DAMAGED)


def _checks(engine: Engine, plan: WarehousePlan, prior: Any, secret: str, weight: str | None) -> Iterator[Check]:
    ibis, header, rows = ibis_module(), plan.header, plan.table
    yield Check("the header is whole", header.fits, f"u = {header.u}, s = {header.tail}, total {header.total}")
    if not header.fits:
        return
    whole = rows.secret.notnull() & (rows.ring > GIANT) & rows.weight.between(0, header.tail)
    whole &= rows.position.between(0, header.n - 1) & rows.start.between(0, max(header.u * header.tail, header.n))
    in_range = not engine.row(rows.aggregate(bad=count_if(~ibis.coalesce(whole, False))))["bad"]
    yield Check("every row is whole and in range", in_range)
    if not in_range:
        return
    owners = rows.group_by("secret").aggregate(
        lowest=rows.position.min(),
        highest=rows.position.max(),
        weight=rows.weight.sum(),
        common=(rows.ring == 0).cast("int64").sum(),
        homes=(rows.ring > 0).cast("int64").sum(),
        lone=(rows.ring < 0).cast("int64").sum(),
        least=rows.weight.min(),
    )
    owned = engine.row(
        owners.aggregate(
            secrets=owners.count(),
            numbers=owners.lowest.nunique(),
            first=ibis.coalesce(owners.lowest.min(), 0),
            last=ibis.coalesce(owners.highest.max(), 0),
            torn=count_if(owners.lowest != owners.highest),
            crowded=count_if((owners.common > 1) | (owners.homes > 1) | (owners.lone > 1)),
            idle=count_if(owners.lone > 0),
            mixed=count_if((owners.lone > 0) & (owners.common + owners.homes > 0)),
            empty=count_if((owners.lone == 0) & (owners.least <= 0)),
            loaded=count_if((owners.lone > 0) & (owners.weight != 0)),
            heaviest=ibis.coalesce(owners.weight.max(), 0),
            total=ibis.coalesce(owners.weight.sum(), 0),
        )
    )
    yield from _giants_checks(header, owned)
    g = len(header.giants)
    listed = [name for name, _ in header.giants]
    both = engine.count(rows.filter(rows.secret.isin(listed))) if listed else 0
    numbered = (
        owned["secrets"] + g == header.n == owned["numbers"] + g
        and (not owned["secrets"] or (owned["first"] == g and owned["last"] == header.n - 1))
        and not any(owned[what] for what in ("torn", "crowded", "mixed", "empty", "loaded"))
        and not both
        and owned["idle"] == header.idle
    )
    what = "every secret has one number, at most one segment on the common ring and one at home"
    yield Check(what, numbered, f"{owned['secrets'] + g} secrets")
    yield _line_check(engine, rows.filter(rows.ring >= 0), header)
    yield from _ring_checks(engine, rows, header)
    if prior is not None:
        yield _weights_check(engine, owners, header, prior, secret, weight)


def _giants_checks(header: Header, owned: dict[str, Any]) -> Iterator[Check]:
    heavy = [weight for _, weight in header.giants]
    left, too_heavy = header.total, True
    for j, weight in enumerate(heavy):
        too_heavy &= weight * (header.k - j) > left
        left -= weight
    ordered = all(a >= b for a, b in pairwise(heavy)) and (not heavy or heavy[-1] >= owned["heaviest"])
    what = "giants are the heaviest secrets, each above its share"
    yield Check(what, ordered and too_heavy, f"{len(heavy)} giants, the heaviest other {owned['heaviest']}")
    fits = owned["total"] == left and owned["heaviest"] * header.u <= left
    yield Check("every other secret fits its share s/u", fits)


def _line_check(engine: Engine, rows: Any, header: Header) -> Check:
    """Segments on rings from 0 on leave no gap: checked inside each bin by a window, between bins by their ends."""
    ibis, u = ibis_module(), header.u
    end = u * header.tail
    shift = max(0, end.bit_length() - _BINS.bit_length() + 1)
    placed = rows.select(bin=rows.start >> shift, start=rows.start, stop=rows.start + u * rows.weight)
    window = ibis.window(group_by=placed.bin, order_by=[placed.start, placed.stop])
    placed = placed.mutate(previous=placed.stop.lag().over(window))
    bins = engine.rows(
        placed.group_by("bin").aggregate(
            count=placed.count(),
            broken=count_if(placed.previous.notnull() & (placed.previous != placed.start)),
            first=placed.start.min(),
            last=placed.stop.max(),
        )
    )
    at, ok = 0, True
    for row in sorted(bins, key=lambda row: row["bin"]):
        ok &= row["broken"] == 0 and row["first"] == at
        at = row["last"]
    return Check(
        "segments tile the line from end to end", ok and at == end, f"{sum(r['count'] for r in bins)} segments"
    )


def _ring_checks(engine: Engine, rows: Any, header: Header) -> Iterator[Check]:
    ibis, u = ibis_module(), header.u
    common = rows.filter(rows.ring == 0)
    seen = engine.row(
        common.aggregate(
            longest=ibis.coalesce((u * common.weight).max(), 0),
            last=ibis.coalesce((common.start + u * common.weight).max(), 0),
            weight=ibis.coalesce(common.weight.sum(), 0),
        )
    )
    # with one segment each, tiled from 0 to u tracks, a member meets itself only if it is longer than a track
    alone = seen["longest"] <= header.length == seen["weight"] and seen["last"] == u * header.length
    yield Check("no member of the common ring meets itself", alone)
    # with at most one row at home for each secret, the members of a home are different
    homes = rows.filter(rows.ring > 0)
    homes = homes.group_by("ring").aggregate(
        members=homes.count(),
        least=homes.weight.min(),
        most=homes.weight.max(),
        across=homes.start.max() - homes.start.min(),
    )
    bad = (
        (homes.members != u)
        | (homes.least != homes.most)
        | (homes.least <= 0)
        | (homes.across != (u - 1) * u * homes.least)
    )
    found = engine.row(
        homes.aggregate(homes=homes.count(), bad=count_if(bad), weight=ibis.coalesce((u * homes.least).sum(), 0))
    )
    whole_homes = not found["bad"] and found["weight"] == header.at_home
    yield Check("homes are sets of u different secrets of one weight", whole_homes, f"{found['homes']} homes")
    lone = rows.filter(rows.ring < 0)
    lone = lone.group_by("ring").aggregate(members=lone.count())
    sizes = engine.rows(lone.filter((lone.ring == -1) | (lone.members > header.k)))
    room = {-1: header.k if header.tail else header.k - len(header.giants)}
    small = all(row["members"] <= room.get(row["ring"], header.k) for row in sizes)
    yield Check("idle secrets are in sets of at most k", small)


def _weights_check(engine: Engine, owners: Any, header: Header, prior: Any, secret: str, weight: str | None) -> Check:
    """The plan's weights minus the prior's are zero for every secret."""
    ibis = ibis_module()
    kind = "string" if header.is_text else "int64"
    sides = owners.select("secret", weight=owners.weight.cast("int64"), rows=ibis.literal(0, "int64")).union(
        prior.select(
            secret=prior[secret].cast(kind), weight=-integer_column(prior, weight), rows=ibis.literal(1, "int64")
        )
    )
    both = sides.group_by("secret").aggregate(left=sides.weight.sum(), rows=sides["rows"].sum())
    missing = both.left.isnull() | (both["rows"] == 0)
    is_giant = both.secret.isin([name for name, _ in header.giants]) if header.giants else ibis.literal(False)
    found = engine.row(both.aggregate(secrets=both.count(), off=count_if(missing | (~is_giant & (both.left != 0)))))
    giants = {row["secret"]: -int(row["left"]) for row in engine.rows(both.filter(is_giant & ~missing))}
    same = found["off"] == 0 and found["secrets"] == header.n and giants == dict(header.giants)
    return Check("the weights are the prior's", same, "compared secret by secret")
