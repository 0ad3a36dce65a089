"""One channel is best for all entropies under matroids and pairs, by component, and under nothing else."""

from __future__ import annotations

import itertools
import random
import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.oracles.complexes import close, complexes, gap, has_one_optimum

import minleak as ml
from minleak import lab
from minleak.errors import Infeasible, InvalidParameter
from minleak.groups._invariance import MINORS

# y with y(M) <= 1 on every allowed set, and = 1 on the facets alone: it bounds the success of one guess from below.
DUALS = [[Fraction(1, 3)] * 3 + [Fraction(2, 3)]] * 3 + [[Fraction(1, 4)] * 2 + [Fraction(1, 2)] * 2]


def random_family(rng: random.Random) -> set[frozenset[int]]:
    n = rng.choice([4, 5, 6])
    if rng.random() < 0.5:
        return close(rng.sample(range(n), rng.randint(2, min(4, n))) for _ in range(rng.randint(2, 6)))
    size = min(rng.choice([3, 4]), n - 1)
    return close(some for some in itertools.combinations(range(n), size) if rng.random() < 0.93)


def check(family):
    """The answer is that of the definition; a witness is one in the family, by its definition."""
    found = lab.invariance([some for some in family if some])
    assert found.ok == has_one_optimum(family)
    if found.ok:
        assert found.answer != "conflict"
        return
    witness = found.witness
    always = frozenset(witness.always)
    four = [x for x in witness.prior if x not in always]
    link = {some - always for some in family if always <= some}
    assert {some for some in link if some <= set(four)} == close(witness.sets)
    assert witness.better > witness.forced


@pytest.mark.parametrize(("n", "many"), [(3, 9), (4, 114)])
def test_on_all_families_of_few_secrets(n, many):
    count = 0
    for family in complexes(n):
        check(family)
        count += 1
    assert count == many


def test_on_families_of_five_secrets():
    for family in itertools.islice(complexes(5), 0, None, 29):
        check(family)


@pytest.mark.parametrize("seed", range(40))
def test_on_random_families(seed):
    check(random_family(random.Random(seed)))


@pytest.mark.parametrize("kind", range(4))
def test_no_channel_of_a_minor_is_best_for_both(kind):
    """The proof in numbers: success of one guess is at least sum p y, attained only by flat columns on facets, whose
    masses are then unique; and the second channel is more spread.
    """
    found = lab.invariance([tuple(facet) for facet in MINORS[kind]])
    witness, y = found.witness, dict(zip("abcd", DUALS[kind], strict=True))
    facets = close(witness.sets)
    tight = {some for some in facets if sum(y[x] for x in some) == 1}
    assert max(sum(y[x] for x in some) for some in facets) == 1
    assert tight == {frozenset(facet) for facet in MINORS[kind]}
    incidence = np.array([[x in facet for x in "abcd"] for facet in MINORS[kind]], dtype=float)
    assert np.linalg.matrix_rank(incidence) == len(MINORS[kind])
    total = sum(witness.prior.values())
    success = sum(w * y[x] for x, w in witness.prior.items()) / total
    assert 1 - witness.best == success == sum(max(mass for _, mass in column) for column in witness.first)
    assert all(len({mass for _, mass in column}) == 1 for column in witness.first)


def test_the_picture_of_the_minors_is_up_to_date():
    """If this fails: python docs/pictures/minors.py."""
    folder = Path(__file__).parents[2] / "docs" / "pictures"
    made = runpy.run_path(str(folder / "minors.py"))
    assert [(*triples, *pairs) for triples, pairs in made["MINORS"].values()] == list(MINORS)
    for name, minor in zip(made["WEIGHTS"], MINORS, strict=True):
        assert made["WEIGHTS"][name] == "".join(str(sum(x in facet for facet in minor)) for x in "abcd")
    assert (folder / "minors.svg").read_text() == made["draw"]()


@pytest.mark.parametrize("kind", range(4))
def test_the_values_of_a_witness_are_those_of_the_library(kind):
    witness = lab.invariance([tuple(facet) for facet in MINORS[kind]]).witness
    secrets = list("abcd")
    prior = ml.Prior([witness.prior[x] for x in secrets])
    values = []
    for columns in (witness.first, witness.second):
        joint = np.array([[float(dict(column).get(x, 0)) for column in columns] for x in secrets])
        channel = joint / prior.p[:, None]
        values.append([ml.entropy(name).conditional(prior, channel) for name in witness.entropies])
    assert values[0] == pytest.approx([float(witness.best), float(witness.forced)])
    assert values[1][1] == pytest.approx(float(witness.better))
    assert values[1][0] < values[0][0] - 0.01


