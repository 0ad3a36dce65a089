"""Opening a .cloak file that holds rows."""

from __future__ import annotations

import numpy as np

from minleak._data.matrices import are_rows
from minleak._file.format import Contents, demand, demand_whole
from minleak._plan.observables import FORMS, restored_outputs
from minleak._plans.rounding import LIMIT
from minleak._plans.rows import RowDrawable, Rows


def drawable(contents: Contents) -> RowDrawable:
    """The rows with their index: every row has entries, in order of observables that there are, of positive numbers
    whose sums random numbers can be drawn below.
    """
    starts, columns, weights = (contents.vector(name, "i8") for name in ("starts", "columns", "weights"))
    form, count = contents.numbers["outputs"]
    demand(isinstance(form, str) and form in FORMS)
    m = demand_whole(count, 1, len(columns))
    demand(len(starts) > 1 and are_rows(starts, columns, (len(starts) - 1, m)) and len(columns) == len(weights))
    demand(bool((starts[1:] > starts[:-1]).all()))
    contents.in_range(weights, 1, LIMIT + 1)
    within = np.ones(len(columns), dtype=bool)
    within[starts[:-1]] = False
    demand(bool((np.diff(columns)[within[1:]] > 0).all()))
    rough = np.add.reduceat(weights.astype(np.float64), starts[:-1])
    demand(bool(rough.max() <= 1.5 * LIMIT))  # then sums in integers do not go round
    demand(int(np.add.reduceat(weights, starts[:-1]).max()) <= LIMIT)
    n = len(starts) - 1
    names = contents.names(n)
    prior = contents.given_prior(names)
    demand(len(prior) == n)
    outputs = restored_outputs(form, m, contents.columns.get("outputs"))
    rows = Rows(prior, outputs, starts, columns, weights)
    return RowDrawable(rows, contents.index(names, prior.labels), outputs=outputs)
