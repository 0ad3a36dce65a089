"""Names asked for together: what a visit tells, and bundles that hide it, each by its definition."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from fractions import Fraction

import pytest

import minleak as ml
from minleak.errors import MinleakError


def graph(rng, n=60, roots=30):
    """Counts and what each root needs."""
    counts = {f"r{i}": rng.randrange(1, 100) for i in range(roots)} | {f"d{i}": 0 for i in range(n - roots)}
    closures = {f"r{i}": [f"d{rng.randrange(n - roots)}" for _ in range(rng.randrange(6))] for i in range(roots)}
    return counts, closures


def named(counts, observed):
    """How often a guess is right that sees this of a visit, in Fractions."""
    best = defaultdict(int)
    for root, count in counts.items():
        best[observed(root)] = max(best[observed(root)], count)
    return Fraction(sum(best.values()), sum(counts.values()))


@pytest.mark.parametrize("seed", range(20))
def test_a_visit_under_a_scheme(seed):
    rng = random.Random(seed)
    counts, closures = graph(rng)
    bucket = {name: rng.randrange(8) for name in counts}
    found = ml.compare(counts, bucket, visits=closures, entropies=["shannon"], on_counts=True)
    asked = {name: {name, *closures.get(name, ())} for name in counts}
    each = {name: tuple(sorted(bucket[one] for one in asked[name])) for name in counts}
    shown = {name: frozenset(each[name]) for name in counts}
    first, total = found.visits[0], sum(counts.values())
    assert first.success == pytest.approx(float(named(counts, each.__getitem__)))
    assert first.asked_once == pytest.approx(float(named(counts, shown.__getitem__)))
    assert first.asked_once <= first.success + 1e-12
    assert first.buckets == pytest.approx(sum(counts[name] * len(shown[name]) for name in counts) / total)
    assert first.names == pytest.approx(sum(counts[name] * len(asked[name]) for name in counts) / total)
    size = defaultdict(int)
    for name in counts:
        size[bucket[name]] += 1
    answers = sum(counts[name] * sum(size[one] for one in shown[name]) for name in counts) / total
    assert first.answers == pytest.approx(answers)
    assert [row.name for row in found.visits[1:]] == [f"blocks of {k}" for k in (found.average, found.largest)]
    assert "names that are asked for together" in str(found)


def test_roots_of_their_own():
    counts, closures = graph(random.Random(3))
    roots = {name: 1 + i for i, name in enumerate(closures)}
    bucket = {name: i % 9 for i, name in enumerate(counts)}
    found = ml.compare(counts, bucket, visits=closures, roots=roots, on_counts=True)
    shown = {name: tuple(sorted(bucket[one] for one in {name, *closures[name]})) for name in roots}
    assert found.visits[0].success == pytest.approx(float(named(roots, shown.__getitem__)))


def test_a_selector_beside():
    counts, closures = graph(random.Random(0))
    made = ml.selector({name: count for name, count in counts.items() if count}, 5, prefix="sha256:2")
    found = ml.compare(counts, ml.Buckets("sha256:2"), beside=[made], visits=closures, on_counts=True)
    shown = {name: tuple(sorted(map(made.bucket, {name, *closures.get(name, ())}))) for name in counts}
    assert found.visits[1].name == "selector"
    assert found.visits[1].success == pytest.approx(float(named(counts, shown.__getitem__)))


@pytest.mark.parametrize("seed", range(20))
def test_hidden_visits(seed):
    rng = random.Random(seed)
    counts, closures = graph(rng)
    roots = {name: count for name, count in counts.items() if count}
    cached, k, total = rng.randrange(10), rng.randrange(1, 9), sum(roots.values())
    found = ml.visits(roots, closures, k, cached=cached)
    held = defaultdict(set)
    for root in roots:
        held[found.bundle(root)] |= {root, *closures[root]}
    assert {number: set(found.members(number)) for number in range(found.bundles)} == held
    assert found.success == pytest.approx(float(named(roots, found.bundle)))
    assert found.unhidden == pytest.approx(float(named(roots, lambda root: frozenset({root, *closures[root]}))))
    assert found.success <= max(roots.values()) / total + 1 / k + 1e-12
    assert found.names == pytest.approx(sum(c * len(held[found.bundle(r)]) for r, c in roots.items()) / total)
    assert found.worst == max(map(len, held.values()))
    demand = defaultdict(int)
    for root in roots:
        for name in {root, *closures[root]}:
            demand[name] = max(demand[name], roots[root])
    assert found.floor == pytest.approx(sum(demand.values()) / total / found.worst)
    assert found.floor <= found.success + 1e-12
    wanted = defaultdict(int)
    for root in roots:
        for name in {root, *closures[root]}:
            wanted[name] += roots[root]
    least = sorted(wanted.values(), reverse=True)[cached] if cached < len(wanted) else 0
    sure, perhaps = ({name for name in wanted if wanted[name] >= least + more} for more in (1, 0))
    beyond = [sum(c * len(held[found.bundle(r)] - kept) for r, c in roots.items()) / total for kept in (perhaps, sure)]
    assert beyond[0] - 1e-9 <= found.beyond_cache <= beyond[1] + 1e-9  # of equally needed names some are cached


def test_bundles_to_serve(tmp_path):
    counts, closures = graph(random.Random(1))
    roots = {name: count for name, count in counts.items() if count}
    found = ml.visits(roots, closures, 5)
    found.export(tmp_path / "visits")
    told = json.loads((tmp_path / "visits" / "roots.json").read_text())
    for root in roots:
        bundle = json.loads((tmp_path / "visits" / "bundles" / f"{told[root]}.json").read_text())
        assert {root, *closures[root]} <= set(bundle)
    assert "names a visit" in str(found)


COUNTS = {"a": 2, "hidden-b": 1}
REFUSED = {
    "no mapping": lambda: ml.visits(COUNTS, [["a"]], 1),
    "a root without": lambda: ml.visits(COUNTS, {"a": []}, 1),
    "text for a list": lambda: ml.visits(COUNTS, {"a": "xy", "hidden-b": []}, 1),
    "a number for a list": lambda: ml.visits(COUNTS, {"a": 5, "hidden-b": []}, 1),
    "no k": lambda: ml.visits(COUNTS, {"a": [], "hidden-b": []}, 0),
    "too many cached": lambda: ml.visits(COUNTS, {"a": [], "hidden-b": []}, 1, cached=3),
    "an unknown root": lambda: ml.visits(COUNTS, {"a": [], "hidden-b": []}, 1).bundle("hidden-c"),
    "an unknown name in compare": lambda: ml.compare(COUNTS, [0, 1], visits={"a": ["hidden-c"]}),
    "an unknown root in compare": lambda: ml.compare(COUNTS, [0, 1], visits={}, roots={"hidden-c": 1}),
    "text in compare": lambda: ml.compare(COUNTS, [0, 1], visits={"a": "hidden-b"}),
    "no mapping in compare": lambda: ml.compare(COUNTS, [0, 1], visits=[["a"]]),
    "schemes that are none": lambda: ml.compare(COUNTS, [0, 1], beside=[[0, 1]]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_in_one_line(what):
    with pytest.raises(MinleakError) as caught:
        REFUSED[what]()
    assert "\n" not in str(caught.value)
    assert "hidden" not in str(caught.value)
