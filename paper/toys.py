"""The three toy examples, k = 3: j*, pi, and the channel, beside the printed ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from minleak import Channel, certify, design
from paper import draw
from paper.claims import Claim, Figure, Part, Table, digits, statement, table_digits
from paper.priors import TOY_CAP, TOYS

# j*, pi, and the channel as printed: for each set of secrets (counted from 1) its column.
PRINTED_J = (1, 2, 3)
PRINTED_PI = ((1 / 3, 1 / 3, 1 / 3), (0.36, 0.32, 0.32), (0.40, 0.35, 0.25))
PRINTED: tuple[dict[tuple[int, ...], tuple[float, ...]], ...] = (
    {
        (1, 2, 3): (0.4444, 0.4762, 0.6061, 0),
        (1, 2, 4): (0.3778, 0.4048, 0, 0.5667),
        (1, 3, 4): (0.1778, 0, 0.2424, 0.2667),
        (2, 3, 4): (0, 0.1190, 0.1515, 0.1667),
    },
    {
        (1, 2, 3): (0.5625, 0.6000, 0.9000, 0),
        (1, 2, 4): (0.3750, 0.4000, 0, 0.8571),
        (1, 3, 4): (0.0625, 0, 0.1000, 0.1429),
    },
    {(1, 2, 3): (0.6000, 0.6000, 1, 0), (1, 2, 4): (0.4000, 0.4000, 0, 1)},
)
# p(x) p(y given x) that the text works out for the first three sets of the first example.
PRINTED_JOINT = {(1, 2, 3): 0.1333, (1, 2, 4): 0.1133, (1, 3, 4): 0.0533}


def part() -> Part:
    claims: list[Claim] = []
    tables: list[Table] = []
    figures: list[Figure] = []
    for number in range(len(TOYS)):
        judged, table, figure = _toy(number)
        claims += judged
        tables.append(table)
        figures.append(figure)
    return Part(
        "The three toy channels",
        (
            "Four secrets, sets of at most three. The more uneven the prior, the more secrets are giants: too likely "
            "to look like the others, and therefore in every set. Our channel is one ring over the secrets in order, "
            "certified in integers; the paper's comes from its linear system.",
        ),
        tuple(claims),
        tuple(tables),
        tuple(figures),
    )


def _toy(number: int) -> tuple[list[Claim], Table, Figure]:
    weights, printed, name = TOYS[number], PRINTED[number], f"p_{number + 1}"
    plan = design(weights, TOY_CAP, layout="circle")
    ours = columns(plan.channel(exact=True))
    pi = plan.target.tolist()
    same_sets = set(ours) == set(printed)
    none = np.zeros(len(weights))
    judged = [
        statement(
            f"{name}: the first secret that is no giant",
            f"j* = {PRINTED_J[number]}",
            f"j* = {plan.n_giants + 1}",
            plan.n_giants + 1 == PRINTED_J[number],
        ),
        digits(f"{name}: pi, the posterior of every observable", PRINTED_PI[number], pi, places=2),
        table_digits(
            f"{name}: the optimal channel",
            [value for column in printed.values() for value in column],
            [float(value) for sets in printed for value in ours.get(sets, none)],
        ),
        statement(
            f"{name}: the sets shown",
            f"{len(printed)} sets",
            f"{len(ours)} sets, certified: {'yes' if certify(plan, weights).ok else 'no'}",
            same_sets and certify(plan, weights).ok,
        ),
    ]
    if number == 0:
        p = [w / sum(weights) for w in weights]
        found = [p[x - 1] * float(ours.get(sets, none)[x - 1]) for sets in PRINTED_JOINT for x in sets]
        wanted = [value for sets, value in PRINTED_JOINT.items() for _ in sets]
        judged.append(table_digits(f"{name}: p(x) p(y given x) is the same throughout a set", wanted, found))
    rows = tuple(
        (x + 1, w / sum(weights), *(float(c[x]) for sets in printed for c in (printed[sets], ours.get(sets, none))))
        for x, w in enumerate(weights)
    )
    table = Table(
        f"toy-{number + 1}",
        f"p(y given x) for {name} = {_vector(weights)}, k = 3: for each set the printed column and ours.",
        ("secret", "prior", *(f"{_braces(sets)} {which}" for sets in printed for which in ("printed", "ours"))),
        rows,
    )
    bars = [{"place": x + 1, "probability": w / sum(weights), "of": "prior"} for x, w in enumerate(weights)]
    bars += [{"place": x + 1, "probability": value, "of": "pi"} for x, value in enumerate(pi)]
    giants = {0: "no giant", 1: "one giant", 2: "two giants"}.get(plan.n_giants, "giants")
    figure = Figure(
        f"toy-{number + 1}",
        f"The prior {name} beside pi: {giants}.",
        draw.bars(bars, x="place", y="probability", series="of", order=("prior", "pi"), axis="place, likeliest first"),
    )
    return judged, table, figure


def columns(channel: Channel) -> dict[tuple[int, ...], npt.NDArray[np.float64]]:
    """The columns by their sets, secrets counted from 1."""
    matrix = channel.toarray()
    return {tuple(int(x) + 1 for x in channel.outputs[y]): matrix[:, y] for y in range(channel.shape[1])}


def _braces(members: tuple[int, ...]) -> str:
    return "{" + ",".join(map(str, members)) + "}"


def _vector(weights: tuple[int, ...]) -> str:
    return "(" + ", ".join(f"{w / sum(weights):.2f}" for w in weights) + ")"
