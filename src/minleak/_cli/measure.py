"""measure: what a channel leaks under a prior, in the worst case, and beside another channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import minleak as ml
from minleak._cli.inputs import Reading, check_one_stdin, rows_beside, rows_of
from minleak._cli.options import Entropies, Observable, argument, option
from minleak._cli.output import Answer, table, working
from minleak._entropy.standard import STANDARD
from minleak.errors import InvalidParameter

# What is printed of the gains.
_SECRETS, _GUESSES = 20, 6


@dataclass(frozen=True)
class Columns:
    """The columns of CHANNEL beside that of the secrets."""

    observable: Observable = "observable"
    probability: str | None = option(
        "The column of p(observable given secret), probability if not given; without it a secret always shows "
        "the observable of its row."
    )


def measure(
    files: list[str] = argument(
        "[PRIOR] CHANNEL",
        "Counts of the secrets, and the channel: rows of secret, observable, probability (csv(.gz), tsv, parquet). "
        "With --capacity or --against the channel alone. - is stdin.",
    ),
    *,
    entropy: Entropies = None,
    capacity: bool = option("Find the worst leakage over all priors, between bounds that prove it.", default=False),
    against: str | None = option(
        "Tell whether this second channel never leaks more than CHANNEL, whatever the prior and the gains; exit code 1 "
        "if it may, with gains for which it does."
    ),
    columns: Columns,
    reading: Reading,
) -> Answer:
    """Measure what a channel leaks: entropies before and after, vulnerabilities and worst cases.

    Example: minleak measure diagnoses.csv test.csv -e shannon -e min-entropy
    """
    alone = capacity or against is not None
    if capacity and against is not None:
        raise InvalidParameter("--capacity and --against are two questions: ask one at a time")
    if len(files) != (1 if alone else 2):
        raise InvalidParameter("give PRIOR and CHANNEL, or with --capacity or --against CHANNEL alone")
    how: dict[str, Any] = {"secret": reading.secret, **vars(columns)}
    if against is not None:
        return _compare(files[0], against, reading.format, how)
    if capacity:
        return _capacity(files[0], entropy or ["shannon"], reading.format, how)
    prior, channel = files
    check_one_stdin(PRIOR=prior, CHANNEL=channel)
    counts = reading.prior(prior)
    with working("measuring"):
        read = ml.read_channel(**rows_beside(channel), **how, inputs=counts.labels)
        found = ml.leakage_table(counts, read, entropy or STANDARD)
        worst = _worst(counts, read)
    data = {
        "secrets": read.shape[0],
        "observables": read.shape[1],
        "leakage": {
            row.entropy: {"before": row.before, "after": row.after, "leakage": row.leakage} for row in found.rows
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


def _worst(prior: ml.Prior, channel: ml.Channel) -> dict[str, float]:
    return {
        "vulnerability_before": ml.theory.vulnerability(prior),
        "vulnerability_after": ml.theory.posterior_vulnerability(prior, channel),
        "multiplicative_leakage": ml.theory.multiplicative_leakage(prior, channel),
        "additive_leakage": ml.theory.additive_leakage(prior, channel),
        "maximal_leakage_bits": ml.theory.maximal_leakage(channel),
        "shannon_capacity_bits": ml.capacity(channel).value,
        "local_dp_epsilon_nats": ml.theory.local_dp_epsilon(channel),
    }


def _capacity(channel: str, entropies: list[str], format: str | None, how: dict[str, Any]) -> Answer:
    if len(entropies) > 1:
        raise InvalidParameter("--capacity is in one entropy: give --entropy once")
    entropy = entropies[0]
    with working("searching the worst prior"):
        read = ml.read_channel(**rows_of(channel, format), **how)
        found = ml.capacity(read, entropy)
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


def _compare(channel: str, other: str, format: str | None, how: dict[str, Any]) -> Answer:
    check_one_stdin(CHANNEL=channel, **{"--against": other})
    with working("comparing the channels"):
        first = ml.read_channel(**rows_of(channel, format), **how)
        second = ml.read_channel(**rows_beside(other, "CHANNEL"), **how, inputs=first.inputs)
        found = ml.refines(first, second)
    data: dict[str, Any] = {"refines": found.ok, "earned": found.earned, "secrets": list(first.inputs), "gain": None}
    parts = [str(found)]
    if not found.ok:
        gain = found.gain if isinstance(found.gain, np.ndarray) else found.gain.toarray()
        data["gain"] = gain
        told = np.argsort(-np.ptp(gain, axis=0), kind="stable")[:_SECRETS].tolist()
        rows = [[first.inputs[x], *gain[:_GUESSES, x].tolist()] for x in told]
        heads = ["secret", *(f"guess {w + 1}" for w in range(min(_GUESSES, len(gain))))]
        parts += ["", table("what each guess is worth, all secrets equally likely", heads, rows)]
    return Answer(data, parts, code=0 if found.ok else 1)
