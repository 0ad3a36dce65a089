"""What distances of distributions, hypers and channels promise: one property each, in our own measures."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import scipy.sparse as sp

import minleak as ml
from minleak import lab
from minleak.errors import InvalidChannel, InvalidParameter
from minleak.lab import mechanisms

RNG = np.random.default_rng(7)
# Rows whose distances no memory holds.
MANY = sp.eye_array(50_000)
close = pytest.approx


def line(x, y):
    return abs(x - y)


def discrete(x, y):
    return float(x != y)


def random(n, m):
    return RNG.dirichlet(np.full(m, 0.5), n)


def test_transport_on_a_line_is_the_area_between_the_sums():
    """And of the discrete metric it is the total variation; the plan has the margins, the prices keep to the metric."""
    for n in (2, 5, 12):
        p, q = random(2, n)
        moved = lab.kantorovich(p, q, line)
        assert moved.value == close(np.abs(np.cumsum(p - q)).sum())
        assert moved.bound == close(moved.value, abs=1e-9)
        assert moved.plan.sum(axis=1) == close(p)
        assert moved.plan.sum(axis=0) == close(q)
        assert (np.add.outer(*moved.prices) <= np.abs(np.subtract.outer(np.arange(n), np.arange(n))) + 1e-12).all()
        assert lab.kantorovich(p, q, discrete).value == close(lab.total_variation(p, q))


def test_transport_leaves_what_is_impossible():
    """Zeros anywhere, and distributions of different sizes."""
    moved = lab.kantorovich([1, 0, 1], [0, 1], [[1, 2], [0, 0], [5, 4]])
    assert (moved.value, moved.bound) == close((3, 3))
    assert repr(moved) == "Transport(3 to 2 outcomes, 3, no less than 3)"
    assert (np.add.outer(*moved.prices) <= np.array([[1, 2], [0, 0], [5, 4]]) + 1e-12).all()


def test_hypers_bound_what_gains_of_spread_one_tell_apart():
    """From the hyper of a channel that tells nothing it is the additive capacity."""
    p, A, B = RNG.dirichlet(np.ones(4)), random(4, 3), random(4, 5)
    apart = lab.hyper_distance(p, A, B).value
    for _ in range(50):
        G = RNG.random((3, 4))
        told = ml.lab.posterior_vulnerability(p, A, gain=G) - ml.lab.posterior_vulnerability(p, B, gain=G)
        assert abs(told) <= apart + 1e-9
    nothing = np.ones((4, 1))
    assert lab.hyper_distance(p, nothing, A).value == close(ml.lab.additive_capacity(A, prior=p).value)
    most = ml.lab.additive_capacity(A, prior=p, spanning="vulnerabilities").value
    assert lab.hyper_distance(p, nothing, A, metric="convex separation").value == close(most)
    by_hand = lab.hyper_distance(p, A, B, metric=lambda a, b: 0.5 * float(np.abs(a - b).sum()))
    assert by_hand.value == close(apart)


def test_refinement_distance_is_what_gains_earn_and_no_gains_earn_more():
    """Zero exactly for what refines; from a channel that tells nothing it is the additive capacity."""
    for _ in range(5):
        p, A, B = RNG.dirichlet(np.ones(4)), random(4, 3), random(4, 4)
        found = lab.refinement_distance(p, A, B)
        assert found.gain.max() <= 1
        assert (found.gain == 0).all(axis=1).any()
        assert (A @ found.post_processing <= B + 1e-12).all()
        assert found.bound - found.value <= 1e-8
        assert str(found).startswith(f"{found.value:.9g} is earned more after the second, and no more than ")
        assert found.value <= lab.hyper_distance(p, A, B, metric="convex separation").bound + 1e-8
        for _ in range(20):
            G = np.vstack([1 - RNG.exponential(2, (5, 4)), np.zeros((1, 4))])
            more = ml.lab.posterior_vulnerability(p, B, gain=G) - ml.lab.posterior_vulnerability(p, A, gain=G)
            assert more <= found.bound + 1e-9
        assert (found.value > 1e-7) == (not ml.lab.refined_by(A, B).ok)
        assert lab.refinement_distance(p, A, A @ random(3, 2)).value == close(0, abs=1e-8)
        most = ml.lab.additive_capacity(A, prior=p, spanning="vulnerabilities").value
        assert lab.refinement_distance(p, np.ones((4, 1)), A).value == close(most, abs=1e-8)


def test_no_convex_function_rises_by_more_than_the_separation():
    """The function 1 - min over x of s_x/p_x rises by it."""
    p, q = random(2, 4)
    most = lab.convex_separation(p, q, symmetric=False)
    assert 1 - (q / p).min() == close(most)
    for _ in range(50):
        W = RNG.random((5, 4))  # the largest of linear functions is convex, and lies between 0 and 1
        assert (W @ q).max() - (W @ p).max() <= most + 1e-12


def test_private_channels_keep_the_multiplicative_distance():
    """Two priors that are so far apart, through a d-private channel; without a metric nothing is bound together."""
    p, q = random(2, 5)
    channel = mechanisms.geometric(5, 1.0)
    after = lab.multiplicative_distance(p @ channel.matrix, q @ channel.matrix)
    assert after <= lab.multiplicative_kantorovich(p, q, line) + 1e-9
    free = np.where(np.eye(5) > 0, 0.0, math.inf)
    assert lab.multiplicative_kantorovich(p, q, free) == close(lab.multiplicative_distance(p, q))
    assert lab.multiplicative_kantorovich([1, 0], [0, 1], free[:2, :2]) == math.inf
    assert lab.multiplicative_kantorovich([1, 0], [0, 1], line) == close(1)
    assert lab.multiplicative_kantorovich(p, p, line) == close(0, abs=1e-9)


def test_multiplicative_distances_however_far():
    """On three points by listing the functions that two distances bind; factors reach exp(1000), zeros are anywhere."""
    assert lab.multiplicative_kantorovich([1, 0], [0, 1], [[0, 1000], [1000, 0]]) == close(1000)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        at, (p, q) = rng.normal(size=3) * 10 ** rng.uniform(-2, 1.5), rng.dirichlet(np.full(3, 0.1), 2)
        q[rng.integers(3)] = 0
        q /= q.sum()
        d = np.abs(np.subtract.outer(at, at))
        found = []
        for x, y, z in permutations(range(3)):
            for bound, signs in product((x, y), product((-1, 1), repeat=2)):
                log_f = np.zeros(3)
                log_f[y] = signs[0] * d[x, y]
                log_f[z] = log_f[bound] + signs[1] * d[bound, z]
                if (np.subtract.outer(log_f, log_f) <= d + 1e-12).all():
                    found.append(abs(math.log(p @ np.exp(log_f) / (q @ np.exp(log_f)))))
        assert lab.multiplicative_kantorovich(p, q, d) == close(max(found), rel=1e-7, abs=1e-8)


def test_posteriors_of_private_channels():
    """The epsilons of prior and channel add up."""
    p, channel = RNG.dirichlet(np.ones(5)), mechanisms.geometric(5, 0.7)
    posteriors = lab.posteriors(p, channel).matrix
    assert max(lab.prior_epsilon(q, line) for q in posteriors.T) <= lab.prior_epsilon(p, line) + 0.7 + 1e-9


def test_gains_of_strategies_and_of_guessing():
    """The posterior vulnerability is the prior one of strategies, and that of one guess after a channel."""
    C, G = random(3, 3), RNG.normal(size=(2, 3))
    strategies = lab.posterior_gain(G, C)
    for p in RNG.dirichlet(np.ones(3), 10):
        earned = ml.lab.posterior_vulnerability(p, C, gain=G)
        assert ml.lab.vulnerability(p, gain=strategies) == close(earned)
        form = lab.gain_to_bayes(p, G)
        assert form.scale * ml.lab.posterior_vulnerability(form.prior, form.channel @ C) + form.offset == close(earned)
        both = ml.lab.vulnerability(p, gain=lab.gain_sum(G, C.T))
        assert both == close(ml.lab.vulnerability(p, gain=G) + ml.lab.vulnerability(p, gain=C.T))


def test_a_property_is_guessed_as_its_gains_say():
    p, C, values = RNG.dirichlet(np.ones(5)), random(5, 4), [2, "b", 2, "b", (0, 1)]
    told = lab.Joint(p, C).of(values)
    gain = lab.predicate_gain(values)
    assert ml.lab.vulnerability(told.prior) == close(ml.lab.vulnerability(p, gain=gain))
    assert ml.lab.posterior_vulnerability(told) == close(ml.lab.posterior_vulnerability(p, C, gain=gain))


def test_left_factors_are_exact_where_channels_are():
    """Rows that depend on each other too, and a row that is just outside."""
    third, half = Fraction(1, 3), Fraction(1, 2)
    A = ml.Channel([[1, 0, 0], [0, 1, 0], [half, half, 0], [third, third, third]])
    L = ml.Channel([[third, 0, 2 * third, 0], [0, half, 0, half], [0, 0, 0, 1]])
    found = ml.lab.left_factor(A, L.exact @ A.exact)
    assert found.exact is not None
    assert ((found.exact @ A.exact) == L.exact @ A.exact).all()
    outside = ml.Channel([[third - Fraction(1, 10**12), third, third + Fraction(1, 10**12)]])
    assert ml.lab.left_factor(A, outside) is None
    assert ml.lab.left_factor([[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0]]) is None  # no observable in common
    assert ml.lab.left_factor([[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0, 0.0]]) is None  # nor as many
    wide = random(30, 40)
    weights = random(5, 30)
    assert (ml.lab.left_factor(wide, weights @ wide).toarray() @ wide) == close(weights @ wide, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: lab.total_variation([1, 2], [1, 2, 3]), "the first has 2 outcomes and the second 3 outcomes"),
        (
            lambda: lab.total_variation(ml.Prior([1], labels=["a"]), ml.Prior([1], labels=["b"])),
            "outcome 0 is not the second's outcome 0",
        ),
        (lambda: lab.convex_separation([1], [1], symmetric="no"), "True or False, not 'no'"),
        (lambda: lab.kantorovich([1, 2], [1, 2], [[0, math.inf], [1, 0]]), "from 0 to 1 is inf"),
        (lambda: lab.kantorovich([1, 2], [1, 2, 3], np.zeros((2, 2))), "2 x 3"),
        (lambda: lab.kantorovich(np.ones(1001), np.ones(1000), np.zeros((1001, 1000))), "1,001 and 1,000 outcomes"),
        (lambda: lab.multiplicative_kantorovich(np.ones(1001), np.ones(1001), 1 - np.eye(1001)), "1,001 outcomes"),
        (lambda: lab.hyper_distance([1], [[1]], [[1]], metric="far"), "'total variation', 'convex separation'"),
        (lambda: lab.gain_sum([[1, 2]], [[1, 2, 3]]), "for 2 and for 3 secrets"),
        (lambda: lab.gain_sum(np.ones((50_000, 1)), np.ones((50_000, 1))), "pair of guesses has 2,500,000,000 ent"),
        (lambda: lab.risk([1, 1], loss=sp.eye_array(2)), "losses are a matrix"),
        (lambda: ml.lab.additive_capacity(MANY), "distances of so many rows"),
        (lambda: lab.induced_metric(MANY), "distances of so many secrets"),
        (lambda: lab.posterior_gain(np.eye(2) + 1, np.eye(3)), "for 2 secrets, and the channel has 3"),
        (lambda: lab.posterior_gain(random(40, 5) + 1, random(5, 9)), "over 1,000,000 strategies"),
        (lambda: lab.gain_to_bayes([1, 1], np.zeros((2, 2))), "no guess earns more"),
        (lambda: lab.Joint([1, 1], np.eye(2)).of(["a"]), "1 values for 2 secrets"),
        (lambda: lab.Joint([1, 1], np.eye(2)).of(["a", None]), "the property at secret 1 is missing"),
        (lambda: lab.refinement_distance(np.ones(300), np.eye(300), np.eye(300)), "more than 20,000,000"),
    ],
)
def test_what_makes_no_sense_is_refused(call, said):
    with pytest.raises(InvalidParameter, match=said):
        call()


def test_left_factors_share_observables():
    with pytest.raises(InvalidChannel, match="a left factor is between channels with the same observables"):
        ml.lab.left_factor(ml.Channel(np.eye(2), outputs=["a", "b"]), ml.Channel(np.eye(2), outputs=["a", "c"]))
