"""Joint: a prior and a channel are matched by their labels once, by one rule, whoever measures them."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

import minleak as ml
from minleak import lab
from minleak.errors import InvalidChannel, MinleakError

AB, BA = ["a", "b"], ["b", "a"]
PRIOR = ml.Prior([1, 3], labels=AB)
ROWS = [[1, 0], [0.5, 0.5]]
OTHER = ml.Channel(ROWS, inputs=BA)
close = pytest.approx

# Whatever measures a prior and a channel.
MEASURES = {
    "leakage": lambda p, c: ml.leakage(p, c, "shannon"),
    "leakage_table": lambda p, c: ml.leakage_table(p, c)["shannon"].leakage,
    "conditional": lambda p, c: ml.entropy("arimoto:2").conditional(p, c),
    "posterior_vulnerability": lab.posterior_vulnerability,
    "with gains": lambda p, c: lab.posterior_vulnerability(p, c, gain=[[1, -2], [0, 1], [-1, 3]]),
    "multiplicative_leakage": lab.multiplicative_leakage,
    "additive_leakage": lab.additive_leakage,
    "max_case_vulnerability": lab.max_case_vulnerability,
    "max_case with gains": lambda p, c: lab.max_case_vulnerability(p, c, gain=[[1, -2], [0, 1], [-1, 3]]),
    "max_case_leakage": lab.max_case_leakage,
    "pointwise": lambda p, c: lab.pointwise_maximal_leakage(p, c).mean,
    "posterior_risk": lab.posterior_risk,
    "risk_leakage": lab.risk_leakage,
    "best_guesses": lambda p, c: lab.best_guesses(p, c).tolist(),
    "optimal": lab.OptimalAdversary().success,
    "uniform": lab.UniformAdversary().success,
    "mismatched": lab.MismatchedAdversary([1, 2]).success,
    "repeated_success": lambda p, c: ml.lab.repeated_success(p, c, looks=[1, 3]).success,
    "observations_needed": lambda p, c: ml.lab.observations_needed(p, c, success=0.95).looks,
}
# And those that take a prior and a channel, and something else.
BESIDE = {
    "mismatched belief": lambda p, c: lab.MismatchedAdversary(p).success([1, 1], c),
    "joint": lambda p, c: lab.Joint(p, c).matrix(),
    "output": lambda p, c: lab.Joint(p, c).output().tolist(),
    "posteriors": lambda p, c: lab.posteriors(p, c).probabilities.tolist(),
    "hyper": lambda p, c: lab.hyper(p, c).outers.tolist(),
    "additive_capacity": lambda p, c: ml.lab.additive_capacity(c, prior=p).value,
    "of": lambda p, c: lab.Joint(p, c).of([0, 1]).prior.p.tolist(),
    "hyper_distance": lambda p, c: lab.hyper_distance(p, c, np.eye(2)).value,
    "refinement_distance": lambda p, c: lab.refinement_distance(p, c, np.eye(2)).value,
    "rounded": lambda p, c: ml.lab.mechanisms.rounded(c, p).prior.p.tolist(),
    "certify": lambda p, c: ml.certify(c, p, k=2).ok,
}


@pytest.mark.parametrize("name", MEASURES | BESIDE)
def test_secrets_in_another_order_are_refused_in_the_same_words(name):
    """`repeated_success` took them by position: 0.75 where 0.875 is right."""
    measure = (MEASURES | BESIDE)[name]
    with pytest.raises(InvalidChannel, match="the prior's secret 0 is not the channel's row 0: bring both"):
        measure(PRIOR, OTHER)
    with pytest.raises(InvalidChannel, match="the prior has 3 secrets and the channel 2 rows: they must be the same"):
        measure([1, 1, 1], OTHER)


def test_repeated_success_with_labels_brought_into_one_order():
    """V_1 = sum over y of max over x of p(x) C[x,y], by hand and by every order of the same labels."""
    ordered = ml.Channel([ROWS[1], ROWS[0]], inputs=AB)
    by_hand = max(0.25 * 0.5, 0.75 * 1) + max(0.25 * 0.5, 0)
    assert by_hand == 0.875
    assert ml.lab.repeated_success(PRIOR, ordered, looks=[1]).success == (close(0.875),)
    assert ml.lab.repeated_success(ml.Prior([3, 1], labels=BA), OTHER, looks=[1]).success == (close(0.875),)


@pytest.mark.parametrize("name", MEASURES)
def test_a_joint_is_measured_as_its_prior_and_channel(name):
    """And an iterator is gone through once, as its signature says."""
    measure, channel = MEASURES[name], ml.Channel(ROWS)
    expected = measure([1, 3], channel)
    joint = lab.Joint([1, 3], channel)
    assert measure(joint, None) == expected
    assert measure(iter([1, 3]), channel) == expected
    with pytest.raises(InvalidChannel, match="either a Joint, or a prior and a channel"):
        measure(joint, channel)
    with pytest.raises(InvalidChannel, match="give both, or a Joint"):
        measure([1, 3], None)


@pytest.mark.parametrize("name", BESIDE)
def test_an_iterator_of_weights_is_gone_through_once(name):
    channel = ml.Channel(ROWS)
    assert np.array_equal(BESIDE[name](iter([1, 3]), channel), BESIDE[name]([1, 3], channel))


def test_distances_take_iterators_too():
    distances = (
        lab.kantorovich,
        lab.multiplicative_kantorovich,
        lambda p, q, _: lab.total_variation(p, q),
        lambda p, q, _: lab.convex_separation(p, q),
    )
    for distance in distances:
        found = [distance(kind([1, 3]), kind([3, 1]), lambda x, y: abs(x - y)) for kind in (iter, list)]
        assert getattr(found[0], "value", found[0]) == getattr(found[1], "value", found[1])


# -- channels together -------------------------------------------------------------------------------------------------


def multiplied(parts):
    """All columns of the product, in the order of itertools.product, one by one."""
    dense = [part.toarray() for part in parts]
    columns = product(*(range(part.shape[1]) for part in dense))
    return np.array([math.prod(part[:, y] for part, y in zip(dense, ys, strict=True)) for ys in columns]).T


def random_parts(rng, kind):
    """Up to three channels with many zeros."""
    parts, n = [], int(rng.integers(2, 6))
    for _ in range(rng.integers(1, 4)):
        part = rng.random((n, rng.integers(1, 6))) * (rng.random(1) < rng.random())
        part[part.sum(axis=1) == 0, 0] = 1
        part = np.where(rng.random(part.shape) < 0.5, 0, part)
        part[part.sum(axis=1) == 0, -1] = 1
        part = part / part.sum(axis=1, keepdims=True)
        parts.append(ml.Channel(sp.csc_array(part) if kind == "sparse" else part))
    p = rng.random(n) * (rng.random(n) < 0.7)
    p[rng.integers(n)] += 0.5
    return parts, p / p.sum()


def by_hand(p, C, gain):
    """For each observable the first best guess, -1 where it cannot occur; and what it is worth."""
    worth = gain @ (p[:, None] * C)
    best = worth.argmax(axis=0)
    best[p @ C == 0] = -1
    return best, worth.max(axis=0)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_best_guesses_on_channels_together_are_those_by_hand(kind):
    """Rows that a block leaves out were forgotten: [0, 1, 0, 1] for [1, 2, 1, 2]."""
    rng = np.random.default_rng(26)
    for _ in range(150):
        parts, p = random_parts(rng, kind)
        lazy, C, n = lab.Together(parts), multiplied(parts), len(p)
        assert lab.best_guesses(p, lazy).tolist() == by_hand(p, C, np.eye(n))[0].tolist()
        whole = [rng.integers(-2, 3, (int(rng.integers(1, 4)), n)), rng.integers(0, 3, n), -rng.integers(0, 3, n)]
        for gain in (*whole, sp.csr_array(whole[0])):
            dense = gain.toarray() if sp.issparse(gain) else np.diag(gain) if gain.ndim == 1 else gain
            best, worth = by_hand(p, C, dense)
            found = lab.best_guesses(p, lazy, gain=gain)
            assert (found == -1).tolist() == (best == -1).tolist()
            earned = (dense @ (p[:, None] * C))[np.maximum(found, 0), np.arange(len(best))]
            assert earned[best >= 0] == close(worth[best >= 0], abs=1e-15)
            output = p @ C
            seen = output > 0
            most = float((worth[seen] / output[seen]).max())
            assert lab.max_case_vulnerability(p, lazy, gain=gain) == close(most)
            assert lab.posterior_vulnerability(p, lazy, gain=gain) == close(float(worth.sum()), abs=1e-12)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_attackers_on_channels_together_are_right_as_often_as_by_hand(kind):
    rng = np.random.default_rng(27)
    for _ in range(100):
        parts, p = random_parts(rng, kind)
        lazy, C = lab.Together(parts), multiplied(parts)
        q = rng.random(len(p)) + 1e-3
        possible = C > 0
        uniform = sum(p @ C[:, y] / possible[:, y].sum() for y in range(C.shape[1]) if possible[:, y].any())
        believed = sum(p[x] * C[x, y] for y in range(C.shape[1]) for x in [int((q * C[:, y]).argmax())])
        optimal = (p[:, None] * C).max(axis=0).sum()
        assert lab.UniformAdversary().success(p, lazy) == close(uniform)
        assert lab.MismatchedAdversary(q).success(p, lazy) == close(believed)
        assert lab.OptimalAdversary().success(p, lazy) == close(optimal)
        assert lab.Joint(p, lazy).output() == close(p @ C)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = [np.log(C[:, y].max() / C[:, y].min()) for y in range(C.shape[1]) if possible[:, y].any()]
        assert lab.local_dp_epsilon(lazy) == close(max(ratios), abs=1e-12)
        assert lab.local_dp_epsilon(lazy.channel()) == close(max(ratios), abs=1e-12)


# -- others that are matched -------------------------------------------------------------------------------------------


def test_walks_are_matched_by_their_labels():
    """A channel or a plan in another order, and a marginal in another, were taken by position."""
    chain = ml.lab.sequences.Chain(ml.Prior([1, 3], labels=AB), [[3, 1], [1, 1]], backoff=1)
    plan = ml.design(ml.Prior([3, 1], labels=BA), k=2)
    for method in (OTHER, plan, plan.channel(), ml.lab.mechanisms.rounded(OTHER)):
        with pytest.raises(MinleakError, match="0 is not the chain's state 0: bring both into one order"):
            ml.lab.sequences.leakage(chain, method, steps=2)
    ordered = ml.Channel([ROWS[1], ROWS[0]], inputs=AB)
    swapped = ml.lab.sequences.Chain(ml.Prior([3, 1], labels=BA), [[1, 1], [1, 3]], backoff=1)
    assert (
        ml.lab.sequences.leakage(chain, ordered, steps=3).filtered.values
        == ml.lab.sequences.leakage(swapped, OTHER, steps=3).filtered.values
    )
    with pytest.raises(MinleakError, match="the marginal's state 0 is not the chain's state 0"):
        ml.lab.sequences.Chain(PRIOR, [[3, 1], [1, 1]], backoff=1, marginal=ml.Prior([1, 3], labels=BA))
    with pytest.raises(MinleakError, match="initial's state 0 is not labels='s name 0"):
        ml.lab.sequences.Chain(PRIOR, [[3, 1], [1, 1]], labels=BA)


def test_a_fixed_channel_is_matched_by_its_labels():
    """`optimise` took the rows of a channel by position."""
    with pytest.raises(MinleakError, match="the prior's secret 0 is not a matrix's row 0"):
        ml.lab.optimise(PRIOR, allowed=np.ones((2, 2)), fixed=OTHER)


def test_counts_is_true_or_false():
    with pytest.raises(MinleakError, match="counts is True or False, not 'no'"):
        ml.Prior([1, 2], counts="no")


def test_what_a_joint_hands_out_is_not_its_own_memory():
    """Posteriors, hypers and outputs are computed from what a joint keeps, and may be changed without changing it."""
    rng = np.random.default_rng(3)
    p, C = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(4), 5)
    C[:, 3] = 0
    C /= C.sum(axis=1, keepdims=True)
    joint, J = lab.Joint(p, C), p[:, None] * C
    for _ in range(2):
        posteriors, hyper, output = lab.posteriors(joint), lab.hyper(joint), joint.output()
        assert np.allclose(posteriors.matrix, J[:, :3] / J[:, :3].sum(axis=0), rtol=1e-14)
        assert np.allclose(hyper.inners * hyper.outers, J[:, :3], rtol=1e-14)
        assert np.allclose(output, J.sum(axis=0), rtol=1e-14)
        assert posteriors.dropped == (3,)
        for array in (posteriors.matrix, posteriors.probabilities, hyper.inners, hyper.outers, output):
            array[:] = 7
