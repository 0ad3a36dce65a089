"""Plan: giants and rings, the whole of an optimal channel in integers, and what can be said of it in closed form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minleak._data.columns import Columns
from minleak._data.labels import Labels
from minleak._data.prior import Prior
from minleak._design.pricing.cost import Cost
from minleak._design.rings import Homes, Ring
from minleak._entropy.base import ConditionalEntropy, Entropy, evaluate
from minleak._entropy.names import as_entropy
from minleak._measure.leakages import difference
from minleak.errors import InvalidParameter, shown

if TYPE_CHECKING:
    from minleak._data.channel import Channel
    from minleak._design.repeated_draws import Repeated

Indices = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """An optimal channel for a prior and a cap k on the size of a set: made by `minleak.design`.

    Every observable is a set of k secrets, and whichever is seen, the attacker's posterior on it is the same vector
    `target` (pi of the paper). The giants are in every set; the u other places are given by rings. A ring's phase is
    drawn in proportion to its length; secret x is at the phases that it owns, u * weights[x] units in all.

    All fields are integers or indices. With gains, `weights` are those of gamma_x p(x). `distance` is the total
    variation between the prior given and the one on the integer grid that the plan is exactly optimal for. `idle`
    secrets, of weight zero, have sets of their own. `costs` tells what the sets cost, where the layout was told, and
    `apart` is the group of each secret, of which a set holds at most one, where some are to be kept apart.
    """

    prior: Prior
    k: int
    layout: str
    gains: Array | None
    weights: Indices
    total: int
    distance: float
    giants: Indices
    u: int
    tail: int
    homes: Homes
    rings: tuple[Ring, ...]
    idle: Indices
    costs: Cost | None = field(default=None, kw_only=True)
    apart: Indices | None = field(default=None, kw_only=True)

    @cached_property
    def digest(self) -> bytes:
        """32 bytes that stand for everything a draw depends on, and name the plan to sticky draws. A plan from a file
        or an engine keeps those that it had there; a changed copy has its own.
        """
        from minleak._design.stored.digests import of_plan

        return of_plan(self)

    def called(self, digest: bytes) -> Plan:
        """The plan itself, which has this digest from elsewhere."""
        vars(self)["digest"] = digest
        return self

    @property
    def n_giants(self) -> int:
        """g = j* - 1, how many secrets are in every set."""
        return len(self.giants)

    @property
    def exact_target(self) -> tuple[Fraction, ...]:
        """pi in exact fractions of the total weight, largest first, zeros left out."""
        giants = [Fraction(w, self.total) for w in self.weights[self.giants].tolist()]
        return (*giants, *([Fraction(self.tail, self.total * self.u)] * self.u if self.tail else []))

    @cached_property
    def target(self) -> Array:
        """pi, largest first: the posterior that every observable induces (with gains: of gamma_x p(x), not
        normalised).
        """
        pi = np.empty(self.n_giants + (self.u if self.tail else 0))
        pi[: self.n_giants] = self.weights[self.giants] / self.total
        if self.tail:
            pi[self.n_giants :] = self.tail / (self.u * self.total)
        return pi * self._mass

    @property
    def _mass(self) -> float:
        """The sum of gamma_x p(x)."""
        return 1.0 if self.gains is None else float(self.gains @ self.prior.p)

    @cached_property
    def _on_grid(self) -> Prior:
        """The prior that the plan is exactly optimal for; with gains, that of gamma_x p(x)."""
        if self.weights is self.prior.weights:
            return self.prior
        return Prior.trusted(self.weights, Labels.of(None, len(self.weights)), self.total)

    @property
    def n_cells(self) -> int:
        """An upper bound on the number of distinct sets: one for each home, one for each segment on a ring."""
        return len(self.homes.weights) + sum(len(ring.starts) for ring in self.rings) + len(self.idle_sets())

    def entropy(self, entropy: ConditionalEntropy | str) -> float:
        """H(X|Y) = H(pi), the largest that any channel with sets of at most k can reach, for every entropy at once.

        Theorem 1 of the paper; with gains its Proposition 4, H_g(X|Y) = eta(Fhat(pi)). O(k).
        """
        H = as_entropy(entropy)
        columns = Columns(self.target[:, None])
        if self.gains is None:
            if not H.symmetric:
                raise InvalidParameter("give the gains to design(..., gains=...), so that the plan is made for them")
            return evaluate([H], columns)[0]
        return self.core(H).plain(columns)

    def leakage(self, entropy: ConditionalEntropy | str, *, prior: Prior | Iterable[Any] | None = None) -> float:
        """H(X) - H(X|Y), the least that any channel with sets of at most k can leak.

        With `prior`, what this plan leaks if secrets are drawn from that prior instead of the one it was designed for
        (the attacker knowing so).
        """
        H = as_entropy(entropy)
        if prior is not None:
            from minleak._design.mismatch import mismatched_leakage

            return mismatched_leakage(self, H, prior)
        if self.gains is None:
            before = H(self._on_grid)
        else:
            before = self.core(H).plain(Columns((self.weights / self.total * self._mass)[:, None]))
        return difference(H, before, self.entropy(H))

    def core(self, entropy: ConditionalEntropy) -> Entropy:
        """The entropy, if it is one that gains can be put on."""
        form = entropy.paper_form()
        if form is None or not form.symmetric:
            raise InvalidParameter(f"gains go with an entropy of the form eta(sum Fhat), not {shown(entropy)}")
        return form

    @property
    def cost(self) -> float | None:
        """The mean of c(M)/u over published sets, for plans laid by `Near` or `Cheapest`: see `Cost`."""
        return None if self.costs is None else self.costs.value

    @property
    def cost_bound(self) -> float | None:
        """What no plan of least leakage costs less than, where it is known."""
        return None if self.costs is None else self.costs.bound

    def decoy_distances(self, shares: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9)) -> tuple[float, ...]:
        """How far decoys are from the secret they hide: the mean over a set's other members, giants aside, at the
        given shares of draws (0.5 is the median), in the metric that the plan was designed with.

        Draws are of secrets that are no giants, as likely as they are. Exact, O(sets * u^2).
        """
        from minleak._design.decoys import decoy_distances

        return decoy_distances(self, shares)

    # -- the sets ---------------------------------------------------------------------------------------------------

    def idle_sets(self) -> list[Indices]:
        """The sets of secrets of weight zero, at most k in each, and of a group that is kept apart at most one; where
        nothing is on rings, the giants' set comes first.
        """
        idle, sets = self.idle, []
        if not self.tail:
            added = self._sharing(np.concatenate([self.giants, idle]))[0][self.n_giants : self.k]
            idle, sets = idle[~np.isin(idle, added)], [np.sort(np.concatenate([self.giants, added]))]
        return sets + [group[i : i + self.k] for group in self._sharing(idle) for i in range(0, len(group), self.k)]

    def _sharing(self, secrets: Indices) -> list[Indices]:
        """The secrets in lists, in order, of which none has two of a group that is kept apart."""
        if self.apart is None:
            return [secrets]
        groups = self.apart[secrets]
        order = np.argsort(groups, kind="stable")
        _, first, sizes = np.unique(groups[order], return_index=True, return_counts=True)
        before = np.empty(len(secrets), dtype=np.int64)  # how many of a secret's group come before it
        before[order] = np.arange(len(secrets)) - np.repeat(first, sizes)
        order = np.argsort(before, kind="stable")
        return np.split(secrets[order], np.flatnonzero(np.diff(before[order])) + 1)

    def cells(self, width: int = 4096) -> Iterator[tuple[Indices, Indices]]:
        """(sets, lengths) in blocks: sets of shape (m, u) without the giants, each of probability length / tail."""
        yield from self.home_cells(width)
        for ring in self.rings:
            yield from ring.cells().blocks(width)

    def home_cells(self, width: int) -> Iterator[tuple[Indices, Indices]]:
        """The same for the homes alone, each of which is one cell."""
        for begin in range(0, len(self.homes.weights), width):
            yield self.homes.members[begin : begin + width], self.u * self.homes.weights[begin : begin + width]

    def sets(self) -> Iterator[tuple[tuple[Any, ...], Fraction]]:
        """(set, probability): the observables as tuples of labels in input order, one after the other.

        A set may come more than once, its probabilities then add up. Sets of idle secrets have probability zero; if all
        is in one set, it comes with probability one.
        """
        labels = self.prior.labels
        for sets, lengths in self.cells():
            for members, length in zip(sets, lengths.tolist(), strict=True):
                whole = np.sort(np.concatenate([self.giants, members]))
                yield tuple(labels[i] for i in whole.tolist()), Fraction(length, self.tail)
        for i, members in enumerate(self.idle_sets()):
            yield tuple(labels[i] for i in members.tolist()), Fraction(int(not self.tail and i == 0))

    def channel(self, *, dense: bool = False, exact: bool = False, limit: int = 50_000_000) -> Channel:
        """The explicit channel, observables labelled by their sets.

        Sparse unless `dense`; `exact` gives a dense channel of Fractions. At most `n_cells` observables, which for the
        circle is at most n - n_giants. Refused when it would hold more than `limit` entries.
        """
        from minleak._design.explicit import explicit_channel

        return explicit_channel(self, dense=dense, exact=exact, limit=limit)

    def repeated(
        self, draws: Sequence[int] = (1, 2, 5, 20), *, trials: int = 20_000, seed: int = 0, exact: bool | None = None
    ) -> Repeated:
        """The optimal attacker's success when one secret is drawn again and again with fresh randomness.

        Exact where the sets are few (n up to about 12), else from `trials` simulated secrets, with a 99% confidence
        interval. `exact` asks for one or the other.
        """
        from minleak._design.repeated_draws import repeated_success

        return repeated_success(self, draws, trials=trials, seed=seed, exact=exact)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the plan to a .cloak file, from which `minleak.load` and `minleak.Cloak` read it; whole or not at
        all.
        """
        from minleak._design.stored.saving import save

        save(self, path)

    def __repr__(self) -> str:
        return (
            f"Plan(n={len(self.prior)}, k={self.k}, giants={self.n_giants}, layout={self.layout!r}, "
            f"homes={len(self.homes.weights)}, segments={sum(len(ring.starts) for ring in self.rings)})"
        )
