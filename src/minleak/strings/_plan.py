"""UnlistedPlan: an optimal channel over every string that a model holds, and over those that were counted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._columns import Columns
from minleak.core._entropy.base import ConditionalEntropy, evaluate
from minleak.core._entropy.names import as_entropy
from minleak.core._entropy.standard import STANDARD
from minleak.core._file.format import Contents
from minleak.core._label_bytes import labels_in_bytes, prefix_length_8
from minleak.core._plan.drawable import Drawable
from minleak.core._plan.summaries import StringSummary, summarize_strings
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter
from minleak.strings._coding import Coder
from minleak.strings._files import digest_of, plan_contents, plan_parts
from minleak.strings._misfit import Misfit, success_against
from minleak.strings._model import CutLine, StringModel
from minleak.strings._string_prior import StringPrior

_UNLISTED = "the sets of all strings are too many to be listed: draw them from the .cloak file, with minleak.Cloak"


@dataclass(frozen=True, repr=False, eq=False)
class UnlistedPlan(Drawable):
    """An optimal plan over strings that cannot be listed: made by `minleak.design(model, k)`, or with `unknown=model`.

    As in every optimal plan the giants are in each set, and the u other members are equally likely. Strings that were
    counted have homes with others of like weight; what is left of them lies on one circle together with the model's
    line, from which they and the giants are cut out. A set is a home, or what a phase of the circle meets.

    `homes` are sets of u counted strings each, `home_weights` what each member has there. All numbers are exact.
    """

    kind = "strings"
    layout = "strings"
    listed = False
    advice = "it holds text up to a length, and this is longer or no text: refuse it"
    sticky_only = (
        "strings that cannot be listed are drawn by a key and a scope alone: sets drawn anew for one string are "
        "intersected"
    )

    string_prior: StringPrior
    k: int
    giants: tuple[tuple[str, int], ...]
    homes: tuple[tuple[str, ...], ...]
    home_weights: tuple[int, ...]

    # -- the arrangement ----------------------------------------------------------------------------------------------

    @property
    def prior(self) -> Prior | StringModel:
        """What it was made for: the counts, or the model if there are none."""
        return self.string_prior.model if self.string_prior.prior is None else self.string_prior.prior

    @property
    def u(self) -> int:
        """The places of a set that the giants leave."""
        return self.k - len(self.giants)

    @property
    def rest(self) -> int:
        """What the giants leave of the total weight."""
        return self.string_prior.total - sum(weight for _, weight in self.giants)

    @cached_property
    def _giant_names(self) -> frozenset[str]:
        return frozenset(string for string, _ in self.giants)

    @cached_property
    def _home_of(self) -> dict[str, int]:
        return {string: home for home, members in enumerate(self.homes) for string in members}

    @cached_property
    def _loose(self) -> list[str]:
        """The counted strings that are no giants."""
        return [string for string in self.string_prior.counted if string not in self._giant_names]

    @cached_property
    def _begins(self) -> list[int]:
        """Where what is left of each of them begins on the circle's line, and where the last one ends."""
        return list(accumulate(map(self.residue, self._loose), initial=0))

    @cached_property
    def _begin_of(self) -> dict[str, int]:
        return dict(zip(self._loose, self._begins, strict=False))

    @cached_property
    def _line(self) -> CutLine:
        cuts = [(start, units) for _, start, units in self.string_prior.counted.values() if units]
        cuts += [self.string_prior.model.interval(x) for x in self._giant_names if x not in self.string_prior.counted]
        return CutLine(self.string_prior.model, cuts)

    @cached_property
    def circle(self) -> int:
        """The weight on the circle, counted strings first, which is also the number of its phases."""
        return self._begins[-1] + self.string_prior.per_unit * self._line.length

    @cached_property
    def _home_ends(self) -> list[int]:
        return list(accumulate((self.u * weight for weight in self.home_weights), initial=0))

    def residue(self, string: str) -> int:
        """What a counted string leaves for the circle."""
        home = self._home_of.get(string)
        return self.string_prior.weight(string) - (0 if home is None else self.home_weights[home])

    def summary(self, entropies: Sequence[ConditionalEntropy | str] = STANDARD, *, of: Any = None) -> StringSummary:
        """Summary of the plan with the leakage in each entropy, for printing. A property is refused."""
        if of is not None:
            self.property_leakage(of)
        return summarize_strings(self, entropies)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def owned(self, string: str) -> int:
        """How many places a draw of this string chooses from; 0 if the plan cannot hold it."""
        return self.rest if string in self._giant_names else self.u * self.string_prior.weight(string)

    def members(self, string: str, place: int) -> tuple[str, ...]:
        """The set for one of the places that a string owns, sorted: its order tells nothing."""
        if string in self._giant_names:
            homes = self._home_ends[-1]
            if place < homes:
                return self._sort(self.homes[bisect_right(self._home_ends, place) - 1])
            return self._set_at(place - homes)
        home = self._home_of.get(string)
        if home is not None:
            place -= self.u * self.home_weights[home]
            if place < 0:
                return self._sort(self.homes[home])
        begin = self._begin_of.get(string)
        if begin is None:
            begin = self._begins[-1] + self.string_prior.per_unit * self._line.start(string)
        return self._set_at((self.u * begin + place) % self.circle)

    def _set_at(self, phase: int) -> tuple[str, ...]:
        return self._sort(self._member((phase + track * self.circle) // self.u) for track in range(self.u))

    def _member(self, position: int) -> str:
        counted = self._begins[-1]
        if position < counted:
            return self._loose[bisect_right(self._begins, position) - 1]
        return self._line.at((position - counted) // self.string_prior.per_unit)

    def _sort(self, members: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted([*self._giant_names, *members]))

    def likelihood(self, member: str) -> Fraction:
        """How likely a set is for this member of it, as a multiple of how likely it is at all: 1 for giants, which are
        in every set.
        """
        return Fraction(1) if member in self._giant_names else Fraction(self.rest, self.owned(member))

    # -- what it says -------------------------------------------------------------------------------------------------

    @property
    def exact_target(self) -> tuple[Fraction, ...]:
        """pi in exact fractions, largest first: the posterior that every set induces on its members."""
        giants = [Fraction(weight, self.string_prior.total) for _, weight in self.giants]
        return (*giants, *[Fraction(self.rest, self.string_prior.total * self.u)] * self.u)

    @property
    def target(self) -> Array:
        """pi as floats."""
        return np.array([float(share) for share in self.exact_target])

    @property
    def success(self) -> float:
        """How often an attacker is right who sees a set and guesses once, if the model is right."""
        return float(self.exact_target[0])

    @property
    def unlisted(self) -> float:
        """The share of strings that were never counted: the `unknown_share` asked for, or estimated from the counts."""
        return float(Fraction(self.string_prior.per_unit * self.string_prior.rest.length, self.string_prior.total))

    def entropy(self, entropy: ConditionalEntropy | str, *, of: Any = None) -> float:
        """H(X|Y) = H(pi), the largest that any channel with sets of at most k can reach. Refused of a property."""
        if of is not None:
            self.property_leakage(of)
        H = as_entropy(entropy)
        if not H.symmetric:
            raise InvalidParameter("gains are for secrets that are listed: give an entropy without gains")
        return evaluate([H], Columns(self.target[:, None]))[0]

    def against(
        self,
        model: StringModel,
        *,
        prior: Prior | None = None,
        unknown_share: Any = None,
        trials: int = 2000,
        seed: int = 0,
    ) -> Misfit:
        """The success of a guess if secrets come from another model, or from a prior and a model, and the attacker
        knows. With a model fitted to later data it shows how good the plan's own model is. Simulated.
        """
        return success_against(self, StringPrior.of(model, prior, unknown_share), trials, seed)

    def find(self, label: Hashable) -> str | None:
        """The string, if it has a place."""
        return label if isinstance(label, str) and self.owned(label) else None

    def in_bytes(self, found: list[str]) -> list[bytes]:
        """The strings."""
        return labels_in_bytes(found)

    def places(self, found: list[str]) -> list[int]:
        """How many places each string has, of any size."""
        return [self.owned(string) for string in found]

    def locate(self, found: list[str], places: list[int]) -> list[tuple[str, ...]]:
        """The set at each place."""
        return [self.members(string, place) for string, place in zip(found, places, strict=True)]

    def show(self, located: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """The strings themselves."""
        return located

    def find_shown(self, label: Hashable) -> str | None:
        """The text itself."""
        return label if isinstance(label, str) else None

    def set_in_bytes(self, found: set[str]) -> bytes:
        """The strings in order, each with its length."""
        return b"".join(map(prefix_length_8, labels_in_bytes(sorted(found))))

    def extent(self) -> str:
        """What it draws for, in words."""
        return "any string"

    # -- what no plan over strings has --------------------------------------------------------------------------------

    def leakage(self, entropy: Any, *, prior: Any = None, of: Any = None) -> float:
        """Refused: H(X) is not known."""
        del entropy, prior, of
        raise InvalidParameter(
            "H(X) of strings that cannot be listed is not known, so what leaks is not: entropy() tells what is left "
            "after a draw, and success how often a guess is right"
        )

    def property_leakage(self, of: Any, entropies: Any = (), *, prior: Any = None) -> Any:
        """Refused: nobody can give a property of every string."""
        del of, entropies, prior
        raise InvalidParameter(
            "strings that cannot be listed have no property that could be given for each: measure one on a plan of "
            "listed secrets"
        )

    def sets(self) -> Any:
        """Refused: they are too many."""
        raise InvalidParameter(_UNLISTED)

    channel = table = sets

    def export(self, path: Any, *, hashed: Any = None, raw_labels: bool = False) -> Any:
        """Refused likewise."""
        del path, hashed, raw_labels
        raise InvalidParameter(_UNLISTED)

    def update(self, prior: Any, **given: Any) -> Any:
        """Refused: its model covers every newcomer."""
        del prior, given
        raise InvalidParameter(
            "a plan over strings covers every newcomer by its model, so there is nothing to update: keep it, and make "
            "a new one for new subjects when a report with counts held out says that it has aged"
        )

    # -- at work and in files -----------------------------------------------------------------------------------------

    @cached_property
    def _contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        model = self.string_prior.model
        if not isinstance(model, Coder):
            raise InvalidParameter(
                f"a {type(model).__name__} is a model of your own, which no file or key can name: plans over an NGram "
                "can be saved and drawn from"
            )
        return plan_contents(model, self.string_prior.prior, self.k, self.string_prior.share)

    @cached_property
    def digest(self) -> bytes:
        """A digest of everything a draw depends on, 32 bytes. It is always computed, never read from a file: two plans
        with one digest would share their draws.
        """
        return digest_of(*self._contents)

    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and numbers from which a file makes it again."""
        return self._contents

    @classmethod
    def from_contents(cls, contents: Contents) -> UnlistedPlan:
        """The plan in a file, which holds the model, the counts, the share and the cap: it is designed again."""
        from minleak.strings._make import design_unlisted
        from minleak.strings._ngram import NGram

        parts, prior, k, share = plan_parts(contents)
        return design_unlisted(NGram(*parts), k, prior=prior, share=None if prior is None else share)

    def __repr__(self) -> str:
        return (
            f"UnlistedPlan(k={self.k}, giants={len(self.giants)}, listed={len(self.string_prior.counted)}, "
            f"homes={len(self.homes)}, unlisted={self.unlisted:.3g})"
        )
