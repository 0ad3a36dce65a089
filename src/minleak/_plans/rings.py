"""Plan: an optimal channel for a prior and a cap, and what can be said of it and done with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from minleak._attack.decoys import decoy_distances
from minleak._attack.exposures import Repeated, repeat_draws
from minleak._attack.mismatch import form_for_gains, mismatched_leakage
from minleak._attack.world import World, in_the_world
from minleak._data.channel import Channel
from minleak._data.columns import Columns
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy, evaluate
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import FEW, STANDARD
from minleak._file.digests import of_plan
from minleak._file.saving import contents_of_rings, drawable_of, save
from minleak._measure.leakages import difference
from minleak._plan.explicit import ENTRIES, explicit_channel
from minleak._plan.exporting import ROWS, rows_of_rings
from minleak._plan.kinds import RINGS, Stored
from minleak._plan.rings import Arrangement
from minleak._plan.sampler import RingDrawable
from minleak._plan.summaries import PlanSummary, summarize_rings
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak._plans.lineage import Lineage


class Plan(Arrangement, Stored):
    """An optimal channel for a prior and a cap k on the size of a set: made by `minleak.design`.

    Every observable is a set of k secrets, and whichever is seen, the attacker's posterior on it is the same vector
    `target` (pi of the paper). The giants are in every set; the u other places are given by rings. A ring's phase is
    drawn in proportion to its length; secret x is at the phases that it owns, u * weights[x] units in all.

    All fields are integers or indices. With gains, `weights` are those of gamma_x p(x). `distance` is the total
    variation between the prior given and the one on the integer grid that the plan is exactly optimal for. `idle`
    secrets, of weight zero, have sets of their own. `costs` tells what the sets cost, where the layout was told, and
    `apart` is the group of each secret, of which a set holds at most one, where some are to be kept apart. `known_as`
    is what an engine calls the plan, where one made it.
    """

    kind = RINGS

    @cached_property
    def digest(self) -> bytes:
        """32 bytes that stand for everything a draw depends on: SHA-256 of the plan, computed whatever a file says."""
        return of_plan(self)

    @property
    def lineage(self) -> bytes:
        """32 bytes that a plan shares with all that come of it by `update`, and that sticky draws follow: its digest,
        or what the engine calls it that made it, which is a claim.
        """
        return self.known_as or self.digest

    @cached_property
    def on_grid(self) -> Prior:
        """The prior that the plan is exactly optimal for; with gains, that of gamma_x p(x)."""
        if self.weights is self.prior.weights:
            return self.prior
        return Prior.trusted(self.weights, self.prior.labels, self.total)

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
        return form_for_gains(H).plain(columns)

    def leakage(self, entropy: ConditionalEntropy | str, *, prior: Prior | Iterable[Any] | None = None) -> float:
        """H(X) - H(X|Y), the least that any channel with sets of at most k can leak.

        With `prior`, what this plan leaks if secrets are drawn from that prior instead of the one it was designed for
        (the attacker knowing so). Its labels may be in another order; those that it lacks have probability zero, and
        those that the plan lacks are refused, with their number and mass.
        """
        H = as_entropy(entropy)
        if prior is not None:
            return mismatched_leakage(self, H, prior)
        if self.gains is None:
            before = H(self.on_grid)
        else:
            before = form_for_gains(H).plain(Columns((self.weights / self.total * self.mass)[:, None]))
        return difference(H, before, self.entropy(H))

    def in_the_world(self, *, entropies: Sequence[ConditionalEntropy | str] = FEW, seed: int = 0) -> World:
        """What the plan leaks when its counts are a sample, to an attacker who knows the truth that they come from.

        The certificate is about the counts as they are. Secrets of equal counts do not occur equally often, and who
        knows better takes the likeliest of a set: at 60,000 events of 34,003 cities and k = 20 he is right 9.7% of the
        time, not 5%. It can be told from the counts alone, if events are independent: see `World`. Refused where
        nothing can be said: fewer than 100 events, every secret seen once, weights that are no counts
        (`Prior(..., events=)`).

        >>> import minleak as ml
        >>> counts = ml.Prior([20 - i // 30 for i in range(600)])
        >>> world = ml.design(counts, k=10).in_the_world()
        >>> world.success > world.claimed
        True
        """
        return in_the_world(self, entropies, seed)

    def summary(self, entropies: Sequence[ConditionalEntropy | str] = STANDARD) -> PlanSummary:
        """What there is to say of the plan, with the leakage in each entropy; prints in words and tables."""
        return summarize_rings(self, entropies)

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
        return decoy_distances(self, shares)

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

    def update(
        self,
        prior: Prior | Iterable[Any],
        *,
        cohort: int | str = "auto",
        keep: float = 0.7,
        day: int | None = None,
        layout: Any = None,
        gains: Mapping[Any, Any] | None = None,
    ) -> Lineage:
        """The next version, after the counts of one more day: sets, odds and sticky draws of all secrets stay as they
        are, and new secrets wait for a part of their own. See `results.Lineage.update`.

        >>> import minleak as ml
        >>> plan = ml.design({"flu": 40, "cold": 30, "gout": 20, "mumps": 15}, k=2)
        >>> newer = plan.update({"mumps": 16, "cold": 31, "flu": 40, "gout": 20, "rabies": 1})
        >>> newer.version, newer.pending, newer.lineage == plan.lineage
        (2, ('rabies',), True)
        """
        from minleak._plans.lineage import begin

        return begin(self).update(prior, cohort=cohort, keep=keep, day=day, layout=layout, gains=gains)

    def drawable(self) -> RingDrawable:
        """What a `minleak.Cloak` draws from: the tables of the plan, made in O(n)."""
        return drawable_of(self)

    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and numbers from which a file makes it again."""
        return contents_of_rings(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the plan to a .cloak file, from which `minleak.load` and `minleak.Cloak` read it; whole or not at
        all.
        """
        save(self, path)

    def __repr__(self) -> str:
        return (
            f"Plan(n={len(self.prior)}, k={self.k}, giants={self.n_giants}, layout={self.layout!r}, "
            f"homes={len(self.homes.weights)}, segments={sum(len(ring.starts) for ring in self.rings)})"
        )
