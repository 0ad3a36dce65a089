"""The command reference as Markdown, made from the commands: python -m minleak.cli._reference > docs/cli.md."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import typer

from minleak.core._result import Result, fields_of

_HEAD = """# Command line

This page is made from the commands' own help: `python -m minleak.cli._reference > docs/cli.md`.

Every command reads files or stdin (`-`), and prints text or, with `--json` anywhere among its words, one JSON object.
Errors are one line on stderr. They never repeat a secret, nor a word that was one too many. Notes are lines on stderr.
Exit codes: 0 done, 1 failed (or not certified), 2 bad input, 130 interrupted. Files are written whole or not at all.
Where a probability is asked for, a percentage such as `5%` will do.

One option means the same in every command:

| | |
|---|---|
| `-k` | the largest size of a set |
| `-e`, `--entropy` | what leakage is measured in, by name |
| `--max-success`, `--max-leakage` | a requirement: how often a guess may be right, how much may leak |
| `--secret`, `--weight`, `--format`, `--clean` | how the input is read: its columns, its format, cleaning of labels |
| `--engine` | `duckdb` or `spark`, with `,table=NAME` and `,memory=1GB` behind it |
| `--trials`, `--seed` | simulations: how many, and which |
| `-o`, `--output`, `--chart` | the files to write; their endings say the format |

Labels in tables and records are printed as they are, except that a backslash is written `\\\\` and a character that
cannot be seen, such as a tab, a line's end or what would steer a terminal, as in Python: `\\t`, `\\n`, `\\r`,
`\\x1b`, `\\u202e`. `minleak draw` prints a set a line with a tab between members, so a program splits a line at tabs
and undoes these.

What stands on a command line can be seen by every user of the machine (`ps`) and stays in the shell's history: give
secrets by stdin or at the prompt of `minleak draw`, which does not show them.

"""

_JSON = """## JSON

With `--json` a command prints one object on one line, in ASCII: `schema` ("minleak/1"), `command`, the fields of its
result as below, `files` where it wrote some, and `notes` where there are any. Infinities are text; labels are text or
whole numbers; dates are text and bytes are hexadecimal. An error is such an object on stderr, with `schema`, `error`
and `exit_code`.

"""


def commands() -> Iterator[tuple[str, Any]]:
    """(name, command) of every command, those of groups by both words."""
    from minleak.cli._app import application

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
    parts, classes = [_HEAD], []
    for name, command in commands():
        text = inspect.cleandoc(command.help or "").split("Example:")[0].strip()
        parts.append(f"## minleak {name}\n\n{text}\n\n```\n{example(command)}\n```\n\n| | |\n|---|---|\n")
        parts += [_row(parameter) for parameter in command.params if parameter.name != "help"]
        results = [found for found in command.callback.results() if found is not type(None)]
        classes += results
        links = ", or ".join(_link(found) for found in results)
        parts.append(f"\nJSON: {links or 'nothing but the names of the files'}.\n\n")
    parts.append(_JSON)
    for found in _with_nested(classes):
        rows = [f"| `{name}` | {_cell(text)} |\n" for name, _, text in fields_of(found)]
        parts.append(f"### {found.__name__}\n\n{_first_sentence(found)}\n\n| | |\n|---|---|\n{''.join(rows)}\n")
    return "".join(parts).rstrip() + "\n"


def _row(parameter: Any) -> str:
    """A parameter of a command as the row of a table."""
    shown = ", ".join(f"`{opt}`" for opt in (*parameter.opts, *parameter.secondary_opts))
    if parameter.param_type_name == "argument":
        shown = f"`{parameter.metavar or parameter.name.upper()}`"
    default, text = parameter.default, parameter.help or ""
    if default not in (None, False, "") and isinstance(default, str | int | float) and not parameter.required:
        text = f"{text} Default: {default}."
    return f"| {shown} | {_cell(text)} |\n"


def _with_nested(classes: list[type]) -> list[type]:
    """The classes, each once, and those of the results that they hold."""
    for module in ("minleak.padding", "minleak.results"):
        import_module(module)  # so that the same classes are known whoever asks
    ours = (found for found in _subclasses(Result) if found.__module__.startswith("minleak."))
    known = {found.__name__: found for found in ours}
    found: dict[type, None] = {}
    waiting = list(classes)
    while waiting:
        one = waiting.pop(0)
        if one not in found:
            found[one] = None
            kinds = " ".join(kind for _, kind, _ in fields_of(one))
            waiting += [known[name] for name in re.findall(r"\w+", kinds) if name in known]
    return list(found)


def _subclasses(cls: Any) -> Iterator[type]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _subclasses(sub)


def _link(found: type) -> str:
    return f"[{found.__name__}](#{found.__name__.lower()})"


def _first_sentence(found: type) -> str:
    return re.split(r"(?<=\.)\s", " ".join((found.__doc__ or "").split()))[0]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    print(markdown(), end="")
