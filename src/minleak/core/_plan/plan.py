"""Plan: secrets in sets. Giants are in every set, homes and a ring give the other places; fixed sets never change.

A ring is a line of segments, each owned by a member, cut into u lanes of equal length and stacked: the members at one
phase of all lanes are a set. A home is a ring of a single set. A secret of weight w owns u w phases in all, so that
every set of homes and ring induces the same posterior pi (Theorem 1 of the paper). Members of a fixed set always show
it: secrets of weight zero, and all secrets of a plan of blocks.
"""

from __future__ import annotations

import hmac
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array, Indices
from minleak.core._columns import BLOCK, Columns
from minleak.core._entropy.base import ConditionalEntropy, Entropy, evaluate
from minleak.core._entropy.gain import Gain
from minleak.core._entropy.names import as_entropies, as_entropy
from minleak.core._entropy.standard import FEW, STANDARD
from minleak.core._file.format import Contents
from minleak.core._file.hashing import hash_parts, label_parts
from minleak.core._leakage import difference, leakage
from minleak.core._plan.distances import Cost
from minleak.core._plan.fields import check_fields, weight_left
from minleak.core._plan.groups import GroupTree
from minleak.core._plan.partition import Partition
from minleak.core._plan.rows_read import RowsRead, as_rows, read_by_blocks
from minleak.core._plan.set_plan import WIDTH, SetPlan, Walk, owner_of
from minleak.core._plan.storing import plan_contents, plan_fields
from minleak.core._plan.summaries import PlanSummary, summarize_plan, tell_property
from minleak.core._prior import Prior, total_of
from minleak.core._property_leakage import Values
from minleak.errors import InvalidCloak, InvalidParameter
from minleak.near._decoys import decoy_distances
from minleak.rates._world import World, in_the_world

if TYPE_CHECKING:
    from minleak.core._keys import Key
    from minleak.lineage._lineage import Lineage

#: The layout of a plan of fixed sets alone.
BLOCKS = "blocks"
# Up to so many draws are located one by one, which is quicker than numpy.
_SINGLE = 4
_SHORT = "a secret owns less than its weight says: certify tells what is wrong with the plan"


