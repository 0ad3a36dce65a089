"""capacity: the worst leakage of a channel over all priors."""

from __future__ import annotations

from typing import Annotated

import typer

from minleak._cli.inputs import rows_of
from minleak._cli.options import AsJson, Format, Secret, number
from minleak._cli.output import emit, table, working
from minleak._data.reading.channels import read_channel
from minleak._measure import capacities

ChannelFile = Annotated[
    str,
    typer.Argument(
        metavar="CHANNEL", help="Rows of secret, observable, probability: csv(.gz), tsv, parquet; - is stdin."
    ),
]
Observable = Annotated[str, typer.Option("--observable", help="The column that names the observables.")]
Probability = Annotated[
    str | None,
    typer.Option(
        "--probability",
        help="The column of p(observable given secret), probability if not given; without it a secret always shows the "
        "observable of its row.",
    ),
]


def capacity(
    channel: ChannelFile,
    entropy: Annotated[str, typer.Option("--entropy", "-e", help="An entropy by name, such as arimoto:2.")] = "shannon",
    gap: Annotated[float, typer.Option(parser=number, help="How close the bounds must come.")] = 1e-9,
    secret: Secret = "secret",
    observable: Observable = "observable",
    probability: Probability = None,
    format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Find the worst leakage of a channel over all priors, between bounds that prove it.

    Example: minleak capacity test.csv -e arimoto:2
    """
    with working("searching the worst prior"):
        read = read_channel(**rows_of(channel, format), secret=secret, observable=observable, probability=probability)
        found = capacities.capacity(read, entropy, gap=gap)
    likely = sorted(zip(found.prior.p.tolist(), read.inputs, strict=True), key=lambda pair: -pair[0])[:8]
    said = ("value", "lower", "upper", "status", "iterations")
    data = {"entropy": entropy, **{name: getattr(found, name) for name in said}, "prior": found.prior.p}
    rows = [[label, p] for p, label in likely]
    parts = [
        f"{entropy} capacity {found.value:.12g}, between {found.lower:.12g} and {found.upper:.12g} ({found.status})",
        "",
        table("the worst prior, its likeliest secrets", ["secret", "probability"], rows),
    ]
    emit("capacity", data, parts, as_json=as_json)
