"""Plan: an optimal channel for a prior and a cap on the size of sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array, Indices
from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy, evaluate
from minleak.core._entropy.names import FEW, STANDARD, as_entropy
from minleak.core._file.format import Contents
from minleak.core._file.hashing import hash_parts, label_parts
from minleak.core._leakage import difference
from minleak.core._plan.base import RINGS, BasePlan
from minleak.core._plan.distances import Cost
from minleak.core._plan.groups import GroupTree
from minleak.core._plan.mismatch import form_for_gains, mismatched_leakage
from minleak.core._plan.rings import Homes, Ring, check_rings, zero_weight_line
from minleak.core._plan.sampler import RingSampler, TierSampler
from minleak.core._plan.storing import ring_contents, ring_fields
from minleak.core._plan.summaries import PlanSummary, summarize_rings, tell_property
from minleak.core._plan.tiers import CommonPhases, Tier
from minleak.core._plan.written_out import ENTRIES, ROWS, explicit_channel, ring_blocks, rows_of_rings
from minleak.core._prior import Prior, total_of
from minleak.core._property_leakage import Values
from minleak.errors import InvalidParameter
from minleak.near._decoys import decoy_distances
from minleak.rates._world import World, in_the_world
from minleak.rivals._exposures import Repeated, repeat_draws

if TYPE_CHECKING:
    from minleak.lineage._lineage import Lineage


@dataclass(frozen=True, repr=False, eq=False)
class Plan(BasePlan):
    """An optimal channel for a prior and a cap k on the size of a set: made by `minleak.design`.

    Every observable is a set of k secrets, and whichever is seen, the attacker's posterior on it is the same vector
    `target` (pi of the paper). The giants are in every set; the u other places are given by homes and rings. A ring's
    phase is drawn in proportion to its length; secret x is at the phases that it owns, u * weights[x] units in all.

    All fields are integers or indices. With gains, `weights` are those of gamma_x p(x). `distance` is the total
    variation between the prior given and the one on the integer grid that the plan is exactly optimal for. `costs`
    is what the sets cost, if the layout minimised that. `known_as` is the name given by the engine that made the plan.

    With `groups` no set has more members of a group than its cap, and the plan leaks least among all such. Where a
    group outweighs its cap, the secrets that are no giants are several tiers, the blocks of the principal partition:
    `homes` and `rings` are those of the first, which is the densest, and `lower` has the others. All tiers are shown at
    the same phase. Everything else follows from these fields, which the constructor checks.
    """

    prior: Prior
    k: int
    layout: str
    weights: Indices
    giants: Indices
    homes: Homes
    rings: tuple[Ring, ...]
    gains: Array | None = field(default=None, kw_only=True)
    distance: float = field(default=0.0, kw_only=True)
    costs: Cost | None = field(default=None, kw_only=True)
    groups: GroupTree | None = field(default=None, kw_only=True)
    lower: tuple[Tier, ...] = field(default=(), kw_only=True)
    known_as: bytes | None = field(default=None, kw_only=True)

    kind = RINGS

    def __post_init__(self) -> None:
        check_rings(self)

    @classmethod
    def trusted(cls, **fields: Any) -> Self:
        """A plan whose fields are not checked, for `design`, which has just made them: checking takes as long as laying
        a circle. Files, copies and everybody else use the constructor.
        """
        made = object.__new__(cls)
        vars(made).update(dict.fromkeys(("gains", "costs", "groups", "known_as")) | {"lower": ()} | fields)
        return made

    # -- what follows from the fields ---------------------------------------------------------------------------------

    @cached_property
    def total(self) -> int:
        """The sum of the weights."""
        return int(self.prior.total if self.weights is self.prior.weights else total_of(self.weights))

    @property
    def n_giants(self) -> int:
        """g = j* - 1, how many secrets are in every set."""
        return len(self.giants)

    @property
    def u(self) -> int:
        """How many places of a set the giants leave."""
        return self.k - len(self.giants)

    @cached_property
    def rest_weight(self) -> int:
        """What the giants leave of the total weight: the number of all phases, where there is one tier."""
        return self.total - int(sum(self.weights[self.giants].tolist()))

    @cached_property
    def tiers(self) -> tuple[Tier, ...]:
        """The secrets that are no giants, by density: one tier, unless a group outweighs its cap."""
        return (Tier(self.homes, self.rings), *self.lower) if self.rest_weight else ()

    @cached_property
    def common(self) -> CommonPhases:
        """The phases at which several tiers are shown together."""
        return CommonPhases(self.tiers, len(self.weights))

    @property
    def phases(self) -> int:
        """The number of all phases, which are equally likely."""
        return self.common.count if self.lower else self.rest_weight

    def places(self, secrets: Indices) -> Indices:
        """At how many phases each of the secrets is in the set: u w_x; with several tiers r_i w_x L / P_i in tier i, as
        Python's integers; and at all phases for a giant.
        """
        places: Any = self.weights[secrets]
        if self.lower:
            tiers = self.common.tier_of[secrets]
            scales = [tier.rank * scale for tier, scale in zip(self.tiers, self.common.scales, strict=True)]
            places = places.astype(object) * np.array([*scales, 0], dtype=object)[tiers]
        else:
            places = self.u * places
        if len(giants := self._giants):
            at = np.minimum(np.searchsorted(giants, secrets), len(giants) - 1)
            places = np.where(giants[at] == secrets, self.phases, places)
        return np.asarray(places)

    @cached_property
    def _giants(self) -> Indices:
        return np.sort(self.giants)

    @cached_property
    def mean_places(self) -> Array:
        """`places` of all secrets, scaled to `rest_weight` phases: floats, for estimates."""
        if not self.lower:
            return self.places(np.arange(len(self.weights))).astype(np.float64)
        scales = np.array([*(tier.rank / tier.weight for tier in self.tiers), 0.0])
        shares = self.weights * scales[self.common.tier_of]
        shares[self.giants] = 1.0
        return np.asarray(shares * self.rest_weight)

    @cached_property
    def zero_weight(self) -> Indices:
        """The secrets of weight zero, which have sets of their own."""
        return np.flatnonzero(self.weights == 0)

    @cached_property
    def target(self) -> Array:
        """pi, largest first: the posterior that every observable induces (with gains: of gamma_x p(x), not
        normalised).
        """
        rest = [share for tier in self.tiers for share in [tier.weight / (tier.rank * self.total)] * tier.rank]
        pi = np.concatenate([self.weights[self.giants] / self.total, rest]) * self.mass
        return pi if self.groups is None else np.sort(pi)[::-1]

    @property
    def exact_target(self) -> tuple[Fraction, ...]:
        """pi in exact fractions of the total weight, largest first, zeros left out."""
        giants = [Fraction(w, self.total) for w in self.weights[self.giants].tolist()]
        rest = [Fraction(tier.weight, self.total * tier.rank) for tier in self.tiers for _ in range(tier.rank)]
        return tuple(sorted([*giants, *rest], reverse=True))

    @property
    def success(self) -> float:
        """How often one guess is right after a set was seen: pi_1 (with gains: what the best guess is worth)."""
        return float(self.target.max())

    @property
    def mass(self) -> float:
        """The sum of gamma_x p(x)."""
        return 1.0 if self.gains is None else float(self.gains @ self.prior.p)

    @cached_property
    def digest(self) -> bytes:
        """A hash, 32 bytes, of everything a draw depends on: labels, weights, k, giants, homes, rings and groups."""
        index = "<i4" if len(self.weights) < 2**31 else "<i8"
        parts = [*label_parts(self.prior.labels), np.array([self.k, self.u, self.rest_weight, self.total])]
        parts += [self.weights, self.giants]
        tiers: list[Any] = [self, *self.lower]
        for tier in tiers:
            parts += [tier.homes.weights, tier.homes.members.astype(index, copy=False)]
            parts += [np.array([ring.length, ring.u, len(ring.starts)]) for ring in tier.rings]
            for ring in tier.rings:
                parts += [ring.starts, ring.list_members().astype(index, copy=False)]
        if self.groups is not None:
            parts += [b"groups", self.groups.group_of, self.groups.parents, self.groups.caps]
            parts += [np.array([len(self.lower), *(len(tier.rings) for tier in tiers)])]
        if self.known_as is not None:
            parts += [b"known as", self.known_as]
        return hash_parts(b"minleak plan 2", parts, self.hashes)

    @property
    def lineage(self) -> bytes:
        """32 bytes that all versions of the plan share, on which sticky draws depend: the digest, or the name given by
        the engine that made the plan, which nothing verifies.
        """
        return self.known_as or self.digest

    @cached_property
    def on_grid(self) -> Prior:
        """The prior that the plan is exactly optimal for; with gains, that of gamma_x p(x)."""
        if self.weights is self.prior.weights:
            return self.prior
        return Prior.trusted(self.weights, self.prior.labels, self.total)

    def entropy(self, entropy: ConditionalEntropy | str, *, of: Values | None = None) -> float:
        """H(X|Y) = H(pi), the largest that any channel with sets of at most k can reach.

        Theorem 1 of the paper, for every symmetric, expansible, core-concave entropy at once; with gains its
        Proposition 4, H_g(X|Y) = eta(Fhat(pi)). O(k). With `of`, H(f(X)|Y) of a property of the secret, which differs
        from layout to layout.
        """
        H = as_entropy(entropy)
        if of is not None:
            return super().entropy(H, of=of)
        if self.gains is None:
            if not H.symmetric:
                raise InvalidParameter("give the gains to design(..., gains=...), which makes the plan for them")
            return evaluate([H], [self.target[:, None]])[0]
        core = form_for_gains(H)
        return core.eta(core.perspective(self.target))

    def leakage(
        self,
        entropy: ConditionalEntropy | str,
        *,
        prior: Prior | Iterable[Any] | None = None,
        of: Values | None = None,
    ) -> float:
        """H(X) - H(X|Y), the least that any channel with sets of at most k can leak.

        With `prior`, what this plan leaks if secrets are drawn from that prior instead of the one it was designed for
        (the attacker knowing so). Its labels may be in another order; those that it lacks have probability zero, and
        those that the plan lacks are refused, with their number and mass.

        With `of`, what a set tells about a property f(X) of the secret, such as the country of a city, given in the
        order of the prior's secrets or by label: H(f(X)) - H(f(X)|Y). The cap k does not bound it.

        >>> import minleak as ml
        >>> plan = ml.design(ml.Prior([4, 4, 3, 3], labels=["Bern", "Basel", "Lyon", "Nice"]), k=2)
        >>> round(plan.leakage("shannon"), 4), round(plan.leakage("shannon", of=["ch", "ch", "fr", "fr"]), 4)
        (0.9852, 0.9852)
        """
        H = as_entropy(entropy)
        if of is not None:
            return super().leakage(H, prior=prior, of=of)
        if prior is not None:
            return mismatched_leakage(self, H, prior)
        if self.gains is None:
            before = H(self.on_grid)
        else:
            core = form_for_gains(H)
            before = core.eta(core.perspective(self.weights / self.total * self.mass))
        return difference(H, before, self.entropy(H))

    def in_the_world(self, *, entropies: Sequence[ConditionalEntropy | str] = FEW, seed: int = 0) -> World:
        """What the plan leaks in the true population that its counts are a sample of, to an attacker who knows the true
        frequencies.

        The certificate is about the prior as counted. Secrets with equal counts are not equally frequent, and an
        attacker who knows better guesses the most frequent member of a set: with 60,000 events of 34,003 cities and
        k = 20 they are right 9.7% of the time, not 5%. This is estimated from the counts alone, if events are
        independent: see `World`. Refused where it cannot be: fewer than 100 events, every secret seen once, weights
        that are no counts (`Prior(..., events=)`).

        >>> import minleak as ml
        >>> counts = ml.Prior([20 - i // 30 for i in range(600)])
        >>> world = ml.design(counts, k=10).in_the_world()
        >>> world.success > world.claimed
        True
        """
        return in_the_world(self, entropies, seed)

    def summary(
        self, entropies: Sequence[ConditionalEntropy | str] = STANDARD, *, of: Values | None = None
    ) -> PlanSummary:
        """The plan in words and tables, with the leakage in each entropy, also about a property of the secret if `of`
        gives one.
        """
        return tell_property(self, summarize_rings(self, entropies), of, entropies)

    def joint_blocks(self, p: Array) -> Iterator[Any]:
        """The columns of the joint for the probabilities of the secrets, some at a time."""
        return ring_blocks(self, p)

    @property
    def cost(self) -> float | None:
        """The mean of c(M)/u over published sets, for plans laid by `Near` or `Cheapest`: see `Cost`."""
        return None if self.costs is None else self.costs.value

    @property
    def cost_bound(self) -> float | None:
        """A lower bound on the cost of every plan of least leakage, if one is known."""
        return None if self.costs is None else self.costs.bound

    def decoy_distances(self, shares: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9)) -> tuple[float, ...]:
        """How far decoys are from the secret they hide: the mean over a set's other members, giants aside, at the
        given shares of draws (0.5 is the median), in the metric that the plan was designed with.

        Averaged over draws of the other secrets, each as often as the prior says. Exact, O(sets * u^2).
        """
        return decoy_distances(self, shares)

    def sets(self) -> Iterator[tuple[tuple[Any, ...], Fraction]]:
        """(set, probability): the observables as tuples of labels in input order, one after the other.

        A set may come more than once, its probabilities then add up. Sets of secrets of weight zero have probability
        zero; if all is in one set, it comes with probability one.
        """
        labels = self.prior.labels
        for sets, lengths in self.cells():
            for members, length in zip(sets, lengths.tolist(), strict=True):
                whole = np.sort(np.concatenate([self.giants, members]))
                yield tuple(labels[i] for i in whole.tolist()), Fraction(length, self.phases)
        for number, members in enumerate(self.zero_weight_sets()):
            yield tuple(labels[i] for i in members.tolist()), Fraction(int(not self.rest_weight and number == 0))

    @property
    def n_cells(self) -> int:
        """An upper bound on the number of distinct sets: one for each home, one for each segment on a ring."""
        return self.n_homes + self.n_segments + len(self.zero_weight_line()[1])

    @property
    def n_homes(self) -> int:
        """How many homes there are."""
        return sum(len(tier.homes.weights) for tier in self.tiers)

    @property
    def n_segments(self) -> int:
        """How many segments there are on all rings."""
        return sum(len(ring.starts) for tier in self.tiers for ring in tier.rings)

    def cells(self, width: int = 4096) -> Iterator[tuple[Indices, Indices]]:
        """(sets, lengths) in blocks: sets of shape (m, u) without the giants, each of probability length / phases. The
        lengths are Python's integers where there are several tiers.
        """
        if self.lower:
            yield from ((sets, lengths) for sets, lengths, _ in self.common.cells(width))
            return
        yield from self.home_cells(width)
        for ring in self.rings:
            yield from ring.cells().blocks(width)

    def mean_cells(self, width: int = 4096) -> Iterator[tuple[Indices, Array]]:
        """`cells` with lengths in floats, scaled to `rest_weight` phases."""
        for sets, lengths in self.cells(width):
            yield sets, (lengths / self.phases * self.rest_weight if self.lower else lengths).astype(np.float64)

    def home_cells(self, width: int) -> Iterator[tuple[Indices, Indices]]:
        """`cells` of the homes alone: each home is one cell."""
        for begin in range(0, len(self.homes.weights), width):
            yield self.homes.members[begin : begin + width], self.u * self.homes.weights[begin : begin + width]

    def zero_weight_line(self) -> tuple[Indices, Indices]:
        """The sets of secrets of weight zero on one line, and where each begins. Where nothing is on rings, the giants'
        set comes first.
        """
        return zero_weight_line(self)

    def zero_weight_sets(self) -> list[Indices]:
        """The sets of secrets of weight zero, one by one."""
        members, begins = self.zero_weight_line()
        return np.split(members, begins[1:]) if len(begins) else []

    def weighted_sets(self) -> Iterator[tuple[Indices, int]]:
        """Every set, and how many places of each member lead to it; 1 for a set that its members always show."""
        for sets, lengths in self.cells():
            for members, length in zip(sets, lengths.tolist(), strict=True):
                yield np.concatenate([self.giants, members]), length
        for members in self.zero_weight_sets():
            yield members, 1

    def channel(self, *, dense: bool = False, exact: bool = False, limit: int = ENTRIES) -> Channel:
        """The explicit channel, observables labelled by their sets.

        Sparse unless `dense`; `exact` gives a dense channel of Fractions. At most `n_cells` observables, which for the
        circle is at most n - n_giants. Refused when it would hold more than `limit` entries.
        """
        return explicit_channel(self, dense=dense, exact=exact, limit=limit)

    def table(self, *, limit: int = ROWS) -> pa.Table:
        """Rows from which any language draws as the plan does, by secret: `secret`, `set_number`, `first`, `last`.

        A secret has a line of units, from 0 to the largest `last` of its rows. Take one of them at random, each as
        likely as the others; the row that it lies in (`first` <= unit <= `last`) says which set is shown; its members
        are all secrets that have a row of that set. Up to k rows for each set; refused above `limit`.

        >>> import minleak as ml
        >>> ml.design([3, 2, 1], k=2, layout="circle").table().to_pylist()[:2]
        [{'secret': 0, 'set_number': 0, 'first': 0, 'last': 3}, {'secret': 0, 'set_number': 1, 'first': 4, 'last': 5}]
        """
        return rows_of_rings(self, limit)

    def repeated(
        self, draws: Sequence[int] = (1, 2, 5, 20), *, trials: int = 20_000, seed: int = 0, exact: bool | None = None
    ) -> Repeated:
        """The optimal attacker's success when one secret is drawn again and again with fresh randomness.

        Exact where the sets are few (n up to about 12), else from `trials` simulated secrets, with a 99% confidence
        interval. `exact` asks for one or the other.
        """
        return repeat_draws(self, draws, trials=trials, seed=seed, exact=exact)

    def as_lineage(self) -> Lineage:
        """The plan as the first part of a lineage."""
        from minleak.lineage._lineage import Lineage

        return Lineage.begin(self)

    def sampler(self) -> RingSampler:
        """The object that draws from the plan."""
        return TierSampler(self) if self.lower else RingSampler(self)

    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arrays and numbers that a file stores."""
        return ring_contents(self)

    @classmethod
    def from_contents(cls, contents: Contents) -> Self:
        """The plan in a file."""
        return cls(**ring_fields(contents))

    def __repr__(self) -> str:
        return (
            f"Plan(n={len(self.prior)}, k={self.k}, giants={self.n_giants}, layout={self.layout!r}, "
            f"homes={self.n_homes}, segments={self.n_segments})"
        )
