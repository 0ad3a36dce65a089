"""Sampler: every place of every secret, compared with the plan's channel as fractions; larger plans by chi-square."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from tests.cases import HARD, LAYOUTS, large
from tests.plans import ERROR_RATE, KEY, counted, homes_and_ring, members, plans, row_of, walked, zipf

import minleak as ml

DRAWS = 20_000


def assert_exact(plan):
    channel = plan.channel(exact=True)
    for x in range(len(plan.weights)):
        assert counted(plan, x) == row_of(channel, x)


@given(plans())
def test_all_places_together_are_the_channel(plan):
    """Taking each place of a secret once gives each set as often as the channel says, as fractions."""
    assert_exact(plan)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_hard_priors_at_every_cap(weights, layout):
    """The same for priors that are hard for a reason, from k = 1 to beyond n."""
    weights = [min(w, 1000) for w in weights]
    for k in range(1, len(weights) + 2):
        assert_exact(ml.design(weights, k, layout=layout))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gains(layout):
    """The same where weights are gamma_x w_x and some gains are zero."""
    for k in (1, 2, 3, 4, 6):
        assert_exact(ml.design([9, 5, 3, 2, 1, 0], k, layout=layout, gains=[1, 0, 3, 2, 0, 5]))


def test_homes_and_ring():
    """A giant draws among all homes and rings; a secret may be on several of them."""
    plan = homes_and_ring()
    assert ml.certify(plan, plan.prior).ok
    assert_exact(plan)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", large())
def test_places_of_large_plans(name, layout):
    """First, last and random places of light, heavy and random secrets are those found by walking along the rings."""
    prior, k = large()[name]
    plan = ml.design(prior, k, layout=layout)
    rng = np.random.default_rng(1)
    possible = np.flatnonzero(plan.weights)
    by_weight = possible[np.argsort(plan.weights[possible], kind="stable")]
    secrets = np.concatenate([by_weight[:3], by_weight[-3:], rng.choice(possible, 4)])
    owned = plan.places(secrets)
    places = np.stack([np.zeros_like(owned), owned - 1, rng.integers(0, owned)], axis=1)
    found = plan.locate(np.repeat(secrets, 3), places.ravel())
    expected = [walked(plan, int(x), int(place)) for x, row in zip(secrets, places, strict=True) for place in row]
    assert list(map(tuple, found.tolist())) == expected


def test_many_short_segments():
    """The right one is found where short segments crowd."""
    plan = ml.design([10**6] * 3 + [1] * 3000, 2, layout="circle")
    assert_places = [(x, place) for x in (3, 1500, 3002) for place in (0, 1)]
    secrets, places = map(np.array, zip(*assert_places, strict=True))
    found = plan.locate(secrets, places).tolist()
    assert list(map(tuple, found)) == [walked(plan, x, place) for x, place in assert_places]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_how_the_draws_are_dealt_to_threads_does_not_matter(layout):
    """Many draws at once are those one by one, row by row."""
    plan = zipf(layout=layout)
    rng = np.random.default_rng(2)
    secrets = rng.integers(0, len(plan.weights), 20_001)
    places = rng.integers(0, plan.places(secrets))
    parts = [plan.locate(secrets[i : i + 1000], places[i : i + 1000]) for i in range(0, len(secrets), 1000)]
    assert np.array_equal(plan.locate(secrets, places), np.concatenate(parts))


@given(plans())
def test_places_owned(plan):
    """u w_x on rings, the whole tail for a giant, one where a set is fixed."""
    owned = plan.places(np.arange(len(plan.weights))).tolist()
    giants = set(plan.giants.tolist())
    for x, weight in enumerate(plan.weights.tolist()):
        expected = plan.phases if x in giants else plan.u * weight
        assert owned[x] == (1 if x in plan.fixed else expected)


@given(plans(), st.integers(0, 2**32))
def test_a_set_holds_its_secret_in_increasing_order(plan, seed):
    """At most k members, each once, the secret among them."""
    cloak = ml.Cloak(plan, insecure_seed_for_experiments=seed)
    for x, row in enumerate(cloak.draw_many(np.arange(len(plan.weights)), fresh=True).tolist()):
        shown = members(row)
        assert len(row) == plan.k
        assert x in shown
        assert list(shown) == sorted(set(shown))
        assert row == [*shown, *[-1] * (plan.k - len(shown))]


def binned(seen, possible):
    """Counts seen and expected, sets put together until ten draws of each are expected, as chi-square needs."""
    observed, expected = [0], [0.0]
    for y in sorted(possible, key=possible.__getitem__):
        if expected[-1] >= 10:
            observed, expected = [*observed, 0], [*expected, 0.0]
        observed[-1] += seen[y]
        expected[-1] += possible[y]
    return observed, expected


def assert_likely(plan, draw):
    """Chi-square of the draws of some secrets against their rows of the channel."""
    matrix, outputs = plan.channel().matrix.tocsr(), plan.channel().outputs
    for secret in np.argsort(-plan.weights, kind="stable")[[0, 1, 2, 7, 20]].tolist():
        row = matrix[[secret]].tocoo()
        possible = {outputs[y]: DRAWS * p for y, p in zip(row.coords[1].tolist(), row.data.tolist(), strict=True)}
        seen = Counter(map(tuple, draw(np.full(DRAWS, secret)).tolist()))
        assert seen.keys() <= possible.keys()
        observed, expected = binned(seen, possible)
        assert len(expected) > 1
        assert chisquare(observed, expected).pvalue > ERROR_RATE


@pytest.mark.parametrize("layout", LAYOUTS)
def test_fresh_draws_of_larger_plans(layout):
    """Sets come as often as the channel says; a right sampler fails with probability 1e-6 for each secret."""
    plan = zipf(layout=layout)
    cloak = ml.Cloak(plan, insecure_seed_for_experiments=11)
    assert_likely(plan, lambda secrets: cloak.draw_many(secrets, fresh=True))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sticky_draws_of_larger_plans(layout):
    """The same over many scopes, each of which has one sticky draw."""
    plan = zipf(layout=layout)
    cloak = ml.Cloak(plan, key=KEY)
    scopes = [f"user-{i}" for i in range(DRAWS)]
    assert_likely(plan, lambda secrets: cloak.draw_many(secrets, scopes=scopes))


@pytest.mark.parametrize("apart", [False, True])
def test_many_idle_secrets_take_little_memory(apart):
    """They are searched for in the sets one after the other, some 8 bytes each, not listed in a dict."""
    weights = np.zeros(100_000, dtype=np.int64)
    weights[::2] = np.arange(1, 50_001)
    plan = ml.design(weights, 8)
    if apart:
        plan = ml.design(weights, 8, groups=ml.Groups(np.arange(100_000), at_most=1))
    plan.locate(np.array([1, 0]), np.zeros(2, dtype=np.int64))
    tracemalloc.start()
    try:
        shown = plan.locate(np.array([1, 99_999]), np.zeros(2, dtype=np.int64))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert shown.tolist() == [list(range(1, 17, 2)), list(range(99_985, 100_000, 2))]
    assert peak < (16 if apart else 3) * 10**6


def test_a_draw_never_converts_a_long_array(monkeypatch):
    """numpy converts a whole array first where the searched numbers are of another type: O(n) for one draw."""
    converted, search = [], np.searchsorted

    def watched(array, values, **given):
        array = np.asarray(array)
        if len(array) > 100 and np.result_type(array, np.asarray(values)) != array.dtype:
            converted.append((array.dtype, np.asarray(values).dtype))
        return search(array, values, **given)

    rng = np.random.default_rng(0)
    prior = ml.Prior(rng.integers(1, 50, 600))
    plans = [ml.design(prior, 5, layout=layout) for layout in ("stable", "circle", "blocks")]
    plans.append(ml.design(prior, 5, groups=ml.Groups([i % 20 for i in range(600)], at_most=1)))
    plans.append(plans[0].update(prior))
    monkeypatch.setattr(np, "searchsorted", watched)
    for plan in plans:
        for secret in range(40):
            place = int(plan.places(np.array([secret]))[0]) - 1
            plan.locate(np.array([secret]), np.array([place]))
    events = rng.integers(0, 3000, 4000)
    ml.audit(rng.integers(0, 3, 4000), events, numeric=False)
    assert not converted
