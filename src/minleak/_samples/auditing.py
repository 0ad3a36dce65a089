"""audit: what pairs of secret and observable say of a channel, with bounds that hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from minleak._entropy.base import ConditionalEntropy, whole
from minleak._entropy.random_search import generator
from minleak._samples.attacks import FEW_COLUMNS, attacks_of, prior_before
from minleak._samples.bounds import least_more
from minleak._samples.charts import seen
from minleak._samples.events import Events, events_in, events_of
from minleak._samples.measures import Known, bracket_of
from minleak._samples.permuting import p_of_no_leakage
from minleak._samples.plug_in import STANDARD, Battery, JointCounts, estimated
from minleak._samples.result import Audit, Measured
from minleak._samples.sample import FIRST, LAST, Sample, sampled
from minleak._samples.trials import Progress, tried
from minleak.errors import InvalidParameter, shown

# Fewer events for each observable, or for a secret, and their frequencies say little; fewer blocks, and a bound little.
_FEW, _BLOCKS = 5, 20


def audit(
    secrets: Any,
    observables: Any = None,
    *,
    secret: str = "secret",
    observable: str | Sequence[str] = "observable",
    weight: str | None = None,
    numeric: bool | None = None,
    blocks: Any = None,
    attack: Any = None,
    measures: Sequence[ConditionalEntropy | str] = STANDARD,
    level: float = 0.95,
    alpha: float = 0.01,
    permutations: int = 199,
    enough: float | None = None,
    seed: int = 0,
    format: str | None = None,
    progress: Progress | None = None,
) -> Audit:
    """What a channel leaks of which only pairs (secret, observable) are known: timings, sizes, traces, logs.

    The events are dealt at random into six parts. Attacks are trained on some parts and tried on the next, each part by
    the attack that did best before it; whatever the channel, each test then succeeds with probability at most V, the
    success of the best attack that there is, so that Clopper and Pearson's lower bound is one of V, and the choice
    among attacks is paid for. An upper bound exists only for discrete observables: the share of events of the most
    frequent secret of their observable is too large on average and concentrates. Beyond that nothing can be said of V
    from above without an assumption, since an attack might see more. Shannon's leakage is bounded by the cross-entropy,
    and guesswork by the mean number of guesses, on the last half of the events (empirical Bernstein bounds); what is
    not known of the secrets' own frequencies is taken off. Measures without such a bound have an estimate alone.

    `p` is from a permutation test: the attack is fixed, and the secrets of the last half change places. It is exact,
    for floats too.

    Parameters
    ----------
    secrets, observables
        Arrays, sequences, Arrow or pandas columns, one entry for each event; observables may have several columns. Or
        `secrets` is a table (Arrow, pandas) or a csv, tsv or parquet file, and `secret`, `observable` (one name or
        several), `weight` (how many events a row stands for) and `blocks` name its columns.
    numeric
        Whether observables are numbers, of which near ones are alike; recognised if not given.
    blocks
        Events of one stretch of time, where timings drift: a column, or how many events in a row make a block. Secrets
        are then permuted within their blocks, or by whole blocks where each block has one secret; and the lower bound
        counts blocks, since their events are not independent.
    attack
        "histogram" (for one number with windows of several widths), "nearest" (k nearest neighbours), "forest" or
        "boosted" (scikit-learn, the extra `samples`), any classifier with fit and predict_proba, or a list of such.
        Those that suit the observables, if not given.
    measures
        Entropies, by name or as objects, and "multiplicative-leakage", "additive-leakage", "maximal-leakage",
        "capacity".
    enough
        How narrow the bracket of success should be: `Audit.enough` says whether it is, `Audit.more` how many more
        events are needed, about.
    progress
        Is told how far it is: a function of (steps done, steps, name of the step).

    Cost: that of sorting the events where observables are discrete or one number (a million in some seconds), else that
    of the attacks. Events must be independent: of sticky draws keep one for each scope and secret.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> secret = rng.integers(0, 4, 5000)
    >>> found = audit(secret, secret + rng.normal(0, 1, 5000))      # the best attack is right in .5372 of all cases
    >>> round(found.success.low, 3), found.success.high, found.rejected
    (0.527, None, True)
    """
    rng = generator(seed)
    check(level, alpha, permutations, enough)
    chosen: dict[str, Any] = {"numeric": numeric, "blocks": blocks}
    if observables is None:
        events = events_in(secrets, secret=secret, observable=observable, weight=weight, format=format, **chosen)
    elif weight is not None:
        raise InvalidParameter("weight= names a column of a table: repeat arrays, or give a table")
    else:
        events = events_of(secrets, observables, **chosen)
    return audited(
        events,
        attack=attack,
        measures=measures,
        level=level,
        alpha=alpha,
        permutations=permutations,
        enough=enough,
        seed=seed,
        rng=rng,
        progress=progress,
    )


def audited(
    events: Events,
    *,
    attack: Any,
    measures: Sequence[ConditionalEntropy | str],
    level: float,
    alpha: float,
    permutations: int,
    enough: float | None,
    seed: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Audit:
    """The audit of events that are checked."""
    progress = progress or (lambda _done, _steps, _name: None)
    battery = Battery(measures)
    sample = sampled(events, rng)
    trials = tried(sample, attacks_of(attack, sample, seed), progress)
    progress(LAST, LAST + 1, "permuting")
    joint = _joint(events)
    known = Known(sample, trials, 1 - level, None if joint is None else _largest(joint))
    secret_of = _one_each(events)
    p = p_of_no_leakage(
        trials.last, sample.rows_block, secret_of, prior_before(sample, LAST), permutations=permutations, rng=rng
    )
    success = known.success()
    led = known.trials.led(_first)
    found = Audit(
        events=events.total,
        secrets=len(events.secrets),
        observables=events.observables,
        said=events.said,
        attack=trials.names[trials.leader(LAST, _first)],
        success=success,
        blind=known.blind(1, known.error / 2),
        rows=_rows(known, battery, joint, rng),
        p=p,
        alpha=alpha,
        level=level,
        permutations=permutations,
        permuted=_permuted(events, secret_of, permutations),
        warnings=tuple(_warnings(events, sample, joint, attack)),
        curve=tuple(
            (trials.trained[part], tally.tests, _first(tally) / max(1, tally.tests))
            for part, tally in enumerate(led, FIRST)
        ),
        enough=None,
        more=None,
        labels=events.secrets,
        joint=joint,
        seen=seen(events),
    )
    return found if enough is None else _answered(found, enough)


def _first(tally: Any) -> float:
    return float(tally.ranks[0])


def _answered(found: Audit, enough: float) -> Audit:
    done = found.width <= enough
    return replace(found, enough=done, more=0 if done else least_more(found.width, enough, found.events))


def _joint(events: Events) -> JointCounts | None:
    """The counts of pairs where observables are discrete."""
    if events.points is not None and not events.whole:
        return None
    m = events.observables
    keys, place = np.unique(events.x * m + events.y, return_inverse=True)
    counts = np.zeros(len(keys), dtype=np.int64)
    np.add.at(counts, place, events.times)
    return JointCounts(keys // m, keys % m, counts, (len(events.secrets), m))


def _largest(joint: JointCounts) -> Callable[[int], float]:
    """The share of events that are among the l most frequent pairs of their observable."""
    order = np.lexsort((-joint.counts, joint.y))
    y, counts = joint.y[order], joint.counts[order]
    start = np.searchsorted(y, y)
    rank = np.arange(len(y)) - start
    return lambda l: float(counts[rank < l].sum() / counts.sum())


def _rows(known: Known, battery: Battery, joint: JointCounts | None, rng: np.random.Generator) -> tuple[Measured, ...]:
    brackets = [bracket_of(known, name, H) for name, H in zip(battery.names, battery.entropies, strict=True)]
    others = [i for i, bracket in enumerate(brackets) if bracket is None]
    estimates: dict[int, float] = {}
    if others:
        few = Battery([battery.entropies[i] or battery.names[i] for i in others])
        estimates = dict(zip(others, estimated(_guesses(known) if joint is None else joint, few, rng), strict=True))
    rows = []
    for i, (name, bracket) in enumerate(zip(battery.names, brackets, strict=True)):
        low, estimate, high = (
            (None, estimates[i], None) if bracket is None else (bracket.low, bracket.estimate, bracket.high)
        )
        rows.append(Measured(low, estimate, high, name))
    return tuple(rows)


def _guesses(known: Known) -> JointCounts:
    """Secrets and what the attack guessed in their place on the last part, which never tells more than was seen."""
    n = known.sample.n
    table = np.zeros((n, n), dtype=np.int64)
    for beliefs in known.trials.last:
        np.add.at(table, (beliefs.x, beliefs.rows.argmax(axis=1)[beliefs.r]), beliefs.times)
    x, y = table.nonzero()
    return JointCounts(x, y, table[x, y], (n, n))


def _one_each(events: Events) -> Any:
    """The secret of each block, where each has one."""
    if events.blocks is None:
        return None
    last = int(events.blocks.max()) + 1
    least, most = np.full(last, len(events.secrets)), np.full(last, -1)
    np.minimum.at(least, events.blocks, events.x)
    np.maximum.at(most, events.blocks, events.x)
    return least if bool((least == most).all()) else None


def _permuted(events: Events, secret_of: Any, permutations: int) -> str:
    if events.blocks is None:
        return f"{permutations} permutations"
    return f"{permutations} permutations {'of whole blocks' if secret_of is not None else 'within blocks'}"


def _warnings(events: Events, sample: Sample, joint: JointCounts | None, attack: Any) -> list[str]:
    found = []
    each = events.total / events.observables
    if events.points is None and each < _FEW:
        found.append(
            f"undersampled: {events.total:,} events show {events.observables:,} different observables, {each:.1f} "
            "events each, so that frequencies say little and the bracket is wide: give numbers as numbers (numeric), "
            "group observables, or collect more"
        )
    if events.points is not None and joint is not None and each < _FEW:
        found.append(
            f"{events.observables:,} different observables in {events.total:,} events: the upper bound is loose"
        )
    rare = int((np.bincount(events.x, weights=events.times) < _FEW).sum())
    if rare:
        found.append(f"{rare:,} of {len(events.secrets):,} secrets have fewer than {_FEW} events: collect more of them")
    if events.blocks is None:
        if events.points is not None and _in_stretches(events):
            found.append(
                "secrets come in long stretches: where timings drift that looks like leakage; collect them in random "
                "order, or say blocks="
            )
    elif len(np.unique(events.blocks)) < _BLOCKS:
        found.append(f"only {len(np.unique(events.blocks))} blocks: bounds count blocks, so collect {_BLOCKS} or more")
    wide = sample.points is not None and sample.points.shape[1] > FEW_COLUMNS
    if attack is None and wide and not _has_forest():
        found.append(
            "a forest was not tried, and may see more: pip install '.[samples]' in the folder of minleak's source"
        )
    return found


def _has_forest() -> bool:
    return find_spec("sklearn") is not None


def _in_stretches(events: Events) -> bool:
    """Whether equal secrets follow each other far more often than in a random order."""
    if int(events.times.max()) > 1:
        return False
    q = np.bincount(events.x) / len(events.x)
    changes = float(np.count_nonzero(np.diff(events.x))) / (len(events.x) - 1)
    return changes < 0.5 * float(1 - q @ q)


def check(level: Any, alpha: Any, permutations: Any, enough: Any) -> None:
    """Refuse levels that are none, and too few permutations for alpha."""
    whole(permutations, "permutations", 1)
    for name, part in (("level", level), ("alpha", alpha), ("enough", 0.5 if enough is None else enough)):
        if isinstance(part, bool) or not isinstance(part, int | float) or not 0 < part < 1:
            raise InvalidParameter(f"{name} is between 0 and 1, not {shown(part)}")
    if (1 + permutations) * alpha < 1:
        raise InvalidParameter(
            f"{permutations} permutations cannot give a p-value of {alpha:g}: take at least "
            f"{math.ceil(min(1e18, 1 / alpha)) - 1}"
        )
