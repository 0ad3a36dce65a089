"""The application: its commands, and the process they run in."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from minleak.cli._failures import tell
from minleak.cli._output import begin
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    import typer

# The commands in the order of the help, each with the heading that it stands under. `name` is the function of that name
# in the module minleak.cli.name, `group name` the function `name` in minleak.cli.group.
COMMANDS = {
    "measure": "Measure a leak",
    "audit": "Measure a leak",
    "compare": "Measure a leak",
    "sweep": "Design a countermeasure",
    "design": "Design a countermeasure",
    "update": "Design a countermeasure",
    "selector": "Design a countermeasure",
    "pad": "Design a countermeasure",
    "optimise": "Design a countermeasure",
    "show": "Check it",
    "certify": "Check it",
    "report": "Check it",
    "keygen": "Run it",
    "draw": "Run it",
    "export": "Run it",
    "serve": "Run it",
    "chain fit": "Secrets in sequences",
    "chain leakage": "Secrets in sequences",
    "chain draw": "Secrets in sequences",
    "key new": "",
}
GROUPS = {
    "chain": "Hide where someone goes, step by step: fit a chain, measure walks, draw tracks.",
    "key": "Make a key: the same as keygen.",
}
# New objects before a garbage collection; Python's own 700 costs a tenth of a short command.
_SELDOM = 50_000
# What typer answers after ctrl-C.
_INTERRUPTED = 130


def application(names: Iterable[str] = tuple(COMMANDS)) -> typer.Typer:
    """The application with these commands: each takes time to load."""
    import typer

    from minleak.cli._commands import as_command

    app = typer.Typer(
        name="minleak",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Measure how much a system reveals about its secrets, and build the countermeasure that provably reveals "
        "least.\n\nStart with a table of secrets and their counts: minleak sweep shows how much decoys help, minleak "
        "design builds the sets, minleak draw picks the set to show.",
        epilog="Exit codes: 0 done, 1 failed (or not certified), 2 bad input, 130 interrupted.",
    )

    @app.callback(invoke_without_command=True)
    def common(
        version: bool = typer.Option(False, "--version", help="Print the version and exit.", is_eager=True),
        _json: bool = typer.Option(
            False, "--json", help="Print one JSON object. Works with every command, anywhere on the line."
        ),
    ) -> None:
        if version:
            from minleak import __version__

            typer.echo(f"minleak {__version__}")
            raise typer.Exit

    groups = {"": app}
    for name in names:
        group, _, command = name.rpartition(" ")
        panel = COMMANDS[name]
        if group not in groups:
            groups[group] = typer.Typer(no_args_is_help=True, help=GROUPS[group])
            app.add_typer(groups[group], name=group, rich_help_panel=panel, hidden=not panel)
        module = import_module(f"._{group or command}", __package__)
        function = getattr(module, command)
        shown: dict[str, Any] = {"rich_help_panel": None if group else panel, "epilog": "With --json: one JSON object."}
        groups[group].command(name=command, **shown)(as_command(name, function))
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 failed, 2 bad input, 130 interrupted. Prints no traceback unless
    MINLEAK_DEBUG is set, and then without error messages, which may hold a secret.
    """
    given, as_json = _take_json(list(sys.argv[1:] if arguments is None else arguments))
    command = None
    begin(as_json=as_json)
    try:
        _check(given)
        from typer.main import get_command

        called = [name for name in COMMANDS if name.split()[:1] == given[:1]]
        command = get_command(application([] if given == ["--version"] else called or COMMANDS))
        code = command(args=given, prog_name="minleak", standalone_mode=False)
        if code == _INTERRUPTED:
            raise KeyboardInterrupt
        if sys.stdout is not None:
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        code = tell(error, given, command)
    sys.exit(code if isinstance(code, int) else 0)


def _take_json(given: list[str]) -> tuple[list[str], bool]:
    """The arguments without --json, which may be anywhere before --, and whether it was there."""
    end = given.index("--") if "--" in given else len(given)
    return [*(word for word in given[:end] if word != "--json"), *given[end:]], "--json" in given[:end]


def _check(given: Sequence[str]) -> None:
    """Refuse arguments that no operating system accepts as a file name."""
    for place, word in enumerate(given, 1):
        try:
            possible = b"\0" not in os.fsencode(word)
        except UnicodeEncodeError:
            possible = False
        if not possible:
            raise InvalidParameter(f"argument {place} holds a NUL or an invalid character: leave it out")


def run() -> None:
    """Run the command as a process of its own."""
    gc.set_threshold(_SELDOM)
    if not os.environ.get("MINLEAK_DEBUG"):
        warnings.simplefilter("ignore")  # they speak of lines of code; what matters of them is checked
    with contextlib.suppress(AttributeError):  # stdout is closed
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        main()
    finally:
        if "duckdb" not in sys.modules:  # which complains of what was not collected
            gc.freeze()  # or Python looks for cycles before it ends, for a third of a second


if __name__ == "__main__":
    run()
