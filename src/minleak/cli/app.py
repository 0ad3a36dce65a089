"""The application: its commands, and how errors become one line and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from minleak.cli import (
    audit,
    capacity,
    certify,
    design,
    draw,
    key,
    measure,
    optimise,
    pad,
    paper,
    report,
    show,
    sweep,
)
from minleak.errors import MinleakError

# What typer returns after ctrl-C.
_INTERRUPTED = 130

app = typer.Typer(
    name="minleak",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Measure what a system leaks about its secrets, and build the countermeasure that provably leaks least.",
    epilog="Exit codes: 0 done, 1 failed (or not certified), 2 bad input. All commands print JSON with --json.",
)
app.command(name="design")(design.design)
app.command(name="optimise")(optimise.optimise)
app.command(name="pad")(pad.pad)
app.command(name="show")(show.show)
app.command(name="sweep")(sweep.sweep)
app.command(name="measure")(measure.measure)
app.command(name="capacity")(capacity.capacity)
app.command(name="audit")(audit.audit)
app.command(name="draw")(draw.draw)
app.add_typer(key.app, name="key")
app.command(name="certify")(certify.certify)
app.command(name="report")(report.report)
app.command(name="paper")(paper.paper)


@app.callback(invoke_without_command=True)
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
    try:
        code = app(args=list(sys.argv[1:] if arguments is None else arguments), standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = _INTERRUPTED
    except TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # the help was asked for by saying nothing
            sys.exit(2)
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context is not None else ""
        said = getattr(error, "format_message", error.__str__)()
        _leave(f"{said}{hint}", 2)
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


if __name__ == "__main__":
    main()
