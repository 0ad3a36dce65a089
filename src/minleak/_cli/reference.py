"""The command reference as Markdown, made from the commands: python -m minleak._cli.reference > docs/cli.md."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer

_HEAD = """# Command line

This page is made from the commands' own help: `python -m minleak._cli.reference > docs/cli.md`.

Every command reads files or stdin (`-`), prints tables or, with `--json`, one JSON object on one line, in ASCII.
Errors are one line on stderr, with `--json` one JSON object (`schema`, `error`, `exit_code`). They never repeat a
secret, nor a word that was one too many. Notes are lines on stderr, with `--json` a list `notes` in the object. Exit
codes: 0 done, 1 failed (or not certified), 2 bad input, 130 interrupted. Files are written whole or not at all. Where
a probability is asked for, a percentage such as `5%` will do.

Labels in tables and records are printed as they are, except that a backslash is written `\\\\` and a character that
cannot be seen, such as a tab, a line's end or what would steer a terminal, as in Python: `\\t`, `\\n`, `\\r`,
`\\x1b`, `\\u202e`. `minleak draw` prints a set a line with a tab between members, so a program splits a line at tabs
and undoes these. In JSON, labels are text or whole numbers; dates are text and bytes are hexadecimal.

What stands on a command line can be seen by every user of the machine (`ps`) and stays in the shell's history: give
secrets by stdin or at the prompt of `minleak draw`, which does not show them.