@dataclass(frozen=True, repr=False, eq=False)
class Plan(SetPlan):
    """A channel whose observables are sets of at most k secrets: made by `minleak.design`.

    All fields are integers or indices. `giants` are the heaviest first. Home i is the row `home_members[i]` of
    u = k - giants secrets, each of which has `home_weights[i]` in it. Segment i of the ring belongs to `members[i]` and
    starts at `starts[i]` on the line [0, u * length). Fixed set i is `fixed[begins[i]:begins[i + 1]]`: the secrets of
    weight zero, where there is a ring or a home, and all secrets of a plan of blocks.

    Whichever set of homes and ring is seen, the attacker's posterior on it is the same vector `target` (pi of the
    paper): such a plan leaks least. A plan of blocks has no randomness and needs no key, a secret is always in the same
    set, and it leaks a little more: see `loss`.

    With gains, `weights` are those of gamma_x p(x). `distance` is the total variation between the prior given and the
    one on the integer grid that the plan is made for. `costs` is what the sets cost, if the layout minimised that.
    `known_as` is the name given by the engine that made the plan.

    With `groups` no set has more members of a group than its cap, and the plan leaks least among all such. Where a
    group outweighs its cap, the secrets that are no giants are several `tiers`, the blocks of the principal partition,
    (rank, weight) each: every set has so many members of the tier, which are on lanes of their own, and the densest
    tier comes first. Everything else follows from these fields, which the constructor checks.

    >>> import minleak as ml
    >>> plan = ml.design({"flu": 5, "cold": 4, "gout": 2, "mumps": 1}, k=2, layout="blocks")
    >>> list(plan.sets())
    [(('flu', 'cold'), Fraction(3, 4)), (('gout', 'mumps'), Fraction(1, 4))]
    >>> round(plan.success, 4), round(plan.loss("min-entropy"), 4)
    (0.5833, 0.2224)
    """

    prior: Prior
    k: int
    layout: str
    weights: Indices
    giants: Indices
    home_members: Indices
    home_weights: Indices
    members: Indices
    starts: Indices
    length: int
    fixed: Indices
    begins: Indices
    gains: Array | None = field(default=None, kw_only=True)
    distance: float = field(default=0.0, kw_only=True)
    costs: Cost | None = field(default=None, kw_only=True)
    groups: GroupTree | None = field(default=None, kw_only=True)
    tiers: tuple[tuple[int, int], ...] = field(default=(), kw_only=True)
    known_as: bytes | None = field(default=None, kw_only=True)

    kind = "plan"

    def __post_init__(self) -> None:
        check_fields(self)

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
    def rest(self) -> int:
        """The weight on homes and ring: what giants and fixed sets leave of the total."""
        return weight_left(self)

    @cached_property
    def phases(self) -> int:
        """The number of all phases, which are equally likely: those of the homes and then those of the ring. They are
        as many as the weight on homes and ring, unless there are several tiers, which have as many each.
        """
        return self.u * int(self.home_weights.sum()) + int(self.length)

    @property
    def n_homes(self) -> int:
        """How many homes there are."""
        return len(self.home_weights)

    @property
    def n_segments(self) -> int:
        """How many segments the ring has."""
        return len(self.starts)

    @property
    def n_cells(self) -> int:
        """An upper bound on the number of distinct sets: homes, segments of the ring, fixed sets."""
        return self.n_homes + self.n_segments + self.n_fixed

    @property
    def blocks(self) -> Partition:
        """The fixed sets, which are all there is in a plan of blocks."""
        return Partition(self.fixed, self.begins)

    @cached_property
    def is_cut(self) -> bool:
        """Whether all sets are fixed, and are the secrets sorted and cut into sets of k."""
        if len(self.fixed) < len(self.weights) or (np.diff(self.begins)[:-1] < self.k).any():
            return False
        weights, begins = self.weights[self.fixed], self.begins[:-1]
        light, heavy = np.minimum.reduceat(weights, begins), np.maximum.reduceat(weights, begins)
        return bool((light[:-1] >= heavy[1:]).all())

    @cached_property
    def target(self) -> Array:
        """pi, largest first: the posterior that every set on homes and ring induces (with gains: of gamma_x p(x), not
        normalised). Empty for blocks, which have none in common.
        """
        if self._all_fixed and not len(self.giants):
            return np.empty(0)
        rest = [weight / (rank * self.total) for rank, weight in self._tiers for _ in range(rank)]
        pi = np.concatenate([self.weights[self.giants] / self.total, rest]) * self.mass
        return pi if self.groups is None else np.sort(pi)[::-1]

    @property
    def exact_target(self) -> tuple[Fraction, ...]:
        """pi in exact fractions of the total weight, largest first, zeros left out."""
        giants = [Fraction(w, self.total) for w in self.weights[self.giants].tolist()]
        rest = [Fraction(weight, self.total * rank) for rank, weight in self._tiers for _ in range(rank)]
        return tuple(sorted([*giants, *rest], reverse=True))

    @property
    def mass(self) -> float:
        """The sum of gamma_x p(x)."""
        return 1.0 if self.gains is None else float(self.gains @ self.prior.p)

    @property
    def _tiers(self) -> tuple[tuple[int, int], ...]:
        """(rank, weight) of each tier: one, unless a group outweighs its cap."""
        return self.tiers or (((self.u, self.rest),) if self.rest else ())

    @property
    def _all_fixed(self) -> bool:
        """Whether there is neither a home nor a ring."""
        return not self.phases

    @cached_property
    def on_grid(self) -> Prior:
        """The prior that the plan is made for exactly; with gains, that of gamma_x p(x)."""
        if self.weights is self.prior.weights:
            return self.prior
        return Prior.trusted(self.weights, self.prior.labels, self.total)

    @cached_property
    def digest(self) -> bytes:
        """A hash, 32 bytes, of everything a draw depends on: labels and fields but gains, distance, costs."""
        index = "<i4" if len(self.weights) < 2**31 else "<i8"
        parts = [*label_parts(self.prior.labels), np.array([self.k, self.length]), self.weights, self.giants]
        parts += [self.home_members.astype(index, copy=False), self.home_weights]
        parts += [self.members.astype(index, copy=False), self.starts]
        parts += [self.fixed.astype(index, copy=False), self.begins]
        if self.groups is not None:
            parts += [b"groups", self.groups.group_of, self.groups.parents, self.groups.caps]
            parts += [np.array(self.tiers, dtype=np.int64)]
        if self.known_as is not None:
            parts += [b"known as", self.known_as]
        return hash_parts(b"minleak plan 3", parts, self.hashes)

    @property
    def lineage(self) -> bytes:
        """32 bytes that all versions of the plan share, on which sticky draws depend: the digest, or the name given by
        the engine that made the plan, which nothing verifies.
        """
        return self.known_as or self.digest

    # -- what it leaks ------------------------------------------------------------------------------------------------

    @property
    def success(self) -> float:
        """How often one guess is right after a set was seen: pi_1, or the sum of the blocks' largest probabilities
        (with gains: what the best guess is worth).
        """
        if len(self.target):
            return float(self.target.max())
        return float(np.maximum.reduceat(self.on_grid.p[self.fixed], self.begins[:-1]).sum())

    def entropy(self, entropy: ConditionalEntropy | str, *, of: Values | None = None) -> float:
        """H(X|Y): H(pi), the largest that any channel with sets of at most k can reach; of blocks, the sum over them of
        the perspective of their probabilities seen through eta.

        H(pi) by Theorem 1 of the paper, for every symmetric, expansible, core-concave entropy at once; with gains its
        Proposition 4, H_g(X|Y) = eta(Fhat(pi)). O(k). With `of`, H(f(X)|Y) of a property of the secret, which differs
        from layout to layout.
        """
        if of is not None:
            return super().entropy(entropy, of=of)
        return self._entropies([as_entropy(entropy)])[0]

    def _entropies(self, measures: Sequence[ConditionalEntropy]) -> list[float]:
        """H(X|Y) in several entropies."""
        if not len(self.target):
            return self.blocks.entropies(self.on_grid, measures)
        columns = Columns(self.target[:, None])
        if self.gains is not None:
            return [form_for_gains(H).plain(columns) for H in measures]
        if not all(H.symmetric for H in measures):
            raise InvalidParameter("give the gains to design(..., gains=...), which makes the plan for them")
        return evaluate(measures, columns)

    def leakage(
        self,
        entropy: ConditionalEntropy | str,
        *,
        prior: Prior | Iterable[Any] | None = None,
        of: Values | None = None,
    ) -> float:
        """H(X) - H(X|Y), the least that any channel with sets of at most k can leak; of blocks a little more.

        With `prior`, what this plan leaks if secrets are drawn from that prior instead of the one it was designed for
        (the attacker knowing so). Its labels may be in another order; those that it lacks have probability zero, and
        those that the plan lacks are refused, with their number and mass. O(n k).

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
            return self._leakage_under(H, self.under(prior))
        if self.gains is None:
            before = H(self.on_grid)
        else:
            before = form_for_gains(H).plain(Columns((self.weights / self.total * self.mass)[:, None]))
        return difference(H, before, self.entropy(H))

    def _leakage_under(self, H: ConditionalEntropy, q: Prior) -> float:
        """H(X) - H(X|Y) when secrets are drawn from q: the sets in blocks, each column what its members hold. What is
        no eta(sum Fhat) is measured on the explicit channel.
        """
        if self.gains is None and (not isinstance(H, Entropy) or not H.symmetric):
            return leakage(q, self.channel(), H)
        measure = H if self.gains is None else Gain(form_for_gains(H), self.gains)
        worth = q.p if self.gains is None else q.p * self.gains
        density = worth / np.maximum(self.all_places, 1)
        blocks = [(density[sets] * lengths[:, None]).T for sets, lengths in self.cells(max(1, BLOCK // self.k))]
        found = [measure.summary(block) for block in blocks]
        if len(self.fixed):
            found.append(np.concatenate(self.blocks.columns(worth[self.fixed]).map(measure.summary), axis=1))
        return difference(H, measure(q), measure.value(np.concatenate(found, axis=1)))

    def loss(self, entropy: ConditionalEntropy | str) -> float:
        """How much more leaks than by an optimal plan of the same k: H(pi) - H(X|Y), zero for optimal plans and never
        negative for the entropies of the paper's form. For blocks that is what it costs to do without randomness.
        """
        H = as_entropy(entropy)
        return self.losses([H])[H.name]

    def losses(self, entropies: Sequence[ConditionalEntropy | str]) -> dict[str, float]:
        """The same by the names of several entropies, in one pass."""
        from minleak.core._design import best_target

        measures = as_entropies(entropies)
        pi = self.target if len(self.target) else best_target(self.weights, self.k, self.groups)
        best = evaluate(measures, Columns(pi[:, None]))
        after = self._entropies(measures)
        return {H.name: difference(H, *both) for H, *both in zip(measures, best, after, strict=True)}

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
        return tell_property(self, summarize_plan(self, entropies), of, entropies)

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

    def rows_read(self, *, rows: Any = None) -> RowsRead:
        """How many rows a query for a block reads, on the mean and at worst, in a table that holds secret x `rows[x]`
        times: in the order of the prior or by label, its weights if not given.

        >>> import minleak as ml
        >>> print(ml.design([5, 4, 2, 1], k=2, layout="blocks").rows_read())
        mean   7.5
        worst  9
        """
        return read_by_blocks(self._all_blocks(), self.prior, as_rows(self.prior, rows))

    def partitions(self, *, hashed: Key | bytes | None = None) -> pa.Table:
        """The blocks as a table of `value` and `partition`, the number of its block from 0 on, for a blind
        index: a row for each secret, in the order of their labels. Index the number in place of the value; as the
        partition of a beacon it would hide nothing.

        With a key, or its 32 bytes, `value_hash` is in place of the value: HMAC-SHA256 of its text in UTF-8, in
        hexadecimal, which every language has.

        >>> import minleak as ml
        >>> ml.design({"flu": 5, "cold": 4, "gout": 2}, k=2, layout="blocks").partitions().to_pylist()[0]
        {'value': 'cold', 'partition': 0}
        """
        from minleak.core._plan.drawing_table import check_label_key  # with SQLite, which few need

        blocks = self._all_blocks().block_of()
        values = [str(label) for label in self.prior.labels]
        name = "value"
        if hashed is not None:
            secret = check_label_key(hashed if isinstance(hashed, bytes) else hashed.reveal())
            values = [hmac.digest(secret, value.encode(), "sha256").hex() for value in values]
            name = "value_hash"
        return pa.table({name: values, "partition": blocks.astype(np.int64)}).sort_by(name)

    def _all_blocks(self) -> Partition:
        """The fixed sets, if every secret has one."""
        if len(self.target):
            raise InvalidParameter("sets that are drawn have no number of their own: design blocks, layout=Blocks()")
        return self.blocks

    def as_lineage(self) -> Lineage:
        """The plan as the first part of a lineage."""
        from minleak.lineage._lineage import Lineage

        return Lineage.begin(self)

    # -- its sets -----------------------------------------------------------------------------------------------------

    def sets(self) -> Iterator[tuple[tuple[Any, ...], Fraction]]:
        """(set, probability): the observables as tuples of labels in input order, one after the other.

        A set may come more than once, its probabilities then add up. Sets of secrets of weight zero have probability
        zero; if all is in one set, it comes with probability one.
        """
        labels = self.prior.labels
        for sets, lengths in self.cells():
            for members, length in zip(np.sort(sets, axis=1).tolist(), lengths.tolist(), strict=True):
                yield tuple(labels[i] for i in members), Fraction(length, self.phases)
        for members in self.fixed_sets():
            weight = sum(self.weights[members].tolist())
            yield tuple(labels[i] for i in members.tolist()), Fraction(weight, self.total)

    def walk(self, width: int = WIDTH) -> Walk:
        """(sets, lengths, along) in blocks, giants first in each set: sets of shape (m, size), each with the number of
        places of its members that lead to it, and where in the order of its own places each member is there. Fixed sets
        aside.
        """
        starts, g = self.phase_starts(), len(self.giants)
        lengths = np.diff(np.append(starts, self.phases))
        for begin in range(0, len(starts), width):
            here = starts[begin : begin + width]
            members, along = self.at(here)
            sets = np.hstack([np.broadcast_to(self.giants, (len(here), g)), members])
            places = np.hstack([np.repeat(here[:, None], g, axis=1), along])
            yield sets, lengths[begin : begin + width], places

    @cached_property
    def _home_ends(self) -> Indices:
        """Where the phases of each home end: the homes come one after the other, and then the ring."""
        return np.cumsum(self.u * self.home_weights)

    @cached_property
    def _at_homes(self) -> int:
        """How many phases all homes have."""
        return int(self._home_ends[-1]) if self.n_homes else 0

    def phase_starts(self) -> Indices:
        """The phases at which the set changes, in order: every home is a cell, and the ring between two starts."""
        begins = self._home_ends - self.u * self.home_weights
        if not self.n_segments:
            return begins
        return np.append(begins, self._at_homes + np.unique(np.append(self.starts % self.length, 0)))

    def at(self, phases: Indices) -> tuple[Indices, Indices]:
        """The u members at each phase, giants aside, a row each; and where on the line of the ring each stands, -1 at
        home.
        """
        sets = np.empty((len(phases), self.u), dtype=np.int64)
        along = np.full(sets.shape, -1, dtype=np.int64)
        home = np.searchsorted(self._home_ends, phases, side="right")
        at_home, on_ring = np.flatnonzero(home < self.n_homes), np.flatnonzero(home == self.n_homes)
        sets[at_home] = self.home_members[home[at_home]]
        line = (phases[on_ring] - self._at_homes)[:, None] + self.length * np.arange(self.u)
        sets[on_ring], along[on_ring] = self._owners(line), line
        return sets, along

    def _owners(self, positions: Indices) -> Indices:
        """The owners of positions on the line of the ring."""
        if positions.size and not len(self.starts):
            raise InvalidCloak(_SHORT)
        return np.asarray(self.members[np.searchsorted(self.starts, positions, side="right") - 1])

    # -- draws --------------------------------------------------------------------------------------------------------

    def places(self, found: Indices) -> Indices:
        """At how many phases each of the secrets is in the set: u w_x, and all phases for a giant; 1 in a fixed set.
        With several tiers as many as it owns on its lanes.
        """
        if self.tiers:
            _, first, before = self._segments
            places = before[first[found + 1]] - before[first[found]]
        else:
            places = self.u * self.weights[found]
        for giant in self.giants.tolist():
            places = np.where(found == giant, self.phases, places)
        if len(self.fixed):
            places = np.where(self._fixed_of[found] >= 0, 1, places)
        return np.asarray(places)

    @cached_property
    def _home_of(self) -> Indices:
        """The home of each secret, the one after the last for those that have none."""
        homes = np.repeat(np.arange(self.n_homes), self.home_members.shape[1])
        found = owner_of(self.home_members.ravel(), homes, len(self.weights))
        return np.where(found < 0, self.n_homes, found).astype(found.dtype, copy=False)

    @cached_property
    def _at_home(self) -> Indices:
        """How many places a member of each home has there, and a 0 for those without a home."""
        return np.append(self.u * self.home_weights, 0)

    @cached_property
    def _segments(self) -> tuple[Indices, Indices, Indices]:
        """The segments by their owners; the first of each secret among them, and the places before each."""
        order = _stable_order(self.members)
        first = np.zeros(len(self.weights) + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.members, minlength=len(self.weights)), out=first[1:])
        before = np.zeros(len(order) + 1, dtype=np.int64)
        np.cumsum(np.diff(np.append(self.starts, self.u * self.length))[order], out=before[1:])
        return order, first, before

    @cached_property
    def _giants(self) -> frozenset[int]:
        return frozenset(self.giants.tolist())

    def phase_of(self, found: Indices, places: Indices) -> Indices:
        """The phase at a place of each secret: its home first, then its segments along the ring; a place of a giant is
        a phase.
        """
        if len(found) <= _SINGLE:
            pairs = zip(found.tolist(), places.tolist(), strict=True)
            return np.array([self._phase_of_one(x, place) for x, place in pairs], dtype=np.int64)
        home = self._home_of[found].astype(np.int64)
        away = places - self._at_home[home]
        begins = np.append(self._home_ends, 0) - self._at_home
        phases = np.where(away < 0, begins[home] + places, -1)
        giant = np.isin(found, self.giants)
        phases[giant] = places[giant]
        rows = np.flatnonzero(phases < 0)
        order, first, before = self._segments
        secrets = found[rows]
        along = before[first[secrets]] + away[rows]
        at = np.searchsorted(before, along, side="right") - 1
        if (at >= first[secrets + 1]).any():
            raise InvalidCloak(_SHORT)
        phases[rows] = self._at_homes + (self.starts[order[at]] + along - before[at]) % max(self.length, 1)
        return np.asarray(phases)

    def _phase_of_one(self, secret: int, place: int) -> int:
        """The same for one secret, without the calls of numpy that cost most there."""
        if secret in self._giants:
            return place
        home = int(self._home_of[secret])
        at_home = int(self._at_home[home])
        if place < at_home:
            return int(self._home_ends[home]) - at_home + place
        order, first, before = self._segments
        begin, end = int(first[secret]), int(first[secret + 1])
        along = int(before[begin]) + place - at_home
        if along >= int(before[end]):
            raise InvalidCloak(_SHORT)
        at = bisect_right(before, along, begin, end) - 1
        return self._at_homes + (int(self.starts[order[at]]) + along - int(before[at])) % self.length

    @cached_property
    def _fixed_of(self) -> Indices:
        """The fixed set of each secret, -1 for those that have none."""
        numbers = np.repeat(np.arange(self.n_fixed), np.diff(self.begins))
        return owner_of(self.fixed, numbers, len(self.prior))

    def locate(self, found: Indices, places: Indices) -> Indices:
        """The set at a place of each secret, a row of increasing secrets, filled up by -1 where it is smaller than
        k.
        """
        out = np.full((len(found), self.k), -1, dtype=np.int64)
        free = np.arange(len(found))
        if len(self.fixed):
            fixed = self._fixed_of[found]
            rows, free = np.flatnonzero(fixed >= 0), np.flatnonzero(fixed < 0)
            out[rows] = self.blocks.rows(fixed[rows], self.k)
        if len(free):
            sets = np.empty((len(free), self.k), dtype=np.int64)
            sets[:, : len(self.giants)] = self.giants
            sets[:, len(self.giants) :] = self.at(self.phase_of(found[free], places[free]))[0]
            sets.sort(axis=1)
            out[free] = sets
        return out

    # -- files --------------------------------------------------------------------------------------------------------

    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arrays and numbers that a file stores."""
        return plan_contents(self)

    @classmethod
    def from_contents(cls, contents: Contents) -> Self:
        """The plan in a file."""
        return cls(**plan_fields(contents))

    def __repr__(self) -> str:
        if self._all_fixed and not len(self.giants):
            shape = f"sets={self.n_fixed}"
        else:
            shape = f"homes={self.n_homes}, segments={self.n_segments}"
        return f"Plan(n={len(self.prior)}, k={self.k}, giants={self.n_giants}, layout={self.layout!r}, {shape})"


def form_for_gains(entropy: ConditionalEntropy) -> Entropy:
    """The entropy, if it is one that gains can be put on."""
    if not isinstance(entropy, Entropy) or not entropy.symmetric:
        raise InvalidParameter(f"gains go with an entropy of the form eta(sum Fhat), not {entropy!r}")
    return entropy


def _stable_order(members: Indices) -> Indices:
    """The positions of the members in increasing order, ties in theirs. A sort of whole numbers that hold both is
    several times faster than a stable one.
    """
    n = len(members)
    if n >= 2**31:
        return np.argsort(members, kind="stable")
    keys = (members.astype(np.int64) << 32) | np.arange(n)
    keys.sort()
    return (keys & 0xFFFFFFFF).astype(np.int32)
