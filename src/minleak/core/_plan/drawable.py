"""Drawable: what a .cloak file holds and a Cloak draws from; and Listed, a Drawable whose secrets are listed."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array, Indices
from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropy
from minleak.core._entropy.standard import STANDARD
from minleak.core._file.format import Contents
from minleak.core._file.hashing import Hashes
from minleak.core._file.writing import write
from minleak.core._labels import Labels
from minleak.core._leakage import leakage, posterior_vulnerability
from minleak.core._prior import Prior, as_prior, reorder_prior
from minleak.core._property_leakage import PropertyLeakage, Values, measure_blocks
from minleak.core._result import Result
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak.core._keys import Key
    from minleak.core._plan.drawing_table import ExportedTable


class Drawable(ABC):
    """What can be drawn from and saved. A Cloak knows five members: `lineage`, `find`, `places`, `locate` and `show`.

    A draw finds the secret, takes one of its N `places` at random, locates what is shown there and shows it as labels.
    How secrets and what is shown are represented is known to the class alone. The constructor of each class refuses
    invalid fields, so that whatever exists is valid.
    """

    #: The name of the class in a file.
    kind: ClassVar[str]
    #: What a plan was made for: counts, or a model of strings.
    prior: Any
    k: int
    layout: str
    #: Whether the secrets are listed, and so have numbers; and what to do about an unknown one.
    listed: ClassVar[bool] = True
    advice: ClassVar[str] = "refuse it, or choose a stand_in for all such secrets"
    #: Why there are no fresh draws, where only sticky ones are allowed.
    sticky_only: ClassVar[str] = ""
    #: Hashes of the arrays, computed when the file was read; None for a plan in memory.
    hashes: Hashes | None = None

    @property
    @abstractmethod
    def digest(self) -> bytes:
        """A hash, 32 bytes, of everything a draw depends on; sticky draws use it. Computed, never read from a file."""

    @property
    def lineage(self) -> bytes:
        """32 bytes that all versions of a plan share: sticky draws depend on them."""
        return self.digest

    @property
    def randomised(self) -> bool:
        """Whether draws are random; if not, a secret always shows the same set and no key is needed."""
        return True

    @property
    def version(self) -> int:
        """1 for a new plan, one more with each update."""
        return 1

    @property
    def pending(self) -> tuple[Any, ...]:
        """Secrets that were counted in an update and are not listed yet."""
        return ()

    @property
    def parts(self) -> tuple[Any, ...]:
        """The plans that an updated plan is made of; any other plan is its only part."""
        return (self,)

    # -- draws --------------------------------------------------------------------------------------------------------

    @abstractmethod
    def find(self, label: Hashable) -> Any:
        """The representation of a secret; None if it is unknown."""

    def is_pending(self, label: Hashable) -> bool:
        """Whether an unknown secret was counted in an update and waits for a part."""
        del label
        return False

    @abstractmethod
    def in_bytes(self, found: Any) -> list[bytes]:
        """The label of each secret in bytes, which its random stream depends on."""

    @abstractmethod
    def places(self, found: Any) -> Any:
        """N, the number of places that each secret has; 0 or 1 where it always shows the same."""

    @abstractmethod
    def locate(self, found: Any, places: Any) -> Any:
        """What is shown at a place of each secret."""

    @abstractmethod
    def show(self, located: Any) -> list[tuple[Any, ...]]:
        """The same as labels."""

    @abstractmethod
    def find_shown(self, label: Hashable) -> Any:
        """The representation of a label that can be shown; None for any other."""

    @abstractmethod
    def set_in_bytes(self, found: set[Any]) -> bytes:
        """A set of such representations, encoded unambiguously."""

    @abstractmethod
    def extent(self) -> str:
        """How many secrets there are, in words."""

    # -- files --------------------------------------------------------------------------------------------------------

    @abstractmethod
    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arrays and numbers that a file stores; `from_contents` restores the plan from them."""

    @classmethod
    @abstractmethod
    def from_contents(cls, contents: Contents) -> Self:
        """The plan in the contents of an untrusted file; raises ValueError or the like where they are invalid."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan to a .cloak file for `minleak.load` and `minleak.Cloak`, atomically. Labels of secrets must be
        text or 64-bit integers, or default.
        """
        arrays, numbers = self.contents()
        write(path, arrays, {"kind": self.kind, **numbers})

    # -- measures -----------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def success(self) -> float:
        """How often one guess is right after a draw was seen."""

    @abstractmethod
    def entropy(self, entropy: ConditionalEntropy | str, *, of: Values | None = None) -> float:
        """H(X|Y), the uncertainty after a draw was seen; with `of`, H(f(X)|Y) of a property of the secret."""

    @abstractmethod
    def leakage(
        self,
        entropy: ConditionalEntropy | str,
        *,
        prior: Prior | Iterable[Any] | None = None,
        of: Values | None = None,
    ) -> float:
        """H(X) - H(X|Y). With `prior`, if secrets are drawn from that one: its labels may be in another order, and
        those that it lacks have probability zero. With `of`, H(f(X)) - H(f(X)|Y) of a property of the secret.
        """

    @abstractmethod
    def summary(self, entropies: Sequence[ConditionalEntropy | str] = STANDARD, *, of: Values | None = None) -> Result:
        """The plan in words and tables, with the leakage in each entropy, also about a property of the secret if `of`
        gives one.
        """


