"""compare: the buckets in use beside the best sets of the same size."""

from __future__ import annotations

import minleak as ml
from minleak.cli._inputs import PriorSource, Reading
from minleak.cli._options import Entropies, PriorFile, given_flags, option
from minleak.cli._output import Outcome, working
from minleak.cli._selector import open_selector
from minleak.core._entropy.names import STANDARD
from minleak.errors import InvalidParameter
from minleak.rivals._comparing import Comparison


def compare(
    prior: PriorFile,
    *,
    by: str | None = option("Column with the bucket of each secret."),
    prefix: str | None = option(
        "Bucket by a hash prefix, such as sha256:8 (bits), or by the first characters of the label, such as 3."
    ),
    compare_with: list[str] | None = option("A selector to compare, too; repeat for several."),
    rows: str | None = option(
        "Column with the number of table rows that hold each secret, often the counts: compare rows read, too."
    ),
    on_counts: bool = option(
        "Measure for the counts as they are, not for the true population that they are a sample of.", default=False
    ),
    entropy: Entropies = None,
    reading: Reading,
) -> Outcome[Comparison]:
    """Compare the buckets you use today, such as hash prefixes, with the best sets of the same size.

    Example: minleak compare queries.csv --prefix sha256:8
    """
    if (by is None) == (prefix is None):
        raise InvalidParameter("give either --by COLUMN or --prefix sha256:8, to say how secrets are put into buckets")
    source = PriorSource(prior, reading)
    counts = source.prior()
    with working("comparing"):
        scheme = source.names(by) if by is not None else ml.Buckets(prefix or "")
        others = [open_selector(path) for path in compare_with or ()]
        held = None if rows is None else source.other(rows, "--rows").weights
        found = ml.compare(counts, scheme, beside=others, entropies=entropy or STANDARD, rows=held, on_counts=on_counts)
    if prior == "-" or not found.replacement:
        return Outcome(found)
    by_rows = [] if rows is None else ["--rows", rows]
    then = ["design", prior, *found.replacement.split(), *by_rows, "-o", "plan.cloak", *given_flags(reading)]
    return Outcome(found, then=then)
