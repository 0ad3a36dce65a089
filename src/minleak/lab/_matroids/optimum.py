"""matroid_optimum: the least leakage where the allowed sets are those of a matroid, for many entropies at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._arrays import Array
from minleak.core._entropy.base import ConditionalEntropy, evaluate
from minleak.core._entropy.names import as_entropy
from minleak.core._leakage import difference
from minleak.core._prior import as_prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import Infeasible, InvalidParameter, quote
from minleak.lab._matroids.nearest import mix_bases
from minleak.lab._matroids.oracles import Matroid, Some, as_matroid


@dataclass(frozen=True)
class PartitionBlock(Result):
    """A block of a principal partition."""

    members: tuple[Any, ...]
    """The secrets in it, by label."""
    rank: int
    """How many of them each base has."""
    density: Fraction
    """Their weight over the rank, as a part of the whole weight: the posterior of each of them in a base."""


@dataclass(frozen=True)
class PrincipalPartition(Result):
    """The secrets in `blocks` of falling density, in which an optimal channel treats all alike."""

    blocks: tuple[PartitionBlock, ...]
    """From the densest on; a giant is a block of one, or with giants of the same weight one block."""

    @property
    def target(self) -> tuple[Fraction, ...]:
        """pi: the density of each block, as often as its rank says; zeros left out."""
        return tuple(block.density for block in self.blocks for _ in range(block.rank) if block.density)


@dataclass(frozen=True)
class MatroidOptimum(Result):
    """The optimum under a matroid, and a channel that attains it: made by `minleak.lab.matroid_optimum`."""

    target: tuple[Fraction, ...]
    """pi, the posterior that every observable induces, largest first."""
    partition: PrincipalPartition
    """The blocks that pi comes from."""
    bases: tuple[tuple[tuple[Any, ...], Fraction], ...]
    """The sets that are shown, at most as many as there are secrets, with the probability of each."""
    prior: Prior = field(repr=False, compare=False)

    @property
    def success(self) -> float:
        """How often one guess is right that sees a set: pi_1."""
        return float(self.target[0])

    def entropy(self, entropy: ConditionalEntropy | str) -> float:
        """H(X|Y) = H(pi), the largest that any channel with independent pre-images reaches."""
        pi: Array = np.array([float(part) for part in self.target])
        return evaluate([_symmetric(entropy)], [pi[:, None]])[0]

    def leakage(self, entropy: ConditionalEntropy | str) -> float:
        """H(X) - H(X|Y), the least that any such channel leaks."""
        H = _symmetric(entropy)
        return difference(H, H(self.prior), self.entropy(H))

    def channel(self) -> Channel:
        """The channel in Fractions: C[x,B] = share of B over that of all sets with x. A secret of weight zero shows
        itself alone.
        """
        labels = list(self.prior.labels)
        shown_sets = [members for members, _ in self.bases]
        owned = {label: sum(share for members, share in self.bases if label in members) for label in labels}
        alone = [label for label in labels if not owned[label]]
        rows = [
            [share / owned[x] if x in members else Fraction(0) for members, share in self.bases]
            + [Fraction(x == other) for other in alone]
            for x in labels
        ]
        outputs = [*shown_sets, *((label,) for label in alone if (label,) not in shown_sets)]
        inputs = None if self.prior.labels.is_default else labels
        return Channel(np.array(rows, dtype=object), inputs=inputs, outputs=outputs)

    def to_parts(self) -> list[str | Table]:
        rows = [
            [len(block.members), block.rank, str(block.density), float(block.density)]
            for block in self.partition.blocks
        ]
        sets = [[", ".join(map(str, members)), str(share)] for members, share in self.bases]
        return [
            f"{len(self.prior)} secrets in sets of {len(self.target)}, {len(self.bases)} of them: a guess is right "
            f"with probability {self.success:.6g} seeing a set, and no allowed sets do better; "
            "nor do they leak less in any symmetric, expansible, core-concave entropy",
            Table("the principal partition", ["secrets", "rank", "posterior of each", "as a number"], rows),
            Table("the sets", ["members", "probability"], sets),
        ]


def matroid_optimum(prior: Prior | Iterable[Any], matroid: Matroid | Callable[[Some], Any]) -> MatroidOptimum:
    """The least leakage over all channels whose pre-images are independent in a matroid, and a channel that attains it.

    max H(X|Y) = H(pi) for every symmetric, expansible, core-concave H at once: pi has the density of each block of the
    principal partition as often as its rank grows there (the proof: docs/explanation/optimal_plans.md). The uniform
    matroid is the paper's Theorem 1. One mixture of bases, in which secret e is with probability w_e / (density of its
    block), is the channel: every posterior is pi.

    Parameters
    ----------
    prior
        The secrets; weights of floats are taken as the Fractions that they are.
    matroid
        A `Matroid`, or a function of a frozenset of positions in the prior: its rank (0 for the empty set), or whether
        it is independent (True for it). A function is tried on some sets; what is no matroid is refused.

    The result is proved in Fractions: the sets are independent, their mixture has every secret as often as it must, and
    the densities fall. Floats only suggest which sets. Some dozens of secrets take seconds: n greedy bases, each n
    questions to the oracle, and a linear system of n Fractions. Needs the extra `lab`.

    >>> one_of_each = Matroid.partition(["ch", "ch", "fr", "fr"], at_most=1)
    >>> optimum = matroid_optimum([4, 2, 2, 2], one_of_each)
    >>> optimum.target, len(optimum.bases)
    ((Fraction(3, 5), Fraction(2, 5)), 3)
    """
    known = as_prior(prior)
    chosen = as_matroid(matroid, len(known))
    weights = [Fraction(w) for w in known.weights.tolist()]
    _refuse_loops(chosen, known)
    positive = {e: w for e, w in enumerate(weights) if w}
    blocks, mixture = mix_bases(chosen, positive)
    labels = known.labels
    bases = tuple((tuple(labels[e] for e in sorted(base)), share) for base, share in mixture)
    if not all(chosen.independent(base) for base, _ in mixture):
        raise InvalidParameter("the oracle does not answer the same twice: give a function of the set alone")
    partition = _partition(chosen, known, weights, blocks)
    return MatroidOptimum(partition.target, partition, bases, known)


def _symmetric(entropy: ConditionalEntropy | str) -> ConditionalEntropy:
    H = as_entropy(entropy)
    if not H.symmetric:
        raise InvalidParameter("the optimum is for entropies that treat secrets alike: give one without gains")
    return H


def _refuse_loops(matroid: Matroid, prior: Prior) -> None:
    for e in range(matroid.n):
        if not matroid.independent(frozenset([e])):
            raise Infeasible(
                f"no allowed set has secret {e} ({quote(prior.labels[e])}), so that it cannot be shown: allow it, or "
                "leave it out"
            )


def _partition(matroid: Matroid, prior: Prior, weights: list[Fraction], blocks: list[Some]) -> PrincipalPartition:
    """Blocks with the secrets of weight zero that do not raise the rank; those that do are one block at the end."""
    total, found, covered, before = sum(weights, Fraction(0)), [], frozenset[int](), 0
    for block in [*blocks, frozenset(range(matroid.n))]:
        closed = matroid.closure(sorted(covered | block))
        rank, new = matroid.rank(sorted(closed)), sorted(closed - covered)
        if new:
            weight = sum((weights[e] for e in new), Fraction(0))
            density = weight / (rank - before) / total
            found.append(PartitionBlock(tuple(prior.labels[e] for e in new), rank - before, density))
        covered, before = covered | closed, rank
    return PrincipalPartition(tuple(found))
