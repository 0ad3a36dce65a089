"""selector: a static file beside hash prefixes that hides the popular names."""

from __future__ import annotations

import re

import typer

import minleak as ml
from minleak.cli._inputs import PriorSource, Reading, rows_beside
from minleak.cli._options import PriorFile, given_flags, option
from minleak.cli._output import Outcome, working
from minleak.cli._tables import check_ending
from minleak.errors import InvalidParameter
from minleak.lookups._selector import Selector, SelectorReport

_UNITS = {"": 1, "b": 1, "kb": 1000, "mb": 1000**2, "kib": 1024, "mib": 1024**2}


def _size(text: str) -> int:
    """A number of bytes, such as 100kB."""
    found = re.fullmatch(r"([0-9]{1,12}) ?([a-zA-Z]*)", text)
    if not found or found[2].lower() not in _UNITS:
        raise typer.BadParameter("expected a size such as 100kB or 2MiB")
    return int(found[1]) * _UNITS[found[2].lower()]


def selector(
    prior: PriorFile,
    *,
    k: int = option("How many names share a block.", "-k", default=57),
    prefix: str = option(
        "What names that are not listed are asked by: a hash and a number of bits.", default="sha256:16"
    ),
    output: str = option("Write the selector to this .selector file.", "-o", "--output", default=...),
    listed: int | None = option("List at most so many names. Default: as many as pay."),
    max_size: int | None = option("The largest file, such as 100kB.", parser=_size),
    names: int | None = option("How many names the service answers for, if more than PRIOR lists."),
    after: str | None = option(
        "Append a layer to this selector, with its k and prefix, and move no name that it lists."
    ),
    since: str | None = option("With --after: counts of before; only names that they do not have are listed."),
    reading: Reading,
) -> Outcome[SelectorReport | None]:
    """Make a selector: a small static file that puts popular names into blocks, beside hash prefixes as they are.

    Names that the file does not list are asked for by their prefix, as before. Readers in Python, JavaScript and Go,
    and what the file is, are in runtimes/. Never make one anew for clients who have one: append a layer (--after).

    Example: minleak selector queries.csv -k 57 --prefix sha256:16 -o names.selector
    """
    check_ending(output, "a selector", ["selector"])
    if since is not None and after is None:
        raise InvalidParameter("--since is for --after: give both")
    counts = PriorSource(prior, reading).prior()
    older = None if since is None else PriorSource(since, reading, rows_beside(since)).prior()
    with working("making the selector"):
        if after is None:
            made = ml.selector(counts, k, prefix=prefix, listed=listed, max_size=max_size, names=names)
        else:
            made = open_selector(after).add(counts, since=older, listed=listed, max_size=max_size)
        made.save(output)
    then = ["compare", prior, "--prefix", made.prefix.prefix, "--compare-with", output, *given_flags(reading)]
    return Outcome(made.report, (output,), then=[] if prior == "-" else then)


def open_selector(path: str) -> Selector:
    """The selector in a file."""
    found = ml.load(path)
    if not isinstance(found, Selector):
        raise InvalidParameter("--after and --compare-with take a selector, made by minleak selector; got a plan")
    return found
