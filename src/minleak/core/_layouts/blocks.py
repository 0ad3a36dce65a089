"""Blocks as a layout: the secrets sorted and cut, instead of laid on a ring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._layouts.base import Laid, Layout, LayoutInput
from minleak.core._parameters import real
from minleak.core._plan.partition import Partition, cut, fit
from minleak.core._plan.rows_read import as_rows, cut_within
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class Blocks(Layout):
    """The layout without randomness: a secret is always in the same set, and there is no key. It leaks a little more
    than the others, which draw their sets: see `Plan.loss`.

    The secrets are sorted by weight and cut into blocks of k from the heaviest on. Among all partitions into blocks of
    at most k none leaks less, in the entropies for which that is a theorem (`minleak.certify` says which). With groups
    every block keeps their caps: where sorted blocks do not, each secret goes to the first block with room, the best
    that is found, and not proven to be the best there is.

    A block that is asked for in a database reads the rows of all its members. `mean_rows` and `worst_rows` are budgets
    for that, on the mean over queries and for each of them; `rows` is how many rows hold each secret, in the order of
    the prior or by label, its weights if not given. Secrets are then cut by rows, so that popular ones have small
    blocks and rare ones large ones; k stays a cap. Of all cuts of the sorted secrets within `worst_rows` none leaves a
    guess right less often; other partitions might.

    >>> import minleak as ml
    >>> ml.design([36, 30, 20, 14], k=2, layout=ml.Blocks())
    Plan(n=4, k=2, giants=0, layout='blocks', sets=2)
    >>> ml.design([36, 30, 20, 14], k=4, layout=ml.Blocks(worst_rows=40)).rows_read()
    RowsRead(mean=33.52, worst=36.0)
    """

    mean_rows: float | None = None
    worst_rows: float | None = None
    rows: Any = None

    name = "blocks"
    randomised = False

    def __post_init__(self) -> None:
        for one in (self.mean_rows, self.worst_rows):
            if one is not None:
                real(one, "a budget in rows is a number above 0", above=0)

    def lay(self, problem: LayoutInput) -> Laid:
        """Blocks of all secrets, those of weight zero among them."""
        prior, k = problem.prior, problem.k
        budget = self.mean_rows is not None or self.worst_rows is not None
        if budget and problem.tier is not None:
            raise InvalidParameter("groups= and a budget in rows are two ways to cut blocks: give one of them")
        if budget:
            found = cut_within(prior, as_rows(prior, self.rows), k, mean=self.mean_rows, worst=self.worst_rows)
        elif problem.tier is not None:
            found = fit(problem.weights, k, problem.tier.tree)
        else:
            found = cut(problem.weights, k)
        return _as_laid(found)


def _as_laid(blocks: Partition) -> Laid:
    begins = blocks.begins.astype(np.int64, copy=False)
    return Laid(np.empty((0, int(blocks.sizes.max())), dtype=np.int64), fixed=blocks.members, begins=begins)
