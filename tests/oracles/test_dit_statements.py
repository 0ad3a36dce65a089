"""What dit's own tests state of what both have, by our calls: a statement is a line with `assert` or `pytest.raises`.

The lines are those of commit f6dca796, in the sixteen files of its tests that are about entropies, divergences, channel
capacities, orders of channels and channels by name: 215 in all, however many parameters a line is run with. `LEFT_OUT`
says what is not expressed, and why.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from tests.oracles.statements import refused

import minleak as ml
from minleak import lab

TOTAL = {
    "shannon/test_shannon": 15,
    "multivariate/test_entropy": 19,
    "other/test_renyi_entropy": 5,
    "other/test_tsallis_entropy": 1,
    "other/test_sibson_mutual_information": 14,
    "other/test_perplexity": 12,
    "divergences/test_variational_distance": 3,
    "divergences/test_kullback_leibler_divergence": 3,
    "divergences/test_maximum_correlation": 3,
    "divergences/test_generalized_divergences": 19,
    "divergences/test_emd": 13,
    "algorithms/test_channelcapacity": 29,
    "channelorder/test_orderings": 29,
    "channelorder/test_deficiency": 21,
    "example_channels/test_binary": 17,
    "example_channels/test_qary": 12,
}
_MEAN = "the deficiency here is the worst over secrets, not the mean under a prior"
_KL = "the deficiency here is in total variation, not in Kullback and Leibler's divergence"
_OPEN = "less_noisy and more_capable answer None: no witness against it was found, and no theorem here proves it"
_ALPHA = "Amari's alpha-divergence and Tsallis' divergence have no call; they are functions of lab.renyi_divergence"
_MIXED = "inclusion by Shannon, a mixture of processings on both sides, is not decided here"
LEFT_OUT = {
    "other/test_sibson_mutual_information:67": "order 0 is defined here; orders below are refused, see 127",
    "other/test_sibson_mutual_information:113": "the symmetric conditional form is not the one here",
    "other/test_sibson_mutual_information:121": "as above",
    "other/test_sibson_mutual_information:127": "order 0 is defined here",
    "divergences/test_maximum_correlation:30": "it is asked between a secret and an observable, never of three",
    "divergences/test_generalized_divergences:96": _ALPHA,
    "divergences/test_generalized_divergences:97": _ALPHA,
    "divergences/test_generalized_divergences:111": _ALPHA,
    "divergences/test_generalized_divergences:113": _ALPHA,
    "divergences/test_generalized_divergences:114": _ALPHA,
    "divergences/test_generalized_divergences:220": _ALPHA,
    "divergences/test_generalized_divergences:267": _ALPHA,
    **{f"channelorder/test_deficiency:{at}": _MEAN for at in (83, 88)},
    **{f"channelorder/test_deficiency:{at}": _KL for at in (97, 101, 105, 115, 120, 129, 137, 149, 158, 165)},
    **{f"channelorder/test_orderings:{at}": _MIXED for at in (174, 178, 184, 190)},
    "channelorder/test_orderings:107": "channels of different observables have no left factor here, which is no error",
    "channelorder/test_orderings:138": _OPEN,
    "example_channels/test_qary:90": "there is no call for the noisy typewriter, so none to refuse one letter",
}


def table(outcomes, rows, columns, pmf=None):
    """The joint of some places of the outcomes and of others, as prior and channel."""
    pmf = [1 / len(outcomes)] * len(outcomes) if pmf is None else pmf
    pairs = [(tuple(o[i] for i in rows), tuple(o[i] for i in columns)) for o in outcomes]
    xs, ys = (sorted({pair[side] for pair in pairs}) for side in (0, 1))
    matrix = np.zeros((len(xs), len(ys)))
    for (x, y), mass in zip(pairs, pmf, strict=True):
        matrix[xs.index(x), ys.index(y)] += mass
    return lab.Joint.from_matrix(matrix)


def H(outcomes, of, given=(), base=2):
    return ml.Shannon(base=base).conditional(table(outcomes, of, given))


def information(outcomes, of, seen):
    return ml.leakage(table(outcomes, of, seen), None, "shannon")


COINS, EQUAL, XOR = ("00", "01", "10", "11"), ("00", "11"), ("000", "011", "101", "110")


def shannon_entropies():
    yield 19, lambda: (ml.Shannon()([0.5, 0.5]), 1)
    yield 26, lambda: ([ml.Shannon()(row) for row in ([1, 0], [0.5, 0.5])], [0, 1])
    yield 32, lambda: (ml.Shannon()([1 / 2, 1 / 2]), 1)
    yield 37, lambda: (ml.Shannon()([1 / 2, 1 - 1 / 2]), 1)
    for at, of, value in ((45, [0], 1), (46, [1], 1), (47, [0, 1], 2), (48, [0, 1], 2)):
        yield at, lambda of=of, value=value: (H(COINS, of), value)
    yield 55, lambda: (ml.Shannon(base=10)([1] * 10), 1)
    yield 63, lambda: (information(COINS, [0], [1]), 0)
    yield 71, lambda: (information(EQUAL, [0], [1]), 1)
    yield 79, lambda: (information(XOR, [0, 1], [1, 2]), 2)
    for at, of, given, value in ((87, [0], [1, 2], 0), (88, [0, 1], [2], 1), (89, [0], [0], 0)):
        yield at, lambda of=of, given=given, value=value: (H(XOR, of, given), value)


def entropies():
    yield 16, lambda: (ml.Shannon()([1, 1]), 1)
    cases = [([0, 1], [], 2), ([0], [], 1), ([1], [], 1), ([0], [1], 1), ([1], [0], 1), ([0], [0], 0), ([0], [0, 1], 0)]
    for lines in (range(22, 29), range(35, 42)):  # with and without names
        for at, (of, given, value) in zip(lines, cases, strict=True):
            yield at, lambda of=of, given=given, value=value: (H(COINS, of, given), value)
    for at, base in ((48, False), (56, True), (63, False), (71, True)):
        yield at, lambda base=base: _uniform(base)


def _uniform(base):
    sizes = range(2, 10)
    values = [ml.Shannon(base=n if base else 2)([1] * n) for n in sizes]
    return values, [1 if base else math.log2(n) for n in sizes]


ORDERS = (0, 1 / 2, 1, 2, 5, math.inf)


def renyi_entropies():
    four = ("00", "11", "22", "33")
    yield 20, lambda: ([ml.Arimoto(a)([1] * 8) for a in ORDERS], [3] * 6)
    for at, of in ((29, [0, 1]), (30, [0]), (31, [1])):
        yield at, lambda of=of: ([ml.Arimoto(a).conditional(table(four, of, ())) for a in ORDERS], [2] * 6)
    yield 40, lambda: all(refused(lambda a=a: ml.Arimoto(a)) for a in (-math.inf, -5, -1, -1 / 2, -1e-7))


def tsallis():
    def apart(q):
        both, one, other = (lab.Tsallis(q)([1] * n) for n in (6, 2, 3))
        return both - (one + other + (1 - q) * one * other)

    yield 22, lambda: ([apart(q) for q in (0, 0.5, 1, 1.5, 2)], [0] * 5)  # orders below 0 are refused


def sibson_informations():
    orders = (1 / 2, 1, 2, 5, math.inf)
    both = np.array([[0.4, 0.1], [0.1, 0.4]])

    def sibson(outcomes, alpha, pmf=None, of=(0,), seen=(1,)):
        return lab.sibson(table(outcomes, of, seen, pmf), None, alpha)

    def least():
        """The least Renyi divergence of the joint from p_x q_y, over a fine grid of q."""
        p = both.sum(axis=1)
        grid = np.linspace(0.01, 0.99, 981)
        return min(lab.renyi_divergence(both.ravel(), np.outer(p, [q, 1 - q]).ravel(), 2) for q in grid)

    def constant():
        """With a condition that is constant, it is Sibson's."""
        plain = [sibson(EQUAL, a) for a in (2, 3, math.inf)]
        given = [lab.conditional_sibson([1], [table(EQUAL, [0], [1])], a) for a in (2, 3, math.inf)]
        return plain, given

    yield 26, lambda: ([sibson(COINS, a) for a in orders], [0] * 5)
    yield 36, lambda: ([sibson(EQUAL, a) for a in orders], [ml.Arimoto(1 / a)([1, 1]) for a in orders])
    yield 41, lambda: (sibson(XOR, 1), information(XOR, [0], [1]))
    yield 46, lambda: (lab.maximal_leakage(table(EQUAL, [0], [1]).channel), 1)
    yield 47, lambda: (sibson(EQUAL, math.inf), 1)
    skew = ("00", "01", "11"), 2, [0.5, 0.25, 0.25]
    yield 55, lambda: abs(sibson(*skew) - sibson(*skew, (1,), (0,))) > 1e-3
    yield 61, lambda: (lab.sibson(lab.Joint.from_matrix([[0.5, 0], [0, 0.5]]), None, 2), sibson(EQUAL, 2))
    yield 97, lambda: (lab.sibson(lab.Joint.from_matrix(both), None, 2), least(), 1e-4)
    yield 106, constant
    halves = [table([o for o in XOR if o[2] == z], [0], [1]) for z in "01"]
    yield 120, lambda: (lab.conditional_sibson([1, 1], halves, 1), 1)


