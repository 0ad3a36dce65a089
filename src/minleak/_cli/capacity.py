"""capacity: the worst leakage of a channel over all priors."""

from __future__ import annotations

from minleak._cli.channels import ChannelFile, Columns
from minleak._cli.inputs import rows_of
from minleak._cli.options import Format, Secret, option
from minleak._cli.output import Answer, table, working
from minleak._data.reading import read_channel
from minleak._measure import capacities


def capacity(
    channel: ChannelFile,
    *,
    entropy: str = option("An entropy by name, such as arimoto:2.", "--entropy", "-e", default="shannon"),
    gap: float = option("How close the bounds must come.", default=1e-9),
    secret: Secret = "secret",
    columns: Columns,
    format: Format = None,
) -> Answer:
    """Find the worst leakage of a channel over all priors, between bounds that prove it.

    Example: minleak capacity test.csv -e arimoto:2
    """
    with working("searching the worst prior"):
        read = read_channel(**rows_of(channel, format), secret=secret, **vars(columns))
        found = capacities.capacity(read, entropy, gap=gap)
    likely = sorted(zip(found.prior.p.tolist(), read.inputs, strict=True), key=lambda pair: -pair[0])[:8]
    said = ("value", "lower", "upper", "status", "iterations")
    data = {"entropy": entropy, **{name: getattr(found, name) for name in said}}
    data |= {"secrets": list(read.inputs), "prior": found.prior.p}
    rows = [[label, p] for p, label in likely]
    searched = found.status == "lower bound"
    between = f"between {found.lower:.12g} and {found.upper:.12g} ({found.status})"
    least = f"at least {found.lower:.12g}, found by search; no prior leaks more than {found.upper:.12g}"
    parts = [
        f"{entropy} capacity " + (least if searched else f"{found.value:.12g}, {between}"),
        "",
        table(f"the worst prior{' found' * searched}, its likeliest secrets", ["secret", "probability"], rows),
    ]
    return Answer(data, parts)
