"""Near: the optimal plan whose sets are close together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minleak.core._layouts.base import Laid, Layout, LayoutInput
from minleak.core._layouts.stable import lay_stable
from minleak.core._parameters import real
from minleak.core._plan.distances import METRICS, Cost, Distances, from_coordinates
from minleak.errors import InvalidParameter, quote
from minleak.near._pricing.caps import Caps
from minleak.near._pricing.chaining import ring_sets, splice_rings
from minleak.near._pricing.cheapest import lay_cheapest
from minleak.near._pricing.peeling import Sets, join_sets
from minleak.near._pricing.regions import add_costs
from minleak.near._pricing.splitting import split_space


@dataclass(frozen=True, eq=False)
class Near(Layout):
    """Decoys that are close, at the same leakage: the plan minimises the mean over sets of c(M)/u, where the star cost
    is c(M) = min over z of the sum over i in M of d(z,i). See `Plan.cost`.

    The optimum is proven for up to 600 secrets that are no giants; for more it is a good plan in a minute or two. With
    more than 10,000 places, including those of weight zero, only secrets on rings are centres, and nothing is proven.

    Parameters
    ----------
    points
        Coordinates, a row (or a number) for each secret: in their order, or by label in a mapping or a frame.
    metric
        d: "euclidean", or "haversine" for latitude and longitude in degrees, in kilometres.
    stability
        From 0, as close as possible, to 1, the stable layout: in between, space is split into blocks, the larger the
        more stable, and every block has a stable layout of its own.

    >>> import minleak as ml
    >>> plan = ml.design([3, 3, 3, 3], k=2, layout=ml.Near([0, 10, 1, 11]))
    >>> plan.cost, [members for members, _ in plan.sets()]
    (0.5, [(0, 2), (1, 3)])
    """

    points: Any = field(repr=False)
    metric: str = field(default="euclidean", kw_only=True)
    stability: float = field(default=0.0, kw_only=True)

    name = "near"

    def __post_init__(self) -> None:
        if not isinstance(self.metric, str) or self.metric not in METRICS:
            raise InvalidParameter(f"metric is a name, {' or '.join(METRICS)}, not {quote(self.metric)}")
        real(self.stability, "stability is a number from 0 (near) to 1 (stable)", least=0, most=1)

    def distances(self, problem: LayoutInput) -> Distances:
        """The distances between the points."""
        return from_coordinates(self.points, self.metric, problem.prior.labels)

    def lay(self, problem: LayoutInput) -> Laid:
        """As close as possible, or stable within blocks."""
        distances = self.distances(problem)
        if self.stability > 0 and problem.giants.rest:
            return _lay_in_blocks(problem, distances, float(self.stability))
        return lay_cheapest(problem, distances)


def _lay_in_blocks(problem: LayoutInput, distances: Distances, stability: float) -> Laid:
    """Blocks of about (4u)^(1-stability) n^stability secrets, each with a stable layout of its own."""
    secrets, u = problem.loose(), problem.u
    n = len(secrets)
    size = n if stability == 1 else max(round((4 * u) ** (1 - stability) * n**stability), u)
    own = problem.weights[secrets]
    caps = Caps.of_tier(problem.tier, len(problem.weights), u).of(secrets, u)
    problem.progress(0, 1, "splitting space into blocks")
    parts = split_space(distances.points[secrets], own, caps, u, size=size)
    blocks = []
    for i, part in enumerate(parts):
        problem.progress(i, len(parts) + 1, f"a stable layout in each of {len(parts):,} blocks")
        part = part[np.lexsort((part, -own[part]))]
        blocks.append(lay_stable(secrets[part], own[part], problem))
    homes = np.concatenate([block.home_members for block in blocks])
    weights = np.concatenate([block.home_weights for block in blocks])
    rings = [
        (b.members, b.starts, int(own[p].sum() - u * b.home_weights.sum())) for b, p in zip(blocks, parts, strict=True)
    ]
    members, starts, length = splice_rings([ring for ring in rings if ring[2]], u)
    problem.progress(len(parts), len(parts) + 1, "the cost of the sets")
    cells = [Sets(homes, u * weights), ring_sets(members, starts, length, u)]
    mean = add_costs(join_sets(cells, u), distances).total / float(u * own.sum())
    problem.progress(1, 1, f"cost {mean:.4g}")
    costs = Cost(mean, None, None, distances.name, stability, distances.coordinates)
    return Laid(homes, weights, members, starts, costs=costs)
