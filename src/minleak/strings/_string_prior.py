"""StringPrior: one prior over counted strings and all others of a model, in integer weights."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from minleak.core._prior import Prior, as_prior
from minleak.errors import InvalidParameter, InvalidPrior, quote
from minleak.strings._model import CutLine, StringModel


@dataclass(frozen=True, eq=False)
class StringPrior:
    """A string that was counted weighs `per_count` for each time, any other `per_unit` for each position that it owns
    on the model's line. Of N events, a `share` a/b of strings that were not counted, and R positions that these own,
    that is (b - a) R c_x or a N m_x of b N R: the strings that were not counted have exactly their share.
    """

    model: StringModel
    prior: Prior | None
    share: Fraction

    def __post_init__(self) -> None:
        if not self.rest.length:
            raise InvalidParameter("the model holds no string that was not counted, so that none can be unknown")

    @classmethod
    def of(cls, model: StringModel, prior: Any, share: Any) -> StringPrior:
        """With the share of strings that were not counted; None is Good and Turing's, the share of events whose string
        was counted once.
        """
        if not isinstance(model, StringModel):
            raise InvalidParameter(
                f"a {type(model).__name__} is no model of strings: it needs total, weight, interval, at and heaviest, "
                "as NGram has"
            )
        if prior is None:
            if share is not None:
                raise InvalidParameter("unknown_share= is for a prior with unknown=model: a model alone has all of it")
            return cls(model, None, Fraction(1))
        prior = as_prior(prior)
        if not prior.exact:
            raise InvalidPrior(
                "a prior with unknown strings has whole counts: floats would not be exact in big integers"
            )
        if any(not isinstance(label, str) for label in prior.labels):
            raise InvalidPrior("a prior with unknown strings has strings as labels: turn them into text")
        _check_policy(model, prior)
        return cls(model, prior, _good_turing(prior) if share is None else _fraction(share))

    @cached_property
    def per_count(self) -> int:
        """What a string weighs for each time that it was counted."""
        return (self.share.denominator - self.share.numerator) * self.rest.length

    @cached_property
    def per_unit(self) -> int:
        """What a string that was not counted weighs for each position on the model's line."""
        return self.share.numerator * (1 if self.prior is None else int(self.prior.total))

    @cached_property
    def rest(self) -> CutLine:
        """The model's line without the strings that were counted."""
        return CutLine(self.model, [(start, units) for _, start, units in self._intervals.values() if units])

    @cached_property
    def _intervals(self) -> dict[str, tuple[int, int, int]]:
        """Of each string that was counted how often, and its interval on the model's line; (0, 0) if it has none."""
        found = {}
        if self.prior is not None:
            for string, count in zip(self.prior.labels, self.prior.weights.tolist(), strict=True):
                if count:
                    found[string] = (count, *(self.model.interval(string) if self.model.weight(string) else (0, 0)))
        return found

    @cached_property
    def counted(self) -> dict[str, tuple[int, int, int]]:
        """Of each string that was counted its weight, and its interval on the model's line, of weight 0 if it has
        none.
        """
        return {x: (self.per_count * count, start, units) for x, (count, start, units) in self._intervals.items()}

    @property
    def total(self) -> int:
        """The weight of everything."""
        return self.per_unit * self.rest.length + (0 if self.prior is None else self.per_count * int(self.prior.total))

    def weight(self, string: str) -> int:
        """What a string weighs; 0 if it was not counted and the model cannot hold it."""
        known = self.counted.get(string)
        return self.per_unit * self.model.weight(string) if known is None else known[0]

    def giants(self, k: int) -> tuple[tuple[str, int], ...]:
        """Heaviest first, as long as one weighs more than its part of what is left.

        Fewer than k strings can weigh more than 1/k of what is left, so a search for them is short; those that were
        counted may be heavy in the model too and are passed over there. Each giant that is taken out lowers that
        threshold: all that were found are giants, and lighter ones may follow in the next round.
        """
        counted = sorted(((known[0], string) for string, known in self.counted.items()), reverse=True)[:k]
        giants: list[tuple[str, int]] = []
        tail = self.total
        while tail:
            part = tail // (k - len(giants))
            most = k + len(self.counted)
            likely = {x: self.weight(x) for x, _ in self.model.heaviest(most, part // self.per_unit)}
            known = {string for string, _ in giants}
            heavy = {**{x: w for w, x in counted}, **likely}
            found = sorted(((w, x) for x, w in heavy.items() if w > part and x not in known), reverse=True)
            if not found:
                return tuple(giants)
            giants += [(string, weight) for weight, string in found]
            tail -= sum(weight for weight, _ in found)
        raise InvalidParameter(f"there are no more than {len(giants)} strings: sets of {k} would hide nothing")


def _check_policy(model: StringModel, prior: Prior) -> None:
    """Strings that a policy refuses would stand out from all others: no set may hold one."""
    if getattr(model, "policy", None) is None:
        return
    counted = [x for x, w in zip(prior.labels, prior.weights.tolist(), strict=True) if w]
    outside = sum(not model.weight(string) for string in counted)
    if outside:
        raise InvalidPrior(
            f"{outside:,} of {len(counted):,} counted strings do not meet the policy of the model: take them out, "
            "since nobody can have them as secrets"
        )


def _good_turing(prior: Prior) -> Fraction:
    once = int(np.count_nonzero(prior.weights == 1))
    if prior.events is None or prior.events != prior.total or not once:
        raise InvalidParameter(
            "how often unknown strings occur is estimated from those counted once, and here "
            + ("the weights are no counts" if prior.events != prior.total else "there are none")
            + ": give unknown_share=0.1, for instance"
        )
    if once == prior.total:
        raise InvalidParameter("every string was counted once, which says that all are unknown: give unknown_share=")
    return Fraction(once, int(prior.total))


def _fraction(share: Any) -> Fraction:
    try:
        found = Fraction(share).limit_denominator(10**6) if isinstance(share, float) else Fraction(share)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        found = Fraction(0)
    if not 0 < found < 1:
        raise InvalidParameter(f"unknown_share= is a probability between 0 and 1, both excluded, not {quote(share)}")
    return found
