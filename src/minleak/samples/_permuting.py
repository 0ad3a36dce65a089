"""The permutation test of zero leakage: the attack is fixed, the secrets are permuted. Exact for all observables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.samples._attacks import Beliefs

# The most entries of beliefs, and the most events, to keep.
_ENTRIES, MOST_EVENTS = 20_000_000, 5_000_000
# Tables up to this many cells are drawn as tables.
MOST_CELLS = 4_000_000


def p_of_no_leakage(
    beliefs: Sequence[Beliefs],
    blocks: Indices | None,
    secret_of: Indices | None,
    prior: Array,
    *,
    permutations: int,
    rng: np.random.Generator,
) -> float:
    """The p-value of zero leakage, from beliefs that were formed on other events.

    If nothing leaks, all orders of the secrets of the tested events are equally likely, whatever the beliefs: with B
    permutations p = (1 + the number that score as well) / (1 + B), exactly. The score is the larger of two statistics,
    each in its standard deviations over all B + 1 orders: the success of a guess if all secrets were equally likely,
    and the mean log belief.

    With blocks, secrets are permuted within their block; if each block has one secret (`secret_of`), whole blocks are
    permuted. `prior` is that of the events on which the beliefs were formed.
    """
    tests = join_beliefs(beliefs)
    x, r, logs = tests.x, tests.r, np.log(tests.rows).astype(np.float32)
    weight = 1.0 / prior
    guess = np.argmax(logs - np.log(prior), axis=1)
    if tests.event is None and logs.size <= MOST_CELLS and int(tests.times.max(initial=1)) > 1:
        return _by_tables(tests, logs, guess, weight, permutations, rng)
    if tests.event is None:
        kept = min(1.0, MOST_EVENTS / float(tests.times.sum()))
        times = rng.binomial(tests.times, kept) if kept < 1 else tests.times
        x, r = np.repeat(x, times), np.repeat(r, times)
    again = make_shuffler(x, None if blocks is None or tests.event is None else blocks[tests.event], secret_of, rng)

    def score(secrets: Indices) -> tuple[float, float]:
        return float(logs[r, secrets].sum(dtype=np.float64)), float(weight[secrets[guess[r] == secrets]].sum())

    return rank_first([score(x), *(score(again()) for _ in range(permutations))])


def join_beliefs(beliefs: Sequence[Beliefs], entries: int = _ENTRIES) -> Beliefs:
    """All beliefs as one, up to so many entries; the choice does not depend on secrets."""
    kept: list[Beliefs] = []
    rows = 0
    for one in beliefs:
        if kept and (rows + len(one.rows)) * one.rows.shape[1] > entries:
            break
        kept.append(one._replace(r=one.r + rows))
        rows += len(one.rows)
    single = [one.event for one in kept if one.event is not None]
    table, x, r, times = (
        np.concatenate(parts) for parts in zip(*((b.rows, b.x, b.r, b.times) for b in kept), strict=True)
    )
    return Beliefs(kept[0].of, table, x, r, times, np.concatenate(single) if len(single) == len(kept) else None)


def _by_tables(
    beliefs: Beliefs,
    logs: npt.NDArray[np.float32],
    guess: Indices,
    weight: Array,
    permutations: int,
    rng: np.random.Generator,
) -> float:
    """The same for counted events: random tables of secret and belief with the same margins."""
    rows, r = np.unique(beliefs.r, return_inverse=True)
    logs, guess = logs[rows], guess[rows]
    table = np.zeros(logs.shape)
    np.add.at(table, (r, beliefs.x), beliefs.times)
    margins = [table.sum(axis=1).astype(np.int64), table.sum(axis=0).astype(np.int64)]
    columns = np.arange(len(rows))

    def score(one: Array) -> tuple[float, float]:
        return float((one * logs).sum()), float(one[columns, guess] @ weight[guess])

    if len(rows) == 1 or np.count_nonzero(margins[1]) == 1:
        return 1.0  # there is one such table
    from scipy.stats import random_table

    draws = random_table(*margins)
    return rank_first([score(table), *(score(draws.rvs(random_state=rng)) for _ in range(permutations))])


def make_shuffler(
    x: Indices, blocks: Indices | None, secret_of: Indices | None, rng: np.random.Generator
) -> Callable[[], Indices]:
    """A function that returns the secrets in a random order."""
    if blocks is None:
        return lambda: rng.permutation(x)
    if secret_of is not None:
        there, place = np.unique(blocks, return_inverse=True)
        return lambda: rng.permutation(secret_of[there])[place]
    home = np.argsort(blocks, kind="stable")

    def within() -> Indices:
        made = np.empty_like(x)
        made[home] = x[np.lexsort((rng.random(len(x)), blocks))]
        return made

    return within


def rank_first(scores: Sequence[Sequence[float]]) -> float:
    """The share of orders, the first included, that score as well as the first."""
    found = np.array(scores)
    spread = found.std(axis=0)
    alike = spread <= 1e-9 * np.maximum(1.0, np.abs(found).max(axis=0))
    best = ((found - found.mean(axis=0)) / np.where(alike, np.inf, spread)).max(axis=1)
    # sums in another order differ in the last digits: keep ties
    return float((best >= best[0] - 1e-9).mean())
