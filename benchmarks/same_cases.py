"""The calls whose answers `python -m benchmarks same` compares: public functions on random input with fixed seeds.

A case is a generator of facts. Floats are compared to 1e-9, or to 1e-6 where a solver found them (`Solved`); everything
else to the letter, and digests of plans and bytes of files (`Digest`, `File`) only as long as their format stays.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from tests.abilities import names as ml

Rng = np.random.Generator
Case = Callable[[Rng], Iterator[Any]]
CASES: dict[str, tuple[int, Case]] = {}
ENTROPIES = (
    "shannon",
    "min-entropy",
    "guess-error:1",
    "guess-error:2",
    "guesswork",
    "collision",
    "hartley",
    "tsallis:2",
)
ENTROPIES += ("arimoto:0.5", "arimoto:3", "hayashi:2", "fehrberens:3", "sharma-mittal:2,0.5")
KEY = bytes(range(32))


class Solved(float):
    """A number that a solver found."""


class Digest(str):
    """What a plan is known by."""


class File(bytes):
    """What a file holds."""


def case(times: int) -> Callable[[Case], Case]:
    """Run a case so many times, each with a seed of its own."""

    def register(function: Case) -> Case:
        CASES[function.__name__] = times, function
        return function

    return register


def tried(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """What a function returns, or the type of its refusal."""
    try:
        return function(*arguments, **keywords)
    except ml.Absent:
        raise
    except Exception as error:
        return f"refused: {type(error).__name__}"


def weights(rng: Rng, most: int = 30, least: int = 2) -> list[Any]:
    """Weights of many shapes: counts with a heavy tail, equal ones, with zeros, large, or Fractions."""
    n = int(rng.integers(least, most + 1))
    kind = rng.integers(5)
    tail = (1000 / np.arange(1, n + 1) ** rng.uniform(0.3, 1.5)).astype(int) + 1
    if kind == 0:
        return rng.permutation(tail).tolist()
    if kind == 1:
        return [int(rng.integers(1, 50))] * n
    if kind == 2:
        return [int(w) * int(rng.random() < 0.8) for w in tail[:-1]] + [3]
    if kind == 3:
        return [int(w) * 2**40 + int(rng.integers(1000)) for w in tail]
    return [Fraction(int(w), 7) for w in tail]


def counts(rng: Rng, most: int = 30, least: int = 4) -> dict[str, int]:
    """Counts by name."""
    n = int(rng.integers(least, most + 1))
    return {f"name-{i}": int(w) for i, w in enumerate(rng.poisson(200 / np.arange(1, n + 1)) + 1)}


def channel(rng: Rng, n: int, most: int = 6) -> np.ndarray:
    """A dense channel, one with zeros, or a deterministic one."""
    m = int(rng.integers(1, most + 1))
    kind = rng.integers(3)
    if kind == 0:
        return np.eye(m)[rng.integers(0, m, n)]
    matrix = rng.dirichlet(np.ones(m), n)
    if kind == 1:
        matrix *= rng.random((n, m)) < 0.6
        matrix[matrix.sum(axis=1) == 0, 0] = 1
        matrix /= matrix.sum(axis=1, keepdims=True)
    return matrix


def members(plan: Any) -> list[tuple[Any, ...]]:
    """The sets of a plan with their shares, in order."""
    return sorted((*sorted(map(str, shown)), str(share)) for shown, share in plan.sets())


def told(plan: Any) -> Iterator[Any]:
    """What every plan tells of itself."""
    if isinstance(plan, str):
        yield plan
        return
    yield plan.success
    yield [tried(plan.leakage, name) for name in ENTROPIES[:6]]
    yield members(plan)


# -- measuring ---------------------------------------------------------------------------------------------------------


@case(30)
def priors(rng):
    given = weights(rng)
    yield ml.Prior(given).p
    bad = [[], [-1, 2], [float("nan"), 1], [0, 0], ["a", 1], [float("inf"), 1], [None], [[1, 2]], 3]
    yield [tried(lambda w=w: ml.Prior(w).p) for w in bad]
    yield tried(lambda: ml.Prior([1, 2], labels=["a", "a"]).p)


@case(10)
def channels(rng):
    bad = [[[0.5, 0.6]], [[-0.5, 1.5]], [[]], [], [[1, 0], [1]], [[float("nan"), 1]], [["a"]], 3]
    yield [tried(lambda c=c: ml.Channel(c).toarray()) for c in bad]
    n = int(rng.integers(2, 6))
    yield ml.Channel(channel(rng, n)).toarray()
    yield tried(ml.leakage, [1] * (n + 1), channel(rng, n), "shannon")


@case(40)
def leakage(rng):
    given = weights(rng, 12)
    matrix = channel(rng, len(given))
    yield [tried(ml.leakage, given, matrix, name) for name in ENTROPIES]
    yield tried(ml.leakage, given, matrix, "no-such-entropy")
    gain = rng.random((3, len(given)))
    yield ml.leakage(given, matrix, ml.Gain("min-entropy", gain)), ml.leakage(given, matrix, ml.Gain("shannon", gain))


@case(12)
def leakage_table(rng):
    given = weights(rng, 12)
    yield [
        (row.entropy, row.before, row.after, row.leakage)
        for row in ml.leakage_table(given, channel(rng, len(given))).rows
    ]


@case(20)
def property_leakage(rng):
    given = weights(rng, 12)
    matrix, values = channel(rng, len(given)), rng.integers(0, 3, len(given)).tolist()
    yield [tried(ml.leakage, given, matrix, name, of=values) for name in ENTROPIES]
    found = ml.property_leakage(given, matrix, values)
    yield found.values, found.blind, found.success, found.worst


@case(12)
def capacity(rng):
    matrix = channel(rng, int(rng.integers(2, 7)))
    yield [Solved(ml.capacity(matrix, name).value) for name in ("shannon", "min-entropy", "arimoto:2")]
    yield ml.maximal_leakage(matrix)


@case(20)
def refinement(rng):
    n = int(rng.integers(2, 6))
    first, second = channel(rng, n), channel(rng, n)
    blurred = first @ channel(rng, first.shape[1])
    yield (
        ml.lab.refined_by(first, second).ok,
        ml.lab.refined_by(first, blurred).ok,
        ml.lab.refined_by(blurred, first).ok,
    )
    yield Solved(ml.deficiency(first, second).value)
    yield ml.majorizes(rng.integers(1, 9, n), rng.integers(1, 9, n)).ok


@case(30)
def measures(rng):
    given = weights(rng, 8)
    n = len(given)
    matrix, gain = channel(rng, n), rng.random((3, n))
    for measure in (ml.posterior_vulnerability, ml.multiplicative_leakage, ml.additive_leakage):
        yield tried(measure, given, matrix), tried(measure, given, matrix, gain=gain)
    yield [tried(ml.sibson, given, matrix, alpha) for alpha in (0.5, 1, 2, np.inf)]
    other = rng.integers(1, 9, n)
    yield [tried(ml.renyi_divergence, given, other, alpha) for alpha in (0.5, 1, 3, np.inf)]
    line = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    yield ml.total_variation(given, other), Solved(ml.kantorovich(given, other, line).value)
    yield tried(ml.d_privacy, matrix, line), tried(ml.local_dp_epsilon, matrix)
    yield tried(lambda: ml.guesswork_moment(given, matrix, rho=2).value)


@case(10)
def adversaries(rng):
    given = weights(rng, 8)
    n = len(given)
    matrix = channel(rng, n)
    yield ml.OptimalAdversary().success(given, matrix), ml.OptimalAdversary(tries=2).success(given, matrix)
    yield ml.MismatchedAdversary(rng.integers(1, 9, n)).success(given, matrix)
    yield tried(lambda: ml.repeated_success(given, matrix, observations=[1, 2], trials=500, rng=0).success)


@case(4)
def baselines(rng):
    found = ml.baselines(weights(rng, 20, 8), 3, trials=500, rng=0)
    yield [(each.name, each.leakage("shannon").value) for each in found]


@case(4)
def estimates(rng):
    matrix = rng.dirichlet(np.ones(4), 3)
    yield ml.estimate_prior(matrix, rng.integers(0, 4, 200).tolist()).prior.p.round(6)


# -- plans -------------------------------------------------------------------------------------------------------------


@case(30)
def plans(rng):
    given = weights(rng)
    k = int(rng.integers(1, len(given) + 1))
    for layout in ("stable", "circle"):
        plan = tried(ml.design, given, k, layout=layout)
        yield from told(plan)
        yield tried(lambda plan=plan: [str(share) for share in ml.exact_target(plan)])
        yield tried(lambda plan=plan: Digest(ml.digest(plan)))
    yield [tried(ml.design, given, k) for k in (0, -1, len(given) + 1, 1.5, "2", None)]


@case(20)
def blocks(rng):
    given = counts(rng)
    k = int(rng.integers(1, len(given)))
    yield from told(ml.design(given, k, layout="blocks"))
    worst = int(rng.integers(max(given.values()), sum(given.values()) + 1))
    plan = tried(ml.design, given, len(given), layout=ml.Blocks(worst_rows=worst))
    yield from told(plan)
    yield tried(lambda: (ml.rows_read(plan).mean, ml.rows_read(plan).worst))


@case(12)
def near(rng):
    given = rng.integers(1, 9, int(rng.integers(6, 20))).tolist()
    points = rng.random((len(given), 2)).round(3)
    plan = ml.design(given, 3, layout=ml.Near(points))
    yield plan.success, Solved(ml.cost(plan)), Solved(ml.cost_bound(plan)), plan.leakage("shannon")
    half = ml.design(given, 3, layout=ml.Near(points, stability=0.5))
    yield Solved(ml.cost(half)), ml.decoy_distances(half, [0.5, 1.0])
    cheap = ml.design(given, 2, layout=ml.Cheapest(rng.integers(1, 9, (2, len(given))).tolist()))
    yield Solved(ml.cost(cheap)), cheap.success


@case(20)
def groups(rng):
    given = rng.integers(1, 20, int(rng.integers(6, 16))).tolist()
    of = rng.integers(0, 4, len(given)).tolist()
    k = int(rng.integers(2, 5))
    plan = tried(ml.design, given, k, groups=ml.Groups(of, at_most=int(rng.integers(1, 3))))
    yield from told(plan)
    inner = ml.Groups([f"{g}-{i % 2}" for i, g in enumerate(of)], at_most=1)
    yield from told(tried(ml.design, given, k, groups=ml.Groups(of, at_most=2, inside=inner)))


@case(20)
def gains(rng):
    given = rng.integers(1, 20, int(rng.integers(4, 14))).tolist()
    worth = rng.integers(1, 6, len(given)).tolist()
    plan = ml.design(given, 3, gains=worth)
    yield [plan.leakage(name) for name in ("shannon", "min-entropy", "guesswork")], members(plan)
    yield ml.certify(plan, given, gains=worth).ok, ml.certify(plan, given, gains=worth[::-1]).ok


@case(20)
def certificates(rng):
    given = rng.integers(1, 30, int(rng.integers(4, 14))).tolist()
    k = int(rng.integers(1, 4))
    plan = ml.design(given, k)
    other = [*given[:-1], given[-1] + 1]
    yield ml.certify(plan, given).ok, ml.certify(plan, other).ok
    matrix = np.asarray(plan.channel().toarray())
    yield ml.certify(matrix, given, k=k).ok, tried(lambda: ml.certify(matrix[::-1].copy(), given, k=k).ok)
    yield ml.certify(ml.design(given, k, layout="blocks"), given).ok


@case(12)
def files(rng):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.cloak"
        plan = ml.design(counts(rng), 3, layout=("stable", "circle", "blocks")[rng.integers(3)])
        plan.save(path)
        yield File(path.read_bytes())
        yield members(ml.load(path))
        data = bytearray(path.read_bytes())
        data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        yield isinstance(tried(lambda: members(ml.load(path))), str)


@case(16)
def draws(rng):
    given = counts(rng)
    plan = ml.design(given, 3, layout=("stable", "circle", "blocks")[rng.integers(3)])
    cloak = ml.Cloak(plan, key=ml.Key(KEY))
    for i, name in enumerate(given):
        yield cloak.draw(name, scope=f"user-{i % 3}")
    yield cloak.draw_all(list(given), scope="ann")
    yield (
        tried(cloak.draw, "unknown", scope="ann"),
        tried(cloak.draw, "name-0", scope=""),
        tried(cloak.draw, 3, scope="a"),
    )
    yield ml.Cloak(plan, key=KEY, fallback="name-1").draw("unknown", scope="ann")
    yield ml.Cloak(plan, insecure_seed_for_experiments=7).draw_many([0, 1, 2] * 5, fresh=True)


@case(10)
def exports(rng):
    given = counts(rng)
    plan = ml.design(given, 3, layout=("stable", "blocks")[rng.integers(2)])
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("a.json", {}), ("a.csv", {}), ("b.json", {"hashed": ml.Key(KEY)})):
            ml.export(plan, Path(folder) / name, **options)
            yield File((Path(folder) / name).read_bytes())
        ml.export(plan, Path(folder) / "a.sqlite")
        yield [ml.runtime_draw(Path(folder) / "a.sqlite", name, scope="ann", key=KEY) for name in given]


@case(12)
def updates(rng):
    plan = ml.design(counts(rng), 3)
    for _ in range(3):
        plan = ml.update(plan, counts(rng, 40), cohort=1)
        yield sorted(ml.pending(plan)), [len(part.prior) for part in ml.parts(plan)], Digest(ml.lineage_of(plan).hex())
    yield plan.success, tried(plan.leakage, "shannon"), ml.certify(plan).ok
    cloak = ml.Cloak(plan, key=ml.Key(KEY))
    yield [tried(cloak.draw, f"name-{i}", scope="ann") for i in range(0, 40, 5)]
    today = tried(ml.population, plan)
    yield today if isinstance(today, str) else (today.success, today.low, today.high)


@case(8)
def populations(rng):
    plan = ml.design(rng.poisson(rng.lognormal(2, 1, 120)) + 1, 6)
    found = ml.population(plan)
    yield found.success, found.low, found.high, found.unseen
    blocks = ml.population(ml.design(rng.poisson(rng.lognormal(2, 1, 60)) + 1, 6, layout="blocks"))
    yield blocks.success, blocks.low, blocks.high


@case(8)
def repeats(rng):
    given = rng.integers(1, 20, 8).tolist()
    plan, other = ml.design(given, 3), ml.design(given[::-1], 3)
    yield ml.repeated(plan, [1, 2], exact=True).success, ml.repeated(plan, [3, 9], trials=500, rng=0).success
    found = ml.exposure([plan, other], trials=500, rng=0)
    yield found.success, found.lineages, found.single


@case(16)
def sweeps(rng):
    given = weights(rng)
    found = ml.sweep(given, ks=range(1, min(8, len(given)) + 1), entropies=["shannon", "guesswork"], on_counts=True)
    yield found.leakage, found.success
    yield [tried(ml.least_k, given, max_success=share, on_counts=True) for share in (0.05, 0.2, 0.5, 1, 2)]
    yield tried(ml.least_k, given, "shannon", leakage=1.0, on_counts=True)
    yield tried(ml.least_k, [int(w) for w in given], max_success=0.3, on_counts=False)


@case(16)
def comparisons(rng):
    given = counts(rng, 40, 8)
    found = ml.compare(given, rng.integers(0, 6, len(given)).tolist(), entropies=["shannon", "min-entropy"])
    yield found.secrets, found.buckets, found.average, found.largest, found.success, found.blocks, found.plan
    yield [(row.name, row.k, row.success, sorted(row.leakage.items())) for row in found.rows]
    yield tried(ml.compare, given, [0])


@case(6)
def strings(rng):
    words = ["".join(rng.choice(list("abcde"), int(rng.integers(2, 7)))) for _ in range(12)]
    model = ml.fit_strings(sorted(set(words)), order=3)
    yield str(model.total), [str(model.weight(word)) for word in (*words, "zz", "abba")], model.at(model.total // 3)
    plan = tried(
        ml.design_strings, model, 3, counts=ml.prior_from_counts({word: i + 1 for i, word in enumerate(set(words))})
    )
    yield plan if isinstance(plan, str) else (plan.success, ml.unlisted(plan))
    plan = ml.design_strings(model, 3)
    cloak = ml.Cloak(plan, key=ml.Key(KEY))
    yield plan.success, [cloak.draw(word, scope="ann") for word in (*words[:4], "abba")]


# -- padding, streams, samples -----------------------------------------------------------------------------------------


@case(16)
def padding(rng):
    sizes = np.unique(rng.integers(10, 2000, int(rng.integers(3, 25))))
    given = rng.integers(1, 30, len(sizes))
    limits = [
        {"budget": 60},
        {"overhead": 0.1},
        {"relative": 0.2},
        {"max_growth": 0.3},
        {"overhead": 0.2, "max_growth": 0.5},
    ]
    for limit in limits:
        found = tried(ml.pad_design, sizes, given, **limit)
        if isinstance(found, str):
            yield found
            continue
        yield found.leakage, found.bound, found.overhead, found.success, [found.pad(size) for size in sizes.tolist()]
    yield tried(ml.pad_design, sizes, given, budget=-1), tried(ml.pad_design, [], [], budget=1)
    blurred = tried(ml.padding_channel, sizes[:6], given[:6], overhead=0.1)
    yield blurred if isinstance(blurred, str) else Solved(blurred[1])


@case(6)
def padding_tables(rng):
    sizes = np.unique(rng.integers(10, 2000, 20))
    found = ml.pad_design(sizes, overhead=0.2)
    yield ml.size_table(ml.pad_update(found, sizes + 3)).values
    yield ml.universal(10, int(rng.integers(100, 10_000)), max_growth=float(rng.uniform(0.05, 0.5))).values
    least = ml.pad_least_budget(sizes, leakage=1.5)
    yield Solved(least.padding.leakage), Solved(least.bound)
    found = ml.pad_compare(sizes, entropies=["shannon"], policies={"padme": ml.padme, "two": ml.to_power_of_two})
    yield [
        (each.policy.name, each.policy.leakage, each.policy.overheads.mean, each.best[0].leakage)
        for each in found.rivals
    ]
    topic = rng.integers(0, 3, 600)
    sampled = ml.pad_from_samples(topic, 100 + 30 * topic + rng.integers(0, 50, 600), overhead=0.2, rng=0)
    yield sampled.leakage, sampled.success, sampled.table.values


@case(3)
def streams(rng):
    rows = [
        (i, f"t{i % 3}", 300 + 20 * j, int(rng.integers(100, 200))) for i in range(60) for j in range(40 + 30 * (i % 3))
    ]
    recorded = ml.read_streams(dict(zip(("stream", "secret", "time", "size"), zip(*rows, strict=True), strict=True)))
    found = ml.frames(recorded, budget=8000, delay=300, totals=2, tick=200)
    yield found.frame, found.totals, found.measured.leakage, found.measured.success, found.measured.bytes


@case(5)
def audits(rng):
    secret = rng.integers(0, 3, 600)
    noise = rng.normal(0, 1, 600)
    for seen in (secret + noise, np.where(rng.random(600) < 0.7, secret, 3)):
        found = ml.audit(secret, seen, measures=["shannon", "min-entropy"], rng=0)
        yield found.success.low, found.success.estimate, found.success.high, found.p, found.observables
        yield [(row.low, row.estimate, row.high) for row in found.rows]
    yield tried(ml.audit, secret, noise[:-1])


# -- channels, mechanisms, sequences, files ----------------------------------------------------------------------------


@case(8)
def optima(rng):
    given = rng.integers(1, 9, 4).tolist()
    cost = rng.integers(0, 5, (4, 3)).astype(float)
    budget = float(np.dot(given, cost.min(axis=1)) / sum(given)) + 0.3
    for name in ("shannon", "min-entropy"):
        found = ml.lab.optimise(given, entropy=name, cost=cost, budget=budget)
        yield Solved(found.leakage), Solved(found.bound)
    least = ml.lab.least_budget(given, cost=cost, entropy="min-entropy", leakage=0.2)
    yield Solved(least.budget), Solved(least.bound)
    yield [Solved(point.leakage) for point in ml.lab.tradeoff(given, cost=cost, entropy="min-entropy", points=4).points]
    yield tried(lambda: ml.lab.optimise(given, cost=cost, budget=-1.0).leakage)
    allowed = rng.random((4, 3)) < 0.7
    yield tried(lambda: Solved(ml.lab.optimise(given, allowed=allowed, entropy="min-entropy").leakage))


@case(8)
def mechanisms(rng):
    n, epsilon = int(rng.integers(2, 7)), float(rng.uniform(0.1, 2))
    noisy = ml.geometric(n, epsilon)
    yield noisy.toarray(), noisy.epsilon
    curve = ml.privacy_curve(ml.randomised_response(n, epsilon))
    yield curve.delta(0.1), curve.compose(3).delta(0.5), curve.epsilon(0.01)
    rows = ml.rounded(noisy, rng.integers(1, 9, n))
    cloak = ml.Cloak(rows, key=ml.Key(KEY))
    yield rows.leakage("shannon"), [cloak.draw(x, scope="ann") for x in range(n)]
    yield tried(lambda: ml.geometric(0, 1.0).toarray()), tried(lambda: ml.geometric(3, -1.0).toarray())


@case(8)
def matroids(rng):
    given = rng.integers(1, 9, 6).tolist()
    found = ml.matroid_optimum(given, ml.matroid_partition(rng.integers(0, 3, 6).tolist(), at_most=1))
    yield [str(share) for share in found.target]
    yield [str(share) for share in ml.matroid_optimum(given, ml.matroid_uniform(6, 3)).target]


@case(5)
def sequences(rng):
    walks = [[f"s{x}" for x in rng.integers(0, 4, 12)] for _ in range(8)]
    chain = ml.chain_of(walks)
    yield ml.entropy_rate(chain), [chain.probability("s0", f"s{i}") for i in range(4)]
    decoys = ml.DecoyWalks(chain, 2, key=ml.Key(KEY))
    yield tried(lambda: list(decoys.draw(walks[0], scope="ann")))
    found = ml.sequence_leakage(chain, "buckets", k=2, steps=3, trials=50, rng=0)
    yield found.filtered.values, found.smoothed.values


@case(8)
def reading(rng):
    given = counts(rng)
    lines = [f"{name},{n}" for name, n in given.items()]
    texts = {
        "a.csv": "secret,count\n" + "\n".join(lines) + "\n",
        "a.log": "".join(f"{name}\n" * (n % 5 + 1) for name, n in given.items()),
        "b.csv": "secret,count\n" + "\n".join(lines).replace(",", ",-", 1) + "\n",
        "c.csv": "secret;count\n1;2\n",
        "d.csv": "",
        "e.xyz": "a",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text)
            found = tried(ml.read_prior, Path(folder) / name)
            yield found if isinstance(found, str) else (list(found.labels), found.weights)
