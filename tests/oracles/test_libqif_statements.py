"""What libqif's own tests state, by our calls: a statement is a line of its tests_cpp/src with EXPECT or ASSERT.

The lines are those of commit 55d7dcf. Of 447 statements, 344 are about channels, priors, measures, metrics, mechanisms
and refinement; those of its linear and quadratic programmes and of its comparison of floats are not counted. `LEFT_OUT`
says what is not expressed, and why; docs/libqif.md tells it too. Each statement is checked in 64-bit floats, 32-bit
floats and Fractions where libqif does so (double, float, rat).
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction as F

import numpy as np
import pytest
from tests.oracles.statements import refused

import minleak as ml
from minleak import lab
from minleak.lab import mechanisms
from minleak.lab._optimise.given import as_problem

TOTAL = {
    "channel": 34,
    "measure/bayes_risk": 21,
    "measure/bayes_vuln": 26,
    "measure/d_privacy": 7,
    "measure/g_vuln": 23,
    "measure/guessing": 16,
    "measure/shannon": 23,
    "mechanism/d_privacy": 42,
    "mechanism/geo_ind": 6,
    "metric": 90,
    "probab": 12,
    "refinement": 44,
}
LEFT_OUT = {
    "channel:41": "an identity of no secrets is refused",
    "channel:67": "channels of different secrets cannot be compared, and that is said",
    "channel:85": "as above",
    "channel:101": "as above",
    "channel:159": "the estimate stops by a bound on the likelihood, not by steps",
    "channel:164": "as above",
    "measure/bayes_vuln:81": "a bound for n uses of a channel; lab.repeated(channel, n) has the value itself",
    "metric:120": "differs: from cell 0 to 5 there is a way through cell 1 that is no longer, so the pair follows",
    "mechanism/d_privacy:164": "libqif asks of its programme over distances that rows sum to one within 1e-3",
}


class Systems:
    """The priors and channels that libqif's tests share, in one kind of number; the random ones from a fixed seed."""

    def __init__(self, kind: str) -> None:
        self.kind, self.close = kind, {"double": 1e-10, "float": 2e-5, "rat": 1e-12}[kind]
        rng = np.random.default_rng(7)
        for n in (2, 4, 10):
            setattr(self, f"unif_{n}", self.row([F(1, n)] * n))
            setattr(self, f"point_{n}", self.point(n, 0))
            setattr(self, f"id_{n}", self.rows(np.eye(n, dtype=int).tolist()))
            setattr(self, f"noint_{n}", self.rows([[1]] * n))
        self.pi1, self.pi3, self.pi4 = (self.row([F(a, 20), F(20 - a, 20)]) for a in (4, 5, 15))
        self.pi2 = self.row([F(1, 5), F(4, 5)] + [F(0)] * 8)
        self.pi5 = self.row([F(1, 10), F(1, 10), F(1, 10), F(7, 10)])
        self.c1 = self.rows([[F(4, 5), F(1, 5)], [F(3, 10), F(7, 10)]])
        self.prand_10 = self.row(self.random(rng, 10))
        self.crand_2, self.crand_10 = (self.rows([self.random(rng, n) for _ in range(n)]) for n in (2, 10))
        self.rng = rng

    def random(self, rng, n):
        weights = [int(w) for w in rng.integers(1, 100, n)]
        return [F(w, sum(weights)) for w in weights]

    def point(self, n, at):
        return self.row([F(int(x == at)) for x in range(n)])

    def row(self, fractions):
        return self.number(fractions)

    def rows(self, fractions):
        return ml.Channel(self.number([[F(v) for v in row] for row in fractions]))

    def number(self, fractions):
        if self.kind == "rat":
            return fractions
        return np.array(fractions, dtype=np.float64 if self.kind == "double" else np.float32)

    def channel(self, n, m):
        """Another random one."""
        return self.rows([self.random(self.rng, m) for _ in range(n)])


def text(t, words):
    """A matrix from text, rows between semicolons."""
    return t.number([[F(word) for word in row.split()] for row in words.split(";")])


def line(x, y):
    return abs(x - y)


def discrete(x, y):
    return float(x != y)


def factor(t, A, B):
    """The X with B X = A, if there is one."""
    found = ml.lab.refined_by(B, A)
    return found.post_processing if found.ok else None


# -- the statements, by file and line ---------------------------------------------------------------------------------


