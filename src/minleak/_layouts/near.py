"""Near: among all plans, which leak the same, one whose sets are close together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minleak._data.parameters import real
from minleak._layouts.base import RingLayout
from minleak._layouts.giants import LayoutInput, LayoutResult
from minleak._layouts.homes import lay_homes
from minleak._layouts.pricing.blocks import blocks
from minleak._layouts.pricing.capping import Caps
from minleak._layouts.pricing.chaining import spliced
from minleak._layouts.pricing.cheapest import cheapest
from minleak._layouts.pricing.peeling import Sets, joined
from minleak._layouts.pricing.regions import with_costs
from minleak._layouts.stable import at_home
from minleak._plan.distances import METRICS, Cost, Distances, from_coordinates
from minleak._plan.rings import Homes, Ring
from minleak.errors import InvalidParameter, shown


@dataclass(frozen=True, eq=False)
class Near(RingLayout):
    """Decoys that are close: the plan minimises the mean over sets of c(M)/u, where c(M) = min over z of the sum over i
    in M of d(z,i), the star cost, at the same leakage: see `Plan.cost`.

    Proven least up to 600 secrets that are no giants, above a good plan in a minute or two. With more than 10,000
    places, those of weight zero among them, centres z are secrets on rings and nothing is proven.

    Parameters
    ----------
    points
        Coordinates, a row (or a number) for each secret.
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
            raise InvalidParameter(f"metric is a name, {' or '.join(METRICS)}, not {shown(self.metric)}")
        real(self.stability, "stability is a number from 0 (near) to 1 (stable)", least=0, most=1)

    def distances(self, ground: LayoutInput) -> Distances:
        """Between the points."""
        return from_coordinates(self.points, self.metric, ground.labels)

    def lay(self, ground: LayoutInput) -> LayoutResult:
        """As close as possible, or in blocks."""
        distances = self.distances(ground)
        if self.stability > 0 and ground.giants.rest_weight:
            return _in_blocks(ground, distances, float(self.stability))
        return cheapest(ground, distances)


def _in_blocks(ground: LayoutInput, distances: Distances, stability: float) -> LayoutResult:
    """Blocks of about (4u)^(1-stability) n^stability secrets, each laid by the stable layout."""
    secrets, u = ground.loose(), ground.u
    n = len(secrets)
    size = n if stability == 1 else max(round((4 * u) ** (1 - stability) * n**stability), u)
    own = ground.weights[secrets]
    homes, weights_at_home = [], []
    rings: list[Ring] = []
    caps = Caps.of_tier(ground.tier, len(ground.weights), u).of(secrets, u)
    for part in blocks(distances.points[secrets], own, caps, u, size=size, slack=1):
        part = np.sort(part)
        if ground.tier is None:
            there, laid = at_home(own[part], 0, u)
            there = Homes(secrets[part][there.members], there.weights)
            laid = tuple(Ring(secrets[part][ring.members], ring.starts, ring.length, u) for ring in laid)
        else:
            part = part[np.argsort(-own[part], kind="stable")]
            there, laid = lay_homes(secrets[part], own[part], ground.tier)
        homes.append(there.members)
        weights_at_home.append(there.weights)
        rings += laid
    joint = Homes(np.concatenate(homes), np.concatenate(weights_at_home))
    ring = (spliced(rings),) if rings else ()
    cells = [Sets(joint.members, u * joint.weights)]
    cells += [Sets(sets, lengths) for one in ring for sets, lengths in one.cells().blocks()]
    plan = with_costs(joined(cells, u), distances)
    mean = plan.total / float(u * own.sum())
    return LayoutResult(joint, ring, Cost(mean, None, None, distances.name, stability, distances.coordinates))
