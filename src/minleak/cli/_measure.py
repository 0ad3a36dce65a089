"""measure: the leakage of a channel under a prior, at worst, and against another channel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import minleak as ml
from minleak.cli._inputs import PriorSource, Reading, check_one_stdin, rows_beside, rows_of
from minleak.cli._options import Entropies, Observable, PropertyColumn, argument, option
from minleak.cli._output import Outcome, working
from minleak.core._capacity import Capacity
from minleak.core._entropy.names import STANDARD
from minleak.core._leakage import LeakageTable
from minleak.core._property_leakage import PropertyLeakage
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter
from minleak.lab._orders.orders import Refinement
from minleak.report._stories import Bar, Story, Tile, story
from minleak.report._words import number, percent

# Secrets of the worst prior that are listed.
_NAMED = 8


@dataclass(frozen=True)
class ChannelLeakage(Result):
    """Leakage of a channel under a prior, and at worst."""

    secrets: int
    """How many secrets there are."""
    observables: int
    """How many observables there are."""
    leakage: LeakageTable
    """For each entropy `before`, `after` and `leakage`."""
    vulnerability_before: float
    """How often a blind guess is right."""
    vulnerability_after: float
    """How often a guess is right that sees the observable."""
    multiplicative_leakage: float
    """vulnerability_after / vulnerability_before."""
    additive_leakage: float
    """vulnerability_after - vulnerability_before."""
    maximal_leakage_bits: float
    """log2 of the largest multiplicative leakage over all priors and gains."""
    shannon_capacity_bits: float
    """The largest Shannon leakage over all priors."""
    local_dp_epsilon_nats: float
    """The least epsilon for which the channel is locally differentially private."""
    property_leakage: PropertyLeakage | None = None
    """Leakage about a property of the secret, if one was given."""

    def to_parts(self) -> list[str | Table]:
        names = list(self.__dataclass_fields__)[3:-1]
        rows = [[name.replace("_", " "), getattr(self, name)] for name in names]
        return [
            f"{self.secrets} secrets, {self.observables} observables",
            *self.leakage.to_parts(),
            Table("one guess, and worst cases", ["measure", "value"], rows),
            *([] if self.property_leakage is None else self.property_leakage.to_parts()),
        ]


@dataclass(frozen=True)
class WorstCase(Result):
    """The largest leakage of a channel over all priors."""

    entropy: str
    """The entropy it is in."""
    capacity: Capacity
    """The leakage between its bounds, and the prior that attains it."""

    def to_parts(self) -> list[str | Table]:
        found = self.capacity
        between = f"{found.value:.12g}, between {found.lower:.12g} and {found.upper:.12g} ({found.status})"
        likely = sorted(zip(found.prior.labels, found.prior.p.tolist(), strict=True), key=lambda pair: -pair[1])
        return [
            f"{self.entropy} capacity {between}",
            Table("the worst prior, its likeliest secrets", ["secret", "probability"], likely[:_NAMED]),
        ]


@story.register
def _(found: ChannelLeakage) -> Story:
    after, before = found.vulnerability_after, found.vulnerability_before
    worst = f"{number(found.maximal_leakage_bits)} bits"
    return Story(
        "What a channel leaks",
        f"An attacker who sees the observable guesses the secret right {percent(after)} of the time, against "
        f"{percent(before)} without it.",
        (
            Tile(
                "Seeing the observable", percent(after), f"{found.secrets:,} secrets, {found.observables:,} observables"
            ),
            Tile("Blind guess", percent(before), "knowing how often secrets occur"),
            Tile("Whatever the prior", worst, "maximal leakage: no attacker gains more"),
            Tile(
                "Capacity", f"{number(found.shannon_capacity_bits)} bits", "the largest Shannon leakage over all priors"
            ),
        ),
        "Find the channel that leaks least under your constraints: minleak optimise.",
        after,
        bars=(Bar("seeing the observable", after, ours=True), Bar("blind guess", before)),
    )


@story.register
def _(found: WorstCase) -> Story:
    return story(found.capacity)


@dataclass(frozen=True)
class ChannelColumns:
    """The columns of CHANNEL beside that of the secrets."""

    observable: Observable = "observable"
    probability: str | None = option(
        "Column with p(observable | secret). Default: probability; without that column, each secret always shows the "
        "observable of its row."
    )


def measure(
    files: list[str] = argument(
        "[PRIOR] CHANNEL",
        "Counts of the secrets, and the channel: rows of secret, observable, probability (csv, csv.gz, tsv, parquet). "
        "With --capacity or --against, the channel only. - for stdin.",
    ),
    *,
    entropy: Entropies = None,
    capacity: bool = option("Find the largest leakage over all priors, with proven bounds.", default=False),
    against: str | None = option(
        "Check that this second channel never leaks more than CHANNEL, for any prior and gains. Exit code 1 if it can; "
        "--json then has gains for which it does."
    ),
    property: PropertyColumn = None,
    columns: ChannelColumns,
    reading: Reading,
) -> Outcome[ChannelLeakage | WorstCase | Refinement]:
    """Measure how much observables reveal about secrets, given their probabilities (a channel).

    Example: minleak measure diagnoses.csv test.csv -e shannon -e min-entropy
    """
    if capacity and against is not None:
        raise InvalidParameter("give either --capacity or --against, not both")
    if len(files) != (1 if capacity or against is not None else 2):
        raise InvalidParameter("give PRIOR and CHANNEL; with --capacity or --against, only CHANNEL")
    if property is not None and len(files) == 1:
        raise InvalidParameter(
            "--property names a column of PRIOR, which --capacity and --against do not read: leave it out"
        )
    how: dict[str, Any] = {"secret": reading.secret, **vars(columns)}
    if against is not None:
        return _compare(files[0], against, reading.format, how)
    if capacity:
        return _capacity(files[0], entropy or ["shannon"], reading.format, how)
    prior, channel = files
    check_one_stdin(PRIOR=prior, CHANNEL=channel)
    source = PriorSource(prior, reading)
    counts = source.prior()
    of = None if property is None else source.property_of(counts.labels, property)
    with working("measuring"):
        read = ml.read_channel(**rows_beside(channel), **how, inputs=counts.labels)
        told = None if of is None else ml.property_leakage(counts, read, of, entropy or STANDARD)
        return Outcome(
            ChannelLeakage(
                secrets=read.shape[0],
                observables=read.shape[1],
                leakage=ml.leakage_table(counts, read, entropy or STANDARD),
                vulnerability_before=ml.lab.vulnerability(counts),
                vulnerability_after=ml.lab.posterior_vulnerability(counts, read),
                multiplicative_leakage=ml.lab.multiplicative_leakage(counts, read),
                additive_leakage=ml.lab.additive_leakage(counts, read),
                maximal_leakage_bits=ml.lab.maximal_leakage(read),
                shannon_capacity_bits=ml.capacity(read).value,
                local_dp_epsilon_nats=ml.lab.local_dp_epsilon(read),
                property_leakage=told,
            )
        )


def _capacity(channel: str, entropies: list[str], format: str | None, how: dict[str, Any]) -> Outcome[Any]:
    if len(entropies) > 1:
        raise InvalidParameter("--capacity takes one --entropy")
    with working("searching the worst prior"):
        read = ml.read_channel(**rows_of(channel, format), **how)
        found = ml.capacity(read, entropies[0])
    prior = ml.Prior(found.prior.weights, labels=read.inputs)
    return Outcome(WorstCase(entropies[0], replace(found, prior=prior)))


def _compare(channel: str, other: str, format: str | None, how: dict[str, Any]) -> Outcome[Any]:
    check_one_stdin(CHANNEL=channel, **{"--against": other})
    with working("comparing the channels"):
        first = ml.read_channel(**rows_of(channel, format), **how)
        second = ml.read_channel(**rows_beside(other, "CHANNEL"), **how, inputs=first.inputs)
        found = ml.lab.refined_by(first, second)
    return Outcome(found, code=0 if found.ok else 1)