def channels():
    def made(t):
        return t.rows([[1, 0, 0], [0, 1, 0]])

    def product(t, n=4, m=6):
        B = t.channel(n, m)
        return B @ t.channel(m, n), B

    def left(t):
        B = t.channel(4, 6)
        return t.channel(6, 4) @ B, B

    def given(t):
        A, B = text(t, "0.4405 0.5595; 0.6588 0.3412"), text(t, "0.9694 0.0062 0.0244; 0.5312 0.1401 0.3287")
        return ml.Channel(A), ml.Channel(B)

    def shape(pair, size, find=factor):
        return lambda t: find(t, *pair(t)).shape == size

    def again(pair):
        def check(t):
            A, B = pair(t)
            return (B @ factor(t, A, B)).toarray(), A.toarray(), 1e-6

        return check

    def estimated(channel, prior):
        """The prior from as many observations as it needs for its digits."""
        seen = lab.Joint(prior, ml.Channel(channel)).output()
        counts = {y: round(1e9 * q) for y, q in enumerate(seen)}
        return lab.estimate_prior(channel, counts, interval="none").prior.p

    bad = "1 2; 3 0"
    yield from {
        22: lambda t: ml.Channel(text(t, "1 0 0; 0 1 0")) == made(t),
        23: lambda t: ml.Channel(np.array(text(t, "1 0 0; 0 1 0"))) == made(t),
        24: lambda t: ml.Channel(made(t)) == made(t),
        31: lambda t: refused(lambda: ml.Channel(text(t, bad))),
        32: lambda t: refused(lambda: ml.Channel(np.array(text(t, bad)))),
        33: lambda t: refused(lambda: ml.Channel([list(row) for row in text(t, bad)])),
        44: lambda t: (t.rows([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).toarray(), np.eye(3)),
        52: lambda _: ml.Channel.random(200, 200, seed=1).shape == (200, 200),
        55: lambda _: ml.Channel.random(5, 5, seed=1).shape == (5, 5),
        58: lambda _: ml.Channel.random(4, 6, seed=1).shape == (4, 6),
        66: lambda t: factor(t, t.id_10, t.noint_10) is None,
        79: shape(product, (6, 4)),
        80: again(product),
        84: lambda t: factor(t, t.id_10, t.noint_10) is None,
        91: shape(product, (6, 4)),
        92: again(product),
        100: lambda t: factor(t, t.id_10, t.noint_10) is None,
        114: shape(lambda t: product(t, 10, 15), (15, 10)),
        115: again(lambda t: product(t, 10, 15)),
        127: shape(given, (3, 2)),
        128: again(given),
        136: lambda t: lab.left_factor(t.noint_10, t.id_10) is None,
        137: lambda t: lab.left_factor(t.noint_10, t.id_4) is None,
        149: shape(left, (6, 4), lambda _, A, B: lab.left_factor(B, A)),
        150: lambda t: _left_again(*left(t)),
        160: lambda t: (estimated(t.id_10, t.prand_10), np.array(t.prand_10, dtype=float), 1e-4),
        165: lambda t: (estimated(t.noint_10, t.prand_10), np.full(10, 0.1)),
        172: lambda t: (estimated(mechanisms.geometric(10, 1.0), t.prand_10), np.array(t.prand_10, dtype=float), 1e-2),
    }.items()


def _left_again(A, B):
    return (lab.left_factor(B, A) @ B).toarray(), A.toarray(), 1e-6


def posteriors_of(prior, posterior, values, *, first, last):
    """What the tests of vulnerability, risk and guesswork have in common: `values` are those of certainty, of ten
    equally likely secrets, and of pi4 seen through c1; `first` and `last` are lines.
    """
    sure, ten, noisy = values
    systems = [("unif_2", "id_2"), ("point_2", "id_2"), ("pi1", "id_2"), ("unif_10", "id_10"), ("point_10", "id_10")]
    expected = [*[(p, c, sure) for p, c in [*systems, ("pi2", "id_10")]], ("unif_10", "noint_10", ten)]
    expected += [("point_10", "noint_10", sure)]
    for at, (p, c, value) in zip(first, expected, strict=True):
        yield at, lambda t, p=p, c=c, value=value: (posterior(getattr(t, p), getattr(t, c)), float(value))
    nothing, unchanged, through, wrong = last
    yield nothing, lambda t: (prior(t.pi2), posterior(t.pi2, t.noint_10))
    yield unchanged, lambda t: (prior(t.pi3), posterior(t.pi3, t.c1))
    yield through, lambda t: (posterior(t.pi4, t.c1), float(noisy))
    yield wrong, lambda t: refused(lambda: posterior(t.unif_2, t.id_10))


def priors_of(prior, values, lines):
    for at, name, value in zip(lines, ("unif_2", "unif_10", "point_4", "pi1"), values, strict=True):
        yield at, lambda t, name=name, value=value: (prior(getattr(t, name)), float(value))


def bayes_risk():
    def capacity(t, name):
        return lab.bayes_risk_capacity(getattr(t, name)).value

    yield from priors_of(lab.risk, (F(1, 2), F(9, 10), 0, F(1, 5)), (19, 20, 21, 22))
    first, last = (29, 30, 31, 34, 36, 37, 39, 40), (42, 44, 45, 47)
    yield from posteriors_of(lab.risk, lab.posterior_risk, (0, F(9, 10), F(9, 40)), first=first, last=last)
    for at, name, value in ((54, "id_2", math.inf), (55, "id_10", math.inf), (56, "noint_10", 1), (57, "c1", 2)):
        yield at, lambda t, name=name, value=value: (capacity(t, name), value)
    yield 59, lambda t: (lab.risk_leakage(t.unif_2, t.crand_2), capacity(t, "crand_2"))


def bayes_vuln():
    def capacity(t, name):
        return 2 ** lab.maximal_leakage(getattr(t, name))

    def leakage(t, p, c):
        return ml.leakage(getattr(t, p), getattr(t, c), "min-entropy")

    yield from priors_of(lab.vulnerability, (F(1, 2), F(1, 10), 1, F(4, 5)), (19, 20, 21, 22))
    yield from posteriors_of(
        lab.vulnerability,
        lab.posterior_vulnerability,
        (1, F(1, 10), F(31, 40)),
        first=(29, 30, 31, 33, 34, 35, 37, 38),
        last=(40, 42, 43, 45),
    )
    for at, name, value in ((52, "id_2", 2), (53, "id_10", 10), (54, "noint_10", 1), (55, "c1", 1.5)):
        yield at, lambda t, name=name, value=value: (capacity(t, name), value)
    yield 58, lambda t: (lab.multiplicative_leakage(t.unif_10, t.crand_10), capacity(t, "crand_10"))
    yield 67, lambda t: (leakage(t, "unif_2", "id_2"), 1)
    yield 68, lambda t: (leakage(t, "unif_10", "id_10"), math.log2(10))
    yield 69, lambda t: (leakage(t, "unif_10", "noint_10"), 0)
    yield 70, lambda t: (leakage(t, "unif_2", "c1"), math.log2(1.5))


def measured_privacy():
    def private(channel, metric):
        return lab.d_privacy(channel, metric) <= 1 + 1e-6

    def scaled(factor):
        return lambda x, y: factor * abs(x - y)

    # No distance at all asks for equal rows: a metric as small as any says the same of these channels.
    yield 20, lambda t: private(t.noint_10, scaled(1e-9))
    yield 23, lambda t: not private(t.id_10, scaled(10_000))
    yield 26, lambda t: private(t.c1, scaled(math.log(3.5)))
    yield 27, lambda t: not private(t.c1, scaled(math.log(3.45)))
    yield 38, lambda t: (lab.d_privacy(t.noint_10, line), 0)
    yield 41, lambda t: (lab.d_privacy(t.id_10, line), math.inf)
    yield 44, lambda t: (lab.d_privacy(t.c1, line), math.log(3.5))


def g_vuln():
    def prior(p):
        return lab.vulnerability(p, gain=np.eye(len(p)))

    def posterior(p, c):
        return lab.posterior_vulnerability(p, c, gain=np.eye(len(p)))

    def added(t, p, c, spanning):
        return lab.additive_capacity(getattr(t, c), prior=getattr(t, p), spanning=spanning).value

    yield from priors_of(prior, (F(1, 2), F(1, 10), 1, F(4, 5)), (19, 20, 21, 22))
    first, last = (29, 30, 31, 33, 34, 35, 37, 38), (40, 42, 43, 45)
    yield from posteriors_of(prior, posterior, (1, F(1, 10), F(31, 40)), first=first, last=last)
    systems = [("unif_2", "id_2", 0.5, 1), ("point_2", "id_2", 0, 0), ("unif_4", "noint_4", 0, 0)]
    for (at, after), (p, c, gains, vulnerabilities) in zip([(52, 53), (55, 56), (58, 59)], systems, strict=True):
        yield at, lambda t, p=p, c=c, value=gains: (added(t, p, c, "gains"), value)
        yield after, lambda t, p=p, c=c, value=vulnerabilities: (added(t, p, c, "vulnerabilities"), value)
    yield 61, lambda t: refused(lambda: added(t, "unif_2", "id_10", "gains"))


def guessing():
    H = ml.Guesswork()
    yield from priors_of(H, (F(3, 2), F(11, 2), 1, F(6, 5)), (16, 17, 18, 19))
    first, last = (26, 27, 28, 30, 31, 32, 34, 35), (37, 39, 40, 42)
    yield from posteriors_of(H, H.conditional, (1, F(11, 2), F(1225, 1000)), first=first, last=last)


def shannon():
    H = ml.Shannon()
    symmetric = "0.3 0.2 0.5; 0.5 0.3 0.2; 0.2 0.5 0.3"
    weakly = "0.333333333 0.166666667 0.5; 0.333333333 0.5 0.166666667"

    def row_capacity(t, words):
        C = text(t, words)
        return ml.capacity(C).value, math.log2(3) - H(C[0]), 1e-6

    yield from priors_of(H, (1, math.log2(10), 0, 0.721928094887362), (16, 17, 18, 19))
    systems = [("unif_2", "id_2"), ("point_2", "id_2"), ("pi1", "id_2"), ("unif_10", "id_10"), ("point_10", "id_10")]
    systems += [("pi2", "id_10"), ("unif_10", "noint_10"), ("point_10", "noint_10")]
    for at, (p, c) in zip((26, 27, 28, 30, 31, 32, 34, 35), systems, strict=True):
        value = math.log2(10) if (p, c) == ("unif_10", "noint_10") else 0
        yield at, lambda t, p=p, c=c, value=value: (H.conditional(getattr(t, p), getattr(t, c)), value)
    yield 38, lambda t: (H(t.prand_10), H.conditional(t.prand_10, t.noint_10))
    yield 40, lambda t: (H.conditional(t.pi3, t.c1), 0.669020059980807)
    yield 42, lambda t: refused(lambda: H.conditional(t.unif_2, t.id_10))
    yield 50, lambda t: (ml.capacity(t.id_2).value, 1)
    yield 51, lambda t: (ml.capacity(t.id_2).prior.p, np.full(2, 0.5), 1e-4)
    yield 54, lambda t: (ml.capacity(t.id_10).value, math.log2(10))
    yield 55, lambda t: (ml.capacity(t.id_10).prior.p, np.full(10, 0.1), 1e-4)
    yield 58, lambda t: (ml.capacity(t.noint_10).value, 0)
    yield 60, lambda t: (ml.capacity(t.c1).value, 0.19123813831431799)
    yield 69, lambda t: row_capacity(t, symmetric)
    yield 77, lambda t: row_capacity(t, weakly)


EPSILON, STEP = 0.9, 1.1


def private_mechanisms():
    def far(x, y):
        return STEP * abs(x - y)

    def grid(x, y):
        return STEP * math.hypot(x % 3 - y % 3, x // 3 - y // 3)

    geometric, fat, skinny = (
        mechanisms.geometric(10, EPSILON * STEP),
        mechanisms.truncated_geometric(10, EPSILON * STEP, low=0, high=19),
        mechanisms.truncated_geometric(20, EPSILON * STEP, low=0, high=9),
    )
    exponential, exponential_fat, exponential_skinny = (
        mechanisms.exponential(10, EPSILON, far),
        mechanisms.exponential(10, EPSILON, far, observables=20),
        mechanisms.exponential(20, EPSILON, far, observables=10),
    )
    tight, tight_grid = mechanisms.tight_constraints(10, EPSILON, far), mechanisms.tight_constraints(9, EPSILON, grid)
    exponential_grid = mechanisms.exponential(9, EPSILON, grid)
    tight_five, response = (
        mechanisms.tight_constraints(5, EPSILON, discrete),
        mechanisms.randomised_response(5, EPSILON),
    )
    exponential_five = mechanisms.exponential(5, 2 * EPSILON, discrete)

    def exact(at, channel, metric, size):
        """Its size, private at epsilon and at none less, and that epsilon."""
        yield at[0], lambda _: channel.shape == size
        yield at[1], lambda _: lab.d_privacy(channel, metric) <= EPSILON * (1 + 1e-9)
        yield at[2], lambda _: not lab.d_privacy(channel, metric) <= EPSILON - 0.01
        yield at[3], lambda _: (lab.d_privacy(channel, metric), EPSILON)

    def within(at, channel, metric, size):
        yield at[0], lambda _: channel.shape == size
        yield at[1], lambda _: lab.d_privacy(channel, metric) <= EPSILON * (1 + 1e-9)

    def same(A, B):
        return lambda _: (A.toarray(), B.toarray())

    def cut(low, high):
        """Secrets 5 to 14, answers from low to high: folded from the mechanism on 0..19, and made so."""
        whole = mechanisms.geometric(20, EPSILON).toarray()
        folded = whole @ np.eye(20)[np.clip(np.arange(20), low, high)]
        made = mechanisms.truncated_geometric(10, EPSILON, low=low - 5, high=high - 5)
        return lambda _: (folded[5:15, low : high + 1], made.toarray())

    yield from exact((31, 32, 33, 34), geometric, far, (10, 10))
    yield from within((36, 37), exponential, far, (10, 10))
    yield 38, lambda _: (lab.d_privacy(exponential, far), 0.64197307180467134)
    yield 40, same(geometric, tight)
    # Coefficients that are forced to be equal where they are: the ends, and all within.
    weights = tight.toarray().diagonal()
    yield 41, lambda _: (weights, np.array([weights[0], *[weights[1]] * 8, weights[0]]))
    yield from exact((47, 49, 50, 51), fat, far, (10, 20))
    yield from within((54, 55), exponential_fat, far, (10, 20))
    yield from exact((61, 63, 64, 65), skinny, far, (20, 10))
    yield from within((68, 69), exponential_skinny, far, (20, 10))
    for at, ends in zip((92, 93, 94, 95), ((0, 9), (10, 19), (1, 18), (7, 12)), strict=True):
        yield at, cut(*ends)
    yield from exact((110, 111, 112, 113), tight_five, discrete, (5, 5))
    yield 116, same(exponential_five, tight_five)
    yield 117, same(exponential_five, response)
    yield from exact((134, 135, 136, 137), tight_grid, grid, (9, 9))
    yield from within((139, 140), exponential_grid, grid, (9, 9))
    yield 141, lambda _: (lab.d_privacy(exponential_grid, grid), 0.58945591528726249)

    def least(metric, epsilon=EPSILON):
        D = np.array([[metric(x, y) for y in range(10)] for x in range(10)], dtype=float)
        return ml.lab.least_budget([1] * 10, cost=1 - np.eye(10), d_privacy=(epsilon, D))

    yield 161, lambda _: (least(far).channel.toarray(), geometric.toarray(), 1e-6)
    yield (
        162,
        lambda _: (least(far).budget, float((lab.Joint([1] * 10, geometric).matrix() * (1 - np.eye(10))).sum()), 1e-8),
    )
    yield 172, lambda _: (least(lambda x, y: 0.0 if x == y else math.inf).channel.toarray(), np.eye(10))


def planar_mechanisms():
    def grid(x, y):
        return STEP * math.hypot(x % 3 - y % 3, x // 3 - y // 3)

    laplace = mechanisms.planar_laplace(3, 3, EPSILON, step=STEP)
    geometric = mechanisms.planar_geometric(3, 3, EPSILON, step=STEP)
    yield 28, lambda _: laplace.shape == (9, 9)
    yield 29, lambda _: lab.d_privacy(laplace, grid) <= EPSILON
    yield 30, lambda _: (lab.d_privacy(laplace, grid), 0.8844, 1e-3)
    yield 33, lambda _: geometric.shape == (9, 9)
    yield 34, lambda _: lab.d_privacy(geometric, grid) <= EPSILON + 1e-5
    yield 35, lambda _: (lab.d_privacy(geometric, grid), EPSILON, 1e-6)


def metrics():
    """Distances of secrets are what a user gives: what is stated is that a measure sees these numbers. Two point priors
    are as far apart, in Kantorovich's distance, as their secrets.
    """

    def far(metric, x, y, n=6):
        p, q = ([int(i == at) for i in range(n)] for at in (x, y))
        return lab.kantorovich(p, q, metric).value

    def seen(at, metric, cases, n=6):
        for line_number, (x, y, value) in zip(at, cases, strict=True):
            yield line_number, lambda _, x=x, y=y, value=value: (far(metric, x, y, n), float(value))

    def chained(metric, x, y, n):
        """Whether the constraint between two secrets follows from those of others, as optimal mechanisms find it."""
        D = np.array([[metric(a, b) for b in range(n)] for a in range(n)], dtype=float)
        first, second, _ = as_problem([1] * n, cost=D, d_privacy=(1.0, D)).privacy.pairs
        return (x, y) not in set(zip(first.tolist(), second.tolist(), strict=True))

    def of_points(points, length):
        return lambda x, y: length(points[x][0] - points[y][0], points[x][1] - points[y][1])

    def manhattan(x, y):
        return abs(x) + abs(y)

    yield from seen((20, 21, 22), line, [(3, 3, 0), (0, 5, 5), (5, 0, 5)])
    yield 24, lambda _: not chained(line, 0, 1, 7)
    yield 25, lambda _: not chained(line, 5, 6, 7)
    yield 26, lambda _: chained(line, 0, 5, 7)
    yield from seen((34, 35, 36), discrete, [(3, 3, 0), (0, 2, 1), (5, 0, 1)])
    yield from seen((45, 46, 47), lambda x, y: 10 * line(x, y), [(3, 3, 0), (0, 5, 50), (5, 0, 50)])
    yield from seen((49, 50, 51), lambda x, y: 10 * discrete(x, y), [(3, 3, 0), (0, 3, 10), (5, 0, 10)])
    yield from seen((59, 60, 61), lambda x, y: float(line(x, y) >= 10), [(3, 3, 0), (0, 5, 0), (0, 10, 1)], 11)
    points = [(0, 0), (1, 1), (2, 3)]
    cases = [(1, 1, 0), (0, 1, math.sqrt(2)), (2, 1, math.sqrt(5))]
    yield from seen((71, 72, 73), of_points(points, math.hypot), cases, 3)
    yield 75, lambda _: not chained(of_points(points, math.hypot), 0, 1, 3)
    yield 76, lambda _: not chained(of_points(points, math.hypot), 2, 1, 3)
    yield from seen((86, 87, 88), of_points(points, manhattan), [(1, 1, 0), (0, 1, 2), (2, 1, 3)], 3)
    yield 90, lambda _: not chained(of_points(points, manhattan), 0, 1, 3)
    yield 91, lambda _: not chained(of_points(points, manhattan), 2, 1, 3)
    cells = [(x % 4, x // 4) for x in range(16)]
    straight, blocks = of_points(cells, math.hypot), of_points(cells, manhattan)
    cases = [(5, 5, 0), (0, 5, math.sqrt(2)), (11, 5, math.sqrt(5))]
    yield from seen((106, 107, 108), straight, cases, 16)
    for at, x, y, follows in ((110, 0, 5, 0), (111, 11, 5, 0), (112, 0, 2, 1), (113, 0, 10, 1), (114, 0, 8, 1)):
        yield at, lambda _, x=x, y=y, follows=follows: chained(straight, x, y, 16) == bool(follows)
    yield from seen((116, 117, 118), blocks, [(5, 5, 0), (0, 5, 2), (11, 5, 3)], 16)
    for at, x, y in ((121, 11, 5), (122, 0, 2), (123, 0, 10), (124, 0, 8)):
        yield at, lambda _, x=x, y=y: chained(blocks, x, y, 16)
    yield from distances()


def distances():
    def pairs(at, distance, values):
        systems = [("unif_4", "unif_4"), ("point_4", "point_4"), ("unif_4", "point_4"), ("point_4", "unif_4")]
        systems += [("unif_4", "pi5"), ("pi5", "unif_4")]
        for number, (p, q), value in zip(at, systems, values, strict=False):
            yield number, lambda t, p=p, q=q, value=value: (distance(getattr(t, p), getattr(t, q)), float(value))

    def moved(metric):
        return lambda p, q: lab.kantorovich(p, q, metric).value

    def infinitely(x, y):
        return 0.0 if x == y else math.inf

    def factor_of(metric):
        return lambda p, q: lab.multiplicative_kantorovich(p, q, metric)

    def points(t, distance, metric):
        return [distance(t.point_4, t.point(4, i)) for i in range(3)], [float(metric(0, i)) for i in range(3)]

    def random_pairs(t):
        for _ in range(10):
            yield t.row(t.random(t.rng, 10)), t.row(t.random(t.rng, 10))

    def over_pairs(t, one, other, close=1e-8):
        found = [(one(p, q), other(p, q)) for p, q in random_pairs(t)]
        return [a for a, _ in found], [b for _, b in found], close

    def by_programme(metric):
        """A value and the price that proves it, two ways to one number."""
        return lambda p, q: lab.kantorovich(p, q, metric).bound

    three_quarters, ratio = (0, 0, 0.75, 0.75), math.log(0.7 / 0.25)
    yield from pairs((133, 134, 135, 136), lab.total_variation, three_quarters)
    yield from pairs((145, 146, 148, 149, 151, 152), lab.convex_separation, (0, 0, 1, 1, F(9, 14), F(9, 14)))
    values = (0, 0, math.inf, math.inf, ratio, ratio)
    yield from pairs((161, 162, 164, 165, 167, 168), lab.multiplicative_distance, values)
    yield from pairs((193, 194, 195, 196), moved(discrete), three_quarters)
    yield from pairs((198, 199, 200, 201), moved(line), (0, 0, 1.5, 1.5))
    yield 202, lambda t: (moved(line)(t.unif_10, t.point_10), 4.5)
    yield 203, lambda t: (moved(line)(t.point_10, t.unif_10), 4.5)
    yield 207, lambda t: points(t, moved(discrete), discrete)
    yield 208, lambda t: points(t, moved(line), line)
    yield 222, lambda t: over_pairs(t, lab.total_variation, moved(discrete))
    yield 232, lambda t: over_pairs(t, moved(discrete), by_programme(discrete))
    yield 233, lambda t: over_pairs(t, moved(line), by_programme(line))
    yield from pairs((248, 249, 250, 251, 252, 253), factor_of(infinitely), values)
    yield from pairs((255, 256, 257, 258), factor_of(line), (0, 0, 2.0538953374413045, 2.0538953374413045))
    yield 259, lambda t: (factor_of(line)(t.unif_10, t.point_10), 7.156044651432, 1e-8)
    yield 260, lambda t: (factor_of(line)(t.point_10, t.unif_10), 7.156044651432, 1e-8)
    yield 264, lambda t: points(t, factor_of(infinitely), infinitely)
    yield 265, lambda t: points(t, factor_of(line), line)
    yield 271, lambda t: over_pairs(t, lab.multiplicative_distance, factor_of(infinitely), 1e-6)


def priors():
    words, bad = "0.5 0.25 0.25", "0.1 0.2 0.3"

    def prior(t, given):
        return ml.Prior(text(t, given)[0], normalised=True)

    def made(t):
        return ml.Prior(t.row([F(1, 2), F(1, 4), F(1, 4)]))

    yield 19, lambda t: prior(t, words) == made(t)
    yield 20, lambda t: ml.Prior([F(word) for word in words.split()]) == made(t)
    yield 21, lambda t: ml.Prior(made(t)) == made(t)
    yield 28, lambda t: refused(lambda: prior(t, bad))
    yield 29, lambda _: refused(lambda: ml.Prior([F(word) for word in bad.split()], normalised=True))
    yield 30, lambda t: refused(lambda: ml.Prior(t.row([F(1, 10), F(2, 10), F(3, 10)]), normalised=True))
    yield 38, lambda _: len(ml.Prior.uniform(1)) == 1
    yield 41, lambda _: (ml.Prior.uniform(4).p, np.full(4, 0.25))
    yield 49, lambda t: (math.fsum(ml.Prior(t.row(t.random(t.rng, 200))).p), 1)
    yield 52, lambda t: (math.fsum(ml.Prior(t.row(t.random(t.rng, 5))).p), 1)
    yield 60, lambda t: (ml.Prior(t.point(4, 0)).p, np.array([1, 0, 0, 0]))
    yield 63, lambda t: (ml.Prior(t.point(4, 2)).p, np.array([0, 0, 1, 0]))


def refinements():
    def twice(t):
        return t.crand_10 @ t.crand_10

    def told(t, A, B):
        """By how much the gains of the witness make B better than A, at the prior that is found with them."""
        found = ml.lab.refined_by(A, B)
        earned = [lab.posterior_vulnerability(found.prior, C, gain=found.gain) for C in (A, B)]
        return earned[0] < earned[1]

    worse = [lambda t: (t.crand_10, t.id_10), lambda t: (t.noint_10, t.crand_10), lambda t: (twice(t), t.crand_10)]
    for at, pair in zip((29, 39, 49), worse, strict=True):
        for line_number in (at, at + 2, at + 3):
            yield line_number, lambda t, pair=pair: ml.lab.refined_by(*pair(t)).ok is False
        for line_number in (at + 4, at + 5):
            yield line_number, lambda t, pair=pair: ml.lab.refined_by(*pair(t)).gain is not None
        for line_number in (at + 6, at + 7):
            yield line_number, lambda t, pair=pair: told(t, *pair(t))
    better = [lambda t: (t.id_10, t.crand_10), lambda t: (t.crand_10, t.noint_10), lambda t: (t.crand_10, twice(t))]
    for at, pair in zip((61, 70, 79), better, strict=True):
        for line_number in (at, at + 2, at + 3):
            yield line_number, lambda t, pair=pair: ml.lab.refined_by(*pair(t)).ok is True
        for line_number in (at + 4, at + 5):
            yield line_number, lambda t, pair=pair: ml.lab.refined_by(*pair(t)).gain is None
        yield at + 6, lambda t, pair=pair: _again(*pair(t))

    def metric(p, A, B):
        return lab.refinement_distance(p, A, B).value

    yield 96, lambda t: (metric(t.unif_4, t.id_4, t.noint_4), 0, 1e-5)
    yield 99, lambda t: (metric(t.unif_10, t.id_10, t.crand_10), 0, 1e-5)
    yield 100, lambda t: (metric(t.unif_10, t.crand_10, t.noint_10), 0, 1e-5)
    yield 101, lambda t: (metric(t.unif_10, t.crand_10, twice(t)), 0, 1e-5)
    A = "1/10 2/5 1/10 2/5; 1/5 1/5 3/10 3/10; 1/2 1/10 1/10 3/10"
    B = "1/5 11/50 29/50; 1/5 2/5 2/5; 7/20 2/5 1/4"
    yield 106, lambda t: (metric(text(t, "62/100 3/100 35/100")[0], text(t, A), text(t, B)), 18643 / 2220000, 1e-5)


def _again(A, B):
    return (A @ ml.lab.refined_by(A, B).post_processing).toarray(), B.toarray(), 1e-6


FILES = {
    "channel": channels,
    "measure/bayes_risk": bayes_risk,
    "measure/bayes_vuln": bayes_vuln,
    "measure/d_privacy": measured_privacy,
    "measure/g_vuln": g_vuln,
    "measure/guessing": guessing,
    "measure/shannon": shannon,
    "mechanism/d_privacy": private_mechanisms,
    "mechanism/geo_ind": planar_mechanisms,
    "metric": metrics,
    "probab": priors,
    "refinement": refinements,
}
STATEMENTS = [(name, at, check) for name, make in FILES.items() for at, check in make()]
# Of random channels rounded to 32 bits, whether one is exactly a processing of another is no longer so.
ROUNDED = {"channel", "refinement"}
# Where libqif has 64-bit floats alone, or what is stated has no numbers of a prior or a channel in it.
ONE_KIND = {"mechanism/d_privacy", "mechanism/geo_ind"}


@pytest.fixture(scope="module", params=["double", "float", "rat"])
def systems(request):
    return Systems(request.param)


@pytest.mark.parametrize(("name", "at", "check"), STATEMENTS, ids=[f"{name}:{at}" for name, at, _ in STATEMENTS])
def test_statement(name, at, check, systems):
    if (name in ONE_KIND and systems.kind != "double") or (name in ROUNDED and systems.kind == "float"):
        systems = Systems("double")
    found = check(systems)
    if not isinstance(found, tuple):
        assert found, f"{name}.cpp:{at}"
        return
    ours, theirs, *close = found
    assert np.asarray(ours, dtype=float) == pytest.approx(
        np.asarray(theirs, dtype=float), rel=max([systems.close, *close]), abs=max([systems.close, *close])
    )


def test_every_statement_is_expressed_or_left_out_with_a_reason():
    expressed = [f"{name}:{at}" for name, at, _ in STATEMENTS]
    assert len(set(expressed)) == len(expressed)
    assert not set(expressed) & set(LEFT_OUT)
    counted = Counter(key.split(":")[0] for key in (*expressed, *LEFT_OUT))
    assert counted == TOTAL
    assert sum(TOTAL.values()) == 344
    assert len(expressed) >= 330
