"""show: what a .cloak file holds, and what it is worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from minleak._cli.inputs import plan_of
from minleak._cli.options import AsJson, CloakFile, Entropies
from minleak._cli.output import emit, field, table
from minleak._design.plan import Plan
from minleak._design.stored.kinds import BLOCKS, RINGS, ROWS, STRINGS, Stored
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import STANDARD
from minleak.errors import InvalidParameter

# By kind the module whose `summary(plan, entropies)` and `rendered(summary)` show a plan of it.
SHOWING = {
    RINGS: __name__,
    BLOCKS: "minleak._cli.show_blocks",
    ROWS: "minleak._cli.show_rows",
    STRINGS: "minleak._cli.strings",
}
# So many of the giants are named.
NAMED = 8


def show(cloak: CloakFile, entropy: Entropies = None, as_json: AsJson = False) -> None:
    """Show what a .cloak file holds: secrets, k, giants, and the leakage in several entropies.

    Example: minleak show queries.cloak
    """
    data, parts = described(plan_of(cloak), entropy)
    emit("show", data, parts, as_json=as_json)


def described(plan: Stored, entropies: list[str] | None) -> tuple[dict[str, Any], list[str]]:
    """A plan of any kind in numbers, and for people."""
    module = import_module(SHOWING[plan.kind])
    data: dict[str, Any] = module.summary(plan, entropies)
    return data, module.rendered(data)


def summary(plan: Plan, entropies: list[str] | None) -> dict[str, Any]:
    """A plan in numbers, for JSON and for the eye."""
    names = list(entropies or STANDARD)
    labels = plan.prior.labels
    leakages = {}
    for name in names:
        H = as_entropy(name)
        after = plan.entropy(H)
        leakage = plan.leakage(H)
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
        "success_blind": float(plan.prior.weights.max() / plan.prior.total),
        "success": float(plan.target.max()) if plan.gains is None else None,
        **world_of(plan, names),
        "leakage": leakages,
        "cost": plan.cost,
        "cost_bound": plan.cost_bound,
        "metric": None if plan.costs is None else plan.costs.metric,
        "stability": None if plan.costs is None else plan.costs.stability,
    }


def world_of(plan: Any, entropies: Iterable[str]) -> dict[str, Any]:
    """What a plan, in memory or in an engine, is worth in the world that its counts are a sample of; or, where nothing
    can be said, why.
    """
    try:
        world = plan.in_the_world(entropies=())
    except InvalidParameter as error:
        return {"in_the_world": None, "untold": str(error).replace("Prior(weights, events=60_000)", "--events 60000")}
    told = {name: getattr(world, name) for name in ("success", "low", "high", "unseen", "events")}
    leakages = {}
    for name in entropies:
        with suppress(InvalidParameter):  # it is told for symmetric ones of the paper's form
            leakages[name] = world.leakage(name)
    return {"in_the_world": {**told, "leakage": leakages}, "untold": None}


def differs(data: dict[str, Any]) -> bool:
    """Whether a guess is right more often in the world than the counts say, by more than a percent."""
    world = data["in_the_world"]
    return world is not None and world["success"] > 1.01 * data["success"]


def leakage_table(title: str, columns: Sequence[str], data: dict[str, Any]) -> str:
    """A row for each entropy, with the leakage in the world too where it differs."""
    world = [data["in_the_world"]["leakage"]] if differs(data) else []
    rows = [
        [name, *(row[column] for column in columns), *(told.get(name, "") for told in world)]
        for name, row in data["leakage"].items()
    ]
    return table(title, ["entropy", *columns, *("in the world" for _ in world)], rows)


def told_of_the_world(data: dict[str, Any]) -> list[str]:
    """A line on the world, where it is worse than the counts say, or on why nothing can be said."""
    world = data["in_the_world"]
    if world is None:
        return [f"as counted only: {data['untold']}"]
    if not differs(data):
        return []
    return [
        f"in the world about {world['success']:.4g} ({world['low']:.4g} to {world['high']:.4g}): the counts are a "
        f"sample of {world['events']:,} events, and an attacker may know the truth better; "
        f"{world['unseen']:.2%} of the events to come will be of secrets that were not seen"
    ]


def rendered(data: dict[str, Any]) -> list[str]:
    """The summary for people, of a plan in memory or in an engine."""
    where = f", made in {data['engine']}" if "engine" in data else ""
    secrets = "1 secret" if data["secrets"] == 1 else f"{data['secrets']:,} secrets"
    lines = [f"{secrets} in sets of {data['k']}, layout {data['layout']}{where}"]
    if data["giants"]:
        more = ", ..." if data["giants"] > NAMED else ""
        lines.append(f"in every set (giants): {data['giants']}: {', '.join(map(field, data['giant_labels']))}{more}")
    if data["success"] is not None:
        blind = "" if data["success_blind"] is None else f" {data['success_blind']:.6g} without,"
        lines.append(
            f"{'as counted, ' if differs(data) else ''}a guess is right with probability {data['success']:.6g} "
            f"seeing a set,{blind} 1 seeing the secret itself"
        )
    lines += told_of_the_world(data)
    if "at_home" in data:
        lines.append(f"{data['at_home']:.1%} of the weight outside the giants is in homes: sets that stay the same")
    if data.get("distance"):
        lines.append(f"weights are on an integer grid, {data['distance']:.2g} from those given (total variation)")
    if data.get("cost") is not None:
        unit = " km" if data["metric"] == "haversine" else ""
        bound = data["cost_bound"]
        least = "" if bound is None else f", and no plan that leaks as little has less than {bound:.6g}{unit}"
        lines.append(f"members of a set are {data['cost']:.6g}{unit} from its centre on average{least}")
    title = "the least leakage that sets of this size allow" + (" (with gains)" if data.get("gains") else "")
    return ["\n".join(lines), "", leakage_table(title, ["before", "after", "leakage"], data)]
