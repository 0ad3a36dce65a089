"""measure: what a channel leaks under a prior."""

from __future__ import annotations

from minleak._cli.channels import ChannelFile, Columns
from minleak._cli.inputs import Reading, one_stdin, rows_beside
from minleak._cli.options import Entropies, PriorFile
from minleak._cli.output import Answer, table, working
from minleak._data.channel import Channel
from minleak._data.prior import Prior
from minleak._data.reading import read_channel
from minleak._entropy.standard import STANDARD
from minleak._measure.capacities import capacity
from minleak._measure.leakages import (
    additive_leakage,
    leakage_table,
    local_dp_epsilon,
    maximal_leakage,
    multiplicative_leakage,
    posterior_vulnerability,
    vulnerability,
)


def measure(
    prior: PriorFile, channel: ChannelFile, *, entropy: Entropies = None, columns: Columns, reading: Reading
) -> Answer:
    """Measure what a channel leaks: entropies before and after, vulnerabilities and worst cases.

    Example: minleak measure diagnoses.csv test.csv -e shannon -e min-entropy
    """
    one_stdin(PRIOR=prior, CHANNEL=channel)
    counts = reading.prior(prior)
    with working("measuring"):
        read = read_channel(**rows_beside(channel), secret=reading.secret, **vars(columns), inputs=counts.labels)
        found = leakage_table(counts, read, entropy or STANDARD)
        worst = _worst(counts, read)
    data = {
        "secrets": read.shape[0],
        "observables": read.shape[1],
        "leakage": {
            row.entropy: {"before": row.prior, "after": row.posterior, "leakage": row.leakage} for row in found.rows
        },
        **worst,
    }
    more = [[name.replace("_", " "), value] for name, value in worst.items()]
    parts = [
        f"{read.shape[0]} secrets, {read.shape[1]} observables\n{found}",
        "",
        table("one guess, and worst cases", ["measure", "value"], more),
    ]
    return Answer(data, parts)


def _worst(prior: Prior, channel: Channel) -> dict[str, float]:
    return {
        "vulnerability_before": vulnerability(prior),
        "vulnerability_after": posterior_vulnerability(prior, channel),
        "multiplicative_leakage": multiplicative_leakage(prior, channel),
        "additive_leakage": additive_leakage(prior, channel),
        "maximal_leakage_bits": maximal_leakage(channel),
        "shannon_capacity_bits": capacity(channel).value,
        "local_dp_epsilon_nats": local_dp_epsilon(channel),
    }
