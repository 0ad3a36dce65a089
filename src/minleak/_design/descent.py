"""Descent: which plans a plan was updated from, so that draws of all its versions hang together; and what changed."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Descent:
    """The digests of a plan's `ancestors`, the first version first, and the `name` of the lineage that draws follow.

    The first version is named by its own digest, so that `name` is None there. Two updates of one parent have the same
    ancestors and are two branches of a lineage, told apart by their own digests.
    """

    name: bytes | None = None
    ancestors: tuple[bytes, ...] = ()
    #: The success of an attacker who saw all versions, at most, where it was recorded.
    exposure: float | None = field(default=None, kw_only=True)
    #: Whether giants choose a home by a tree, which moves them seldom, or by one number, as an engine does.
    by_tree: bool = field(default=True, kw_only=True)

    @property
    def version(self) -> int:
        """1 for a plan made from nothing, one more with each update."""
        return len(self.ancestors) + 1

    def child(self, parent: bytes) -> Descent:
        """That of an update of the plan whose digest is given."""
        return Descent(self.name or parent, (*self.ancestors, parent), by_tree=self.by_tree)


@dataclass(frozen=True)
class PlanChanges:
    """How many sets an update has `kept` as they were, `mended` (they lost or got members and keep the others together)
    and `remade` (taken apart), of `what` the plan is made of; and how many secrets are `new` and `gone`.
    """

    what: str
    kept: int
    mended: int
    remade: int
    new: int
    gone: int

    def __str__(self) -> str:
        sets = f"{self.what}: {self.kept:,} kept, {self.mended:,} mended, {self.remade:,} re-made"
        if not (self.kept or self.mended):
            sets = f"no {self.what} could be kept: {self.remade:,} re-made"
        return f"{sets}; secrets: {self.new:,} new, {self.gone:,} gone"
