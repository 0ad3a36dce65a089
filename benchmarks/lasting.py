"""Plans that last: what an attacker gets after days of updates, by code of its own, beside what the lineage states."""

from __future__ import annotations

import csv
import gzip
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

import minleak as ml

DAYS = (1, 3, 8, 30, 90)
SEEDS = 5
KEEP = 0.7
# Secrets that the attacker who saw two lineages is tried on.
TRIALS = 1000
DATA = Path(__file__).parents[1] / "examples" / "data"
WAYS = {"daily": 1, "weekly": 7, "auto": "auto"}


@dataclass
class Day:
    """The true rates of a day by the number of each secret, which is never used again, and what was counted."""

    rates: np.ndarray
    counts: np.ndarray

    def prior(self) -> ml.Prior:
        seen = np.flatnonzero(self.counts)
        return ml.Prior(self.counts[seen], labels=[f"s{i}" for i in seen.tolist()])


@dataclass(frozen=True)
class Log:
    """Rates that walk by `walk` a day in the logarithm, `churn` of the secrets dead and as many born each day with the
    rate of another, and `events` counted of them, on day 0 `first` if given; None: the rates themselves, rounded.
    """

    k: int
    rates: Callable[[], np.ndarray]
    events: int | None
    walk: float
    churn: float = 0.0
    first: int | None = None

    def days(self, seed: int, last: int) -> Iterator[Day]:
        rng = np.random.default_rng(seed)
        rates = rng.permutation(self.rates())
        for day in range(last + 1):
            if day:
                rates = rates * np.exp(self.walk * rng.standard_normal(len(rates)))
                alive = np.flatnonzero(rates)
                dead = alive[rng.random(len(alive)) < self.churn]
                born = rng.choice(rates[alive], len(dead))
                rates[dead] = 0.0
                rates = np.concatenate([rates, born])
            if self.events is None:
                yield Day(rates, np.rint(rates).astype(np.int64))
            else:
                events = self.events if day or self.first is None else self.first
                yield Day(rates, rng.poisson(rates / rates.sum() * events))


def counts_of(file: str) -> np.ndarray:
    with (DATA / file).open() as lines:
        return np.array([float(row["count"]) for row in csv.DictReader(lines)])


def phrases() -> np.ndarray:
    text = files("wordsegment").joinpath("bigrams.txt").read_text(encoding="utf-8")
    return np.array([float(line.rsplit("\t", 1)[1]) for line in text.splitlines()])


@dataclass(frozen=True)
class Series:
    """Real counts of days that went by, which are the true rates; what is seen of them is `events` a day, drawn from
    them. Nothing in the library was chosen by them.
    """

    k: int
    file: str
    events: int

    def days(self, seed: int, last: int) -> Iterator[Day]:
        rng = np.random.default_rng(seed)
        with gzip.open(DATA / self.file, "rt", encoding="utf-8") as lines:
            rows = list(csv.reader(lines))[1:]
        table = np.array([[float(cell or 0) for cell in row[1:]] for row in rows])
        for rates in table.T[: last + 1]:
            yield Day(rates, rng.poisson(rates / rates.sum() * self.events))


LOGS = {
    "A": Log(31, lambda: np.arange(1, 20_001) ** -0.9, 200_000, 0.1),
    "B": Log(25, lambda: 1 / (np.arange(1, 15_001) + 3.0), 150_000, 0.1),
    "C": Log(31, lambda: np.arange(1, 20_001) ** -0.9, 200_000, 0.1, 0.005),
    "cities": Log(8, lambda: counts_of("cities.csv"), None, 0.01),
    "phrases": Log(16, phrases, 1_000_000, 0.05, 0.001),
}
# Days of a real series are a day of flights, and a year of names: 25 of them.
REAL = {"flights": Series(8, "flight_routes.csv.gz", 9_000), "names": Series(31, "names_by_year.csv.gz", 200_000)}


