"""fit: from a list of strings to a model of all strings, for secrets that cannot be listed."""

from __future__ import annotations

import os

from minleak._cli.inputs import Reading
from minleak._cli.options import PriorFile, option
from minleak._cli.output import Answer, working
from minleak._design.unlisted.ngram import NGram


def fit(
    prior: PriorFile,
    *,
    output: str = option("The file of the model to write.", "-o", "--output", default=...),
    order: int = option("A character depends on the ORDER - 1 before it.", default=4),
    longest: int = option("The most characters that a string may have.", default=32),
    alphabet: str | None = option("The characters counted one by one; without it the 200 commonest."),
    only: bool = option("No characters but those of --alphabet.", default=False),
    by_count: bool = option("Fit to each string as often as it was counted, not once.", default=False),
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
        "bytes": os.path.getsize(output),
    }
    text = f"a model of strings of at most {longest} characters, by {data['contexts']:,} contexts of up to {order - 1}"
    answer = Answer(data, [text])
    answer.wrote(output, f"written to {output}; next: minleak design {prior} -k 20 --unknown {output} -o plan.cloak")
    return answer
