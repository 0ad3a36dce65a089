"""compare: what is done today, beside the best that sets of the same size can do."""

from __future__ import annotations

import hashlib
from typing import Any

import typer

import minleak as ml
from minleak._attack.comparing import Comparison
from minleak._cli.inputs import PriorSource, Reading
from minleak._cli.options import Entropies, PriorFile, option, whole
from minleak._cli.output import Outcome, working
from minleak._data.labels import Labels
from minleak._entropy.standard import STANDARD
from minleak.errors import InvalidParameter

# What `--prefix` takes the first bits of.
_HASHES = sorted(name for name in hashlib.algorithms_guaranteed if not name.startswith("shake"))


def compare(
    prior: PriorFile,
    *,
    by: str | None = option("The column that names the bucket of each secret."),
    prefix: str | None = option("Buckets by the first bits of the label's hash, sha256:8, or its first characters, 3."),
    rows: str | None = option(
        "A column of how many rows of a table hold each secret, often that of the counts: compares what queries read."
    ),
    entropy: Entropies = None,
    reading: Reading,
) -> Outcome[Comparison]:
    """Compare buckets in use, such as hash prefixes, with the best sets of the same size.

    Example: minleak compare queries.csv --prefix sha256:8
    """
    if (by is None) == (prefix is None):
        raise InvalidParameter("say how secrets are put into buckets: either --by COLUMN or --prefix sha256:8")
    source = PriorSource(prior, reading)
    counts = source.prior()
    with working("comparing"):
        scheme = source.names(by) if by is not None else _prefixes(counts.labels, prefix or "")
        held = None if rows is None else source.other(rows, "--rows").weights
        found = ml.compare(counts, scheme, entropies=entropy or STANDARD, rows=held)
    return Outcome(found)


def _prefixes(labels: Labels, prefix: str) -> Any:
    """The first bits of a hash of each label, or its first characters."""
    name, colon, size = prefix.partition(":")
    try:
        count = whole(size if colon else name)
    except typer.BadParameter:
        count = 0
    if count < 1 or (colon and name not in _HASHES):
        raise InvalidParameter(
            f"--prefix is a hash and how many of its first bits count, such as sha256:8, or a number of characters, "
            f"not {prefix[:40]!r}; hashes are {', '.join(_HASHES)}"
        )
    texts = (label if isinstance(label, str) else str(label) for label in labels)
    if not colon:
        return [text[:count] for text in texts]
    bits = 8 * hashlib.new(name).digest_size
    if count > bits:
        raise InvalidParameter(f"{name} has {bits} bits, so --prefix {name}:{count} is longer than the hash")
    made, last = getattr(hashlib, name), -(-count // 8)
    shift = 8 * last - count
    return [int.from_bytes(made(text.encode()).digest()[:last], "big") >> shift for text in texts]