@pytest.mark.parametrize(
    ("facets", "giants"),
    [
        (["abc", "ad"], 0),
        (["abc", "abd", "cd"], 0),
        (["vabc", "vad", "abcd"], 0),
        (["vabc", "vabd", "vcd", "acd", "bcd"], 1),
        (["vwabc", "vwabd", *map("".join, itertools.combinations("vwabcd", 4))], 2),
    ],
)
def test_convex_programmes_over_all_channels_see_the_conflict(facets, giants):
    found = lab.invariance([tuple(facet) for facet in facets])
    assert len(found.witness.always) == giants
    assert gap(close(facets), found.witness.always, found.witness.prior) > 0.01


def test_oracles_and_kinds_by_component():
    assert lab.invariance(lab.Matroid.partition([0, 0, 1, 1, 2], 1)).answer == "matroid"
    assert lab.invariance(lambda some: len(some) <= 2 and some != {0, 3}, n=4).answer == "pairs"
    crossing = [("IT", "it"), ("IT", "fr"), ("CH", "it"), ("CH", "fr"), ("FR", "fr")]

    def at_most_one_of_each(some):
        return all(len({crossing[x][part] for x in some}) == len(some) for part in (0, 1))

    assert lab.invariance(at_most_one_of_each, n=5).answer == "pairs"
    cubes = [(a, b) for a in range(3) for b in range(3)]
    found = lab.invariance(lambda some: all(len({cubes[x][i] for x in some}) == len(some) for i in (0, 1)), n=9)
    assert not found
    assert "can be had" in found.witness.sentence
    mixed = lab.invariance([(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (4, 5), (5, 6)])
    assert mixed.kinds == ("matroid", "pairs")
    assert lab.invariance([(0, 1, 2), (3, 4), (4, 5), (5, 6)]).answer == "matroids and pairs by component"


def test_the_refusal_of_what_is_no_matroid_prints_the_witness():
    """Two crossing attributes: at most one of a country and one of a language, among nine."""
    cubes = [(a, b) for a in range(3) for b in range(3)]

    def at_most_one_of_each(some):
        return all(len({cubes[x][i] for x in some}) == len(some) for i in (0, 1))

    with pytest.raises(InvalidParameter, match="must be the independent sets of a matroid; got") as refused:
        lab.matroid_optimum([1] * 9, at_most_one_of_each)
    assert "No channel is best for every entropy: sets {" in str(refused.value)
    with pytest.raises(InvalidParameter, match=r"Ask lab\.invariance whether one channel is still best"):
        lab.matroid_optimum([1] * 4, lambda some: set(some) in [set(), {0}, {1}, {2}, {3}, {0, 1}, {2, 3}])


@pytest.mark.parametrize("seed", range(30))
def test_caps_on_sums_of_two_sizes(seed):
    """A knapsack of many small and many large secrets: with r_j the most small ones beside j large ones, invariant if
    and only if sets have at most two members, sizes never mix, or only the
    numbers of small, of large and of all are bounded.
    """
    rng = random.Random(seed)
    small, budget = rng.randint(1, 3), rng.randint(4, 9)
    large = rng.randint(small + 1, 6)
    n_small, n_large = rng.randint(1, 5), rng.randint(1, 4)
    sizes = [small] * n_small + [large] * n_large
    if max(sizes) > budget:
        return
    found = lab.invariance(lambda some: sum(sizes[x] for x in some) <= budget, n=len(sizes))
    r = [min(n_small, (budget - j * large) // small) for j in range(min(n_large, budget // large) + 1)]
    largest = max(j + r_j for j, r_j in enumerate(r))
    apart = all(r_j == 0 for r_j in r[1:])
    free = all(r_j == min(r[0], largest - j) for j, r_j in enumerate(r))
    assert found.ok == (largest <= 2 or apart or free)


@pytest.mark.parametrize(
    ("allowed", "n", "error", "message"),
    [
        (["abc"], None, InvalidParameter, "each of the allowed sets must be a set of secrets; got 'abc'."),
        ("abc", None, InvalidParameter, "allowed must be a list of sets, or an oracle; got str."),
        ([], None, InvalidParameter, "allowed must have at least one secret; got none."),
        ([(0, 1)], 2, InvalidParameter, "n goes with an oracle; got a list of sets"),
        (lambda _: True, None, InvalidParameter, "n must be the number of secrets of the oracle; got none. Pass n=."),
        (lambda some: 1 not in some, 2, Infeasible, "every secret must be in an allowed set; got none with secret 1."),
        (lambda _: True, 17, InvalidParameter, "the allowed sets must be at most 100,000"),
    ],
)
def test_bad_input_is_refused_in_one_line(allowed, n, error, message):
    with pytest.raises(error, match="^" + message.replace("(", r"\(")) as refused:
        lab.invariance(allowed, n=n)
    assert "\n" not in str(refused.value)