class Listed(Drawable):
    """A Drawable whose secrets are listed: they are represented by their numbers, and measured by the joint of secret
    and observable.
    """

    prior: Prior

    # -- draws --------------------------------------------------------------------------------------------------------

    def shown_labels(self) -> Labels:
        """The labels of what is shown: for sets those of the secrets."""
        return self.prior.labels

    def find(self, label: Hashable) -> int | None:
        """The number of a secret."""
        return self.prior.labels.indexed().position(label)

    def in_bytes(self, found: Indices) -> list[bytes]:
        """The label of each secret, as it was given."""
        return self.prior.labels.bytes_at(found)

    def show(self, located: Indices) -> list[tuple[Any, ...]]:
        """The labels of each row; -1 pads short rows."""
        names = self.shown_labels()
        return [tuple(names.at([i for i in row if i >= 0])) for row in located.tolist()]

    def find_shown(self, label: Hashable) -> int | None:
        """The number of what is shown."""
        return self.shown_labels().indexed().position(label)

    def set_in_bytes(self, found: set[int]) -> bytes:
        """Their numbers in order."""
        return np.array(sorted(found), dtype="<i8").tobytes()

    def extent(self) -> str:
        """n."""
        return f"n={len(self.prior)}"

    # -- measures -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def channel(self) -> Channel:
        """The plan as an explicit channel."""

    @abstractmethod
    def joint_blocks(self, p: Array) -> Iterator[Any]:
        """The columns of the joint of secret and observable, in blocks, as csc arrays, if secret x has probability
        p[x].
        """

    @property
    def success(self) -> float:
        """How often one guess is right after a draw was seen."""
        return posterior_vulnerability(self.prior, self.channel())

    def entropy(self, entropy: ConditionalEntropy | str, *, of: Values | None = None) -> float:
        """H(X|Y), the uncertainty after a draw was seen; with `of`, H(f(X)|Y) of a property of the secret."""
        if of is not None:
            return self.property_leakage(of, [entropy]).rows[0].after
        return as_entropy(entropy).conditional(self.prior, self.channel())

    def leakage(
        self,
        entropy: ConditionalEntropy | str,
        *,
        prior: Prior | Iterable[Any] | None = None,
        of: Values | None = None,
    ) -> float:
        """H(X) - H(X|Y), see `Drawable.leakage`."""
        if of is not None:
            return self.property_leakage(of, [entropy], prior=prior).rows[0].leakage
        return leakage(self.under(prior), self.channel(), entropy)

    def under(self, prior: Prior | Iterable[Any] | None) -> Prior:
        """The prior that secrets are drawn from, in the plan's order: its own unless another is given."""
        return self.prior if prior is None else reorder_prior(as_prior(prior), self.prior.labels)

    def success_of(self, of: Values, *, prior: Prior | Iterable[Any] | None = None) -> float:
        """How often one guess at a property f(X) of the secret is right after a draw was seen; with `prior`, if secrets
        are drawn from that one.

        `of` has f(x) in the order of the prior's secrets, or by label. See `property_leakage` for more numbers.

        >>> import minleak as ml
        >>> plan = ml.design({"Bern": 4, "Basel": 3, "Lyon": 3, "Nice": 2}, k=2, layout="blocks")
        >>> plan.success_of({"Bern": "ch", "Basel": "ch", "Lyon": "fr", "Nice": "fr"})
        1.0
        """
        return self.property_leakage(of, (), prior=prior).success

    def property_leakage(
        self,
        of: Values,
        entropies: Sequence[ConditionalEntropy | str] = STANDARD,
        *,
        prior: Prior | Iterable[Any] | None = None,
    ) -> PropertyLeakage:
        """What a draw tells about a property f(X) of the secret: how often it is guessed blind, with a set and with the
        worst set, and its leakage in each entropy. O(members of all sets).

        The gains of a plan are for guessing the secret: they do not count here.
        """
        under = self.under(prior)
        return measure_blocks(self.joint_blocks(under.p), under, of, entropies)

    def sets(self) -> Iterator[tuple[tuple[Any, ...], Fraction]]:
        """(set, probability) of every set that can be shown."""
        raise InvalidParameter(
            f"a {type(self).__name__} shows observables, which are no sets of secrets: see channel()"
        )

    def table(self) -> pa.Table:
        """The plan as rows, from which a program in any language makes the same draws."""
        raise InvalidParameter(
            "a table is of sets of secrets, and a channel shows observables instead: draw from its .cloak file"
        )

    def export(
        self, path: str | os.PathLike[str], *, hashed: Key | bytes | None = None, raw_labels: bool = False
    ) -> ExportedTable:
        """Write the table to a file, from which programs in any language make the same draws: runtimes/spec.md.

        Parameters
        ----------
        path
            The file, written atomically: .json or .sqlite for the runtimes, .csv or .parquet for your own programs.
        hashed
            A key, or its 32 bytes: every label is replaced by its keyed hash, in requests, draws and sets alike. That
            is another lineage: do not show hashes to a subject who was shown labels.
        raw_labels
            Write labels to .csv that a spreadsheet would run as formulas.

        O(rows): 10^6 secrets, k = 10, are 7.9 million rows, and .sqlite took 11 s of a busy processor.

        >>> import os, tempfile
        >>> import minleak as ml
        >>> plan = ml.design({"flu": 5, "cold": 3, "gout": 2}, k=2)
        >>> plan.export(os.path.join(tempfile.mkdtemp(), "table.json")).secrets
        3
        """
        from minleak.core._plan.drawing_table import export_table

        return export_table(self, os.fsdecode(path), hashed, raw_labels=raw_labels)

    def update(
        self,
        prior: Prior | Iterable[Any],
        *,
        cohort: int | str = "auto",
        keep: float = 0.7,
        day: int | None = None,
        layout: Any = None,
        groups: Any = None,
        gains: Mapping[Any, Any] | None = None,
    ) -> Any:
        """The next version, after the counts of one more day. Sets, odds and sticky draws of listed secrets stay the
        same; new secrets wait until there are enough of them for a part of their own, which is an ordinary plan.

        Parameters
        ----------
        prior
            Today's counts, whole numbers; matched by label, in any order.
        cohort
            After how many days waiting secrets become a part, if there are at least k; "auto": daily at first, then
            less and less often, once a week after twelve days, and at once when the waiting secrets weigh a lot.
        keep
            The share of the pooled counts that is kept from one day to the next, for `in_the_world` and new parts.
        day
            The number of today; by default the day after the last counts.
        layout
            For plans made with `Near` or `Cheapest`: the layout of a new part, as a function of the list of its labels.
        groups
            For plans made with groups: the `Groups` of new secrets, by label. These wait until their caps allow sets
            of k.
        gains
            For plans made with gains: what new secrets are worth, by label.

        >>> import minleak as ml
        >>> plan = ml.design({"flu": 40, "cold": 30, "gout": 20, "mumps": 15}, k=2)
        >>> newer = plan.update({"mumps": 16, "cold": 31, "flu": 40, "gout": 20, "rabies": 1})
        >>> newer.version, newer.pending, newer.lineage == plan.lineage
        (2, ('rabies',), True)
        """
        lineage = self.as_lineage()
        return lineage.next_version(prior, cohort=cohort, keep=keep, day=day, layout=layout, groups=groups, gains=gains)

    def as_lineage(self) -> Any:
        """The plan as a `Lineage`, which can be updated."""
        raise InvalidParameter(
            "a channel has no sets that an update could keep: make it anew for the new counts, and measure what this "
            "one leaks under them"
        )
