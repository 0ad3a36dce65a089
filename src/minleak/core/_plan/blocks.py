"""BlockPlan: a plan in which every secret is always in the same set."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.core._arrays import Array
from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import FEW, STANDARD, as_entropies, as_entropy
from minleak.core._file.format import Contents, require_whole
from minleak.core._file.hashing import hash_parts, label_parts
from minleak.core._file.writing import prior_arrays
from minleak.core._leakage import difference
from minleak.core._plan.base import BLOCKS, BasePlan, ListedSampler
from minleak.core._plan.groups import GroupTree
from minleak.core._plan.partition import Partition, cut
from minleak.core._plan.rings import LIMIT
from minleak.core._plan.rows_read import RowsRead, as_rows, read_by_blocks
from minleak.core._plan.storing import group_arrays, groups_from
from minleak.core._plan.summaries import BlockSummary, summarize_blocks, tell_property
from minleak.core._plan.written_out import column_of_secrets, columns_of, table_of_rows
from minleak.core._prior import Prior
from minleak.core._property_leakage import Values
from minleak.errors import InvalidParameter
from minleak.groups._tiers import find_partition
from minleak.rates._profiles import SortedPrior
from minleak.rates._world import SampledSets, World, count_sample, estimate_world, sets_to_draw

if TYPE_CHECKING:
    from minleak.core._keys import Key
    from minleak.lineage._lineage import Lineage

Indices = npt.NDArray[Any]

# Blocks of different sizes are all looked at where a table of them has at most so many entries.
_ENTRIES = 4_000_000


@dataclass(frozen=True, repr=False, eq=False)
class BlockPlan(BasePlan):
    """The best deterministic plan for a prior and a cap k: made by `minleak.design(prior, k, layout=Blocks())`.

    The secrets are sorted by weight and cut into blocks of k from the heaviest on, and a secret's block is what is
    shown. There is no key and no randomness, a set is always the same, and two sets of one secret tell no more than
    one. Among all partitions into blocks of at most k none leaks less, in the entropies for which that is a theorem
    (`minleak.certify` says which); the optimal plan, which draws its sets, leaks a little less still: see `loss`.

    With `groups` every block keeps their caps. Where sorted blocks do not, each secret goes to the first block with
    room: the best that is found, and not proven to be the best there is.

    `partition` has the blocks.

    >>> import minleak as ml
    >>> blocks = ml.design(ml.Prior([5, 4, 2, 1], labels=["flu", "cold", "gout", "mumps"]), k=2, layout="blocks")
    >>> list(blocks.sets())
    [(('flu', 'cold'), Fraction(3, 4)), (('gout', 'mumps'), Fraction(1, 4))]
    >>> round(blocks.success, 4), round(blocks.loss("min-entropy"), 4)
    (0.5833, 0.2224)
    """

    prior: Prior
    k: int
    partition: Partition
    #: Caps on the members of groups in a block, which every block keeps.
    groups: GroupTree | None = None

    kind = BLOCKS
    layout = BLOCKS
    randomised = False

    def __post_init__(self) -> None:
        """Refuse blocks that do not hold every secret once, and that are empty or have more than k members."""
        wrong = self.partition.wrong_with(len(self.prior), self.k)
        if wrong is None and self.groups is not None:
            wrong = self.groups.wrong_with(len(self.prior))
        if wrong is not None:
            raise InvalidParameter(
                f"these fields are not those of a plan: {wrong}; minleak.design(prior, k) makes plans"
            )

    @cached_property
    def digest(self) -> bytes:
        """A hash, 32 bytes, of the labels and the blocks; set ids depend on it."""
        index = "<i4" if len(self.prior) < 2**31 else "<i8"
        blocks = [self.partition.members.astype(index, copy=False), self.partition.begins.astype("<i8", copy=False)]
        parts: list[Any] = [*blocks]
        if self.groups is not None:
            parts += [b"groups", self.groups.group_of, self.groups.parents, self.groups.caps]
        return hash_parts(
            b"minleak blocks 1", [*label_parts(self.prior.labels), np.array([self.k]), *parts], self.hashes
        )

    @cached_property
    def is_cut(self) -> bool:
        """Whether the blocks are the secrets sorted and cut, unless caps on groups or rows stand in the way."""
        best, own = cut(self.prior, self.k), self.partition
        return np.array_equal(best.begins, own.begins) and np.array_equal(best.members, own.members)

    @property
    def success(self) -> float:
        """How often one guess is right: the sum over blocks of the largest probability in each."""
        return self.partition.success(self.prior)

    def entropy(self, entropy: ConditionalEntropy | str, *, of: Values | None = None) -> float:
        """H(X|Y), the sum over blocks of the perspective of their probabilities seen through eta; with `of`, H(f(X)|Y)
        of a property of the secret. O(n).
        """
        if of is not None:
            return super().entropy(entropy, of=of)
        return self.partition.entropies(self.prior, [as_entropy(entropy)])[0]

    def leakage(
        self,
        entropy: ConditionalEntropy | str,
        *,
        prior: Prior | Iterable[Any] | None = None,
        of: Values | None = None,
    ) -> float:
        """H(X) - H(X|Y), see `BasePlan.leakage`. O(n)."""
        if of is not None:
            return super().leakage(entropy, prior=prior, of=of)
        H, under = as_entropy(entropy), self._under(prior)
        return difference(H, H(under), self.partition.entropies(under, [H])[0])

    def loss(self, entropy: ConditionalEntropy | str) -> float:
        """How much more leaks than by the optimal plan of the same k: H(pi) - H(X|Y), never negative for the entropies
        of the paper's form. That is what it costs to do without randomness.
        """
        H = as_entropy(entropy)
        return self.losses([H])[H.name]

    def losses(self, entropies: Sequence[ConditionalEntropy | str]) -> dict[str, float]:
        """The same by the names of several entropies, in one pass."""
        measures = as_entropies(entropies)
        after = self.partition.entropies(self.prior, measures)
        if self.groups is None:
            profile, k = SortedPrior(self.prior), np.array([self.k])
            best = [float(profile.entropies(H, k)[0]) for H in measures]
        else:
            weights = self.prior.on_grid(LIMIT // self.k).weights
            pi = find_partition(weights, self.k, self.groups).target(weights)
            best = [H(pi) for H in measures]
        return {H.name: difference(H, *both) for H, *both in zip(measures, best, after, strict=True)}

    def in_the_world(self, *, entropies: Sequence[ConditionalEntropy | str] = FEW, seed: int = 0) -> World:
        """What the blocks leak in the true population that the counts are a sample of: see `Plan.in_the_world`."""
        counts, sample = count_sample(self.prior)
        certified = {H.name: self.leakage(H) for H in as_entropies(entropies)}
        return estimate_world(
            sample, lambda rng: self._sample_blocks(counts, rng), self.k, self.success, certified, seed
        )

    def summary(
        self, entropies: Sequence[ConditionalEntropy | str] = STANDARD, *, of: Values | None = None
    ) -> BlockSummary:
        """The plan in words and tables, with the leakage in each entropy, also about a property of the secret if `of`
        gives one.
        """
        return tell_property(self, summarize_blocks(self, entropies), of, entropies)

    def joint_blocks(self, p: Array) -> Iterator[Any]:
        """The columns of the joint for the probabilities of the secrets, one for each block."""
        members, begins = self.partition.members, self.partition.begins
        yield columns_of(members, p[members], begins, len(p))

    def _sample_blocks(self, counts: Indices, rng: np.random.Generator) -> SampledSets:
        """Blocks drawn in proportion to their mass; or each block once, where sizes differ so much that few large ones
        would be drawn.
        """
        partition = self.partition
        mass = np.add.reduceat(self.prior.p[partition.members], partition.begins[:-1])
        drawn = np.arange(len(mass))
        if self.is_cut or len(mass) * self.k > _ENTRIES:
            drawn = rng.choice(len(mass), size=sets_to_draw(self.k), p=mass / mass.sum())
        else:
            mass = np.full(len(mass), 1 / len(mass))
        members = partition.rows(drawn, self.k).T
        seen = (members >= 0) & (counts[members] > 0)  # nobody, and those that were never seen, have no rate
        return SampledSets(members, np.where(seen, counts[members], 1), np.where(seen, mass[drawn], np.inf))

    def sets(self) -> Iterator[tuple[tuple[Any, ...], Fraction]]:
        """(block, probability): the blocks as tuples of labels in input order, from the heaviest on."""
        labels, weights = self.prior.labels, [Fraction(weight) for weight in self.prior.weights.tolist()]
        total = sum(weights)
        for block in np.split(self.partition.members, self.partition.begins[1:-1]):
            yield tuple(labels[i] for i in block.tolist()), sum(weights[i] for i in block.tolist()) / total

    def channel(self) -> Channel:
        """The explicit channel, observables labelled by their blocks. Sparse."""
        n = len(self.prior)
        matrix = columns_of(self.partition.members, np.ones(n), self.partition.begins, n)
        return Channel(matrix, inputs=self.prior.labels, outputs=[block for block, _ in self.sets()])

    def table(self) -> pa.Table:
        """A row for each secret, in input order: `secret`, `set_number` (its block), and one place, from `first` 0 to
        `last` 0. What is shown for a secret is all secrets with its number, in any language.

        >>> import minleak as ml
        >>> ml.design([1, 5, 4], k=2, layout="blocks").table().to_pylist()[0]
        {'secret': 0, 'set_number': 1, 'first': 0, 'last': 0}
        """
        numbers = self.partition.block_of().astype(np.int64)
        names, ones = column_of_secrets(self.prior.labels), np.ones(len(numbers), dtype=np.int64)
        return table_of_rows(names, np.arange(len(numbers)), numbers, ones)

    def weighted_sets(self) -> Iterator[tuple[Indices, int]]:
        """Every block; one place leads each member to it."""
        for members in np.split(self.partition.members, self.partition.begins[1:-1]):
            yield members, 1

    @property
    def n_cells(self) -> int:
        """How many blocks there are."""
        return len(self.partition.begins) - 1

    def rows_read(self, *, rows: Any = None) -> RowsRead:
        """How many rows a query for a block reads, on the mean and at worst, in a table that holds secret x `rows[x]`
        times: in the order of the prior or by label, its weights if not given.

        >>> import minleak as ml
        >>> print(ml.design([5, 4, 2, 1], k=2, layout="blocks").rows_read())
        mean   7.5
        worst  9
        """
        return read_by_blocks(self.partition, self.prior, as_rows(self.prior, rows))

    def partitions(self, *, hashed: Key | bytes | None = None) -> pa.Table:
        """The blocks as a table of `value` and `partition`, the number of its block from 0 on, for a blind
        index: a row for each secret, in the order of their labels. Index the number in place of the value; as the
        partition of a beacon it would hide nothing.

        With a key, or its 32 bytes, `value_hash` is in place of the value: HMAC-SHA256 of its text in UTF-8, in
        hexadecimal, which every language has.

        >>> import minleak as ml
        >>> ml.design({"flu": 5, "cold": 4, "gout": 2}, k=2, layout="blocks").partitions().to_pylist()[0]
        {'value': 'cold', 'partition': 0}
        """
        from minleak.core._plan.drawing_table import check_label_key  # with SQLite, which few need

        blocks = self.partition.block_of()
        values = [str(label) for label in self.prior.labels]
        name = "value"
        if hashed is not None:
            secret = check_label_key(hashed if isinstance(hashed, bytes) else hashed.reveal())
            values = [hmac.digest(secret, value.encode(), "sha256").hex() for value in values]
            name = "value_hash"
        return pa.table({name: values, "partition": blocks.astype(np.int64)}).sort_by(name)

    def as_lineage(self) -> Lineage:
        """The plan as the first part of a lineage."""
        from minleak.lineage._lineage import Lineage

        return Lineage.begin(self)

    def sampler(self) -> BlockSampler:
        """What a `minleak.Cloak` draws from."""
        return BlockSampler(self)

    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and numbers from which a file makes it again."""
        partition = self.partition
        arrays = {"members": partition.members, "begins": partition.begins, **prior_arrays(self.prior)}
        arrays |= group_arrays(self.groups)
        return arrays, {"k": self.k, "events": self.prior.events}

    @classmethod
    def from_contents(cls, contents: Contents) -> Self:
        """The blocks in a file."""
        members, begins = contents.vector("members", "i4 i8"), contents.vector("begins", "i8")
        k = require_whole(contents.numbers["k"], 1, len(members))
        return cls(contents.prior(len(members)), k, Partition(members, begins), groups_from(contents, len(members)))

    def __repr__(self) -> str:
        return f"BlockPlan(n={len(self.prior)}, k={self.k}, blocks={len(self.partition.begins) - 1})"


@dataclass(frozen=True, eq=False)
class BlockSampler(ListedSampler):
    """Draws from blocks, where there is no choice."""

    plan: BlockPlan

    @cached_property
    def _block_of(self) -> Indices:
        return self.plan.partition.block_of()

    def owned(self, secrets: Indices) -> Indices:
        """There is no choice."""
        return np.zeros(len(secrets), dtype=np.int64)

    def locate(self, secrets: Indices, places: Indices) -> Indices:
        """The block of each secret, filled up by -1 where it is smaller than k."""
        del places
        return self.plan.partition.rows(self._block_of[secrets], self.plan.k)
