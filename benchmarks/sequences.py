"""Sequences: what filtering and smoothing attackers get from words as a chain, and what a move of the tracks costs."""

from __future__ import annotations

import csv
import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import minleak as ml

DATA = Path(__file__).parents[1] / "examples" / "data"
STATES, BACKOFF, K, STEPS = 3000, 0.1, 8, 50


def words_chain(states: int = STATES, backoff: float = BACKOFF) -> ml.lab.sequences.Chain:
    """The most frequent words and the counts of their pairs, of wordsegment; a tenth of every row is back-off."""
    import scipy.sparse as sp
    import wordsegment

    folder = os.path.dirname(wordsegment.__file__)
    with open(os.path.join(folder, "unigrams.txt"), encoding="utf-8") as file:
        counts = {word: int(float(count)) for word, count in (line.rstrip("\n").split("\t") for line in file)}
    words = sorted(counts, key=lambda word: -counts[word])[:states]
    at = {word: i for i, word in enumerate(words)}
    rows, columns, times = [], [], []
    with open(os.path.join(folder, "bigrams.txt"), encoding="utf-8") as file:
        for line in file:
            pair, count = line.rstrip("\n").split("\t")
            a, b = pair.split(" ")
            if a in at and b in at:
                rows.append(at[a])
                columns.append(at[b])
                times.append(int(float(count)))
    sums = np.bincount(rows, weights=times, minlength=states)
    alone = np.array([counts[word] for word in words])
    return ml.lab.sequences.Chain(
        ml.Prior(alone, labels=words),
        sp.coo_array((times, (rows, columns)), shape=(states, states)),
        backoff=np.maximum(sums * backoff / (1 - backoff), 1).astype(np.int64),
        marginal=alone,
    )


def flights() -> tuple[list[list[str]], list[list[str]]]:
    """Where aircraft of one airline went from New York: walks of January to March, and of April."""
    seasons: list[dict[str, list[str]]] = [{}, {}]
    with gzip.open(DATA / "flights.csv.gz", "rt") as file:
        for row in csv.DictReader(file):  # sorted by aircraft and time
            seasons[row["time"] >= "2013-04"].setdefault(row["aircraft"], []).append(row["airport"])
    return list(seasons[0].values()), list(seasons[1].values())


def pieces(chain: ml.lab.sequences.Chain, walks: list[list[str]], steps: int) -> list[list[str]]:
    """The walks cut into pieces of so many states that the chain knows."""
    known = set(chain.labels)
    cut = [walk[i : i + steps] for walk in walks for i in range(0, len(walk) - steps + 1, steps)]
    return [piece for piece in cut if known.issuperset(piece)]


