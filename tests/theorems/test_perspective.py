"""Perspectives: homogeneous, curved the right way, and the same H(X|Y) by every road."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.rounding import at_most, equal

import minleak as ml
from minleak.testing import AWAY_FROM_ONE, channels, entropies, priors, systems

# Non-negative vectors of four entries, many of them zero, tied or very different.
VECTORS = arrays(np.float64, 4, elements=st.one_of(st.sampled_from([0, 0, 1, 2, 1e-6]), st.floats(1e-3, 10)))
SCALES = st.floats(1e-6, 1e6)


@given(entropies(), VECTORS, SCALES)
def test_homogeneity(H, v, t):
    """Fhat(t v) = t Fhat(v); where observables are combined by their maximum, Fhat(t v) = Fhat(v)."""
    degree = 0 if H.combine is np.max else 1
    whole, part = H.perspective(t * v), t**degree * H.perspective(v)
    assert math.isclose(whole, part, rel_tol=1e-12, abs_tol=1e-300)


@given(entropies(), VECTORS, VECTORS)
def test_curvature(H, u, v):
    """Fhat(u + v) >= Fhat(u) + Fhat(v) if F is concave, <= if convex: a homogeneous function's way to be so.

    Where observables are combined by their maximum, that stands in place of the sum.
    """
    together = H.perspective(u + v)
    apart = float(H.combine([H.perspective(u), H.perspective(v)]))
    assert at_most(apart, together) if H.increasing else at_most(together, apart)


@given(entropies(), priors(max_size=4), priors(max_size=4))
def test_eta_is_monotone(H, a, b):
    """eta grows if F is concave and falls if F is convex."""
    low, high = sorted((H.perspective(a.p), H.perspective(b.p)))
    assert at_most(H.eta(low), H.eta(high)) if H.increasing else at_most(H.eta(high), H.eta(low))


@given(entropies(orders=AWAY_FROM_ONE), systems())
def test_the_definition_gives_the_same(H, system):
    """H(X|Y) = eta(the sum over y of Fhat(J[:,y])), taken literally, wherever that keeps its digits."""
    prior, channel = system
    literally = H.eta(float(H.combine(H.perspective(ml.lab.Joint(prior, channel).matrix()))))
    assert equal(H.conditional(prior, channel), literally, tolerance=1e-11)


@given(entropies(), systems(), st.data())
def test_observables_with_one_posterior_are_one(H, system, data):
    """H(X|Y) is the same when an observable is split in two that say the same."""
    prior, channel = system
    matrix = channel.toarray()
    y, t = data.draw(st.integers(0, channel.shape[1] - 1)), data.draw(st.sampled_from([0.5, 0.25, 1 / 3]))
    split = np.column_stack([matrix, t * matrix[:, y]])
    split[:, y] *= 1 - t
    assert equal(H.conditional(prior, split), H.conditional(prior, channel))


def inverse_eta(H):
    """eta^-1, by hand."""
    match H:
        case ml.lab.Tsallis(alpha=q):
            return lambda h: 1 - (q - 1) * h
        case ml.lab.SharmaMittal(alpha=a, beta=b):
            return lambda h: (1 - (b - 1) * h) ** ((1 - a) / (1 - b))
        case ml.lab.Hayashi(alpha=a):
            return lambda h: 2 ** ((1 - a) * h)
        case ml.Arimoto(alpha=a):
            return lambda h: 2 ** ((1 - a) / a * h)
        case ml.lab.FehrBerens() | ml.MinEntropy():
            return lambda h: 2**-h
        case _:
            return lambda h: h


ORDINARY = st.sampled_from([0.3, 0.5, 1.5, 2.0, 3.5])
STRICT = st.one_of(
    st.builds(ml.Shannon),
    st.builds(ml.MinEntropy),
    st.builds(ml.GuessError, st.integers(1, 3)),
    st.builds(ml.Guesswork),
    st.builds(ml.Arimoto, ORDINARY),
    st.builds(ml.lab.Hayashi, ORDINARY),
    st.builds(ml.lab.FehrBerens, ORDINARY),
    st.builds(ml.lab.SharmaMittal, ORDINARY, st.sampled_from([-1.0, 0.5, 2.0])),
    st.builds(ml.lab.Tsallis, ORDINARY),
)


@given(STRICT, priors(max_size=5), st.data())
def test_kolmogorov_nagumo_form(H, prior, data):
    """H(X|Y) = eta(sum over y of p(y) eta^-1(H(X given y))): the mean of the posteriors' entropies as eta sees them."""
    channel = data.draw(channels(len(prior)))
    seen = ml.lab.posteriors(prior, channel)
    before = [inverse_eta(H)(H(posterior)) for posterior in seen.matrix.T]
    assert equal(H.conditional(prior, channel), H.eta(float(seen.probabilities @ before)), tolerance=1e-11)
