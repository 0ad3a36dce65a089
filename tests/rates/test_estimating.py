"""estimate_prior: the most likely prior, its bound, intervals, and plans without a matrix."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidChannel, InvalidParameter, UnknownSecret


def test_an_invertible_channel_is_inverted():
    """Where the inverse is inside the simplex it is the most likely prior."""
    C = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])
    counts = np.array([400, 350, 250])
    estimate = ml.lab.estimate_prior(C, dict(enumerate(counts.tolist())), bootstrap=0)
    assert estimate.prior.p == pytest.approx(np.linalg.solve(C.T, counts / 1000), abs=1e-4)
    assert estimate.log_likelihood == pytest.approx(counts @ np.log(counts / 1000), abs=estimate.missing + 1e-9)


def test_no_prior_is_more_likely_than_the_bound_says():
    """By many random priors, at a boundary too."""
    rng = np.random.default_rng(0)
    C = rng.dirichlet(np.ones(4), 6)
    counts = rng.integers(1, 60, 4)
    estimate = ml.lab.estimate_prior(C, dict(enumerate(counts.tolist())), bootstrap=0)
    for p in rng.dirichlet(np.full(6, 0.5), 200):
        assert counts @ np.log(p @ C) <= estimate.log_likelihood + estimate.missing + 1e-9


def test_a_plan_is_estimated_as_its_channel_is():
    """From the published sets; and it tells that the world has moved, when it has."""
    rng = np.random.default_rng(1)
    plan = ml.design([40, 20, 10, 8, 6, 4, 2, 1], k=3)
    cloak = ml.Cloak(plan, insecure_seed_for_experiments=0)

    def published(p: np.ndarray) -> list[tuple[int, ...]]:
        return [tuple(row) for row in cloak.draw_many(rng.choice(8, p=p, size=2000), fresh=True).tolist()]

    sets = published(plan.prior.p)
    estimate = ml.lab.estimate_prior(plan, sets, bootstrap=20)
    beside = ml.lab.estimate_prior(plan.channel(), sets, against=plan.prior, bootstrap=0)
    assert estimate.prior.p == pytest.approx(beside.prior.p, abs=1e-4)
    assert estimate.surprise == pytest.approx(beside.surprise, abs=1e-3)
    assert estimate.surprise < 40
    assert (estimate.low <= estimate.high).all()
    moved = ml.lab.estimate_prior(plan, published(plan.prior.p[::-1]), bootstrap=20)
    assert moved.surprise > 400
    assert 0 in moved.moved


def test_blocks_tell_how_likely_they_are():
    """And nothing of their members: the most likely prior gives each block its share of what was shown."""
    blocks = ml.design({"a": 4, "b": 3, "c": 2, "d": 1}, 2, layout="blocks")
    cloak = ml.Cloak(blocks)
    estimate = ml.lab.estimate_prior(blocks, [cloak.draw(secret) for secret in "abcdcdcd"], bootstrap=0)
    assert estimate.prior.p[:2].sum() == pytest.approx(0.25)
    assert estimate.against is blocks.prior


def test_intervals_cover_what_was_drawn_from():
    """Most of them; and narrow with more observations."""
    rng = np.random.default_rng(2)
    C, p = rng.dirichlet(np.full(9, 0.3), 5), np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    widths = []
    for size in (500, 8000):
        seen = rng.choice(9, p=p @ C, size=size).tolist()
        estimate = ml.lab.estimate_prior(C, seen, bootstrap=60, against=p)
        assert len(estimate.moved) <= 1
        widths.append(float((estimate.high - estimate.low).mean()))
    assert widths[1] < widths[0] / 2


def test_the_ends_are_those_of_a_likelihood_ratio():
    """Of a channel that shows the secret they are the roots for a binomial; inside the limit, outside by a percent."""
    estimate = ml.lab.estimate_prior(np.eye(2), {0: 60, 1: 40})
    assert estimate.interval == "likelihood"

    def lost(p: float) -> float:
        return 2 * (60 * math.log(0.6 / p) + 40 * math.log(0.4 / (1 - p)))

    quantile = 3.841458820694124
    for end, at in ((float(estimate.low[0]), 0.6), (float(estimate.high[0]), 0.6)):
        assert lost(end) >= quantile - 1e-6
        assert lost(at + (end - at) * 0.98) <= quantile


def test_likelihood_intervals_cover_what_was_drawn_from():
    """At least as often as they say, zeros of the estimate included."""
    rng = np.random.default_rng(4)
    hits = []
    for _ in range(25):
        C, p = rng.dirichlet(np.ones(5), 4), rng.dirichlet(np.full(4, 0.5))
        counts = rng.multinomial(300, p @ C).tolist()
        estimate = ml.lab.estimate_prior(C, dict(enumerate(counts)))
        assert (estimate.low <= estimate.prior.p).all()
        assert (estimate.prior.p <= estimate.high).all()
        hits += ((estimate.low <= p) & (p <= estimate.high)).tolist()
    assert np.mean(hits) >= 0.9


def test_many_secrets_are_bootstrapped_unless_asked():
    """By size; and no interval is asked for by name, or by no samples."""
    seen = list(range(70))
    assert ml.lab.estimate_prior(np.eye(70), seen, bootstrap=2).interval == "bootstrap"
    assert ml.lab.estimate_prior(np.eye(3), [0, 1], interval="bootstrap", bootstrap=2).interval == "bootstrap"
    for options in ({"interval": "none"}, {"bootstrap": 0}):
        nothing = ml.lab.estimate_prior(np.eye(3), [0, 1], **options)
        assert (nothing.interval, nothing.low.max(), nothing.high.min()) == ("none", 0, 1)


@pytest.mark.parametrize(
    ("observed", "options", "error", "said"),
    [
        ([], {}, InvalidParameter, "nothing was observed"),
        ([7], {}, InvalidParameter, "7 was observed, and is no output"),
        ({0: math.nan}, {}, InvalidParameter, "whole numbers from 0 on, not nan"),
        ({0: -1}, {}, InvalidParameter, "whole numbers from 0 on, not -1"),
        (3, {}, InvalidParameter, "observations are a list"),
        ([[0]], {}, InvalidParameter, "labels of outputs"),
        ([2], {}, InvalidParameter, "no secret causes"),
        ([0], {"level": 1.0}, InvalidParameter, "between 0 and 1"),
        ([0], {"bootstrap": -1}, InvalidParameter, "bootstrap is a whole number"),
        ([0], {"against": [1, 2, 3]}, InvalidChannel, "has 3 secrets and the channel 2 rows"),
        ([0], {"interval": "wide"}, InvalidParameter, "'likelihood', 'bootstrap' or 'none', not 'wide'"),
        ([0], {"seed": -1}, InvalidParameter, "the seed is a whole number"),
    ],
)
def test_what_was_not_observed_is_refused(observed, options, error, said):
    """One line that says why."""
    with pytest.raises(error, match=said):
        ml.lab.estimate_prior([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]], observed, **options)


def test_sets_of_others_are_refused():
    """Without naming them."""
    plan = ml.design([3, 2, 1], k=2)
    for sets in ([(0, 9)], [(0, 0)]):
        with pytest.raises(UnknownSecret, match="a member that the plan does not know"):
            ml.lab.estimate_prior(plan, sets)
    with pytest.raises(InvalidParameter, match="up to k = 2 labels"):
        ml.lab.estimate_prior(plan, [(0, 1, 2)])


@pytest.mark.parametrize("total", [10**9, 10**12, 2**52])
def test_secrets_that_act_alike_have_intervals_however_often_was_observed(total):
    """The systems of the interior-point method are close to singular; two rows of the channel are the same."""
    C = [[0, 1], [0.45, 0.55], [0, 1]]
    found = ml.lab.estimate_prior(C, {0: 3 * total // 10, 1: 7 * total // 10}, interval="likelihood")
    assert found.low[1] <= 2 / 3 <= found.high[1]
    assert found.high[1] - found.low[1] < 20 / min(total, 10**12) ** 0.5  # beyond, as of so many
    for x in (0, 2):  # whatever is left may be all of one or of the other
        assert found.low[x] <= 1e-6
        assert found.high[x] == pytest.approx(1 / 3, abs=1e-3)
