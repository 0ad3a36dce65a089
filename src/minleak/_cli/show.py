"""show: what a .cloak file holds, and what it is worth."""

from __future__ import annotations

from minleak._cli.inputs import open_plan
from minleak._cli.options import CloakFile, Entropies
from minleak._cli.output import Answer
from minleak._cli.summaries import described


def show(cloak: CloakFile, entropy: Entropies = None) -> Answer:
    """Show what a .cloak file holds: secrets, k, giants, and the leakage in several entropies.

    Example: minleak show queries.cloak
    """
    return described(open_plan(cloak), entropy)