def perplexities():
    for at in (15, 23, 30, 38):
        yield at, lambda: ([2 ** ml.Shannon()([1] * n) for n in range(2, 10)], list(range(2, 10)))
    cases = [([0, 1], [], 4), ([0], [], 2), ([1], [], 2), ([0], [1], 2), ([1], [0], 2)]
    for at, (of, given, value) in zip(range(44, 49), cases, strict=True):
        yield at, lambda of=of, given=given, value=value: (2 ** H(COINS, of, given), value)
    for at, of, given, value in ((54, [0, 1], [], 2), (55, [0], [1], 1), (56, [1], [0], 1)):
        yield at, lambda of=of, given=given, value=value: (2 ** H(EQUAL, of, given), value)


def variations():
    yield 23, lambda: (lab.total_variation([1, 1], [1, 3]), 0.25)
    yield 31, lambda: (lab.total_variation([2, 2, 0], [0, 1, 3]), 0.75)
    yield 39, lambda: (2 ** (-lab.renyi_divergence([1, 1], [1, 3], 0.5) / 2), 0.9659258262890682)


# Distributions by label, outcomes that are left out having no mass.
D1, D2, D3 = {"0": 1 / 2, "1": 1 / 2, "2": 0}, {"0": 1 / 2, "1": 0, "2": 1 / 2}, {"0": 1 / 3, "1": 1 / 3, "2": 1 / 3}
D4, D5 = {"00": 2 / 5, "11": 3 / 5}, {"00": 1 / 2, "11": 1 / 2}