"""

# What the JSON of each command has: a new one joins them here.
FIELDS = {
    "design": "as `show`, and `file`, `bytes` when a file was written; with `--engine`: `engine`, `secrets`, `k`, "
    "`layout`, `giants`, `giant_labels`, `at_home`, `success_blind`, `success`, `in_the_world`, `untold`, "
    "`leakage` (entropy to `before`, `after`, `leakage`), `file`",
    "update": "as `show` of the updated plan, `new_parts`, and `file`, `bytes` when a file was written",
    "optimise": "`secrets`, `observables`, `status`, `cost`, `stages` (a list of `entropy`, `value`, `leakage`, "
    "`bound`, `gap`, `shadow_price`), `leakage` (in other entropies), `file`; with --max-leakage `budget`, "
    "`bound`, `gap`, `leakages` (a list of `entropy`, `leakage`, `at_most`), `file`; with --tradeoff `entropy`, "
    "`frontier` (a list of `budget`, `leakage`, `bound`, `cost`, `shadow_price`), `chart`",
    "pad": "`secrets`, `randomised`, `entropy`, `budget`, `mean_size`, `overhead`, `leakage`, `bound`, `gap`, "
    "`status`, `observables` (list), `smallest_class`, `beside` (entropy to leakage), `policies` (whole sizes only: a "
    "list of `name`, `overhead`, `leakage`, `observables`, `smallest_class`), and `file`, `chart` where asked",
    "show": "`secrets`, `k`, `layout`, `giants`, `giant_labels` (the first eight), `homes`, `segments`, "
    "`distance`, `gains`, `success_blind`, `success`, `in_the_world` (`success`, `low`, `high`, `alike`, `unseen`, "
    "`events`, `leakage` by entropy; or null, and `untold` says why), `leakage` (entropy to `before`, `after`, "
    "`leakage`), and for plans made with `--near` `cost`, `cost_bound`, `metric`, `stability`; for blocks `blocks` "
    "(how many), `smallest`, and in `leakage` also `loss`, instead of all from `giants` to `gains`; for channels "
    "`observables`, `most_causes`; for plans over all strings `unlisted`, `example`, `policy`, `entropy`; "
    "for plans that were updated `secrets`, `k`, `layout`, `version`, `parts` (how many), `each_part` "
    "(a list of `number`, `secrets`, `share` of the last counts, and how often a guess is right, "
    "`made` and `success` by the last counts), `pending` (how many wait), "
    "`pending_mass` (their share of the last counts), `not_seen_today`, `success_blind`, `success`, `today` "
    "(`success`, `low`, `high`, `blind`, `certified`, `least`, `unlisted`, `advice`; or null, and `untold` says why) "
    "and `leakage` by the last counts; for all `lineage`, in hexadecimal",
    "sweep": "`secrets`, `k` (list), `success` (list), `in_the_world` (the success there, list; or null, and "
    "`untold` says why, unless as counted was asked for), `leakage` (entropy to list), and where asked "
    "`least_k_leakage`, `least_k_success`, `chart`",
    "measure": "`secrets`, `observables`, `leakage` (entropy to `before`, `after`, `leakage`), `vulnerability_before`, "
    "`vulnerability_after`, `multiplicative_leakage`, `additive_leakage`, `maximal_leakage_bits`, "
    "`shannon_capacity_bits`, `local_dp_epsilon_nats`; with --capacity `entropy`, `value`, `lower`, `upper`, `status`, "
    "`iterations`, `secrets` and `prior` (lists); with --against `refines`, `earned` (after the first, after the second; "
    "null if it refines), `secrets` (list), `gain` (guesses as rows, the secrets as columns, or null)",
    "audit": "`events`, `secrets`, `observables`, `said` (how observables were taken), `attack`, `success` and `blind` "
    "(`low`, `estimate`, `high`, null where there is no bound), `measures` (a list of `measure`, `low`, `estimate`, "
    "`high`), `p`, `alpha`, `level`, `rejected`, `warnings`, `curve` (a list of events trained on, tests, share right)"
    ", `enough`, `more`, `chart`, `curve_chart`",
    "compare": "`secrets`, `buckets`, `average`, `largest`, `success`, `blocks`, `plan`, `same_blocks`, `same_plan`, "
    "`rows` (a list of `name`, `k`, `success`, `leakage`)",
    "export": "`file`, `rows`, `columns`",
    "draw": "`lineage` (by which it was drawn, in hexadecimal), `sets`: a list of `id` and `members`",
    "chain fit": "`states`, `transitions`, `order`, `clock`, `backoff` (the share of moves by it), `entropy_rate`, "
    "`distance`, and `file` where asked",
    "chain leakage": "`states`, `k`, `steps`, `methods` (a list of `method`, `k`, `trials`, `exact`, `evidence`, "
    "`falls` and `filtered`, `smoothed`, `filtered_bits`, `smoothed_bits`, each with `values`, `low`, `high` by step); "
    "with --truth `truth` (such a list); `chart`, `report` where asked",
    "chain draw": "`steps`: a list of lists of k states; `step` (the number of the last one), `cuts`",
    "keygen": "`file`, `id`",
    "key new": "`file`, `id`",
    "certify": "`certified`, `exact`, `checks` (a list of `what`, `ok`, `detail`), `gaps`",
    "report": "`files`",
}


def commands() -> Iterator[tuple[str, Any]]:
    """(name, command) of every command, those of groups by both words."""
    from minleak._cli.app import application

    top: Any = typer.main.get_command(application())
    for name, command in top.commands.items():
        if hasattr(command, "commands"):
            yield from ((f"{name} {inner}", sub) for inner, sub in command.commands.items())
        else:
            yield name, command


def example(command: Any) -> str:
    """The example line of a command's help."""
    lines = [line.strip() for line in (command.help or "").splitlines()]
    return next((line.removeprefix("Example: ") for line in lines if line.startswith("Example: ")), "")


def markdown() -> str:
    """The whole page."""
    parts = [_HEAD]
    for name, command in commands():
        text = inspect.cleandoc(command.help or "").split("Example:")[0].strip()
        parts.append(f"## minleak {name}\n\n{text}\n\n```\n{example(command)}\n```\n\n| | |\n|---|---|\n")
        for parameter in command.params:
            if parameter.name == "help":
                continue
            shown = ", ".join(f"`{opt}`" for opt in (*parameter.opts, *parameter.secondary_opts))
            if parameter.param_type_name == "argument":
                shown = f"`{parameter.metavar or parameter.name.upper()}`"
            default = parameter.default
            if default not in (None, False, "") and isinstance(default, str | int | float) and not parameter.required:
                parameter_help = f"{parameter.help} Default: {default}."
            else:
                parameter_help = parameter.help or ""
            parts.append(f"| {shown} | {parameter_help.replace('|', chr(92) + '|')} |\n")
        parts.append(f'\nJSON: `schema` ("minleak/1"), `command`, {FIELDS[name]}. Infinities are text.\n\n')
    return "".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
