"""audit: the leakage of a channel from pairs of secret and observable, with bounds that hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._parameters import real, truth, whole
from minleak.core._progress import Progress, no_progress
from minleak.core._simulating import generator
from minleak.errors import InvalidParameter
from minleak.io._formats import open_table
from minleak.samples._attacks import Beliefs, attacks_of, prior_before
from minleak.samples._bounds import least_more
from minleak.samples._charts import share_out
from minleak.samples._events import Events, collect_events, read_events, read_sequences
from minleak.samples._independence import p_of_independence
from minleak.samples._looking import ENTRIES, HeldOutEvents
from minleak.samples._measures import Bracket, SampleEvidence, bracket_of
from minleak.samples._permuting import join_beliefs, p_of_no_leakage
from minleak.samples._plug_in import MEASURES, JointCounts, MeasureSet, estimate_all
from minleak.samples._result import Audit, Measured
from minleak.samples._sample import FIRST, LAST, deal_events
from minleak.samples._told import find_caveats
from minleak.samples._trials import find_leader, try_attacks

# The most permutations.
_PERMUTATIONS = 10_000_000


def audit(
    secrets: Any,
    observables: Any = None,
    *,
    secret: str = "secret",
    observable: str | Sequence[str] = "observable",
    weight: str | None = None,
    stream: str | None = None,
    numeric: bool | None = None,
    blocks: Any = None,
    of: Any = None,
    attack: Any = None,
    measures: Sequence[ConditionalEntropy | str] = MEASURES,
    level: float = 0.95,
    alpha: float = 0.01,
    permutations: int = 199,
    enough: float | None = None,
    seed: int = 0,
    format: str | None = None,
    status: str | None = None,
    query: bool = True,
    progress: Progress | None = None,
) -> Audit:
    """Audit a channel that is known only by pairs (secret, observable): timings, sizes, traces, logs.

    The events are dealt at random into six parts. Attacks are trained on the parts before and tried on the next, where
    the attack that did best so far counts. Each test then succeeds with probability at most V, the success of the best
    possible attack, so the Clopper-Pearson lower bound holds for V, choice among attacks included. An upper bound
    exists for discrete observables only: the plug-in estimate is too large on average and concentrates. For continuous
    ones nobody can bound V from above without an assumption. Shannon leakage is bounded by the cross-entropy, and
    guesswork by the mean number of guesses, on the last half of the events (empirical Bernstein bounds); measures
    without a bound get an estimate only.

    `p` is from a permutation test that counts all events in cells by name and by rank, of several sizes at once. It is
    exact, for floats too, and does not depend on how events are dealt. Where a classifier attacks, it is tested too:
    trained on one half, with the secrets of the other permuted, at half of alpha each.

    Parameters
    ----------
    secrets, observables
        Arrays, sequences, Arrow or pandas columns, one entry per event. Observables may have several columns, or be
        sequences of different lengths (of numbers, or arrays with a row per step), which are attacked by features. Or
        `secrets` is a table (Arrow, pandas, polars) or a csv, tsv or parquet file; `secret`, `observable` (one name or
        several), `weight` (how many events a row stands for) and `blocks` name its columns.
    stream
        For a table whose rows are the steps of sequences: the column that names the sequence of each row. A sequence,
        with its rows in order, is one event.
    numeric
        Whether observables are numbers, of which near ones are alike; recognised if not given.
    blocks
        Events of one stretch of time, where timings drift: a column, or how many events in a row make a block. Secrets
        are then permuted within their blocks, or by whole blocks where each block has one secret, and bounds count
        blocks, since their events are not independent. Beyond one guess there is then no lower bound: `low` is None.
    of
        A property of the secret to audit in its place, such as the country of a city: a mapping from secret to value, a
        value for each event, or for a table the name of a column.
    attack
        "histogram" (for one number with windows of several widths), "nearest" (k nearest neighbours, with columns in
        units of their interquartile range and by rank), "forest", "boosted" or "linear" (scikit-learn, `samples`), any
        classifier with fit and predict_proba, which gets the numbers as they are, or a list of such. By default those
        that suit the observables.
    measures
        Entropies, by name or as objects, and "multiplicative-leakage", "additive-leakage", "maximal-leakage",
        "capacity".
    enough
        How narrow the bracket of success should be: `Audit.enough` says whether it is, `Audit.more` about how many more
        events are needed.
    status, query
        For a log: keep only records of this status, such as "2xx" or "200,304", and whether addresses keep their query
        strings; see `read_prior`.
    progress
        A function of (steps done, steps, name of the step).

    Cost: sorting the events where observables are discrete or one number (a million in some seconds), else that of the
    attacks. Events must be independent: of sticky draws keep one for each scope and secret.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> secret = rng.integers(0, 4, 5000)
    >>> found = audit(secret, secret + rng.normal(0, 1, 5000))      # the best attack is right in .5372 of all cases
    >>> round(found.success.low, 3), found.success.high, found.rejected
    (0.527, None, True)
    """
    options = AuditOptions(attack, measures, level, alpha, permutations, enough, seed, progress)
    if observables is None:
        table = open_table(secrets, format=format, what="events are")
        table.choose_records(status=status, query=truth(query, "query"))
    elif status is not None or not truth(query, "query"):
        raise InvalidParameter("status= and query= choose records of a log: choose from arrays before the audit")
    if stream is not None:
        if any(one is not None for one in (observables, weight, blocks, of, numeric)):
            raise InvalidParameter(
                "stream= groups the rows of a table, by the columns secret= and observable= alone: give lists of "
                "sequences for weights, blocks or a property"
            )
        events = read_sequences(table, stream=stream, secret=secret, observable=observable)
    elif observables is None:
        columns: dict[str, Any] = {"secret": secret, "observable": observable, "weight": weight}
        events = read_events(table, blocks=blocks, of=of, numeric=numeric, **columns)
    elif weight is not None:
        raise InvalidParameter("weight= names a column of a table: repeat arrays, or give a table")
    else:
        events = collect_events(secrets, observables, blocks=blocks, of=of, numeric=numeric)
    return audit_events(events, options)


@dataclass(frozen=True)
class AuditOptions:
    """The options of `audit`, wherever its events come from. Bad levels, and too few permutations for alpha, are
    refused.
    """

    attack: Any
    measures: Sequence[ConditionalEntropy | str]
    level: float
    alpha: float
    permutations: int
    enough: float | None
    seed: int
    progress: Progress | None

    def __post_init__(self) -> None:
        generator(self.seed)
        whole(self.permutations, "permutations", most=_PERMUTATIONS)
        for name in ("level", "alpha", "enough"):
            if getattr(self, name) is not None:
                real(getattr(self, name), f"{name} is between 0 and 1", above=0, below=1)
        if (1 + self.permutations) * self.alpha < 1:
            raise InvalidParameter(
                f"{self.permutations} permutations cannot give a p-value of {self.alpha:g}: take at least "
                f"{math.ceil(min(1e18, 1 / self.alpha)) - 1}"
            )


def audit_events(events: Events, options: AuditOptions) -> Audit:
    """Audit events that are checked."""
    rng, progress = generator(options.seed), options.progress or no_progress
    measures = MeasureSet(options.measures)
    sample = deal_events(events, rng)
    attacks = attacks_of(options.attack, sample, options.seed)
    trials = try_attacks(sample, attacks, progress)
    progress(LAST, LAST + 1, "permuting")
    joint = None
    if events.points is None or events.whole:  # observables are discrete
        joint = JointCounts.of(events.x, events.y, events.times, (len(events.secrets), events.observables))
    evidence = SampleEvidence(sample, trials, 1 - options.level, joint)
    secret_of = _secrets_of_blocks(events)
    learned = not all(attack.counts_near for attack in attacks)
    # two tests, of half of alpha each, need twice the permutations
    permutations = 2 * options.permutations + 1 if learned else options.permutations
    p = p_of_independence(events, secret_of, permutations=permutations, rng=rng)
    if learned:
        prior = prior_before(sample, LAST)
        held_out = p_of_no_leakage(trials.last, sample.blocks, secret_of, prior, permutations=permutations, rng=rng)
        p = min(1.0, 2 * min(p, held_out))
    rows = _rows(evidence, measures, rng)
    led = enumerate(trials.of_leaders(_first), FIRST)
    found = Audit(
        events=events.total,
        secrets=len(events.secrets),
        observables=events.observables,
        said=events.said,
        attack=trials.names[find_leader(trials.tallies, LAST, _first)],
        success=evidence.success(),
        blind=evidence.blind(1, evidence.error / 2),
        rows=rows,
        p=p,
        alpha=options.alpha,
        level=options.level,
        permutations=options.permutations,
        permuted=_describe_permutations(events, secret_of, permutations),
        warnings=tuple(find_caveats(events, options.attack, [row.measure for row in rows if row.low is None])),
        curve=tuple((trials.trained[part], tally.tests, _first(tally) / max(1, tally.tests)) for part, tally in led),
        enough=None,
        more=None,
        labels=events.secrets,
        joint=joint,
        seen=share_out(events),
        held_out=_held_out(trials.last, prior_before(sample, LAST)),
    )
    if options.enough is None:
        return found
    done = found.width <= options.enough
    return replace(found, enough=done, more=0 if done else least_more(found.width, options.enough, found.events))


def _held_out(beliefs: Sequence[Beliefs], prior: Array) -> HeldOutEvents:
    """The held-out events, by the beliefs of the leading attack about them."""
    tests = join_beliefs(beliefs, ENTRIES)
    table = np.zeros(tests.rows.shape, dtype=np.int64)
    np.add.at(table, (tests.r, tests.x), tests.times)
    return HeldOutEvents(np.log(tests.rows) - np.log(prior), table, prior)


def _first(tally: Any) -> float:
    return float(tally.ranks[0])


def _rows(evidence: SampleEvidence, measures: MeasureSet, rng: np.random.Generator) -> tuple[Measured, ...]:
    brackets = [bracket_of(evidence, name, H) for name, H in zip(measures.names, measures.entropies, strict=True)]
    others = [i for i, bracket in enumerate(brackets) if bracket is None]
    if others:
        few = MeasureSet([measures.entropies[i] or measures.names[i] for i in others])
        for i, estimate in zip(others, estimate_all(evidence.joint or _guesses(evidence), few, rng), strict=True):
            brackets[i] = Bracket(None, estimate, None)
    found = zip(measures.names, brackets, strict=True)
    return tuple(Measured(b.low, b.estimate, b.high, name) for name, b in found if b is not None)


def _guesses(evidence: SampleEvidence) -> JointCounts:
    """Counts of secret and guess on the last part: guesses never tell more than the observables."""
    n = evidence.sample.n
    table = np.zeros((n, n), dtype=np.int64)
    for beliefs in evidence.trials.last:
        np.add.at(table, (beliefs.x, beliefs.rows.argmax(axis=1)[beliefs.r]), beliefs.times)
    x, y = table.nonzero()
    return JointCounts(x, y, table[x, y], (n, n))


def _secrets_of_blocks(events: Events) -> Any:
    """The secret of each block if every block has just one, else None."""
    if events.blocks is None:
        return None
    last = int(events.blocks.max()) + 1
    least, most = np.full(last, len(events.secrets)), np.full(last, -1)
    np.minimum.at(least, events.blocks, events.x)
    np.maximum.at(most, events.blocks, events.x)
    return least if bool((least == most).all()) else None


def _describe_permutations(events: Events, secret_of: Any, permutations: int) -> str:
    if events.blocks is None:
        return f"{permutations} permutations"
    return f"{permutations} permutations {'of whole blocks' if secret_of is not None else 'within blocks'}"