def divergences():
    kl = lab.kl_divergence
    four, five = list(D4.values()), list(D5.values())

    def known():
        found = [kl(D1, D3), kl(five, four), kl(D1, D3), kl(five, four), kl(four, five), kl(D4, D5), kl(D5, D4)]
        values = [0.5849625007211563, 0.0294468445267841] * 2 + [0.029049405545331419] * 2 + [0.0294468445267841]
        # Given one of two equal digits the other is certain, under both.
        found += [kl([1], [1]), kl([1], [1]), kl(D1, D2), kl(D2, D1), kl(D3, D1)]
        return found, [*values, 0, 0, math.inf, math.inf, math.inf]

    yield 40, known
    yield 48, lambda: ([kl(d, d) for d in (D1, D2, D3, D4, D5)], [0] * 5)
    yield 68, lambda: all(refused(lambda p=p, q=q: kl(p, q)) for p, q in ((D4, D1), (D4, D2), (D4, D3), (D5, D1)))


def correlations():
    def tensor():
        rng = np.random.default_rng(3)
        for _ in range(20):
            systems = [lab.Joint.from_matrix(rng.dirichlet(np.ones(6)).reshape(2, 3)) for _ in range(2)]
            both = lab.Joint(np.outer(*(s.p for s in systems)).ravel(), lab.product(*(s.channel for s in systems)))
            yield lab.maximal_correlation(both), max(map(lab.maximal_correlation, systems))

    # Of the dyadic and the triadic distribution each pair of variables has a bit in common, with the third or without.
    pairs = [(x, y) for x, y in product(range(4), repeat=2) if x % 2 == y // 2]
    yield 24, lambda: (lab.maximal_correlation(table(pairs, [0], [1])), 1)
    yield 46, lambda: tuple(zip(*tensor(), strict=True))


TWO = ([1 / 2, 1 / 2], [1 / 3, 2 / 3], [2 / 5, 3 / 5])
THREE = ([1 / 5, 2 / 5, 2 / 5], [1 / 4, 1 / 2, 1 / 4], [1 / 3] * 3, [1 / 6, 2 / 6, 3 / 6])


def general_divergences():
    renyi = lab.renyi_divergence

    def power_sum(p, q, a):
        return 2 ** ((a - 1) * renyi(p, q, a))

    for at, dists in ((62, (D1, D2, D3, D4, D5)), (73, (D4, D5))):
        cases = [(d, a) for d in dists for a in (1, 2, 0.5)]
        yield at, lambda cases=cases: ([renyi(d, d, a) for d, a in cases], [0] * len(cases))
        yield at + 1, lambda cases=cases: ([power_sum(d, d, a) for d, a in cases], [1] * len(cases))
    each = [pair for dists in (TWO, THREE) for pair in combinations(dists, 2)]
    yield 85, lambda: all(renyi(p, q, a) > 0 for p, q in each for a in (0.1, 0.5, 1, 1.5))
    yield 100, lambda: ([(1 - a) * renyi(p, q, a) for p, q in each for a in (0.3, 0.5)], _mirrored(each))
    yield 124, lambda: ([renyi(p, q, 1) for p, q in each], [lab.kl_divergence(p, q) for p, q in each])
    yield 146, lambda: all(refused(lambda d=d, a=a: renyi(D4, d, a)) for d in (D1, D2, D3) for a in (0, 1, 2, 0.5))
    yield 158, lambda: (renyi([0, 1], [1, 1], 1 / 2), 1)
    yield 159, lambda: (renyi([1, 1], [1, 0], 1 / 2), 1)
    yield 160, lambda: (renyi([0, 1], [1, 0], 1 / 2), math.inf)
    orders = (0, 1, 2, 0.5)
    yield 173, lambda: ([ml.Arimoto(a)(THREE[1]) for a in orders], _below_uniform(orders))


def _mirrored(pairs):
    return [a * lab.renyi_divergence(q, p, 1 - a) for p, q in pairs for a in (0.3, 0.5)]


def _below_uniform(orders):
    return [math.log2(3) - lab.renyi_divergence(THREE[1], [1] * 3, a) for a in orders]


def transports():
    def differ(x, y):
        return float(x != y)

    def line(x, y):
        return abs(x - y)

    known = [([0, 1], [1, 0], 1), ([0.5, 0.5], [0, 1], 0.5), ([0.5, 0.5], [0.5, 0.5], 0), ([1, 0, 0], [0, 0, 1], 1)]
    yield 32, lambda: ([lab.kantorovich(p, q, differ).value for p, q, _ in known], [value for *_, value in known])
    yield 40, lambda: (lab.kantorovich([1, 1, 1], [1, 0, 0], line).value, 1)
    yield 48, lambda: (lab.kantorovich([0, 1], [1, 0], differ).value, 1)
    apart, swap = lab.kantorovich([2, 1], [0, 1], np.ones((2, 2))), lab.kantorovich([2, 1], [0, 1], 1 - np.eye(2))
    yield 60, lambda: (apart.value, 1)
    yield 61, lambda: (swap.value, 2 / 3)
    moved = lab.kantorovich([4, 1, 1], [1, 1, 1], line)
    yield 74, lambda: (moved.plan.sum(axis=1), [4 / 6, 1 / 6, 1 / 6])
    yield 75, lambda: (moved.plan.sum(axis=0), [1 / 3] * 3)
    yield 78, lambda: (sum(line(x, y) * mass for (x, y), mass in np.ndenumerate(moved.plan)), moved.value)
    named = lab.kantorovich([2, 1], [0, 1], differ)
    for at, plan in ((91, named), (109, swap)):
        yield at, lambda plan=plan: (plan.plan.sum(axis=1), [2 / 3, 1 / 3])
        yield at + 1, lambda plan=plan: (plan.plan.sum(axis=0), [0, 1])
    yield 115, lambda: ((swap.plan * (1 - np.eye(2))).sum(), swap.value)


def capacities():
    half = np.array([0.5, 0.5])

    def erased(e, at, prior, joint=None):
        channel = lab.binary_erasure(e)
        yield at, lambda: (ml.capacity(channel).value, 1 - e)
        yield prior, lambda: (ml.capacity(channel).prior.p, half, 1e-4)
        if joint is not None:
            yield (
                joint,
                lambda: (
                    lab.Joint(ml.capacity(channel).prior, channel).matrix(),
                    lab.Joint(half, channel).matrix(),
                    1e-4,
                ),
            )

    yield from erased(0.3, 39, 42, 46)
    yield from erased(0.01, 57, 60, 64)
    for at, prior in ((74, 77), (88, 91), (141, 142), (165, 166)):
        yield from erased(0.3, at, prior)
    for at, kind, prior in ((152, 153, 154), (177, 178, 179)):
        yield from erased(0.3, at, prior)
        yield kind, lambda: isinstance(ml.capacity(lab.binary_erasure(0.3)).prior, ml.Prior)
    yield 162, lambda: isinstance(lab.Joint(half, lab.binary_erasure(0.3)).channel, ml.Channel)
    yield 102, lambda: refused(lambda: lab.Joint([1], lab.binary_erasure(0.01)))
    yield 184, lambda: refused(lambda: ml.capacity(lab.Joint(half, lab.binary_erasure(0.3)).matrix()))
    golden = table(("00", "01", "10"), [0], [1]).channel
    for at in (112, 192, 199):
        yield at, lambda: (ml.capacity(golden).value, 0.3219280796196524, 1e-6)
    for at in (122, 201):
        yield at, lambda: (ml.capacity(golden).prior.p, [2 / 5, 3 / 5], 1e-3)
    yield 200, lambda: isinstance(ml.capacity(golden).prior, ml.Prior)


BSC, BEC = lab.binary_symmetric, lab.binary_erasure
SAYS_ALL, SAYS_NOTHING = ml.Channel(np.eye(2)), ml.Channel(np.full((2, 2), 0.5))


def orders():
    refined = [
        (48, SAYS_ALL, BSC(0.3)),
        (51, SAYS_ALL, BEC(0.4)),
        (54, BSC(0.3), SAYS_NOTHING),
        (61, BSC(0.2), BSC(0.2)),
    ]
    refined += [(66, BSC(0.1), BSC(0.26)), (74, BEC(0.2), BEC(0.5)), (128, BEC(0.15), BSC(0.1))]
    for at, A, B in refined:
        yield at, lambda A=A, B=B: ml.lab.refined_by(A, B).ok is True
    others = [
        (57, SAYS_NOTHING, BSC(0.3)),
        (70, BSC(0.3), BSC(0.1)),
        (75, BEC(0.5), BEC(0.2)),
        (132, BEC(0.3), BSC(0.1)),
    ]
    for at, A, B in others:
        yield at, lambda A=A, B=B: ml.lab.refined_by(A, B).ok is False
    # One name for one thing: a processing exists exactly if there is no deficiency.
    yield 80, lambda: ml.lab.refined_by(BSC(0.1), BSC(0.26)).ok == (lab.deficiency(BSC(0.1), BSC(0.26)).value < 1e-9)
    left = lab.left_factor
    yield 91, lambda: left([[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]], [[0.5, 0.5]]) is not None
    yield 97, lambda: left(SAYS_ALL, [[0.6, 0.4], [0.3, 0.7]]) is not None
    yield 102, lambda: left([[0.8, 0.1, 0.1], [0.7, 0.2, 0.1]], [[0.1, 0.1, 0.8]]) is None
    noisy = [(133, BEC(0.3), BSC(0.1), True), (137, BEC(0.4), BSC(0.1), False), (161, SAYS_ALL, BSC(0.3), True)]
    for at, A, B, ok in [*noisy, (165, BSC(0.1), BSC(0.26), True)]:
        yield at, lambda A=A, B=B, ok=ok: lab.less_noisy(A, B).ok is ok
    capable = [(142, BEC(0.9), BSC(0.1), False), (150, SAYS_ALL, BSC(0.3), True)]
    for at, A, B, ok in [*capable, (153, BSC(0.4), BSC(0.1), False)]:
        yield at, lambda A=A, B=B, ok=ok: lab.more_capable(A, B).ok is ok
    chain = BSC(0.2), BSC(0.2) @ BSC(0.3)
    yield 232, lambda: ml.lab.refined_by(*chain).ok is True


def deficiencies():
    def short(A, B):
        return lab.deficiency(A, B).value

    def apart(A, B):
        return max(short(A, B), short(B, A))

    yield 44, lambda: (short(SAYS_ALL, BSC(0.3)), 0)
    yield 48, lambda: short(BSC(0.3), SAYS_ALL) > 0
    yield 52, lambda: short(BSC(0.2), BSC(0.3)) >= 0
    yield 56, lambda: (short(BSC(0.2), BSC(0.2)), 0)
    yield 60, lambda: (short(BSC(0.3), SAYS_NOTHING), 0)
    yield 67, lambda: (apart(BSC(0.1), BSC(0.3)), apart(BSC(0.3), BSC(0.1)))
    yield 70, lambda: (apart(BSC(0.2), BSC(0.2)), 0)
    yield 73, lambda: apart(BSC(0.1), BSC(0.4)) > 0
    # In a Markov chain no divergence of any kind is left: the second channel is a processing of the first.
    yield 191, lambda: (short(BSC(0.1), BSC(0.1) @ BSC(0.2)), 0)


def entropy_of(p):
    return ml.Shannon()([p, 1 - p])


def binary_channels():
    def asymmetric(a, b):
        return ml.Channel([[1 - a, a], [b, 1 - b]])

    yield 30, lambda: isinstance(BSC(0.1), ml.Channel)
    yield 36, lambda: list(BSC(0.1).inputs) == [0, 1]
    yield 37, lambda: list(BSC(0.1).outputs) == [0, 1]
    yield 38, lambda: (BSC(0.1).toarray(), [[0.9, 0.1], [0.1, 0.9]])
    yield 44, lambda: (ml.capacity(BSC(0.11)).value, 1 - entropy_of(0.11))
    yield 50, lambda: BEC(0.2).shape[1] == 3
    yield 51, lambda: (np.sort(BEC(0.2).toarray(), axis=1), [[0, 0.2, 0.8]] * 2)
    yield 53, lambda: (ml.capacity(BEC(0.25)).value, 0.75)
    yield 59, lambda: (np.sort(lab.z_channel(0.3).toarray().ravel()), [0, 0.3, 0.7, 1])
    yield 65, lambda: 0 < ml.capacity(lab.z_channel(0.3)).value < 1
    yield 71, lambda: (asymmetric(0.1, 0.2).toarray(), [[0.9, 0.1], [0.2, 0.8]])
    yield 78, lambda: (asymmetric(0.15, 0.15).toarray(), BSC(0.15).toarray())
    both = asymmetric_erasing(0.1, 0.2)
    yield 84, lambda: list(both.outputs) == [0, 1, 2]
    yield 85, lambda: (both.toarray(), [[0.7, 0.1, 0.2], [0.1, 0.7, 0.2]])
    yield 92, lambda: 0 < ml.capacity(both).value < ml.capacity(BSC(0.1)).value
    yield 97, lambda: refused(lambda: BSC(1.5))
    yield 99, lambda: refused(lambda: asymmetric_erasing(0.6, 0.6))


def asymmetric_erasing(error, erasure):
    right = 1 - error - erasure
    return ml.Channel([[right, error, erasure], [error, right, erasure]])


def larger_channels():
    def erasing(n, e):
        return ml.Channel(np.hstack([(1 - e) * np.eye(n), np.full((n, 1), e)]))

    def typewriter(n):
        return ml.Channel((np.eye(n) + np.roll(np.eye(n), 1, axis=1)) / 2)

    four = lab.symmetric(4, 0.3)
    yield 31, lambda: (four.toarray()[0], [0.7, 0.1, 0.1, 0.1])
    yield 38, lambda: (ml.capacity(four).value, 2 - entropy_of(0.3) - 0.3 * math.log2(3))
    yield 45, lambda: (lab.symmetric(2, 0.2).toarray(), BSC(0.2).toarray())
    yield 51, lambda: list(erasing(4, 0.25).outputs) == [0, 1, 2, 3, 4]
    yield 52, lambda: (erasing(4, 0.25).toarray()[0], [0.75, 0, 0, 0, 0.25])
    yield 54, lambda: (ml.capacity(erasing(4, 0.25)).value, 0.75 * 2)
    yield 61, lambda: (ml.capacity(erasing(2, 0.2)).value, ml.capacity(BEC(0.2)).value)
    rows = [[0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0.5, 0.5], [0.5, 0, 0, 0.5]]
    yield 67, lambda: (typewriter(4).toarray(), rows)
    yield 81, lambda: (ml.capacity(typewriter(6)).value, math.log2(3))
    yield 86, lambda: refused(lambda: lab.symmetric(1, 0.1))
    yield 88, lambda: refused(lambda: erasing(4, 1.5))


FILES = {
    "shannon/test_shannon": shannon_entropies,
    "multivariate/test_entropy": entropies,
    "other/test_renyi_entropy": renyi_entropies,
    "other/test_tsallis_entropy": tsallis,
    "other/test_sibson_mutual_information": sibson_informations,
    "other/test_perplexity": perplexities,
    "divergences/test_variational_distance": variations,
    "divergences/test_kullback_leibler_divergence": divergences,
    "divergences/test_maximum_correlation": correlations,
    "divergences/test_generalized_divergences": general_divergences,
    "divergences/test_emd": transports,
    "algorithms/test_channelcapacity": capacities,
    "channelorder/test_orderings": orders,
    "channelorder/test_deficiency": deficiencies,
    "example_channels/test_binary": binary_channels,
    "example_channels/test_qary": larger_channels,
}
STATEMENTS = [(name, at, check) for name, make in FILES.items() for at, check in make()]


@pytest.mark.parametrize(("name", "at", "check"), STATEMENTS, ids=[f"{name}:{at}" for name, at, _ in STATEMENTS])
def test_statement(name, at, check):
    found = check()
    if not isinstance(found, tuple):
        assert found, f"{name}.py:{at}"
        return
    ours, theirs, *close = found
    ours, theirs = (np.asarray(values, dtype=float) for values in (ours, theirs))
    assert ours == pytest.approx(theirs, rel=max([1e-8, *close]), abs=max([1e-8, *close]))


def test_every_statement_is_expressed_or_left_out_with_a_reason():
    expressed = [f"{name}:{at}" for name, at, _ in STATEMENTS]
    assert len(set(expressed)) == len(expressed)
    assert not set(expressed) & set(LEFT_OUT)
    counted = Counter(key.split(":")[0] for key in (*expressed, *LEFT_OUT))
    assert counted == TOTAL
    assert len(expressed) >= 180