# Laws by which nothing in the library was chosen, with k; and the events of day 0 and of each day after it.
LAWS = {
    "Zipf .9": (lambda: np.arange(1, 4001) ** -0.9, 8),
    "Zipf 1.2": (lambda: np.arange(1, 4001) ** -1.2, 16),
    "lognormal": (lambda: np.exp(1.5 * np.random.default_rng(7).standard_normal(4000)), 8),
    "words": (lambda: counts_of("words.csv"), 16),
    "npm": (lambda: counts_of("npm_downloads.csv"), 12),
}
VOLUMES = {"a tenth": (400_000, 40_000), "equal": (100_000, 100_000), "ten times": (20_000, 200_000)}
MOVEMENTS = (0.0, 0.1, 0.25, 0.4)
# Days that are looked at, and seeds other than those the estimate was made with.
VOLUME_DAYS, VOLUME_SEEDS = (1, 7), range(100, 102)


class Attacker:
    """Who knows the true rates and every plan's channel: one look at one set, by sparse matrices."""

    def __init__(self) -> None:
        self.known: dict[bytes, tuple[np.ndarray, sp.csc_array]] = {}

    def channel(self, part) -> tuple[np.ndarray, sp.csc_array]:
        if part.digest not in self.known:
            channel = part.channel()
            numbers = np.array([int(name[1:]) for name in channel.inputs])
            self.known[part.digest] = numbers, sp.csc_array(channel.matrix)
        return self.known[part.digest]

    def success(self, parts, rates: np.ndarray) -> tuple[float, float]:
        """(of listed secrets, of all with those that are not listed counted as known)."""
        right = listed = 0.0
        for part in parts:
            numbers, matrix = self.channel(part)
            q = rates[numbers]
            joint = sp.csc_array(matrix.multiply(q[:, None]))
            right += float(joint.max(axis=0).sum())
            listed += float(q.sum())
        return right / listed, (right + rates.sum() - listed) / rates.sum()

    def both(self, one, other, rates: np.ndarray, rng: np.random.Generator) -> float:
        """Who saw a set of each of two plans for one secret, drawn independently; unlisted ones count as known."""
        (first, a), (second, b) = self.channel(one), self.channel(other)
        columns = (a, b)
        place = [np.full(len(rates), -1) for _ in columns]
        place[0][first], place[1][second] = np.arange(len(first)), np.arange(len(second))
        rows, chances = [sp.csr_array(matrix) for matrix in columns], []
        for x in rng.choice(len(rates), TRIALS, p=rates / rates.sum()).tolist():
            at = [place[i][x] for i in (0, 1)]
            if min(at) < 0:
                chances.append(1.0)
                continue
            odds: dict[int, float] | None = None
            for i, (row, names) in enumerate(zip(rows, (first, second), strict=True)):
                inside = slice(*row.indptr[at[i] : at[i] + 2])
                p = row.data[inside]
                y = row.indices[inside][rng.choice(len(p), p=p / p.sum())]
                column = slice(*columns[i].indptr[y : y + 2])
                found = dict(zip(names[columns[i].indices[column]].tolist(), columns[i].data[column], strict=True))
                odds = found if odds is None else {z: odds[z] * found[z] for z in odds.keys() & found.keys()}
            left = np.array([chance * rates[z] for z, chance in odds.items()])
            chances.append(left.max() / left.sum())
        return float(np.mean(chances))


def live(log: Log | Series, seed: int, days: tuple[int, ...]) -> dict[int, dict[str, float]]:
    """The figures of each day asked for."""
    attacker, rng, found = Attacker(), np.random.default_rng(seed + 1000), {}
    pool = np.zeros(0)
    for day, world in enumerate(log.days(seed, max(days))):
        prior, rates = world.prior(), world.rates
        pool = KEEP * np.append(pool, np.zeros(len(rates) - len(pool))) + world.counts
        if not day:
            first = ml.design(prior, log.k)
            plans = dict.fromkeys(WAYS, first) | {"blocks": ml.design(prior, log.k, layout="blocks")}
            continue
        for way in plans:
            plans[way] = ml.update(plans[way], prior, cohort=WAYS.get(way, 1), keep=KEEP)
        if day not in days:
            continue
        pooled = np.rint(1024 * pool).astype(np.int64)
        there = np.flatnonzero(pooled)
        least = ml.design(ml.Prior(pooled[there], labels=[f"s{i}" for i in there.tolist()]), log.k)
        row = {"blind": rates.max() / rates.sum(), "least": attacker.success([least], rates)[1]}
        row["kept"] = attacker.success([first], rates)[0]
        for way, plan in plans.items():
            row[way] = attacker.success(plan.parts, rates)[1]
        row["anew"] = attacker.both(first, ml.design(prior, log.k), rates, rng)
        row["off"] = attacker.success(plans["auto"].parts[:1], rates)[0] - row["kept"]
        for way, plan in plans.items():
            said = ml.population(plan)
            row[f"{way}: stated"] = said.success
            row[f"{way}: inside"] = said.low <= row[way] <= said.high
        found[day] = row
    return found


