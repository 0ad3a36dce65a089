"""What an observable tells about a property of the secret, such as the country of a city."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy, evaluate
from minleak.core._entropy.families import Hayashi, MinEntropy
from minleak.core._entropy.names import STANDARD, as_entropies
from minleak.core._joint import Joint, as_joint
from minleak.core._leakage import LeakageRow, difference
from minleak.core._prior import Prior
from minleak.core._properties import Property, as_property
from minleak.core._result import Result, table_of
from minleak.core._text_tables import Table

if TYPE_CHECKING:
    import scipy.sparse as sp

#: How a property is given: the values of f in the order of the secrets, or by label.
Values = Property | Mapping[Any, Any] | Iterable[Any]

# How often a guess is right on average, and where what is shown tells most.
_GUESSES = (MinEntropy(), Hayashi(math.inf))


@dataclass(frozen=True)
class PropertyLeakage(Result):
    """What an observable tells about a property f(X) of the secret."""

    values: int
    """How many values the property has."""
    blind: float
    """How often the property is guessed without an observable: the probability of its likeliest value."""
    success: float
    """How often it is guessed after an observable was seen."""
    worst: float
    """The same for the one observable that tells most about it."""
    rows: tuple[LeakageRow, ...]
    """By entropy H(f(X)), H(f(X)|Y) and the difference."""

    def to_parts(self) -> list[str | Table]:
        return [
            f"the property, one of {self.values:,} values, is guessed with probability {self.success:.6g} seeing what "
            f"is shown, {self.blind:.6g} without; {self.worst:.6g} where what is shown tells most",
            table_of(LeakageRow, self.rows, title="leakage about the property"),
        ]


def measure_blocks(
    blocks: Iterable[sp.csc_array],
    prior: Prior,
    of: Values,
    entropies: Sequence[ConditionalEntropy | str],
) -> PropertyLeakage:
    """H(f(X)), H(f(X)|Y) in each entropy, and how often f(X) is guessed.

    `blocks` are the columns of the joint of X and Y, some at a time. f(X) -> X -> Y is a Markov chain, so the entries
    of a column whose secrets have one value of f add up. Cost: that of the entries, which are the members of all sets.
    """
    chosen = as_property(of, prior.labels)
    values = chosen.prior(prior)
    measures = [*_GUESSES, *as_entropies(entropies)]
    after = evaluate(measures, (add_up(block, chosen) for block in blocks))
    return _told(measures, values, after)


def _told(measures: Sequence[ConditionalEntropy], values: Prior, after: Sequence[float]) -> PropertyLeakage:
    """What is left of each measure, the first two being those of a guess on average and at worst, in a result."""
    rows = [(H, H(values), left) for H, left in zip(measures, after, strict=True)]
    return PropertyLeakage(
        values=len(values),
        blind=float(values.p.max()),
        success=2.0 ** -after[0],
        worst=2.0 ** -after[1],
        rows=tuple(LeakageRow(H.name, before, left, difference(H, before, left)) for H, before, left in rows[2:]),
    )


def add_up(block: sp.csc_array, chosen: Property) -> sp.csc_array:
    """The columns of the joint of f(X) and Y from columns of that of X and Y."""
    import scipy.sparse as sp

    index = block.indptr.dtype
    codes = chosen.codes[block.indices].astype(index, copy=False)
    entries = (block.data, codes, block.indptr)
    told = sp.csc_array(entries, shape=(len(chosen.values), block.shape[1]), copy=True)  # which is changed in place
    told.sum_duplicates()
    return told


def property_leakage(
    prior: Joint | Prior | Iterable[Any],
    channel: Channel | Any,
    of: Values,
    entropies: Sequence[ConditionalEntropy | str] = STANDARD,
) -> PropertyLeakage:
    """What the channel's output tells about a property f(X) of the secret: how often it is guessed blind, with an
    observable and with the worst one, and its leakage in each entropy. Cost: the channel's non-zeros.

    `of` has f(x) in the order of the secrets, or by label. `leakage(..., of=)` is one of these numbers.

    >>> told = property_leakage([2, 1, 1], [[1, 0], [0, 1], [0.5, 0.5]], ["old", "young", "old"])
    >>> told.blind, told.success
    (0.75, 0.875)
    """
    joint, measures = as_joint(prior, channel, of), [*_GUESSES, *as_entropies(entropies)]
    return _told(measures, joint.prior, evaluate(measures, joint.blocks()))
