"""The plans of a service: opened, certified part by part, and replaced only by later versions of themselves."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from minleak.core._certify.certifying import certify
from minleak.core._cloak import Cloak
from minleak.core._keys import Key
from minleak.core._load import load
from minleak.core._plan.drawable import Drawable
from minleak.errors import InvalidCloak, InvalidParameter, MinleakError, UnknownSecret
from minleak.serve._messages import Part, PlanFacts

# The entropies of the leakages in a plan's facts.
_TOLD = ("min-entropy", "shannon")


class Refused(InvalidCloak):
    """A plan that will not be served; `why` is the label under which metrics count it."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


@dataclass(frozen=True)
class OpenPlan:
    """A plan that has been opened and certified."""

    path: str
    plan: Any
    facts: PlanFacts

    @property
    def numbered(self) -> bool:
        """Whether its secrets are numbers."""
        return self.plan.listed and type(self.plan.prior.labels[0]) is int


def open_plan(path: str, *, certified: bytes | None = None) -> OpenPlan:
    """The plan in a file, if its certificate holds. `certified` is the digest of a plan that another process has just
    certified: then the plan only has to be the same.
    """
    try:
        plan = load(path)
        written = os.stat(path).st_mtime
    except (InvalidCloak, OSError) as error:
        raise Refused("unreadable", str(error) if isinstance(error, InvalidCloak) else f"cannot read {path}") from None
    if certified is None:
        _check_certificate(path, plan)
    elif plan.digest != certified:
        raise Refused("unreadable", f"{path} was replaced while it was certified")
    return OpenPlan(path, plan, _facts(plan, written))


def _check_certificate(path: str, plan: Any) -> None:
    """Refuse a plan that is not valid for the counts and gains in it. One that is valid and not proved optimal is
    served: there is no theorem on blocks under the caps of groups or a budget of rows.
    """
    try:
        found = certify(plan)
    except MinleakError:
        raise Refused("uncertified", f"{path} cannot be certified: run minleak certify on it") from None
    if not found.valid:
        failed = "; ".join(check.what for check in found.checks if not (check.ok or check.optimality))
        raise Refused("uncertified", f"{path} is not certified ({failed}): design it anew")


def check_successor(old: OpenPlan, new: OpenPlan) -> None:
    """Refuse a plan that would show subjects other sets: another lineage, or parts other than those being served.

    A lineage is identified by its first part alone, and the writer of the file could change a later one.
    """
    if new.plan.lineage != old.plan.lineage:
        raise Refused(
            "another_lineage",
            f"{new.path} is of another lineage, which would show everybody other sets: give it as a further PLAN, the "
            "last, and start the service again",
        )
    before, after = ([part.digest for part in one.plan.parts] for one in (old, new))
    if after[: len(before)] != before:
        raise Refused(
            "not_later", f"{new.path} is no later version of the plan that is served: its first parts are others"
        )


def make_cloak(plans: Sequence[OpenPlan], key: Key | None) -> Cloak:
    """A cloak of these plans with all its tables made, so that forked processes share them."""
    cloak = Cloak([one.plan for one in plans], key=key)
    for one in plans:
        if one.plan.randomised and key is None:
            raise InvalidParameter("draws of this plan need a key: give key=, made by `minleak keygen`")
        _warm(cloak, one.plan)
    return cloak


def _warm(cloak: Cloak, plan: Drawable) -> None:
    """Draw once from each part, and for a secret that cannot exist."""
    lineage = plan.lineage
    if plan.listed:
        firsts = list(accumulate((len(part.prior) for part in plan.parts[:-1]), initial=0))
        cloak.draw_many(firsts, scopes=["warm"] * len(firsts), lineage=lineage)
        cloak.draw(plan.prior.labels[0], scope="warm", lineage=lineage)
    with contextlib.suppress(UnknownSecret):
        cloak.draw("\ud800", scope="warm", lineage=lineage)


def _facts(plan: Any, written: float) -> PlanFacts:
    parts = [_part(part) for part in plan.parts]
    return PlanFacts(
        k=int(plan.k),
        layout=str(plan.layout),
        leakage={name: max((part.leakage.get(name, 0.0) for part in parts), default=0.0) for name in _TOLD},
        parts=parts,
        pending=len(plan.pending),
        digest=plan.digest.hex(),
        lineage=plan.lineage.hex(),
        version=int(plan.version),
        written=written,
    )


def _part(part: Any) -> Part:
    leaked = {}
    for name in _TOLD:
        try:
            leaked[name] = float(part.leakage(name))
        except InvalidParameter:  # of strings that cannot be listed
            continue
    try:
        secrets = len(part.prior)
    except TypeError:
        secrets = None
    return Part(secrets, float(part.success), leaked)
