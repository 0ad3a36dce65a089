"""drift: what a plan leaks now that the counts have changed, and whether an update would be better."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from minleak._cli.inputs import Reading, one_stdin, plan_of
from minleak._cli.options import CloakFile, Entropies
from minleak._cli.output import Answer, table, working
from minleak._data.matching import matched
from minleak._data.prior import Prior
from minleak._design.living.exposures import Exposure, exposure
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import FEW
from minleak._measure.leakages import vulnerability

NewPrior = Annotated[
    str,
    typer.Argument(metavar="PRIOR", help="The new counts, matched by label: csv(.gz), tsv, parquet, json; - is stdin."),
]


def drift(cloak: CloakFile, prior: NewPrior, *, entropy: Entropies = None, reading: Reading) -> Answer:
    """Tell what a plan leaks under new counts, and whether an update would be better than waiting. Writes nothing.

    Example: minleak drift queries.cloak tomorrow.csv
    """
    one_stdin(CLOAK=cloak, PRIOR=prior)
    plan, new = plan_of(cloak), reading.prior(prior)
    with working("updating in memory"):
        newer = plan.update(new)
        found = exposure([plan, newer])
    data = compared(plan, newer, new, found, entropy)
    return Answer(data, [*rendered(data), advice(data), *left_out([plan, newer], "see minleak.exposure")])


def compared(plan: Any, newer: Any, new: Prior, found: Exposure, entropies: list[str] | None) -> dict[str, Any]:
    """The plan under the old counts and the new ones, the update, and what an attacker gets who saw both."""
    at = matched(new.labels, plan.prior.labels)
    known = np.ones(len(new), dtype=bool) if at is None else at >= 0
    old = new if known.all() else _only(new, known)
    leakages = {
        H.name: {
            "designed": plan.leakage(H),
            "waiting": plan.leakage(H, prior=old),
            "updated": newer.leakage(H),
        }
        for H in map(as_entropy, entropies or FEW)
    }
    return {
        "secrets": len(plan.prior),
        "new": int(np.count_nonzero(~known)),
        "new_mass": float(new.p[~known].sum()),
        "gone": newer.changes.gone,
        "success": {
            "designed": plan.success,
            "waiting": vulnerability(old) * 2 ** plan.leakage("min-entropy", prior=old),
            "updated": found.single,
        },
        "exposure": exposed(found),
        "leakage": leakages,
    }


def exposed(found: Exposure) -> dict[str, Any]:
    """What an attacker gets who saw several versions, in numbers."""
    return {"success": found.success, "low": found.low, "high": found.high, "exact": found.exact}


def _only(prior: Prior, known: Any) -> Prior:
    """The secrets of a prior that are known."""
    places = np.flatnonzero(known)
    return Prior(prior.weights[places], labels=prior.labels.at(places))


def rendered(data: dict[str, Any]) -> list[str]:
    """The comparison for people."""
    rows = [["one guess is right", *data["success"].values()]]
    rows += [[f"leakage, {name}", *row.values()] for name, row in data["leakage"].items()]
    title = f"the plan for {data['secrets']:,} secrets, and its update"
    lines = [table(title, ["", "old counts", "new counts, waiting", "new counts, updated"], rows)]
    if data["new"]:
        new = "1 new secret has" if data["new"] == 1 else f"{data['new']:,} new secrets have"
        lines.append(f"{new} no set until an update: {data['new_mass']:.3g} of the mass")
    return lines


def advice(data: dict[str, Any]) -> str:
    """Whether to wait: what is leaked by the old plan under the new counts against what two versions give away."""
    waiting, both = data["success"]["waiting"], data["exposure"]["success"]
    said = (
        f"who sees both versions of a secret's set is right with probability {both:.4f}, who sees the old one alone "
        f"{waiting:.4f}"
    )
    if f"{waiting:.4f}" == f"{both:.4f}":
        return f"{said}: it makes no difference, unless new secrets need sets"
    if waiting < both:
        return f"{said}: waiting is better, unless new secrets need sets"
    return f"{said}: an update is better than waiting"


def left_out(plans: list[Any], remedy: str) -> list[str]:
    """A line on earlier versions that the figures know nothing of."""
    unknown = max(getattr(plan, "version", 1) for plan in plans) - len({plan.digest for plan in plans})
    if unknown <= 0:
        return []
    which = "1 earlier version is" if unknown == 1 else f"{unknown:,} earlier versions are"
    return [f"{which} not counted here, and an attacker who saw those sets too knows more: {remedy}"]
