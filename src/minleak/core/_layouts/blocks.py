"""Blocks as a layout: the secrets sorted and cut, instead of laid on rings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minleak.core._layouts.base import Layout
from minleak.core._parameters import real
from minleak.core._plan.base import BLOCKS


@dataclass(frozen=True)
class Blocks(Layout):
    """The layout without randomness: a secret is always in the same set, and there is no key. It leaks a little more
    than the others, which draw their sets, and makes a plan of its own kind, `results.BlockPlan`.

    A block that is asked for in a database reads the rows of all its members. `mean_rows` and `worst_rows` are budgets
    for that, on the mean over queries and for each of them; `rows` is how many rows hold each secret, in the order of
    the prior or by label, its weights if not given. Secrets are then cut by rows, so that popular ones have small
    blocks and rare ones large ones; k stays a cap. Of all cuts of the sorted secrets within `worst_rows` none leaves a
    guess right less often; other partitions might.

    >>> import minleak as ml
    >>> ml.design([36, 30, 20, 14], k=2, layout=ml.Blocks())
    BlockPlan(n=4, k=2, blocks=2)
    >>> ml.design([36, 30, 20, 14], k=4, layout=ml.Blocks(worst_rows=40)).rows_read()
    RowsRead(mean=33.52, worst=36.0)
    """

    mean_rows: float | None = None
    worst_rows: float | None = None
    rows: Any = None

    name = kind = BLOCKS

    def __post_init__(self) -> None:
        for one in (self.mean_rows, self.worst_rows):
            if one is not None:
                real(one, "a budget in rows is a number above 0", above=0)
