"""Distances: what d(z,i) is, between places, or as the caller says; and what sets cost by them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._frames import axes
from minleak.core._labels import Labels, locator
from minleak.core._matching import columns_by_label, values_by_label
from minleak.core._result import Result
from minleak.errors import InvalidParameter

# The mean radius of the earth in kilometres (IUGG 1980, R1).
EARTH = 6371.0088
# Coordinates and costs beyond this could not be squared and summed.
_LARGEST = 1e100
_COSTS = "the cost of Cheapest is a matrix of numbers d(z,i), or a callable d(z, i) of index arrays"


class Distances(ABC):
    """d(z,i) >= 0 between centres z and secrets i."""

    name: ClassVar[str]
    n_centres: int
    points: Array  # places in a flat space, in which nearer is nearer; of shape (n, 0) where there are none
    coordinates: Array | None = None  # as they were given

    @abstractmethod
    def between(self, centres: Indices, members: Indices) -> Array:
        """The matrix of d(z,i), of shape (len(centres), len(members))."""

    @abstractmethod
    def centres_of(self, members: Indices) -> Indices:
        """A centre close to each member: itself, where the secrets are the centres."""

    @abstractmethod
    def within(self, sets: Indices) -> Array:
        """d between the members of each set, of shape (sets, u, u): from the centre close to the one to the other."""


class Euclidean(Distances):
    """The distance between rows of coordinates; every secret is a centre."""

    name = "euclidean"
    coordinates: Array

    def __init__(self, coordinates: Array) -> None:
        self.coordinates = coordinates
        self.points = np.ascontiguousarray(coordinates)
        self.n_centres = len(coordinates)

    def between(self, centres: Indices, members: Indices) -> Array:
        """The root of the sum of squares, axis by axis: no cancellation."""
        squares = np.zeros((len(centres), len(members)))
        for axis in self.points.T:
            squares += np.subtract.outer(axis[centres], axis[members]) ** 2
        return self._from_squares(squares)

    def within(self, sets: Indices) -> Array:
        squares = np.zeros((*sets.shape, sets.shape[1]))
        for axis in self.points.T:
            squares += (axis[sets][:, :, None] - axis[sets][:, None, :]) ** 2
        return self._from_squares(squares)

    def _from_squares(self, squares: Array) -> Array:
        return np.sqrt(squares)

    def centres_of(self, members: Indices) -> Indices:
        return members


class Haversine(Euclidean):
    """Kilometres along great circles between (latitude, longitude) in degrees, on a sphere of the earth's mean radius.

    The chord a between the points on the unit sphere gives the arc 2 asin(a/2), which is the haversine formula.
    """

    name = "haversine"

    def __init__(self, coordinates: Array) -> None:
        super().__init__(coordinates)
        latitude, longitude = np.radians(coordinates.T)
        level = np.cos(latitude)
        self.points = np.stack([level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)], axis=1)

    def _from_squares(self, squares: Array) -> Array:
        return np.asarray(2 * EARTH * np.arcsin(np.minimum(np.sqrt(squares) / 2, 1.0)))


class Given(Distances):
    """A matrix of d(z,i), whose rows are centres, whatever they are, and whose columns are the secrets."""

    name = "given"

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix
        self.points = np.empty((matrix.shape[1], 0))
        self.n_centres = len(matrix)
        self._closest = matrix.argmin(axis=0)

    def between(self, centres: Indices, members: Indices) -> Array:
        return self.matrix[np.ix_(centres, members)]

    def centres_of(self, members: Indices) -> Indices:
        return np.asarray(self._closest[members])

    def within(self, sets: Indices) -> Array:
        return np.asarray(self.matrix[self._closest[sets][:, :, None], sets[:, None, :]])


METRICS: dict[str, type[Euclidean]] = {metric.name: metric for metric in (Euclidean, Haversine)}


def from_coordinates(points: Any, metric: str, labels: Labels) -> Euclidean:
    """Coordinates, one row for each secret (or one number, on a line), as distances; refused with the row's name.

    A frame or a mapping is matched by label; columns named lat... and lon... or lng... are latitude and longitude.
    """
    points = values_by_label(points, labels, "the points of Near")
    columns = [str(name).lower()[:3] for name in axes(points)[1] or ()]
    try:
        rows = np.array(points, dtype=np.float64)
    except Exception:
        raise InvalidParameter(
            "the points of Near are coordinates: a row of numbers for each secret, all of the same length"
        ) from None
    rows = rows[:, None] if rows.ndim == 1 else rows
    n = len(labels)
    if rows.ndim != 2 or len(rows) != n or not rows.shape[1]:
        raise InvalidParameter(
            f"the points of Near have shape {rows.shape}: give one row of coordinates for each of {n} secrets"
        )
    where = locator(labels)
    bad = ~(np.abs(rows) <= _LARGEST).all(axis=1)  # NaN fails too
    if bad.any():
        i = int(np.argmax(bad))
        raise InvalidParameter(
            f"the coordinates at {where(i)} are {rows[i].tolist()}: they must be finite numbers, at most {_LARGEST:g}"
        )
    if metric == "haversine":
        if rows.shape[1] != 2:
            raise InvalidParameter(f"metric='haversine' takes latitude and longitude, not {rows.shape[1]} coordinates")
        if columns in (["lon", "lat"], ["lng", "lat"]):
            rows = rows[:, ::-1]
        bad = (np.abs(rows[:, 0]) > 90) | (np.abs(rows[:, 1]) > 360)
        if bad.any():
            i = int(np.argmax(bad))
            raise InvalidParameter(
                f"the place at {where(i)} is {rows[i].tolist()}: give latitude (-90 to 90) before longitude (-360 to "
                "360), in degrees"
            )
    return METRICS[metric](rows)


def from_costs(cost: Any, labels: Labels) -> Given:
    """A matrix d(z,i), or a callable d(z, i) of index arrays that broadcast, as distances. The columns of a frame are
    matched by label; its rows are centres, of any name and order.
    """
    n = len(labels)
    if not callable(cost):
        cost = columns_by_label(cost, labels, "the columns of Cheapest's cost")
    if callable(cost):
        secrets = np.arange(n)
        try:
            cost = cost(secrets[:, None], secrets[None, :])
        except Exception as error:
            raise InvalidParameter(f"{_COSTS}: this one fails on arrays") from error
    try:
        matrix = np.array(cost, dtype=np.float64)
    except Exception:
        raise InvalidParameter(_COSTS) from None
    if matrix.ndim != 2 or matrix.shape[1] != n or not len(matrix):
        raise InvalidParameter(
            f"the cost of Cheapest has shape {matrix.shape}: give a row for each centre z and a column for each of "
            f"the {n} secrets"
        )
    good = (matrix >= 0) & (matrix <= _LARGEST)  # NaN fails both
    if not good.all():
        z, i = np.argwhere(~good)[0].tolist()
        raise InvalidParameter(f"cost[{z}, {i}] is {matrix[z, i]}: costs are numbers from 0 to {_LARGEST:g}")
    return Given(matrix)


@dataclass(frozen=True, eq=False)
class Cost(Result):
    """The mean of c(M)/u over published sets M, c taken over their u members that are no giants.

    `bound` is below the cost of every plan that leaks as little, None where it is not known; `rounding` is the part of
    `value` that it costs to have the linear programme's solution in integers. `metric` is "euclidean" (in the
    coordinates' unit), "haversine" (in kilometres) or "given" (a cost matrix); `stability` is from 0, as near as
    possible, to 1; `coordinates` are those given.
    """

    value: float
    bound: float | None
    rounding: float | None
    metric: str
    stability: float
    coordinates: Array | None = field(repr=False)

    reported = ("gap",)

    @property
    def gap(self) -> float | None:
        """How far the cost may be above the least, as a fraction of it."""
        if self.bound is None:
            return None
        return (self.value - self.bound) / self.value if self.value > 0 else 0.0
