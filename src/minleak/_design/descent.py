"""Descent: which plans a plan was updated from, so that draws of all its versions hang together."""

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
    #: Whether giants choose a home by a tree, which moves them seldom, or by one number, as an engine does.
    by_tree: bool = field(default=True, kw_only=True)

    @property
    def version(self) -> int:
        """1 for a plan made from nothing, one more with each update."""
        return len(self.ancestors) + 1

    def child(self, parent: bytes) -> Descent:
        """That of an update of the plan whose digest is given."""
        return Descent(self.name or parent, (*self.ancestors, parent), by_tree=self.by_tree)
