"""Property: a value f(x) for each secret, such as the country of a city, from a list or a mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices
from minleak.core._labels import Labels, locator
from minleak.core._matching import values_by_label
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter
from minleak.io._tables import Column, as_values


@dataclass(frozen=True, eq=False)
class Property:
    """f(x) = values[codes[x]] for each secret x; values are numbered in order of appearance.

    >>> country = as_property({"Bern": "ch", "Lyon": "fr", "Basel": "ch"}, Labels.of(["Bern", "Basel", "Lyon"], 3))
    >>> country.codes, list(country.values)
    (array([0, 0, 1]), ['ch', 'fr'])
    """

    codes: Indices
    values: Labels

    def __len__(self) -> int:
        return len(self.codes)

    def add_up(self, weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of the secrets' weights for each value; exact for integers, of any size."""
        large = weights.dtype.kind == "i" and int(weights.max()) * len(weights) >= 2**63
        sums = np.zeros(len(self.values), dtype=object if large else weights.dtype)
        np.add.at(sums, self.codes, weights.astype(object) if large else weights)
        return sums

    def prior(self, prior: Prior) -> Prior:
        """The distribution of f(X), labelled by its values."""
        return Prior.trusted(self.add_up(prior.weights), self.values, prior.total, prior.events)


def as_property(
    given: Property | Mapping[Any, Any] | Iterable[Any], secrets: Labels, *, what: str = "property", more: bool = False
) -> Property:
    """The property of these secrets, by `values_by_label`. O(n).

    `what` names it in messages. Missing values (None or NaN) are refused, and so are labels that are not among the
    secrets, unless `more` allows them.
    """
    if isinstance(given, str | bytes):
        raise InvalidParameter(f"the {what} is a value for each secret, in their order or by their labels, not text")
    found: Any = given
    if not isinstance(given, Property):
        values = as_values(values_by_label(given, secrets, f"the {what}", more=more), f"values of the {what}")
        found = Column(values, what, locator(secrets, "secret"), InvalidParameter)
    if len(found) != len(secrets):
        raise InvalidParameter(f"the {what} has {len(found)} values for {len(secrets)} secrets: give one for each")
    if isinstance(given, Property):
        return given
    try:
        return Property(*found.check_complete().codes())
    except TypeError:
        raise InvalidParameter(f"the {what} has values that are no names: give text, numbers or tuples") from None
