"""compare: the buckets in use beside the best sets of the same size."""

from __future__ import annotations

import hashlib
from typing import Any

import typer

import minleak as ml
from minleak.cli._inputs import PriorSource, Reading
from minleak.cli._options import Entropies, PriorFile, given_flags, option, whole
from minleak.cli._output import Outcome, working
from minleak.core._entropy.names import STANDARD
from minleak.core._labels import Labels
from minleak.errors import InvalidParameter
from minleak.rivals._comparing import Comparison

# The hashes of --prefix.
_HASHES = sorted(name for name in hashlib.algorithms_guaranteed if not name.startswith("shake"))


def compare(
    prior: PriorFile,
    *,
    by: str | None = option("Column with the bucket of each secret."),
    prefix: str | None = option(
        "Bucket by a hash prefix, such as sha256:8 (bits), or by the first characters of the label, such as 3."
    ),
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
        scheme = source.names(by) if by is not None else _prefixes(counts.labels, prefix or "")
        held = None if rows is None else source.other(rows, "--rows").weights
        found = ml.compare(counts, scheme, entropies=entropy or STANDARD, rows=held, on_counts=on_counts)
    if prior == "-" or not found.replacement:
        return Outcome(found)
    by_rows = [] if rows is None else ["--rows", rows]
    then = ["design", prior, *found.replacement.split(), *by_rows, "-o", "plan.cloak", *given_flags(reading)]
    return Outcome(found, then=then)


def _prefixes(labels: Labels, prefix: str) -> Any:
    """The first bits of a hash of each label, or its first characters."""
    name, colon, size = prefix.partition(":")
    try:
        count = whole(size if colon else name)
    except typer.BadParameter:
        count = 0
    if count < 1 or (colon and name not in _HASHES):
        raise InvalidParameter(
            f"--prefix is a hash and a number of bits, such as sha256:8, or a number of characters, not "
            f"{prefix[:40]!r}; hashes: {', '.join(_HASHES)}"
        )
    texts = (label if isinstance(label, str) else str(label) for label in labels)
    if not colon:
        return [text[:count] for text in texts]
    bits = 8 * hashlib.new(name).digest_size
    if count > bits:
        raise InvalidParameter(f"--prefix {name}:{count} is too long: {name} has {bits} bits")
    made, last = getattr(hashlib, name), -(-count // 8)
    shift = 8 * last - count
    return [int.from_bytes(made(text.encode()).digest()[:last], "big") >> shift for text in texts]
