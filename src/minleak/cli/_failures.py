"""How a failure is told: one line on stderr in the words of the command line, and an exit code."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from minleak.cli._output import as_line_of_json, in_json
from minleak.core._plain import visible
from minleak.errors import MinleakError, UnreadableFile

# Parameters of the library that a flag of another name sets, the first of these that the command has.
_ALIASES = {
    "columns": ["near", "places"],
    "format": ["charts"],
    "leakage": ["max_leakage"],
    "longest": ["policy"],
    "matching": ["policy"],
    "max_length": ["policy"],
    "memory_limit": ["engine"],
    "metric": ["near"],
    "min_length": ["policy"],
    "nfc": ["clean"],
    "points": ["tradeoff"],
    "query": ["no_query"],
    "require": ["policy"],
    "state": ["columns"],
    "strip": ["clean"],
    "subject": ["columns"],
    "success": ["max_success"],
    "time": ["columns"],
}
_FAILED, _REFUSED, _INTERRUPTED = 1, 2, 130


def tell(error: BaseException, given: Sequence[str], command: Any) -> int:
    """Tell what went wrong, as JSON if the arguments ask for it, and return the exit code."""
    if os.environ.get("MINLEAK_DEBUG"):
        with contextlib.suppress(OSError):
            print(where(error), file=sys.stderr, flush=True)
    message, code = _explain(error, given, command)
    _abandon_stdout()
    if message is not None:
        line = f"minleak: {visible(' '.join(message.split()))}"
        if in_json():
            line = as_line_of_json({"error": message, "exit_code": code})
        with contextlib.suppress(OSError):  # nobody is left to tell
            print(line, file=sys.stderr, flush=True)
    return code


def where(error: BaseException) -> str:
    """The lines of code that an error and those behind it came through, without what they say: it may be a secret."""
    behind = error.__cause__ or error.__context__
    lines = traceback.format_tb(error.__traceback__)
    return f"{'' if behind is None else where(behind)}{''.join(lines)}{type(error).__qualname__}\n"


def _explain(error: BaseException, given: Sequence[str], command: Any) -> tuple[str | None, int]:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; no file is half-written", _INTERRUPTED
    if isinstance(error, MinleakError):
        refused = isinstance(error, ValueError | KeyError)
        add = error.add if isinstance(error, UnreadableFile) else ()
        remedy = f" (try: minleak {shlex.join([*given, *add])})" if add else ""
        return in_flags(str(error), _flags(command, given)) + remedy, _REFUSED if refused else _FAILED
    if isinstance(error, BrokenPipeError):
        return None, _FAILED  # the reader has had enough
    if isinstance(error, OSError):
        return f"cannot read or write {error.filename or 'stdin or stdout'}: {error.strerror or 'refused'}", _FAILED
    if isinstance(error, MemoryError):
        return "not enough memory", _FAILED

    from typer import Abort
    from typer.exceptions import TyperException

    if isinstance(error, Abort):  # a question that was not answered
        return "interrupted; no file is half-written", _INTERRUPTED
    if isinstance(error, TyperException):
        return _usage(error), _REFUSED
    return f"failed unexpectedly ({type(error).__name__}); set MINLEAK_DEBUG=1 to see where", _FAILED


def _usage(error: Any) -> str | None:
    """What was wrong with the arguments, without repeating a word of them: it may be a secret."""
    kind, context = type(error).__name__, getattr(error, "ctx", None)
    if kind == "NoArgsIsHelpError":
        return None  # the help was asked for by saying nothing, and is already there
    if kind == "NoSuchOption":
        near = f": did you mean {' or '.join(sorted(error.possibilities))}?" if error.possibilities else ""
        message = f"no such option{near}"
    elif kind == "UsageError" and hasattr(getattr(context, "command", None), "commands"):
        message = "no such command"
    elif kind == "UsageError":
        message = "too many arguments: quote names that contain spaces"
    elif kind == "BadOptionUsage":
        message = f"{error.option_name} {'needs a value' if 'requires' in error.message else 'takes no value'}"
    elif kind == "MissingParameter":
        message = f"{_hint(error)} is missing"
    elif kind == "BadParameter":
        message = f"{_hint(error)}: {error.message}"
    else:
        message = error.format_message()
    return message if context is None else f"{message} (see {context.command_path} --help)"


def _hint(error: Any) -> str:
    parameter = error.param
    if parameter is None:
        return "a value"
    return str(parameter.metavar if parameter.param_type_name == "argument" else " / ".join(parameter.opts))


def _flags(command: Any, given: Sequence[str]) -> dict[str, str]:
    """The names of the called command's parameters, and the flags that set them."""
    for word in given:
        if word in getattr(command, "commands", {}):
            command = command.commands[word]
        else:
            break
    options = [p for p in getattr(command, "params", []) if p.param_type_name == "option"]
    flags = {option.name: next((o for o in option.opts if o[:2] == "--"), option.opts[0]) for option in options}
    return flags | {ours: flags[name] for ours, names in _ALIASES.items() for name in names[::-1] if name in flags}


def in_flags(message: str, flags: dict[str, str]) -> str:
    """A message of the library in flags: it speaks of format=, format='csv' and stand_in, or begins with "level is"."""
    names = "|".join(flags) or "(?!)"
    with_value = rf"(?<![\w/=.-])({names})=(?:'(\w*)'|([0-9]*\.[0-9]+|[0-9.]+e[+-]?[0-9]+)|\.\.\.|True|(?=[\s,;:.)]|$))"
    said = re.sub(with_value, lambda found: f"{flags[found[1]]} {found[2] or found[3] or ''}".rstrip(), message)
    said = re.sub(rf"^({names})(?= is )", lambda found: flags[found[1]], said)
    two_words = "|".join(name for name in flags if "_" in name) or "(?!)"
    said = re.sub(rf"(?<![\w/=.-])({two_words})\b(?![/=.])", lambda found: flags[found[1]], said)
    return re.sub(r"(--[a-z-]+)(?:, \1\b)+", r"\1", said)  # one flag for several parameters is named once


def _abandon_stdout() -> None:
    """What could not be written is not tried again, with a complaint, when Python ends."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
