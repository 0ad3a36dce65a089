"""Beyond the paper: its last sentence asks for more general constraints and for worst cases. See
docs/research/theorems.md for the theorems and their proofs.
"""

from __future__ import annotations

from itertools import pairwise

from minleak import entropy
from minleak.lab import (
    Matroid,
    certify_pairs,
    invariance,
    least_capacity,
    maximal_leakage,
    optimise,
    pairs,
    pml_channel,
    pointwise_maximal_leakage,
)
from paper.claims import Claim, Part, Table, statement

# Secrets and their weights, and who may be shown with whom.
WEIGHTS = (12, 9, 7, 5, 4, 3)
GRAPHS = {
    "a path": list(pairwise(range(6))),
    "a cycle": [*pairwise(range(6)), (5, 0)],
    "a star": [(0, i) for i in range(1, 6)],
    "two triangles": [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)],
    "the likeliest with the rarest": [(0, 5), (1, 4), (2, 3), (0, 4), (1, 3)],
}
ENTROPIES = ("shannon", "min-entropy", "guesswork", "tsallis:3")
# The families of sets that no family with one optimum for all entropies contains in a link.
MINORS = (("abc", "ad"), ("abc", "ad", "bd"), ("abc", "ad", "bd", "cd"), ("abc", "abd", "cd"))
SIZES = (9, 8, 7, 5, 4, 4, 3, 2, 2, 1)
FAMILIES = {
    "at most 3 of 10": least_capacity(10, 3),
    "at most 1 of each of three groups": least_capacity(10, allowed=Matroid.partition(list("aabbbccabc"), 1)),
    f"sizes {SIZES}, together at most 12": least_capacity(10, sizes=SIZES, budget=12),
    "{abc, ad, bd, cd}": least_capacity(list("abcd"), allowed=[tuple("abc"), ("a", "d"), ("b", "d"), ("c", "d")]),
}


def pair_claims() -> tuple[list[Claim], Table]:
    """The channel for each graph against a convex programme for each entropy."""
    claims, rows = [], []
    for name, edges in GRAPHS.items():
        best = pairs(WEIGHTS, edges)
        sets = [*edges, *((x,) for x in range(6))]
        allowed = [[x in some for some in sets] for x in range(6)]
        gaps = [best.leakage(H) - optimise(WEIGHTS, entropy=H, allowed=allowed).bound for H in ENTROPIES]
        claims.append(
            statement(
                f"Pairs of {name}: one channel for all entropies",
                "not in the paper",
                f"certified in Fractions; at most {max(gaps):.1e} above the bound of four programmes",
                certify_pairs(best.plan(), WEIGHTS, edges).ok and max(gaps) < 1e-6,
            )
        )
        rows.append((name, " ".join(str(theta) for theta in best.theta.values()), len(best.classes), best.success))
    caption = f"theta for the prior {WEIGHTS}/40: the posterior of each secret wherever it is shown"
    return claims, Table("pairs", caption, ("pairs", "theta", "classes", "one guess"), tuple(rows))


def minor_claims() -> tuple[list[Claim], Table]:
    """The witness of each of the four minors, measured again."""
    claims, rows = [], []
    for minor in MINORS:
        witness = invariance([tuple(facet) for facet in minor]).witness
        if witness is None:
            raise AssertionError("a minor has a witness")
        weights = list(witness.prior.values())
        values = []
        for columns in (witness.first, witness.second):
            matrix = [
                [float(dict(column).get(x, 0)) * sum(weights) / w for column in columns]
                for x, w in witness.prior.items()
            ]
            values.append([entropy(name).conditional(weights, matrix) for name in witness.entropies])
        again = abs(values[0][1] - float(witness.forced)) + abs(values[1][1] - float(witness.better))
        name = "{" + ", ".join(minor) + "}"
        claims.append(
            statement(
                f"No channel is best for every entropy under {name}",
                "not in the paper",
                f"best in one guess: {witness.forced} in Tsallis 2, where {witness.better} can be had",
                again < 1e-12 and values[1][0] < values[0][0],
            )
        )
        rows.append((name, " ".join(map(str, weights)), str(witness.best), str(witness.forced), str(witness.better)))
    head = ("sets", "weights", "error of one guess", "Tsallis 2 there", "Tsallis 2 of another")
    return claims, Table("minors", "The four excluded minors and their witnesses", head, tuple(rows))


def capacity_claims() -> tuple[list[Claim], Table]:
    """The least capacity under four constraints, with its dual; and what one observable leaks."""
    claims, rows = [], []
    for name, found in FAMILIES.items():
        leaked = maximal_leakage(found.channel())
        claims.append(
            statement(
                f"Least capacity, all of Arimoto's orders: {name}",
                "yet to be investigated",
                f"log2 {found.factor} = {found.capacity:.6g} bits, certified in Fractions",
                found.certificate().ok and abs(leaked - found.capacity) < 1e-9,
            )
        )
        rows.append((name, str(found.factor), found.capacity, len(found.sets)))
    prior = (30, 12, 6, 3, 2, 1, 1, 1)
    largest = pointwise_maximal_leakage(prior, pml_channel(prior, 3)).largest
    claims.append(
        statement(
            f"Pointwise maximal leakage, prior {prior}/56, sets of at most 3",
            "yet to be investigated",
            f"{largest:.6g} bits at most, where log2(8/3) = 1.41504 is a floor and log2(8/2) = 2 the bound",
            1.41503 < largest < 2 + 1e-12,
        )
    )
    head = ("allowed sets", "factor", "capacity in bits", "sets")
    return claims, Table("capacities", "The least capacity, and the sets of a channel that has it", head, tuple(rows))


def part() -> Part:
    found = [pair_claims(), minor_claims(), capacity_claims()]
    return Part(
        "Beyond the paper: pairs, the scope of the theorem, worst cases",
        (
            "The conclusion of the paper asks for more general constraints, and for worst cases like maximal leakage "
            "and differential privacy. Where sets have at most two members one channel is best for every entropy, on "
            "any graph; with matroids, component by component, that is all there is; and the least capacity is the "
            "same in all of Arimoto's orders, for any sets. docs/research/theorems.md has the proofs.",
        ),
        tuple(claim for claims, _ in found for claim in claims),
        tuple(table for _, table in found),
    )
