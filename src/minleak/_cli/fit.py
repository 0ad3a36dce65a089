"""fit: from a list of strings to a model of all strings, for secrets that cannot be listed."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from minleak._cli.inputs import Reading
from minleak._cli.options import PriorFile, whole
from minleak._cli.output import Answer, working
from minleak._design.unlisted.ngram import NGram


def fit(
    prior: PriorFile,
    *,
    output: Annotated[str, typer.Option("-o", "--output", help="The file of the model to write.")],
    order: Annotated[int, typer.Option(parser=whole, help="A character depends on the ORDER - 1 before it.")] = 4,
    longest: Annotated[int, typer.Option(parser=whole, help="The most characters that a string may have.")] = 32,
    alphabet: Annotated[
        str | None, typer.Option(help="The characters counted one by one; without it the 200 commonest.")
    ] = None,
    only: Annotated[bool, typer.Option("--only", help="No characters but those of --alphabet.")] = False,
    by_count: Annotated[
        bool, typer.Option("--by-count", help="Each string as often as it was counted, not once.")
    ] = False,
    reading: Reading,
) -> Answer:
    """Fit a model of strings to those in a file, for `minleak design --unknown`.

    What was never counted looks like what was counted seldom, so that each string counts once unless --by-count.

    Example: minleak fit queries.csv -o queries.model
    """
    counts = reading.prior(prior)
    with working(f"fitting {len(counts):,} strings"):
        model = NGram.fit(
            counts if by_count else list(counts.labels),
            order=order,
            longest=longest,
            alphabet=alphabet,
            others=not only,
        )
        model.save(output)
    data = {
        "strings": len(counts),
        "order": model.order,
        "longest": model.longest,
        "alphabet": len(model.alphabet),
        "contexts": sum(len(level.keys) for level in model.levels),
        "file": output,
        "bytes": os.path.getsize(output),
    }
    text = (
        f"a model of all strings of at most {longest} characters, by {data['contexts']:,} contexts of up to "
        f"{order - 1}; written to {output}; next: minleak design {prior} -k 20 --unknown {output} -o plan.cloak"
    )
    return Answer(data, [text])