COLUMNS = ("blind", "least", "kept", "daily", "weekly", "auto", "blocks", "anew", "auto: stated", "blocks: stated")


class Summary:
    """How near the stated success is to the true one, over rows, and what a cadence costs."""

    def __init__(self) -> None:
        self.errors: list[float] = []
        self.inside: list[bool] = []
        self.cadence: list[float] = []
        self.off: list[float] = []

    def add(self, row: dict[str, float]) -> None:
        for way in (*WAYS, "blocks"):
            self.errors.append(row[f"{way}: stated"] / row[way] - 1)
            self.inside.append(bool(row[f"{way}: inside"]))
        self.cadence.append(row["auto"] - min(row["daily"], row["weekly"]))
        self.off.append(abs(row["off"]))

    def show(self, what: str) -> None:
        close = int((np.abs(self.errors) <= 0.05).sum())
        print(
            f"{what}: stated within 5% of the truth in {close} of {len(self.errors)} rows (bar 9 in 10), from "
            f"{min(self.errors):+.1%} to {max(self.errors):+.1%}; inside the interval {sum(self.inside)}\n"
            f"  auto above the better of daily and weekly by at most {max(self.cadence):+.4f} (bar .01); listed on day "
            f"0, beside the plan that was kept: at most {max(self.off):.4f} (bar .005)",
            flush=True,
        )


def show_logs(logs: dict[str, Log | Series], days: dict[str, tuple[int, ...]], what: str) -> None:
    total = Summary()
    for name, log in logs.items():
        start, own, at = time.perf_counter(), Summary(), days.get(name, DAYS)
        runs = [live(log, seed, at) for seed in range(SEEDS)]
        for day in at:
            rows = [run[day] for run in runs]
            mean = {column: float(np.mean([row[column] for row in rows])) for column in COLUMNS}
            print(f"{name:10}{day:>4}" + "".join(f"{mean[column]:>13.4f}" for column in COLUMNS), flush=True)
            for row in rows:
                total.add(row)
                own.add(row)
        own.show(f"{name} ({SEEDS} seeds, {time.perf_counter() - start:.0f} s)")
    total.show(what)


def follow(log: Log, seed: int) -> Iterator[tuple[float, bool, bool]]:
    """On each day that is looked at: stated by true success, and whether the truth is in the interval, and above."""
    attacker, plan = Attacker(), None
    for day, world in enumerate(log.days(seed, max(VOLUME_DAYS))):
        plan = ml.design(world.prior(), log.k) if plan is None else ml.update(plan, world.prior())
        if day in VOLUME_DAYS:
            said, truth = ml.population(plan), attacker.success(plan.parts, world.rates)[1]
            yield said.success / truth, said.low <= truth <= said.high, truth > said.high


def show_volumes(seeds: range = VOLUME_SEEDS) -> None:
    """Days that are smaller or larger than the counts that the plan was made from, and rates that move fast."""
    print(
        f"\nStated by true success on days {VOLUME_DAYS}, {len(seeds)} seeds, from the least to the largest; truths in "
        "the interval,\nand above it. A day has so many events beside those the plan was made from, and rates move so "
        "much a day."
    )
    start, total = time.perf_counter(), []
    for name, (rates, k) in LAWS.items():
        for volume, (first, events) in VOLUMES.items():
            for walk in MOVEMENTS:
                log = Log(k, rates, events, walk, first=first)
                rows = [row for seed in seeds for row in follow(log, seed)]
                total += rows
                show_ratios(f"{name:10}{volume:>10}{walk:>6.2f}", rows)
    show_ratios(f"all ({time.perf_counter() - start:.0f} s)", total)


