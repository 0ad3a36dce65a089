"""in_the_world and summary of a plan in an engine: counts of counts by an aggregate, some sets by look-ups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropies, as_entropy
from minleak.core._leakage import difference
from minleak.core._parameters import whole
from minleak.errors import InvalidParameter, UnreadableFile
from minleak.rates._summaries import NAMED, PlanLeakage, PlanSummary, leakage_in, try_the_world
from minleak.rates._world import CountSample, SampledSets, World, estimate_world, sample_places, sets_to_draw
from minleak.scale._certifying import DAMAGED
from minleak.scale._counts import Spectrum, add_parts, sum_in_parts
from minleak.scale._engines import ENGINES
from minleak.scale._engines.base import Engine, ibis_module
from minleak.scale._lookups import PlanLine
from minleak.scale._plan import WarehousePlan, check_plan
from minleak.scale._tables import engine_of

# Weights above this are grouped by a thousandth of their logarithm, which leaves a few ten thousand groups.
_FINE = 2**12

Integers = npt.NDArray[np.int64]


def in_the_world(
    plan: WarehousePlan, entropies: Sequence[ConditionalEntropy | str], events: int | None, seed: int
) -> World:
    """What the plan leaks in the true population that its weights are a sample of: see `minleak.rates._world`.

    The mixture needs the counts of counts, and the success needs sets drawn as they are shown: as many as in memory,
    looked up as in `cloak`. So the estimate is the same, and what comes into memory does not grow with n.
    """
    plan = check_plan(plan)
    header = plan.header
    events = header.total if events is None else whole(events, "events", 1)
    engine = engine_of(plan.table)
    line = PlanLine.of(engine, plan)
    weights, times = _spectrum(engine, plan)
    certified = {}
    for measure in map(as_entropy, entropies):
        before = measure.of_spectrum(weights[::-1] / header.total, times[::-1].astype(np.float64))
        if before is None:
            raise InvalidParameter(f"{measure.name} sees every secret by itself: measure the plan in memory (to_plan)")
        certified[measure.name] = difference(measure, before, plan.entropy(measure))

    def counts(weights: Integers) -> Integers:
        if events == header.total:
            return weights
        return np.asarray(np.maximum(np.rint(weights * (events / header.total)), 1).astype(np.int64))

    distinct, which = np.unique(counts(weights), return_inverse=True)
    sample = CountSample(events, distinct, np.bincount(which, weights=times).astype(np.int64))

    def draw_sets(rng: np.random.Generator) -> SampledSets:
        members, weights = _sets(engine, line, rng)
        owned = header.u * weights.astype(np.float64)
        owned[: len(header.giants)] = header.tail or 1
        return SampledSets(members, counts(weights), owned)

    return estimate_world(sample, draw_sets, header.k, float(plan.target.max()), certified, seed)


def summarize(plan: WarehousePlan, entropies: Sequence[ConditionalEntropy | str], events: int | None) -> PlanSummary:
    """The summary of a plan in an engine; H(X) is left out if there are too many different weights."""
    header = plan.header
    try:
        spectrum = Spectrum(_whole(plan.everybody), secret="position", weight="weight")
    except InvalidParameter:
        spectrum = None
    world, untold = try_the_world(lambda: plan.in_the_world(entropies=(), events=events))
    leakages = []
    for H in as_entropies(entropies):
        before, after = None if spectrum is None else spectrum.entropy(H), plan.entropy(H)
        leaked = None if before is None else difference(H, before, after)
        leakages.append(PlanLeakage(H.name, before, after, leaked, in_the_world=leakage_in(world, H)))
    return PlanSummary(
        secrets=header.n,
        k=header.k,
        layout=header.layout,
        giants=len(header.giants),
        giant_labels=tuple(label for label, _ in header.giants[:NAMED]),
        homes=None,
        segments=None,
        distance=None,
        gains=False,
        success_blind=None if spectrum is None else float(spectrum.values[0]),
        success=float(plan.target.max()),
        in_the_world=world,
        untold=untold,
        leakage=tuple(leakages),
        lineage=header.digest,
        engine=next(name for name, kind in ENGINES.items() if isinstance(engine_of(plan.table), kind)),
        at_home=plan.at_home,
    )


def _spectrum(engine: Engine, plan: WarehousePlan) -> tuple[Integers, Integers]:
    """The distinct weights, smallest first, and how many secrets have each; of each group of large ones the largest
    and the mean of the others.
    """
    ibis = ibis_module()
    rows = _whole(plan.table)
    group = ibis.ifelse(rows.weight <= _FINE, rows.weight, _FINE + (rows.weight.ln() * 1000).floor().cast("int64"))
    rows = rows.mutate(group=group.cast("int64"))
    sums = {"times": rows.count(), "largest": rows.weight.max(), **sum_in_parts("weight", rows.weight)}
    times = Counter(weight for _, weight in plan.header.giants)
    for row in engine.rows(rows.group_by("group").aggregate(**sums)):
        largest, others = int(row["largest"]), int(row["times"]) - 1
        times[largest] += 1
        if others:
            times[(add_parts(row, "weight") - largest) // others] += others
    weights = sorted(times)
    return np.array(weights, dtype=np.int64), np.array([times[weight] for weight in weights], dtype=np.int64)


def _whole(rows: Any) -> Any:
    """(position, weight) of the secrets of positive weight, which may have a row at home and one on the common ring."""
    ibis = ibis_module()
    rows = rows.filter(rows.weight > 0)
    home = rows.ring > 0
    # the largest of one row is its sum, and stays a 64-bit integer in every engine
    both = rows.group_by("position").aggregate(
        home=ibis.ifelse(home, rows.weight, 0).max(), away=ibis.ifelse(home, 0, rows.weight).max()
    )
    return both.select("position", weight=(both.home + both.away).cast("int64"))


def _sets(engine: Engine, line: PlanLine, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Random sets, as likely as they are shown: positions and weights of the members, a column for each set."""
    header, rows = line.plan.header, line.plan.table
    u, giants = header.u, np.array([weight for _, weight in header.giants], dtype=np.int64)
    if not header.tail:  # all secrets are in one set
        return np.arange(len(giants))[:, None], giants[:, None]
    count = sets_to_draw(header.k)
    places, number = sample_places(header.tail, count, rng), np.arange(count)
    away = places < header.length
    found = []
    if away.any():
        found.append(line.on_ring(_table(drawn=number[away], at=places[away])).select("drawn", "position"))
    if not away.all():
        visited = line.at_home(_table(drawn=number[~away], at=u * places[~away])).select("drawn", "home")
        members = rows.filter(rows.ring > 0).select("position", home="ring")
        found.append(visited.join(members, "home").select("drawn", "position"))
    drawn, positions = _columns(engine, found[0].union(found[1]) if len(found) == 2 else found[0])
    if len(drawn) != count * u or (np.bincount(drawn, minlength=count) != u).any():
        raise UnreadableFile(DAMAGED)
    # sorted, so that the same seed gives the same sets in every engine
    others = positions[np.lexsort((positions, drawn))].reshape(count, u).T
    members, at = np.unique(others, return_inverse=True)
    of, weights = _columns(engine, _whole(rows.semi_join(_table(position=members), "position")))
    weights = weights[np.argsort(of)][at].reshape(others.shape)
    return (
        np.concatenate([np.repeat(np.arange(len(giants))[:, None], count, axis=1), others]),
        np.concatenate([np.repeat(giants[:, None], count, axis=1), weights]),
    )


def _table(**columns: Integers) -> Any:
    return ibis_module().memtable(pa.table(columns))


def _columns(engine: Engine, table: Any) -> list[Integers]:
    """The columns of a table of integers."""
    return [column.to_numpy().astype(np.int64) for column in engine.arrow(table).columns]
