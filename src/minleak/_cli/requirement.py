"""--max-success: the least k for it, in the world where the counts tell of it, else as counted."""

from __future__ import annotations

from typing import Annotated

import typer

from minleak._cli.options import share
from minleak._cli.show import world_of
from minleak._data.prior import Prior
from minleak._design.make import design
from minleak._design.sweeps import least_k

MaxSuccess = Annotated[
    float | None,
    typer.Option(parser=share, help="How often a guess may be right at most, such as 0.3 or 30%: the least k."),
]
AsCounted = Annotated[bool, typer.Option("--as-counted", help="Take the counts for the truth, not for a sample of it.")]


def tell_of_the_world(counts: Prior, *, as_counted: bool) -> bool:
    """Whether the counts are a sample that something can be said from, and nobody asked to take them as they are."""
    return not as_counted and world_of(design(counts, 1)) is not None


def least(counts: Prior, most: float, *, world: bool) -> tuple[int, str]:
    """The least k with a guess right at most so often, and a sentence that says so."""
    k = least_k(counts, success=most, in_the_world=world)
    how = "in the world, of which the counts are a sample" if world else "as counted"
    return k, f"least k with a guess right at most {100 * most:.4g}% of the time, {how}: {k}"
