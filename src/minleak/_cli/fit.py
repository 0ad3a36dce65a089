"""fit: from a list of strings to a model of all strings, for secrets that cannot be listed."""

from __future__ import annotations

import os
from dataclasses import asdict

from minleak._cli.inputs import Reading
from minleak._cli.options import PriorFile, option
from minleak._cli.output import Answer, working
from minleak._strings.ngram import NGram
from minleak._strings.policy import Policy


def fit(
    prior: PriorFile,
    *,
    output: str = option("The file of the model to write.", "-o", "--output", default=...),
    order: int = option("A character depends on the ORDER - 1 before it.", default=4),
    longest: int | None = option("The most characters that a string may have: 32, or --max-length."),
    alphabet: str | None = option("The characters counted one by one; without it the 200 commonest."),
    only: bool = option("No characters but those of --alphabet.", default=False),
    min_length: int = option("Policy: strings have at least so many characters.", default=0),
    max_length: int | None = option("Policy: strings have at most so many characters."),
    require: str | None = option("Policy: one of each of these at least: lower, upper, letter, digit, symbol."),
    matching: str | None = option("Policy: all of a string matches this regular expression."),
    leave_out: bool = option("Leave out strings that do not meet the policy.", default=False),
    by_count: bool = option("Fit to each string as often as it was counted, not once.", default=False),
    reading: Reading,
) -> Answer:
    """Fit a model of strings to those in a file, for `minleak design --unknown`.

    What was never counted looks like what was counted seldom, so that each string counts once unless --by-count.

    With a policy only strings that meet it have a place, so that every decoy does: name all that secrets are held to.

    Example: minleak fit passwords.csv -o passwords.model --min-length 8 --require digit,upper
    """
    policy = None
    if min_length or max_length is not None or require is not None or matching is not None:
        names = () if require is None else [name.strip() for name in require.split(",")]
        policy = Policy(min_length, max_length, names, matching)
    counts = reading.prior(prior)
    with working(f"fitting {len(counts):,} strings"):
        model = NGram.fit(
            counts if by_count else list(counts.labels),
            order=order,
            longest=longest,
            alphabet=alphabet,
            others=False if only else None,
            accept=policy,
            leave_out=leave_out,
        )
        model.save(output)
    data = {
        "strings": len(counts),
        "order": model.order,
        "longest": model.longest,
        "alphabet": len(model.alphabet),
        "contexts": sum(len(level.keys) for level in model.levels),
        "policy": None if policy is None else asdict(policy),
        "left_out": sum(not model.holds(string) for string in counts.labels),
        "bytes": os.path.getsize(output),
    }
    which = "" if policy is None else " that meet the policy"
    held = f"a model of strings of at most {model.longest} characters{which}"
    lines = [f"{held}, by {data['contexts']:,} contexts of up to {order - 1}"]
    if data["left_out"]:
        lines.append(f"{data['left_out']:,} of {len(counts):,} strings were left out, for which it has no place")
    answer = Answer(data, lines)
    answer.wrote(output, f"written to {output}; next: minleak design {prior} -k 20 --unknown {output} -o plan.cloak")
    return answer