def show_ratios(what: str, rows: list[tuple[float, bool, bool]]) -> None:
    ratios, inside, above = np.array(rows).T
    close, within, higher = (int(each.sum()) for each in (np.abs(ratios - 1) <= 0.05, inside, above))
    print(
        f"{what:26}{ratios.min():>8.3f}{ratios.mean():>8.3f}{ratios.max():>8.3f}   within 5% {close}, inside {within}, "
        f"above {higher} of {len(rows)}",
        flush=True,
    )


def show_speed(n: int = 10**7, new: int = 10**5, k: int = 10) -> None:
    """An update beside a design, and draws from a thousand parts beside draws from one plan."""
    rng = np.random.default_rng(0)
    names = pa.array(np.arange(n + new) + 10**9).cast(pa.string())
    counts = rng.poisson(30 * (np.arange(1, n + new + 1) / n) ** -0.5) + 1
    first = ml.Prior(counts[:n], labels=names[:n])
    ml.update(ml.design(ml.Prior(counts[:1000], labels=names[:1000]), k), ml.Prior(counts[:2000], labels=names[:2000]))
    plan = ml.design(first, k)
    orders = {
        "the plan's order, new ones last": np.arange(n + new),
        "alphabetical, 1% of the old ones gone": np.delete(np.arange(n + new), rng.choice(n, n // 100, replace=False)),
        "any order": rng.permutation(n + new),
    }
    for what, order in orders.items():
        today = ml.Prior(counts[order], labels=names.take(pa.array(order)))
        anew = took = np.inf
        for _ in range(5):
            start = time.perf_counter()
            ml.design(first, k)
            middle = time.perf_counter()
            newer = ml.update(plan, today, cohort=1)
            anew, took = min(anew, middle - start), min(took, time.perf_counter() - middle)
        print(
            f"update of {n:,} with {new:,} new, {len(newer.parts)} parts, {what}: {took:.2f} s; design {anew:.2f} s "
            f"({took / anew:.2f}x, bar 0.5x), the best of five"
        )
    size = 2_000
    plan = many = ml.design(ml.Prior(counts[:size], labels=names[:size]), k)
    for part in range(1, 1000):
        at = size + 20 * part
        some = pa.concat_arrays([names[:1], names[at : at + 20]])
        many = ml.update(many, ml.Prior(np.append(9, counts[at : at + 20]), labels=some), cohort=1)
    asked = [names[i].as_py() for i in rng.integers(size, size=20_000)]
    seconds, sets = [], []
    for each in (plan, many):
        cloak = ml.Cloak(each, key=bytes(32))
        start = time.perf_counter()
        sets.append([cloak.draw(secret, scope="u") for secret in asked])
        seconds.append(time.perf_counter() - start)
    print(
        f"{len(asked):,} draws from {len(many.parts):,} parts: {seconds[1]:.2f} s, from one plan {seconds[0]:.2f} s "
        f"({seconds[1] / seconds[0]:.2f}x, bar 2x); the same sets: {sets[0] == sets[1]}"
    )


def main() -> None:
    show_volumes()
    print(
        "\nOne guess by an attacker who knows the true rates of the day and saw all versions. kept: the plan of day 0, "
        "for secrets\nlisted then; daily, weekly, auto, blocks: all secrets, those not listed counted as known; anew: "
        "saw the plan of day 0\nand one made anew; stated: what the lineage says of itself (auto, blocks)."
    )
    print(f"{'':10}{'day':>4}" + "".join(f"{name.replace(': stated', ' said'):>13}" for name in COLUMNS))
    show_logs(LOGS, {}, "simulated logs")
    show_logs(REAL, {"names": (1, 3, 8, 16, 24)}, "real series")
    show_speed()
