"""Plans of every kind in numbers, for programs, and in words, for people."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from minleak._cli.failures import in_flags
from minleak._cli.output import Answer, field, record, table
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import STANDARD
from minleak._measure.leakages import difference, leakage_table
from minleak._plan.base import BLOCKS, LINEAGE, RINGS, ROWS, STRINGS, BasePlan
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak._plans.blocks import BlockPlan
    from minleak._plans.lineage import Lineage
    from minleak._plans.rings import Plan
    from minleak._plans.rows import Rows
    from minleak._strings.plan import UnlistedPlan

# So many of the giants are named, and so many parts are told one by one.
NAMED = 8
PARTS = 12


def described(plan: BasePlan, entropies: list[str] | None) -> Answer:
    """What is to be said of a plan of any kind."""
    numbers, words = SHOWING[plan.kind]
    data = {**numbers(plan, entropies or list(STANDARD)), "lineage": plan.lineage.hex()}
    return Answer(data, words(data))


def plan_numbers(plan: Plan, entropies: list[str]) -> dict[str, Any]:
    """A plan of rings."""
    labels = plan.prior.labels
    leakages = {}
    for name in entropies:
        H = as_entropy(name)
        after, leakage = plan.entropy(H), plan.leakage(H)
        leakages[name] = {"before": after + leakage, "after": after, "leakage": leakage}
    return {
        "secrets": len(plan.prior),
        "k": plan.k,
        "layout": plan.layout,
        "giants": plan.n_giants,
        "giant_labels": [labels[i] for i in plan.giants[:NAMED].tolist()],
        "homes": len(plan.homes.weights),
        "segments": sum(len(ring.starts) for ring in plan.rings),
        "distance": plan.distance,
        "gains": plan.gains is not None,
        "success_blind": float(plan.prior.p.max()),
        "success": plan.success if plan.gains is None else None,
        **world_of(plan, entropies),
        "leakage": leakages,
        "cost": plan.cost,
        "cost_bound": plan.cost_bound,
        "metric": None if plan.costs is None else plan.costs.metric,
        "stability": None if plan.costs is None else plan.costs.stability,
    }


def plan_words(data: dict[str, Any]) -> list[str]:
    """The same for people, of a plan in memory or in an engine."""
    where = f", made in {data['engine']}" if "engine" in data else ""
    secrets = "1 secret" if data["secrets"] == 1 else f"{data['secrets']:,} secrets"
    lines = [f"{secrets} in sets of {data['k']}, layout {data['layout']}{where}"]
    if data["giants"]:
        more = ", ..." if data["giants"] > NAMED else ""
        lines.append(f"in every set (giants): {data['giants']}: {', '.join(map(field, data['giant_labels']))}{more}")
    if data["success"] is not None:
        lines.append(_guess(data, "a set"))
    lines += _world_words(data)
    if "at_home" in data:
        lines.append(f"{data['at_home']:.1%} of the weight outside the giants is in homes: sets that stay the same")
    if data.get("distance"):
        lines.append(f"weights are on an integer grid, {data['distance']:.2g} from those given (total variation)")
    if data.get("cost") is not None:
        unit = " km" if data["metric"] == "haversine" else ""
        bound = data["cost_bound"]
        least = "" if bound is None else f", and no plan that leaks as little has less than {bound:.6g}{unit}"
        lines.append(f"members of a set are {data['cost']:.6g}{unit} from its centre on average{least}")
        if data["metric"] != "given":
            lines.append("near decoys share their region: a set tells the area of the secret, which no leakage counts")
    title = "the least leakage that sets of this size allow" + (" (with gains)" if data.get("gains") else "")
    return ["\n".join(lines), "", _leakages(title, ["before", "after", "leakage"], data)]


def _block_numbers(blocks: BlockPlan, entropies: list[str]) -> dict[str, Any]:
    measures = {name: as_entropy(name) for name in entropies}
    after = blocks.partition.entropies(blocks.prior, list(measures.values()))
    losses = blocks.losses(list(measures.values()))
    leakages = {}
    for (name, H), left in zip(measures.items(), after, strict=True):
        leaked = difference(H, H(blocks.prior), left)
        leakages[name] = {"before": left + leaked, "after": left, "leakage": leaked, "loss": losses[H.name]}
    return {
        "secrets": len(blocks.prior),
        "k": blocks.k,
        "layout": blocks.layout,
        "blocks": len(blocks.partition.begins) - 1,
        "smallest": int(blocks.partition.sizes.min()),
        "success_blind": float(blocks.prior.p.max()),
        "success": blocks.success,
        **world_of(blocks, entropies),
        "leakage": leakages,
    }


def _block_words(data: dict[str, Any]) -> list[str]:
    smallest = f", the smallest of {data['smallest']}" if data["smallest"] < data["k"] else ""
    lines = [
        f"{data['secrets']:,} secrets in {data['blocks']:,} blocks of {data['k']}{smallest}: sets that never change",
        _guess(data, "a block"),
        *_world_words(data),
    ]
    title = "leakage, and how much of it a plan that draws its sets would not leak (loss)"
    return ["\n".join(lines), "", _leakages(title, ["before", "after", "leakage", "loss"], data)]


def _row_numbers(plan: Rows, entropies: list[str]) -> dict[str, Any]:
    rows = leakage_table(plan.prior, plan.channel(), entropies).rows
    return {
        "secrets": len(plan.prior),
        "layout": plan.layout,
        "observables": len(plan.outputs),
        "most_causes": plan.k,
        "leakage": {row.entropy: {"before": row.prior, "after": row.posterior, "leakage": row.leakage} for row in rows},
    }


def _row_words(data: dict[str, Any]) -> list[str]:
    lines = [
        f"{data['secrets']:,} secrets, {data['observables']:,} observables, each from up to {data['most_causes']:,}",
        "drawn in whole numbers, exactly",
    ]
    return [*lines, "", _leakages("what it leaks", ["before", "after", "leakage"], data)]


def _string_numbers(plan: UnlistedPlan, entropies: list[str]) -> dict[str, Any]:
    model = plan.joint.model
    made_up = model.at(random.Random(0).randrange(model.total))  # of nobody's
    return {
        "secrets": len(plan.joint.counted),
        "k": plan.k,
        "layout": plan.layout,
        "giants": len(plan.giants),
        "giant_labels": [string for string, _ in plan.giants],
        "homes": len(plan.homes),
        "success": plan.success,
        "unlisted": plan.unlisted,
        "example": list(plan.members(made_up, 0)),
        "policy": None if (policy := getattr(model, "policy", None)) is None else asdict(policy),
        "entropy": {name: plan.entropy(as_entropy(name)) for name in entropies},
    }


def _string_words(data: dict[str, Any]) -> list[str]:
    which = "every string" if data["policy"] is None else "every string that meets the policy"
    lines = [f"{which} in sets of {data['k']}; {data['secrets']:,} strings were counted"]
    if data["giants"]:
        lines.append(f"in every set (giants): {data['giants']}: {record(data['giant_labels'])}")
    lines += [
        f"{data['unlisted']:.2%} of secrets are strings that were never counted, by the model",
        f"a guess is right with probability {data['success']:.6g} seeing a set, if the model is right: see the how-to "
        "on secrets that cannot be listed for attackers who know better",
        f"a set, for example: {record(data['example'])}",
    ]
    rows = list(data["entropy"].items())
    return ["\n".join(lines), "", table("what is left after a set is seen", ["entropy", "after"], rows)]


def lineage_numbers(plan: Lineage, entropies: list[str]) -> dict[str, Any]:
    """A plan that was updated: its parts, what waits, and what leaks by the last counts."""
    from minleak._plans.lineage_worth import parts_worth

    ledger = plan.ledger
    counts, waiting = ledger.counts[: ledger.listed], ledger.counts[ledger.listed :]
    rows = leakage_table(plan.prior, plan.channel(), entropies).rows
    return {
        "secrets": ledger.listed,
        "k": plan.k,
        "layout": plan.layout,
        "version": plan.version,
        "parts": len(plan.parts),
        "each_part": [asdict(worth) for worth in parts_worth(plan)],
        "pending": len(waiting),
        "pending_mass": float(waiting.sum()) / max(int(ledger.counts.sum()), 1),
        "not_seen_today": int((counts == 0).sum()),
        "success_blind": float(plan.prior.p.max()),
        "success": plan.success,
        **_today(plan),
        "leakage": {row.entropy: {"before": row.prior, "after": row.posterior, "leakage": row.leakage} for row in rows},
        "lineage": plan.lineage.hex(),
    }


def _today(plan: Lineage) -> dict[str, Any]:
    """What leaks today to an attacker who knows the true rates; or, where nothing can be said, why."""
    try:
        today = plan.in_the_world()
    except InvalidParameter as error:
        return {"today": None, "untold": in_flags(str(error), {})}
    names = ("success", "low", "high", "blind", "certified", "least", "unlisted", "advice")
    return {"today": {name: getattr(today, name) for name in names}, "untold": None}


def lineage_words(data: dict[str, Any]) -> list[str]:
    """The same for people."""
    parts = "1 part" if data["parts"] == 1 else f"{data['parts']:,} parts"
    new = f", {data['new_parts']} of them new" if data.get("new_parts") else ""
    waiting = "1 new secret waits" if data["pending"] == 1 else f"{data['pending']:,} new secrets wait"
    waiting = (
        f"{waiting} for a part, {data['pending_mass']:.2%} of the last day's events: refused until then"
        if data["pending"]
        else "no new secret waits for a part"
    )
    lines = [
        f"version {data['version']:,}: {data['secrets']:,} secrets in {parts}{new}, in sets of {data['k']}, layout "
        f"{data['layout']}; {data['not_seen_today']:,} were not counted on the last day and stay listed",
        waiting,
        "every version shows a secret in the same set: whoever saw all versions has seen one set",
        f"by the last counts {_guess(data, 'the sets of all versions')}",
        *_today_words(data),
        f"lineage: {data['lineage']}",
    ]
    told = data["each_part"]
    title = "how often a guess at a secret of the part is right that sees a set"
    if len(told) > PARTS:
        told, title = [told[0], *told[1 - PARTS :]], f"{title} (the first part and the last {PARTS - 1})"
    rows = [
        [str(part["number"]), part["secrets"], part["share"], *(_or_blank(part[name]) for name in ("made", "success"))]
        for part in told
    ]
    columns = ["part", "secrets", "share of the last counts", "as it was made", "by the last counts"]
    leakages = _leakages("leakage by the last counts", ["before", "after", "leakage"], data)
    return ["\n".join(lines), "", table(title, columns, rows), "", leakages]


def _today_words(data: dict[str, Any]) -> list[str]:
    today = data["today"]
    if today is None:
        return [f"by the last counts only: {data['untold']}"]
    return [
        f"today, to an attacker who knows the true rates, about {today['success']:.4g} ({today['low']:.4g} to "
        f"{today['high']:.4g}), {today['blind']:.4g} without a set; unlisted secrets count as known",
        f"advice: {today['advice']}",
    ]


def _or_blank(value: float | None) -> Any:
    return "" if value is None else value


# By kind a plan's numbers for some entropies, and what they are in words.
SHOWING: dict[str, tuple[Callable[[Any, list[str]], dict[str, Any]], Callable[[dict[str, Any]], list[str]]]] = {
    RINGS: (plan_numbers, plan_words),
    BLOCKS: (_block_numbers, _block_words),
    ROWS: (_row_numbers, _row_words),
    STRINGS: (_string_numbers, _string_words),
    LINEAGE: (lineage_numbers, lineage_words),
}


def world_of(plan: Any, entropies: Iterable[str], **given: Any) -> dict[str, Any]:
    """What a plan, in memory or in an engine, is worth in the world that its counts are a sample of; or, where nothing
    can be said, why.
    """
    try:
        world = plan.in_the_world(entropies=(), **given)
    except InvalidParameter as error:
        return {"in_the_world": None, "untold": in_flags(str(error), {"events": "--events"})}
    told = {name: getattr(world, name) for name in ("success", "low", "high", "alike", "unseen", "events")}
    leakages = {}
    for name in entropies:
        with suppress(InvalidParameter):  # it is told for symmetric ones of the paper's form
            leakages[name] = world.leakage(name)
    return {"in_the_world": {**told, "leakage": leakages}, "untold": None}


def _differs(data: dict[str, Any]) -> bool:
    """Whether a guess is right more often in the world than the counts say, by more than a percent."""
    world = data.get("in_the_world")
    return world is not None and world["success"] > 1.01 * data["success"]


def _guess(data: dict[str, Any], seen: str) -> str:
    counted = "as counted, " if _differs(data) else ""
    blind = "" if data["success_blind"] is None else f" {data['success_blind']:.6g} without,"
    right = f"{counted}a guess is right with probability {data['success']:.6g}"
    return f"{right} seeing {seen},{blind} 1 seeing the secret itself"


def _world_words(data: dict[str, Any]) -> list[str]:
    """A line on the world, where it is worse than the counts say, or on why nothing can be said."""
    world = data["in_the_world"]
    if world is None:
        return [f"as counted only: {data['untold']}"]
    alike = (
        [
            "the counts show no difference between secrets beyond chance: in the world they are taken as equally "
            f"frequent; differences that {world['events']:,} events do not show could make it {world['high']:.4g}"
        ]
        if world["alike"] and world["high"] > 1.01 * data["success"]
        else []
    )
    if not _differs(data):
        return alike
    return [
        f"in the world about {world['success']:.4g} ({world['low']:.4g} to {world['high']:.4g}): the counts are a "
        f"sample of {world['events']:,} events, taken as independent, and an attacker may know the truth better; "
        f"{world['unseen']:.2%} of the events to come will be of secrets that were not seen",
        *alike,
    ]


def _leakages(title: str, columns: Sequence[str], data: dict[str, Any]) -> str:
    """A row for each entropy, with the leakage in the world too where it differs."""
    world = [data["in_the_world"]["leakage"]] if _differs(data) else []
    rows = [
        [name, *(row[column] for column in columns), *(told.get(name, "") for told in world)]
        for name, row in data["leakage"].items()
    ]
    return table(title, ["entropy", *columns, *("in the world" for _ in world)], rows)
