"""The application: its commands, and how errors become one line and an exit code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

import typer
from typer.exceptions import TyperException

from minleak.errors import MinleakError

# The commands in the order of the help. `name` is the function of that name in the module minleak.cli.name, or the
# group `app` there.
COMMANDS = (
    "design",
    "optimise",
    "pad",
    "show",
    "sweep",
    "measure",
    "capacity",
    "audit",
    "draw",
    "certify",
    "report",
    "key",
)
# What typer returns after ctrl-C.
_INTERRUPTED = 130
# After so many new objects cycles are looked for; with Python's own 700 a tenth of a short command is spent on it.
_SELDOM = 50_000


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The application with all commands, or with those that are needed: each takes its time to load."""
    app = typer.Typer(
        name="minleak",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        help="Measure what a system leaks about its secrets, and build the countermeasure that provably leaks least.",
        epilog="Exit codes: 0 done, 1 failed (or not certified), 2 bad input. All commands print JSON with --json.",
    )
    app.callback(invoke_without_command=True)(version)
    for name in names:
        module = import_module(f"minleak.cli.{name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name=name)(getattr(module, name))
    return app


def version(
    shown: bool = typer.Option(False, "--version", help="Print the version and exit.", is_eager=True),
) -> None:
    """What every command shares."""
    if shown:
        from minleak import __version__

        typer.echo(f"minleak {__version__}")
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 failed, 2 bad input. Never a traceback, unless MINLEAK_DEBUG is set."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = application(given[:1] if given and given[0] in COMMANDS else COMMANDS)(args=given, standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = _INTERRUPTED
    except TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # the help was asked for by saying nothing
            sys.exit(2)
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context is not None else ""
        message = getattr(error, "format_message", error.__str__)()
        _leave(f"{message}{hint}", 2)
    except MinleakError as error:
        if os.environ.get("MINLEAK_DEBUG"):
            raise
        _leave(str(error), 2 if isinstance(error, ValueError | KeyError) else 1)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - the reader has gone; keep the interpreter from complaining
        sys.exit(1)
    except Exception as error:
        if os.environ.get("MINLEAK_DEBUG"):
            raise
        _leave(f"failed unexpectedly ({type(error).__name__}); set MINLEAK_DEBUG=1 to see where", 1)
    if code == _INTERRUPTED:
        _leave("interrupted, nothing was left half-written", 1)
    sys.exit(code if isinstance(code, int) else 0)


def _leave(message: str, code: int) -> None:
    print(f"minleak: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)


def run() -> None:
    """The command as a process of its own, which soon ends and takes with it what it holds."""
    gc.set_threshold(_SELDOM)
    try:
        main()
    finally:
        if "duckdb" not in sys.modules:  # which complains of what was not collected
            gc.freeze()  # or Python looks for cycles before it ends, for a third of a second


if __name__ == "__main__":
    run()
