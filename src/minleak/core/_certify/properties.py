"""What a plan tells about a property of the secret, once more: by counting in its sets, in integers where it can be."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._certify.certificate import Check
from minleak.core._joint import Joint
from minleak.core._leakage import posterior_vulnerability, vulnerability
from minleak.core._plan.base import RINGS, BasePlan
from minleak.core._properties import Property, as_property

# How far the plan's own figure, in floats, may be from the one that is counted here.
_ROUNDING = 1e-9


def check_property(plan: BasePlan, of: Any) -> Check:
    """How often a guess at the property is right, blind and with what is shown, and whether the plan says the same.

    Plans of rings of one tier without gains are counted in integers: at a cell of length L whose set has m members with
    a value, giants of weight W with it aside, that value holds L (m / u + W / s) of the weight. Others are measured on
    their explicit channel.
    """
    chosen = as_property(of, plan.prior.labels)
    if plan.kind == RINGS and getattr(plan, "gains", None) is None and not getattr(plan, "lower", ()):
        counted = float(_count(plan, chosen))
        blind = float(Fraction(int(max(chosen.add_up(plan.weights))), plan.total))  # type: ignore[attr-defined]
    else:
        joint = Joint(plan.prior, plan.channel()).of(chosen)
        counted, blind = posterior_vulnerability(joint), vulnerability(joint.prior)
    said = plan.success_of(chosen)
    return Check(
        "what is shown tells about the property what the plan says",
        abs(counted - said) <= _ROUNDING,
        f"a guess at it is right with probability {counted:.6g}, {blind:.6g} blind",
    )


def _count(plan: Any, chosen: Property) -> Fraction:
    """The sum over cells of L * max over values of (m s + u W), over u s times the total weight."""
    u, rest = plan.u, plan.rest_weight
    giants = np.zeros(len(chosen.values), dtype=np.int64)
    np.add.at(giants, chosen.codes[plan.giants], u * plan.weights[plan.giants])
    if not rest:
        return Fraction(int(giants.max()), u * plan.total)
    lengths_by_value: dict[int, int] = {}
    for sets, lengths in plan.cells():
        best, where = np.unique(_best(np.sort(chosen.codes[sets], axis=1), rest, giants), return_inverse=True)
        for value, part in zip(best.tolist(), _sums(lengths, where, len(best)), strict=True):
            lengths_by_value[value] = lengths_by_value.get(value, 0) + part
    whole = sum(value * length for value, length in lengths_by_value.items())
    return Fraction(whole, u * rest * plan.total)


def _best(codes: Indices, rest: int, giants: Indices) -> Indices:
    """For each row of sorted codes the largest m s + u W."""
    places = np.arange(codes.shape[1])
    begins = np.where(np.diff(codes, axis=1, prepend=-1) != 0, places, 0)
    members = places - np.maximum.accumulate(begins, axis=1) + 1  # of the value so far, in full at its last one
    return np.asarray(np.maximum((members * rest + giants[codes]).max(axis=1), giants.max()))


def _sums(lengths: Indices, where: Indices, many: int) -> list[int]:
    """The sums of lengths by number, which 64 bits hold: all lengths add up to the weight on rings."""
    sums = np.zeros(many, dtype=np.int64)
    np.add.at(sums, where.ravel(), lengths)
    return [int(one) for one in sums]
