"""Beyond the paper: its conclusion asks for more general constraints, and its theorem holds for every matroid."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from minleak import design
from minleak.lab import Matroid, matroid_optimum
from paper.claims import Claim, Part, Table, statement
from paper.priors import FIGURES, TOYS

# Ten secrets, and what may be shown together.
WEIGHTS = (24, 17, 13, 11, 9, 8, 7, 5, 4, 2)
EXAMPLES = {
    "at most 4 secrets": Matroid.uniform(10, 4),
    "at most 1 of each of three groups": Matroid.partition(list("aabbbccabc"), 1),
    "at most 4, of which 2 of the first five and 1 of the first two": Matroid.laminar(
        10, [(range(10), 4), (range(5), 2), (range(2), 1)]
    ),
    "a member for each of three roles": Matroid.transversal([[i % 3, (i // 3) % 3] for i in range(10)]),
}


def is_uniform_theorem() -> int | None:
    """How many (prior, k) were tried to see that the uniform matroid gives pi of Theorem 1; None if one does not."""
    tried = 0
    for weights in (FIGURES[:12], *TOYS):
        for k in range(1, len(weights) + 1):
            found = matroid_optimum(weights, Matroid.uniform(len(weights), k))
            if found.target != design(weights, k).exact_target:
                return None
            tried += 1
    return tried


def all_posteriors_are_pi(matroid: Matroid) -> bool:
    """Whether every observable of the channel that is found has an allowed set as pre-image, and pi as posterior."""
    found = matroid_optimum(WEIGHTS, matroid)
    channel = found.channel()
    rows: Any = channel.exact
    for y, members in enumerate(channel.outputs):
        joint = [Fraction(weight) * row[y] for weight, row in zip(WEIGHTS, rows, strict=True)]
        posterior = sorted((part / sum(joint) for part in joint if part), reverse=True)
        if tuple(posterior) != found.target or not matroid.independent(frozenset(members)):
            return False
    return True


def part() -> Part:
    tried = is_uniform_theorem()
    claims: list[Claim] = [
        statement(
            "Theorem 1 as the case of the uniform matroid",
            "pi of Theorem 1",
            "not so" if tried is None else f"the same fractions in all {tried} cases",
            tried is not None,
        )
    ]
    rows = []
    for name, matroid in EXAMPLES.items():
        found = matroid_optimum(WEIGHTS, matroid)
        claims.append(
            statement(
                f"One channel for all entropies: {name}",
                "not in the paper",
                f"{len(found.bases)} sets, every posterior is pi, in fractions",
                all_posteriors_are_pi(matroid),
            )
        )
        rows.append((name, " ".join(str(p) for p in found.target), len(found.partition.blocks), len(found.bases)))
    return Part(
        "Beyond the paper: every matroid",
        (
            "The conclusion of the paper asks for more general constraints. Its theorem holds wherever the allowed "
            "pre-images are the independent sets of a matroid: caps for groups, nested caps, one member for each role. "
            "pi comes from the principal partition of the prior; docs/explanation/optimal_plans.md has the proof.",
        ),
        tuple(claims),
        (
            Table(
                "matroids",
                f"pi for the prior {WEIGHTS}/100 under four constraints",
                ("allowed sets", "pi", "blocks", "sets"),
                tuple(rows),
            ),
        ),
    )
