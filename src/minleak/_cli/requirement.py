"""--max-success: the least k for it, in the world where the counts tell of it, else as counted."""

from __future__ import annotations

from dataclasses import dataclass

from minleak._cli.options import option, share
from minleak._cli.summaries import world_of
from minleak._data.prior import Prior
from minleak._plans.make import design
from minleak._plans.sweeps import least_k


@dataclass(frozen=True)
class Requirement:
    """How often a guess may be right at most, and what the counts are a sample of."""

    max_success: float | None = option(
        "Take the least k with which a guess is right at most so often, such as 0.3 or 30%.", parser=share
    )
    as_counted: bool = option("Take the counts for the truth, not for a sample of it.", default=False)
    events: int | None = option("How many events the weights come from, if they are shares and not counts.")

    def in_the_world(self, counts: Prior) -> tuple[bool, str | None]:
        """Whether the counts are a sample that something can be said from, and nobody asked to take them as they are;
        and if nothing can be said, why.
        """
        told = world_of(design(counts, 1), ())
        return not self.as_counted and told["in_the_world"] is not None, told["untold"]

    def least_k(self, counts: Prior, most: float, *, world: bool) -> tuple[int, str]:
        """The least k with a guess right at most so often, and a sentence that says so."""
        k = least_k(counts, success=most, in_the_world=world)
        how = "in the world, of which the counts are a sample" if world else "as counted"
        return k, f"least k with a guess right at most {100 * most:.4g}% of the time, {how}: {k}"
