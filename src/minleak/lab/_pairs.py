"""pairs: who may be confused with whom, on any graph; one channel that leaks least in every entropy, in integers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._certify.certificate import Certificate, Check
from minleak.core._channel import Channel, as_channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.gain import Gain
from minleak.core._entropy.names import as_entropy
from minleak.core._labels import Labels
from minleak.core._leakage import leakage
from minleak.core._plan.channel_plan import ChannelPlan
from minleak.core._prior import Prior, as_gains, as_prior, match_prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, quote
from minleak.lab._integer_flows import Numbers, largest_flows, sum_by

# What a row of numbers to draw from may add up to.
_LIMIT = 1 << 62
_CLAIM = "no channel that shows a secret alone or in an allowed pair leaks less, in any symmetric, core-concave entropy"


@dataclass(frozen=True)
class PairClass(Result):
    """Secrets of one posterior: `likelier` have `theta`, at least 1/2, wherever they are shown, and `others`, with
    which they are shown, have 1 - theta. In the class of 1/2 all are `likelier`; in that of 1 each is shown alone.
    """

    theta: Fraction
    likelier: tuple[Any, ...]
    others: tuple[Any, ...]


@dataclass(frozen=True)
class PairsOptimum(Result):
    """The channel of sets of one or two that leaks least in every entropy: made by `minleak.lab.pairs`."""

    classes: tuple[PairClass, ...]
    """From the likeliest posterior down to 1/2."""
    prior: Prior = field(repr=False, compare=False)
    worth: tuple[int, ...] = field(repr=False, compare=False)
    """What the channel is made for, in integers: the weights, times the gains where there are any."""
    gains: Prior | None = field(repr=False, compare=False)
    shown: Indices = field(repr=False, compare=False)
    """The pairs that are shown, as two rows of positions."""
    numbers: Numbers = field(repr=False, compare=False)
    """For each of them one integer: the share of it in the rows of both members."""

    reported = ("success",)

    @cached_property
    def theta(self) -> dict[Any, Fraction]:
        """The posterior of each secret wherever it is shown; those without weight have none."""
        of = {x: one.theta for one in self.classes for x in one.likelier}
        of |= {x: 1 - one.theta for one in self.classes for x in one.others}
        return {x: of[x] for x in self.prior.labels if x in of}

    @cached_property
    def exact_success(self) -> Fraction:
        """How often one guess is right that sees a set (with gains: what it is worth, as a share of knowing all)."""
        of, labels = self.theta, self.prior.labels
        parts = (Fraction(w) * max(of[x], 1 - of[x]) for x, w in zip(labels, self.worth, strict=True) if w)
        return sum(parts, Fraction(0)) / sum(self.worth)

    @property
    def success(self) -> float:
        """`exact_success` as a float."""
        return float(self.exact_success)

    @cached_property
    def _rows(self) -> tuple[Indices, Indices, Numbers]:
        """Where the row of each secret starts; the columns and the integers in it, with no common divisor."""
        n, many = len(self.prior), self.shown.shape[1]
        alone = np.setdiff1d(np.arange(n), self.shown)
        secrets = np.concatenate([self.shown[0], self.shown[1], alone])
        columns = np.concatenate([np.arange(many), np.arange(many), many + np.arange(len(alone))])
        numbers = np.concatenate([self.numbers, self.numbers, np.ones(len(alone), dtype=self.numbers.dtype)])
        order = np.lexsort((columns, secrets))
        secrets, columns, numbers = secrets[order], columns[order], numbers[order]
        starts = np.searchsorted(secrets, np.arange(n + 1))
        return starts, columns, numbers // np.repeat(np.gcd.reduceat(numbers, starts[:-1]), np.diff(starts))

    @cached_property
    def _outputs(self) -> list[tuple[Any, ...]]:
        labels = list(self.prior.labels)
        pairs = [(labels[x], labels[y]) for x, y in self.shown.T.tolist()]
        return [*pairs, *((labels[x],) for x in np.setdiff1d(np.arange(len(labels)), self.shown).tolist())]

    def channel(self) -> Channel:
        """The channel as sparse floats. Its observables are tuples of the one or two secrets that are shown."""
        import scipy.sparse as sp

        starts, columns, numbers = self._rows
        totals = np.repeat(np.add.reduceat(numbers, starts[:-1]), np.diff(starts))
        shares = np.asarray(numbers / totals, dtype=np.float64)
        matrix = sp.csr_array((shares, columns, starts), shape=(len(self.prior), len(self._outputs)))
        return Channel(matrix, inputs=self.prior.labels, outputs=self._outputs)

    def plan(self) -> ChannelPlan:
        """The channel in integers, to be drawn from by `minleak.Cloak`, exactly, and saved.

        Refused where a row would add up to more than 2^62, as weights of floats may: round them, or the channel.
        """
        starts, columns, numbers = self._rows
        largest = max(np.add.reduceat(numbers.astype(object), starts[:-1]))
        if largest > _LIMIT:
            raise InvalidParameter(
                f"the rows of the channel must be integers with a sum up to 2^62; got {largest.bit_length()} bits. "
                "Make it for weights of fewer digits, or draw from lab.mechanisms.rounded(optimum.channel(), prior)."
            )
        outputs = Labels.of(self._outputs, len(self._outputs))
        return ChannelPlan(
            self.prior, outputs, starts.astype(np.int64), columns.astype(np.int64), numbers.astype(np.int64)
        )

    def entropy(self, entropy: ConditionalEntropy | str) -> float:
        """H(X|Y), the largest that any channel of these sets reaches; with gains that of `Gain(entropy, gains)`."""
        return self._measure(entropy).conditional(self.prior, self.channel())

    def leakage(self, entropy: ConditionalEntropy | str) -> float:
        """H(X) - H(X|Y), the least that any channel of these sets leaks."""
        return leakage(self.prior, self.channel(), self._measure(entropy))

    def _measure(self, entropy: ConditionalEntropy | str) -> ConditionalEntropy:
        H = as_entropy(entropy)
        if not H.symmetric:
            raise InvalidParameter(
                f"the entropy must treat all secrets alike; got {H.name}. Pass the gains to lab.pairs instead."
            )
        return H if self.gains is None else Gain(H, [float(w) for w in self.gains.weights.tolist()])  # type: ignore[arg-type]

    def to_parts(self) -> list[str | Table]:
        rows = [[str(one.theta), float(one.theta), len(one.likelier), len(one.others)] for one in self.classes]
        return [
            f"{len(self.prior)} secrets, {self.shown.shape[1]} pairs shown: one guess that sees a set is right with "
            f"probability {self.success:.6g}, and {_CLAIM}",
            Table("the classes", ["posterior", "as a number", "secrets that have it", "secrets with the rest"], rows),
        ]


def pairs(
    prior: Prior | Iterable[Any], pairs: Iterable[tuple[Any, Any]], *, gains: Iterable[Any] | None = None
) -> PairsOptimum:
    """Return the channel that leaks least where each observable is one secret or one of the allowed pairs.

    The pairs are the edges of any graph. There is exactly one vector theta such that some channel shows each secret x
    with posterior theta_x wherever it is shown, and theta_x + theta_y <= 1 on every edge. A channel is optimal for
    every symmetric, core-concave entropy at once if and only if it has these two properties, which `lab.certify_pairs`
    checks (docs/research/theorems.md).

    theta comes from the bottleneck decomposition: B_1 is the largest set of secrets with the least alpha_1 = p(N(B_1))
    over p(B_1), N(B) being the neighbours of B; both are taken away, and so on. theta = 1/(1 + alpha_i) on B_i and
    alpha_i/(1 + alpha_i) on N(B_i). It is found by largest flows on the double cover, exactly: 10,000 secrets with
    100,000 pairs take a second or two. Weights of floats are taken as the Fractions that they are. A secret without
    allowed pairs, or without weight, is shown alone.

    Parameters
    ----------
    prior
        The secrets.
    pairs
        Who may be shown with whom, as pairs of labels.
    gains
        What guessing each secret is worth, in the order of the prior or by label: the channel is then optimal for
        `Gain(H, gains)`, and made for gain times weight.

    >>> optimum = pairs({"a": 3, "b": 2, "c": 1, "d": 1}, [("a", "b"), ("b", "c"), ("c", "d")])
    >>> [str(theta) for theta in optimum.theta.values()], optimum.exact_success
    (['3/5', '2/5', '1/2', '1/2'], Fraction(4, 7))
    """
    known = as_prior(prior)
    edges = _as_edges(pairs, known)
    given = None if gains is None else as_gains(gains, known.labels)
    worth = _whole(known) if given is None else [w * g for w, g in zip(_whole(known), _whole(given), strict=True)]
    if not any(worth):
        raise InvalidParameter("no secret of positive weight has a gain; got zeros. Give at least one of them a gain.")
    possible = np.array([w > 0 for w in worth])
    edges = edges[:, possible[edges[0]] & possible[edges[1]]]
    shares, shown, numbers = _decompose(worth, edges)
    labels = list(known.labels)
    members: dict[Fraction, tuple[list[Any], list[Any]]] = {}
    for x, theta in enumerate(shares):
        if possible[x]:
            likelier, others = members.setdefault(max(theta, 1 - theta), ([], []))
            (likelier if theta >= 1 - theta else others).append(labels[x])
    classes = tuple(PairClass(theta, *map(tuple, members[theta])) for theta in sorted(members, reverse=True))
    return PairsOptimum(classes, known, tuple(worth), given, shown, numbers)


def certify_pairs(
    subject: ChannelPlan | Channel | Any,
    prior: Prior | Iterable[Any],
    pairs: Iterable[tuple[Any, Any]],
    *,
    gains: Iterable[Any] | None = None,
    tolerance: float = 1e-9,
) -> Certificate:
    """Certify that a channel leaks least among all whose observables are single secrets or allowed pairs.

    It accepts the optimal channels and no others: those that show every secret with one posterior theta_x, and have
    theta_x + theta_y <= 1 on every allowed pair. Exact, in Fractions, for the integers of `PairsOptimum.plan()` and for
    channels of Fractions; other channels are checked within the tolerance. It shares no code with the making.

    >>> all_in_pairs = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> certify_pairs(all_in_pairs, [3, 2, 1, 1], [(0, 1), (1, 2), (2, 3)]).ok
    True
    >>> certify_pairs(all_in_pairs, [3, 2, 1, 1], [(0, 1), (0, 2), (2, 3)]).ok
    False
    """
    channel = subject if isinstance(subject, ChannelPlan) else as_channel(subject)
    known = match_prior(prior, channel.prior.labels if isinstance(channel, ChannelPlan) else channel.inputs)
    allowed = set(map(frozenset, _as_edges(pairs, known).T.tolist()))
    gain = [1] * len(known) if gains is None else as_gains(gains, known.labels).weights.tolist()
    exact = isinstance(channel, ChannelPlan) or channel.exact is not None
    number: Any = Fraction if exact else float
    within = 0 if exact else tolerance
    worth = [number(w) * number(g) for w, g in zip(known.weights.tolist(), gain, strict=True)]

    columns: dict[int, dict[int, Any]] = {}
    for x, y, share in _entries(channel):
        columns.setdefault(y, {})[x] = worth[x] * share
    strange = [column for column in columns.values() if len(column) > 1 and frozenset(column) not in allowed]
    least: dict[int, Any] = {}
    most: dict[int, Any] = {}
    for column in columns.values():
        for x, mass in column.items():
            if mass:
                posterior = mass / sum(column.values())
                least[x] = min(least.get(x, posterior), posterior)
                most[x] = max(most.get(x, posterior), posterior)
    apart = sum(most[x] - least[x] > within for x in most)
    above = sum(most[x] + most[y] > 1 + within for x, y in map(tuple, allowed) if x in most and y in most)
    checks = [
        Check("every observable is one secret or an allowed pair", not strange, _count(len(strange), "is not")),
        Check(
            "a secret has one posterior wherever it is shown", not apart, _count(apart, "has several"), optimality=True
        ),
        Check(
            "the posteriors of the two of an allowed pair add up to at most 1",
            not above,
            _count(above, "adds up to more"),
            optimality=True,
        ),
    ]
    return Certificate.of(_CLAIM, checks, exact=exact)


def _count(many: int, what: str) -> str:
    return f"{many:,} {what}" if many else ""


def _entries(channel: ChannelPlan | Channel) -> Iterator[tuple[int, int, Any]]:
    """(secret, observable, share) of every positive entry."""
    if isinstance(channel, ChannelPlan):
        totals = channel.totals.tolist()
        secrets = np.repeat(np.arange(len(channel.prior)), np.diff(channel.starts)).tolist()
        for x, y, w in zip(secrets, channel.columns.tolist(), channel.weights.tolist(), strict=True):
            yield x, y, Fraction(w, totals[x])
    elif channel.exact is not None:
        for x, row in enumerate(channel.exact.tolist()):
            yield from ((x, y, Fraction(share)) for y, share in enumerate(row) if share)
    else:
        for y, members in enumerate(channel.preimages()):
            dense = channel.matrix[members][:, [y]]
            shares = (dense if isinstance(dense, np.ndarray) else dense.toarray()).ravel().tolist()
            yield from ((x, y, share) for x, share in zip(members.tolist(), shares, strict=True))


def _as_edges(pairs: Iterable[tuple[Any, Any]], prior: Prior) -> Indices:
    """The distinct pairs as two rows of positions, the smaller ones first."""
    if isinstance(pairs, str | bytes | Mapping) or not hasattr(pairs, "__iter__"):
        raise InvalidParameter(f"pairs must be a list of pairs of secrets; got {type(pairs).__name__}.")
    at = {label: x for x, label in enumerate(prior.labels)}
    found = set()
    for pair in pairs.tolist() if isinstance(pairs, np.ndarray) else pairs:
        members = [] if isinstance(pair, str | bytes) or not hasattr(pair, "__iter__") else list(pair)
        if len(members) != 2:
            raise InvalidParameter(f"each of the pairs must be two secrets; got {quote(pair)}.")
        for label in members:
            if label not in at:
                raise InvalidParameter(f"pairs must be of secrets of the prior; got {quote(label)}. Leave it out.")
        x, y = sorted(at[label] for label in members)
        if x == y:
            raise InvalidParameter(f"a pair must be of two different secrets; got {quote(pair)}. Leave it out.")
        found.add((x, y))
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2).T


def _whole(prior: Prior) -> list[int]:
    """Integers in the proportion of the weights, exactly."""
    given: list[int] = prior.weights.tolist()
    if prior.exact:
        return given
    shares = [Fraction(w) for w in given]
    common = math.lcm(*(share.denominator for share in shares))
    return [int(share * common) for share in shares]


def _decompose(worth: list[int], edges: Indices) -> tuple[list[Fraction], Indices, Numbers]:
    """theta of each secret, 1 for those without an edge; the pairs that are shown, and the integer of each.

    In each part of the secrets, U and its neighbours N(U), one flow from w p(N(U)) on U to w p(U) on N(U) along edges
    either saturates, and is the channel of a class; or the supply that is left over reaches some S in U with a
    smaller p(N(S))/p(S), and the part is cut into S, N(S) and the rest. The first cut is made with all secrets on both
    sides, at alpha = 1: what is left over is all B_i; what neither is that nor their neighbours is the class of 1/2.
    """
    n = len(worth)
    theta = [Fraction(1)] * n
    if not edges.shape[1]:
        return theta, edges, np.empty(0, dtype=np.int64)
    linked = np.unique(edges)
    at = np.searchsorted(linked, edges)
    tails, heads = np.concatenate([at[0], at[1]]), np.concatenate([at[1], at[0]])
    weights: Numbers = np.array([worth[x] for x in linked.tolist()], dtype=object)
    narrow = _narrow(weights, sum(weights))
    flow, over, hit = largest_flows(narrow, narrow, tails, heads, np.zeros(len(linked), dtype=np.int64))
    many = edges.shape[1]
    even = ~over & ~hit
    for x in linked[even].tolist():
        theta[x] = Fraction(1, 2)
    both = (flow[:many] + flow[many:])[even[at[0]] & even[at[1]]]
    found = [(at[:, even[at[0]] & even[at[1]]], both)]

    begin = over[tails]
    tails, heads = tails[begin], heads[begin]
    parts = np.where(over | hit, 0, -1)
    while len(tails):
        names, parts_of_tails = np.unique(parts[tails], return_inverse=True)
        of = np.full(len(linked), -1)
        inside = np.isin(parts, names)
        of[inside] = np.searchsorted(names, parts[inside])
        above = sum_by(of[over & inside], weights[over & inside], len(names))
        below = sum_by(of[hit & inside], weights[hit & inside], len(names))
        common = np.gcd(above, below)
        above, below = above // common, below // common
        left, right = np.flatnonzero(over & inside), np.flatnonzero(hit & inside)
        most = max(sum_by(of[left], weights[left] * below[of[left]], len(names)))
        supply = _narrow(weights[left] * below[of[left]], most)
        demand = _narrow(weights[right] * above[of[right]], most)
        ends = np.searchsorted(left, tails), np.searchsorted(right, heads)
        flow, reached, met = largest_flows(supply, demand, *ends, of[left])
        cut = np.zeros(len(names), dtype=bool)
        cut[of[left[reached]]] = True
        for x in np.flatnonzero(inside & ~cut[of]).tolist():
            a, b = int(above[of[x]]), int(below[of[x]])
            theta[int(linked[x])] = Fraction(a if over[x] else b, a + b)
        whole = ~cut[parts_of_tails]
        found.append((np.stack([tails[whole], heads[whole]]), flow[whole]))
        parts[inside & ~cut[of]] = -1
        begin = int(parts.max()) + 1
        moved = np.concatenate([left[reached], right[met]])
        parts[moved] = begin + of[moved]
        kept = ~whole & (parts[tails] == parts[heads])
        tails, heads = tails[kept], heads[kept]
    shown = np.concatenate([linked[ends] for ends, _ in found], axis=1)
    numbers = np.concatenate([part for _, part in found])
    positive = numbers > 0
    shown, numbers = np.sort(shown[:, positive], axis=0), numbers[positive]
    order = np.lexsort((shown[1], shown[0]))
    return theta, shown[:, order], numbers[order]


def _narrow(numbers: Numbers, most: int) -> Numbers:
    """The same integers in 64 bits, where sums of up to `most` fit."""
    return numbers.astype(np.int64) if most < _LIMIT else numbers
