"""Approximate privacy: delta as a function of epsilon, the trade-off of errors, and both after many observations."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from minleak import Channel
from minleak.core._arrays import Array
from minleak.core._channel import as_channel
from minleak.core._parameters import real, whole
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter
from minleak.lab._measures.distances import renyi_nats

# The most grid steps up to the largest loss of one observation, and of the whole grid after all of them.
_FINE, _GRID = 1 << 16, 1 << 20
# Distributions of more sums than this are refused: they and their transforms would take gigabytes.
_SUMS = 1 << 24
# Grids up to this many steps are tried for an exact fit of all losses.
_COARSE = 64
# The most pairs of secrets with different losses.
_PAIRS = 400
# The relative error of Fourier transforms.
_ROUNDING = 2.0**-52
# Losses that agree to this many digits are merged.
_DIGITS = 12


@dataclass(frozen=True)
class PrivacyCurve(Result):
    """How well the worst pair of secrets can be distinguished by `observations` independent outputs of a channel.

    A loss is log C[x,y]/C[x',y], in nats; `losses` has its distribution under x for each pair with a different one, as
    arrays of losses (infinite ones too) and probabilities. After several observations the losses lie on a grid: rounded
    up they give upper bounds (`delta`, `epsilon`, `trade_off`), rounded down lower bounds (`least_delta`). `rows` are
    the rows of the channel, by pairs.
    """

    observations: int
    losses: tuple[tuple[Array, Array], ...] = field(repr=False)
    rounded_down: tuple[tuple[Array, Array], ...] = field(repr=False)
    rows: tuple[tuple[Array, Array], ...] = field(repr=False)

    def delta(self, epsilon: float) -> float:
        """The least delta with P(event | x) <= exp(epsilon) P(event | x') + delta for all events and pairs: the largest
        `hockey_stick` of two rows at exp(epsilon). Never below the truth.
        """
        return min(_delta(self.losses, _nats(epsilon)) + self._error, 1.0)

    def least_delta(self, epsilon: float) -> float:
        """A lower bound of the same delta: never above the truth."""
        return min(max(_delta(self.rounded_down, _nats(epsilon)) - self._error, 0.0), 1.0)

    @property
    def _error(self) -> float:
        """What rounding in the transforms may add to any sum of probabilities, or take from it."""
        if self.observations == 1:
            return 0.0
        size = max(len(masses) for _, masses in self.losses)
        # The root mean square error bounds that of all probabilities together.
        return _ROUNDING * self.observations * math.log2(2 * size) * math.sqrt(size)

    def epsilon(self, delta: float) -> float:
        """The least epsilon, in nats, that holds with that delta; infinite where none does. By bisection."""
        most = real(delta, "delta is a probability, from 0 to 1", least=0, most=1)
        finite = all(not masses[np.isinf(losses)].any() for losses, masses in self.losses)
        high = max(float(losses[np.isfinite(losses)].max(initial=0.0)) for losses, _ in self.losses)
        if most == 0 and finite:
            return high
        if self.delta(high) > most:
            return math.inf
        low = 0.0
        if self.delta(low) <= most:
            return low
        while high - low > 1e-10 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle) <= most else (middle, high)
        return high

    def trade_off(self, type_one: float) -> float:
        """f-DP: the least share of false negatives of a test between two secrets with this share of false positives, at
        the worst pair; 1 - `type_one` if they cannot be distinguished. Never above the truth.
        """
        share = real(type_one, "the share of false positives is from 0 to 1", least=0, most=1)
        return max(min(_missed(losses, masses, share) for losses, masses in self.losses) - self._error, 0.0)

    def renyi(self, alpha: float) -> float:
        """Renyi privacy: the largest Renyi divergence of that order between two secrets, in nats. It adds up exactly
        over observations.
        """
        order = real(alpha, "the order alpha is a number from 0 on", least=0)
        return self.observations * max(
            float(renyi_nats(first[None], second[None], order)[0]) for first, second in self.rows
        )

    def compose(self, observations: int) -> PrivacyCurve:
        """The curve of several independent observations of the same secret. Losses of one observation are rounded up,
        and separately down, to a grid of at most 65,536 steps, unless they lie on a coarse one; the distribution of
        their sum is a power of its Fourier transform.

        >>> from minleak.lab import mechanisms
        >>> curve = mechanisms.privacy_curve(mechanisms.randomised_response(2, 0.5)).compose(10)
        >>> round(curve.epsilon(1e-5), 4)
        4.9989
        """
        count = whole(observations, "the number of observations", 1)
        if self.observations != 1:
            raise InvalidParameter("compose starts from the curve of one observation: use compose(n) for n")
        if count == 1:
            return self
        up, down = (tuple(_sum(l, m, count, towards) for l, m in self.losses) for towards in (np.ceil, np.floor))
        return PrivacyCurve(count, up, down, self.rows)

    @cached_property
    def _table(self) -> list[list[str]]:
        return [[f"{e:g}", f"{self.delta(e):.6g}"] for e in (0.0, 0.1, 0.5, 1.0, 2.0, 5.0)]

    def to_parts(self) -> list[str | Table]:
        return [f"observations: {self.observations}", Table("", ("epsilon", "delta"), self._table)]

    def to_dict(self) -> dict[str, Any]:
        """`observations`, and `deltas` for some values of epsilon."""
        return {"observations": self.observations, "deltas": {row[0]: float(row[1]) for row in self._table}}


def privacy_curve(channel: Channel | Any, *, pairs: Iterable[tuple[int, int]] | None = None) -> PrivacyCurve:
    """The (epsilon, delta) curve of a channel, over all pairs of secrets or some `pairs`.

    A mechanism is (epsilon, delta)-private if delta is at least the curve at epsilon. Exact for one observation;
    `compose` accounts for several. O(n^2 m).

    >>> curve = privacy_curve([[0.75, 0.25], [0.25, 0.75]])
    >>> curve.delta(0), round(curve.epsilon(0), 9), curve.trade_off(0.25)
    (0.5, 1.098612289, 0.25)
    """
    C = as_channel(channel).toarray()
    n = len(C)
    chosen = [(x, y) for x in range(n) for y in range(n) if x != y] if pairs is None else list(pairs)
    if any(not (0 <= x < n and 0 <= y < n) for x, y in chosen):
        raise InvalidParameter(f"pairs are of rows from 0 to {n - 1}")
    both = {pair for x, y in chosen for pair in ((x, y), (y, x))} if pairs is not None else chosen
    distinct: dict[tuple[Any, ...], tuple[tuple[Array, Array], tuple[Array, Array]]] = {}
    for x, y in sorted(both):
        losses, masses = _losses(C[x], C[y])
        key = (losses.round(_DIGITS).tobytes(), masses.round(_DIGITS).tobytes())
        distinct.setdefault(key, ((losses, masses), (C[x], C[y])))
        if len(distinct) > _PAIRS:
            raise InvalidParameter(f"more than {_PAIRS} pairs of secrets have different losses: choose some by pairs=")
    if not distinct:
        raise InvalidParameter("a privacy curve needs two secrets: the channel has one")
    kept = tuple(losses for losses, _ in distinct.values())
    return PrivacyCurve(1, kept, kept, tuple(rows for _, rows in distinct.values()))


def shuffled_epsilon(epsilon: float, *, n: int, delta: float) -> float:
    """The central epsilon, in nats, of n locally epsilon-private answers that are shuffled: together they are
    (result, delta)-private.

    With b = 8 sqrt(exp(epsilon) log(4/delta) / n) + 8 exp(epsilon) / n it is
    log(1 + b (exp(epsilon) - 1) / (exp(epsilon) + 1/(1 + b))), where epsilon <= log(n / (16 log(4/delta))): the closed
    bound of Feldman, McMillan and Talwar (Hiding Among the Clones, arXiv 2012.12803), as their program computes it.
    Elsewhere, and where that is no better, it is epsilon itself.

    >>> round(shuffled_epsilon(1.0, n=1_000_000, delta=1e-6), 4)
    0.0238
    """
    local = real(epsilon, "epsilon is a number from 0 on, in nats", least=0, below=math.inf)
    people = whole(n, "the number of people", 1)
    share = real(delta, "delta is a probability between 0 and 1", above=0, below=1)
    if local > math.log(people / (16 * math.log(4 / share))):
        return local
    grown = math.exp(local)
    noise = 8 * math.sqrt(grown * math.log(4 / share) / people) + 8 * grown / people
    return min(local, math.log1p(noise * (grown - 1) / (grown + 1 / (1 + noise))))


def _nats(epsilon: float) -> float:
    return real(epsilon, "epsilon is a number, in nats", least=-math.inf, below=math.inf)


def _losses(p: Array, q: Array) -> tuple[Array, Array]:
    """The distinct losses log p/q, and their probabilities under p."""
    seen = p > 0
    with np.errstate(divide="ignore"):
        losses = np.log(p[seen]) - np.log(q[seen])
    order = np.argsort(losses, kind="stable")
    losses, masses = losses[order], p[seen][order]
    with np.errstate(invalid="ignore"):
        new = np.flatnonzero(~(np.diff(losses, prepend=-math.inf) <= 10.0**-_DIGITS))
    return losses[new], np.add.reduceat(masses, new)


def _delta(distributions: Iterable[tuple[Array, Array]], epsilon: float) -> float:
    found = 0.0
    for losses, masses in distributions:
        above = losses > epsilon
        found = max(found, float(-masses[above] @ np.expm1(epsilon - losses[above])))
    return found


def _missed(losses: Array, masses: Array, share: float) -> float:
    """False negatives of the best test of x' against x, which decides for x where the loss is large. False positives
    are these outputs under x', with probability P exp(-loss) for P under x.
    """
    order = np.argsort(-losses, kind="stable")
    under_x, under_other = masses[order], (masses * np.exp(-losses))[order]
    positives, found = np.cumsum(under_other), np.cumsum(under_x)
    return 1.0 - min(float(np.interp(share, np.append(0.0, positives), np.append(0.0, found))), 1.0)


def _sum(losses: Array, masses: Array, count: int, towards: Any) -> tuple[Array, Array]:
    """The distribution of the sum of `count` losses, each rounded to a grid."""
    finite = np.isfinite(losses)
    largest = float(np.abs(losses[finite]).max(initial=0.0))
    once = float(masses[~finite].sum())  # the chance that one of them is infinite, and that any of all is
    infinite = 1.0 if once >= 1 else -math.expm1(count * math.log1p(-once))
    if largest == 0:
        return np.array([0.0, math.inf]), np.array([1 - infinite, infinite])
    exact = losses[finite] / largest
    fits = (k for k in range(1, _COARSE) if np.abs(exact * k - np.rint(exact * k)).max() < 1e-12)
    steps = next(fits, max(1, min(_FINE, _GRID // (2 * count))))
    near = np.rint(exact * steps)
    on_grid = np.abs(exact * steps - near) < 1e-12 * steps
    places = np.where(on_grid, near, towards(exact * steps)).astype(np.int64)
    lowest, width = int(places.min()), int(places.max() - places.min())
    if width * count >= _SUMS:
        raise InvalidParameter(
            f"{count:,} observations have {width * count:,} sums of losses, too many to list: at most "
            f"{(_SUMS - 1) // width:,} observations, or renyi(alpha), which adds up exactly for any number"
        )
    line = np.bincount(places - lowest, weights=masses[finite], minlength=width + 1)
    size = 1 << (width * count).bit_length()
    power = np.fft.irfft(np.fft.rfft(line, size) ** count, size)[: width * count + 1]
    total = (lowest * count + np.arange(width * count + 1)) * (largest / steps)
    return np.append(total, math.inf), np.append(np.maximum(power, 0.0), infinite)