def phrases() -> list[list[str]]:
    """Twelve words in a row of Moby Dick, all among the 3,000."""
    found: dict[str, list[str]] = {}
    with open(DATA / "phrases.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["phrase"], []).append(row["word"])
    return list(found.values())


def main() -> None:
    words = words_chain()
    beside_others(words)
    places_and_ranks(words)
    moves()
    large()
    wrong_models(words)
    second_scope(words)


def beside_others(chain: ml.lab.sequences.Chain) -> None:
    rate, marginal = chain.entropy_rate(), ml.Shannon()(ml.Prior(chain.stationary()))
    print(
        f"\nWords: {chain}, entropy rate {rate:.2f} of {marginal:.2f} bits; k = {K}, {STEPS} steps, bar .15 for tracks."
    )
    print(f"{'':<26}{'filtering':>10}{'worst':>8}{'smoothing':>11}{'worst':>8}{'worst, 99%':>12}  seconds")
    many = {"tracks": 400, "predictive": 100}
    for name in ("tracks", "plan", "buckets", "decoys", "predictive"):
        start = time.perf_counter()
        found = ml.lab.sequences.leakage(chain, name, k=K, steps=STEPS, trials=many.get(name, 2000), exact=False)
        seconds = time.perf_counter() - start
        print(
            f"{found.method:<26}{np.mean(found.filtered):>10.4f}{max(found.filtered):>8.4f}"
            f"{np.mean(found.smoothed):>11.4f}{max(found.smoothed):>8.4f}{max(found.smoothed.high):>12.4f}{seconds:>9.1f}",
            flush=True,
        )
        if name == "tracks":
            assert max(found.filtered) <= 0.15
            assert max(found.smoothed) <= 0.15


def places_and_ranks(chain: ml.lab.sequences.Chain, walks: int = 10_000, steps: int = 6) -> None:
    """Where the true track is, and how likely it is among the k: both uniform by chi-square."""
    from scipy.stats import chisquare

    tracks, rng = ml.lab.sequences.Tracks(chain, K, key=bytes(range(32))), np.random.default_rng(1)
    places, ranks = np.zeros(K, dtype=int), np.zeros(K, dtype=int)
    for number, walk in enumerate(chain.simulate_positions(steps, walks, rng)):
        shown = tracks.draw([chain.labels[x] for x in walk.tolist()], scope=f"walk {number}")
        states = np.array([[chain.position(label) for label in step] for step in shown])
        true = np.flatnonzero((states == walk[:, None]).all(axis=0))  # tracks that never part are as good as one
        place = int(true[rng.integers(len(true))])
        places[place] += 1
        likelihood = np.log(chain.probabilities(states[:-1], states[1:])).sum(axis=0) + rng.random(K) * 1e-9
        ranks[int((likelihood < likelihood[place]).sum())] += 1
    for what, counts in (("true place", places), ("rank of its likelihood", ranks)):
        p = float(chisquare(counts).pvalue)
        print(f"{walks:,} walks of {steps} steps, {what}: {counts.tolist()}, chi-square p = {p:.3f}", flush=True)
        assert p > 1e-3


def moves() -> None:
    print("\nA move of the tracks, 100 successors a state and back-off, k = 8, median of 1,000; bar 2 ms, whatever n.")
    rng = np.random.default_rng(0)
    for n in (1_000, 10_000, 100_000):
        chain = random_chain(n, rng)
        walk = ml.lab.sequences.Tracks(chain, K, key=bytes(32)).start(0, scope="a")
        states = chain.simulate_positions(1001, 1, rng)[0].tolist()
        walk = ml.lab.sequences.Tracks(chain, K, key=bytes(32)).start(states[0], scope="a")
        taken = []
        for state in states[1:]:
            start = time.perf_counter()
            walk.move(state)
            taken.append(time.perf_counter() - start)
        print(f"n = {n:>7,}, {len(chain.indices):>9,} transitions: {1e3 * np.median(taken):.2f} ms", flush=True)


def random_chain(n: int, rng: np.random.Generator) -> ml.lab.sequences.Chain:
    """Every state has 100 successors: 50 of its own, and about as many of the thousand that everybody goes to."""
    import scipy.sparse as sp

    rows = np.repeat(np.arange(n), 100).reshape(n, 100)
    columns = np.empty((n, 100), dtype=np.int64)
    columns[:, :50] = (rows[:, :50] + rng.choice(n, 50, replace=False)) % n
    columns[:, 50:] = rng.integers(0, min(n, 1000), (n, 50))
    counts = sp.coo_array((rng.integers(1, 50, 100 * n), (rows.ravel(), columns.ravel())), shape=(n, n))
    return ml.lab.sequences.Chain(np.ones(n, dtype=np.int64), counts, backoff=100)


def large(n: int = 100_000, transitions: int = 10_000_000) -> None:
    print(f"\nA chain of {n:,} states from {transitions:,} transitions in 10,000 walks.")
    rng = np.random.default_rng(0)
    source = random_chain(n, rng)
    walks = source.simulate_positions(transitions // 10_000 + 1, 10_000, rng).tolist()
    start = time.perf_counter()
    fitted = ml.lab.sequences.Chain.from_sequences(walks)
    print(f"from_sequences{time.perf_counter() - start:>27.1f} s  {fitted}", flush=True)
    ways: dict[str, Callable[[], float]] = {
        "stationary law and entropy rate": fitted.entropy_rate,
        "tracks of 20 steps for 20 walks": lambda: max(
            ml.lab.sequences.leakage(fitted, "tracks", k=K, trials=20).smoothed
        ),
    }
    for what, work in ways.items():
        start = time.perf_counter()
        value = work()
        print(f"{what:<34}{time.perf_counter() - start:>7.1f} s  {value:.4f}", flush=True)


def wrong_models(words: ml.lab.sequences.Chain) -> None:
    """Walks that the chain was not fitted on, seen by an attacker who knows the others of them."""
    first, second = flights()
    half = ml.lab.sequences.Chain.from_sequences(first[::2])
    chain = ml.lab.sequences.Chain.from_sequences(first)
    for what, model, walks, steps in (
        ("flights, other aircraft of the same months", half, pieces(half, first[1::2], 20), 20),
        ("flights, the next month", chain, pieces(chain, second, 20), 20),
        ("words of the web, Moby Dick", words, phrases(), 12),
    ):
        table = ml.lab.sequences.baselines(model, K, steps=steps, trials=400, truth=walks)
        print(f"\nA wrong model: {what} ({len(walks)} walks of {steps} steps), k = {K}.\n{table}", flush=True)
        tracks = table.rows[0]
        at = [t for t in (0, 1, 2, 4, 9, 19) if t < steps]
        print(
            "tracks, filtering at steps",
            ", ".join(f"{t}: {tracks.filtered[t]:.3f}" for t in at),
            "| falls:",
            tracks.falls,
        )
    changed = words_chain(backoff=0.3)
    found = ml.lab.sequences.leakage(words, "tracks", k=K, steps=30, trials=100, truth=changed)
    print(f"\nWords with three times the back-off as the truth: {found.evidence:.4f} bits a step, falls: {found.falls}")


def second_scope(chain: ml.lab.sequences.Chain, walks: int = 200, steps: int = 6) -> None:
    """The same walk in two scopes, by an attacker who knows that it is the same: the tracks that are in both."""
    tracks, rng = ml.lab.sequences.Tracks(chain, K, key=bytes(32)), np.random.default_rng(2)
    success = np.zeros((walks, steps))
    for number, walk in enumerate(chain.simulate_positions(steps, walks, rng)):
        labels = [chain.labels[x] for x in walk.tolist()]
        one, two = (tracks.draw(labels, scope=f"{number} {which}") for which in "ab")
        for t in range(steps):
            seen = [tuple(step[i] for step in one[: t + 1]) for i in range(K)]
            other = [tuple(step[i] for step in two[: t + 1]) for i in range(K)]
            odds: dict[tuple[str, ...], float] = {}
            for path in {*seen} & {*other}:
                at = np.array([chain.position(label) for label in path])
                likelihood = chain.initial.p[at[0]] * np.prod(chain.probabilities(at[:-1], at[1:]))
                odds[path] = seen.count(path) * other.count(path) / likelihood
            last: dict[str, float] = {}
            for path, weight in odds.items():
                last[path[-1]] = last.get(path[-1], 0.0) + weight
            success[number, t] = max(last.values()) / sum(last.values())
    shown = ", ".join(f"{t}: {mean:.3f}" for t, mean in enumerate(success.mean(axis=0)))
    print(f"\nThe same walk of words in a second scope, {walks} walks, success at steps {shown}")


if __name__ == "__main__":
    main()
