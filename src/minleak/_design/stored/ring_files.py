"""Opening a .cloak file that holds a plan of rings, and all that it is drawn from."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from minleak._design.cost import Cost
from minleak._design.descent import Descent
from minleak._design.plan import Plan
from minleak._design.rings import LIMIT, Homes, Ring
from minleak._design.stored.contents import BLOCK, Contents, Vector, demand, kept, number, text, whole
from minleak._design.stored.sampler import RingDrawable
from minleak._design.stored.tables import STORED, Tables, on_one_line, shift_of


def drawable(contents: Contents, digest: bytes) -> RingDrawable:
    """The plan with its tables and its index."""
    return _RingFile(contents.numbers, contents.columns, contents.release).drawable(digest)


class _RingFile(Contents):
    """What is a plan's, taken one after the other."""

    def drawable(self, digest: bytes) -> RingDrawable:
        """The plan with its tables and its index."""
        weights = self.vector("weights", "i8")
        n = len(weights)
        k = whole(self.numbers["k"], 1, n)
        giants = self.vector("plan_giants", "i8")
        u = k - len(giants)
        total, least, largest = self.survey(weights)
        tail = self._tail(weights, largest, giants, total, k)
        demand(k * total <= LIMIT)
        homes = self._homes(n, u)
        tables = self._tables(weights, giants, homes, u, tail)
        names = self.names(n)
        gains = self.vector("gains", "f8", n) if "gains" in self.columns else None
        prior = self.prior(weights, names, total)
        if gains is not None:
            possible = weights > 0
            demand(gains.min() >= 0 and gains.max() < math.inf)
            demand(gains[possible].min() > 0 and prior.weights[possible].min() > 0)
        apart = self.vector("apart", "i4 i8", n) if "apart" in self.columns else None
        begins = (np.flatnonzero(least == 0) * BLOCK).tolist()
        zeros = [begin + np.flatnonzero(weights[begin : begin + BLOCK] == 0) for begin in begins]
        plan = Plan(
            prior=prior,
            k=k,
            layout=text(self.numbers["layout"]),
            gains=gains,
            weights=weights,
            total=total,
            distance=number(self.numbers["distance"], 0.0, 1.0),
            giants=giants,
            u=u,
            tail=tail,
            homes=homes,
            rings=self._rings(tables, u, n),
            idle=kept(np.concatenate(zeros) if zeros else np.empty(0, dtype=np.int64)),
            costs=self._costs(n),
            apart=apart,
            descent=self._descent(),
            known_digest=digest,
        )
        return RingDrawable(plan, self.index(prior, names), tables)

    # -- the parts ---------------------------------------------------------------------------------------------------

    def _tail(self, weights: Vector, largest: Vector, giants: Vector, total: int, k: int) -> int:
        """What the giants leave, if they are the giants of these weights: else what a plan says of itself is wrong."""
        demand(len(giants) < k)
        self.in_range(giants, 0, len(weights))
        demand(len(np.unique(giants)) == len(giants))
        heavy, tail = weights[giants].tolist(), total
        demand(heavy == sorted(heavy, reverse=True))
        for j, weight in enumerate(heavy):
            demand(weight * (k - j) > tail)
            tail -= weight
        share = tail // (k - len(giants))
        heavier = (weights[i * BLOCK : (i + 1) * BLOCK] > share for i in np.flatnonzero(largest > share).tolist())
        demand(sum(map(np.count_nonzero, heavier)) == len(giants))
        return tail

    def _homes(self, n: int, u: int) -> Homes:
        weights, members = self.vector("home_weights", "i8"), self.vector("home_members", "i4 i8")
        demand(len(members) == u * len(weights))
        self.in_range(members, 0, n)
        self.in_range(weights, 1, LIMIT + 1)
        demand(float(weights.sum(dtype=np.float64)) < 1.5 * LIMIT)  # the sum in integers does not go round
        return Homes(members.reshape(-1, u), weights)

    def _tables(self, weights: Vector, giants: Vector, homes: Homes, u: int, tail: int) -> Tables:
        stored = {name: self.vector(name, "i8" if name in ("lengths", "starts") else "i4 i8") for name in STORED}
        n, n_homes, lengths, starts = len(weights), len(homes.weights), stored["lengths"], stored["starts"]
        self.in_range(lengths, 1, LIMIT + 1)
        demand(u * int(homes.weights.sum()) + sum(lengths.tolist()) == tail)
        bases, end = on_one_line(lengths, u)
        count, shift = len(starts), shift_of(end, len(starts))
        sizes = [whole(size, 1, count) for size in self.numbers["segments"]]
        demand(len(sizes) == len(lengths) and sum(sizes) == count)
        demand(np.array_equal(starts[np.cumsum(sizes, dtype=np.int64) - np.array(sizes, dtype=np.int64)], bases))
        before = -1
        for _, block in self.blocks(starts):
            demand(block[0] > before and bool((block[1:] > block[:-1]).all()))
            before = int(block[-1])
        demand(before < max(end, 1))
        members, first, following = stored["members"], stored["first"], stored["following"]
        if len(members) or not count:
            demand(len(members) == len(following) == count and len(first) == (n if count else 0))
            self.in_range(members, 0, n)
            self.in_range(first, -1, count)
            for begin, block in self.blocks(following):  # each leads on, so that all end
                own = np.arange(begin, begin + len(block))
                demand(bool(((block == -1) | ((block > own) & (block < count))).all()))
        else:
            demand(count == n and len(sizes) == 1 and not len(giants) and not len(first) and not len(following))
        demand(len(stored["guide"]) == ((end >> shift) + 1 if count else 0))
        self.in_range(stored["guide"], 0, count)
        demand(len(stored["home_of"]) == (n if n_homes else 0))
        self.in_range(stored["home_of"], -1, n_homes)
        return Tables(
            **stored,
            bases=kept(bases),
            shift=shift,
            end=end,
            home_ends=kept(np.cumsum(u * homes.weights)),
            giants=kept(np.sort(giants)),
        )

    def _rings(self, tables: Tables, u: int, n: int) -> tuple[Ring, ...]:
        rings, at = [], 0
        for size, base, length in zip(
            self.numbers["segments"], tables.bases.tolist(), tables.lengths.tolist(), strict=True
        ):
            members: Any = tables.members[at : at + size] if len(tables.members) else range(n)
            starts = tables.starts[at : at + size]
            rings.append(Ring(members, kept(starts - base) if base else starts, length, u))
            at += size
        return tuple(rings)

    def _descent(self) -> Descent | None:
        said = self.numbers.get("descent")  # files before version 4 say nothing
        if said is None:
            return None
        name, ancestors = said["lineage"], said["ancestors"]
        demand(type(ancestors) is list and (name is None) == (not ancestors) and type(said["by_tree"]) is bool)
        lineage = None if name is None else _digest(name)
        exposure = None if said["exposure"] is None else number(said["exposure"], 0.0, 1.0)
        return Descent(lineage, tuple(map(_digest, ancestors)), exposure=exposure, by_tree=said["by_tree"])

    def _costs(self, n: int) -> Cost | None:
        said = self.numbers.get("priced")  # files made without costs say nothing
        if said is None:
            return None
        value, bound, rounding, metric, stability = said
        places = None
        if "coordinates" in self.columns:
            places = self.vector("coordinates", "f8").reshape(n, -1)
            demand(bool(np.isfinite(places).all()) and places.shape[1] > 0)
        fits = "given" if places is None else metric if places.shape[1] == 2 else "euclidean"
        demand(metric == fits in ("given", "euclidean", "haversine"))
        return Cost(
            value=number(value, 0, math.inf),
            bound=None if bound is None else number(bound, 0, math.inf),
            rounding=None if rounding is None else number(rounding, -math.inf, math.inf),
            metric=text(metric),
            stability=number(stability, 0, 1),
            coordinates=places,
        )


def _digest(text: Any) -> bytes:
    demand(type(text) is str and re.fullmatch("[0-9a-f]{64}", text) is not None)
    return bytes.fromhex(text)
