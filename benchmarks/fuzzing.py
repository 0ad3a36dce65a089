"""Fuzzing: every public function and command with hostile values; nothing but errors of minleak may come out.

Not a time but a count: calls, refusals, and every call out of which something else came, or that took too long.

    python -m benchmarks.fuzzing 30000 7     # so many calls, from this seed
"""

from __future__ import annotations

import contextlib
import io
import random
import shlex
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tests import hostile
from tests.cli.files import write_files
from tests.warehouse import hostile as tables

from minleak._cli.app import main as command_line
from minleak._cli.reference import commands, example

_SECONDS = 5
# Of a hundred calls so many are a command or a warehouse's, which take long.
_COMMANDS, _WAREHOUSE = 4, 1


class TooLongError(BaseException):
    """A call took too long; nothing catches it."""


@contextlib.contextmanager
def limited(seconds: int = _SECONDS) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def function_call(rng: random.Random, calls: dict[str, Any], ours: list[Any]) -> tuple[str, Callable[[], Any]]:
    name = rng.choice(list(calls))
    given = hostile.call(rng, name, calls, ours)
    return f"{name}({hostile.shown(given)})", lambda: hostile.surprise(calls[name][0], given)


def command_call(rng: random.Random, known: dict[str, Any]) -> tuple[str, Callable[[], Any]]:
    name = rng.choice(list(known))
    words = hostile.words(rng, name, known[name], shlex.split(example(known[name]))[1:])
    stdin = rng.choice(hostile.STDIN)
    return f"minleak {' '.join(ascii(word)[:80] for word in words)}", lambda: command_surprise(words, stdin)


def command_surprise(words: list[str], stdin: bytes) -> tuple[str | None, bool]:
    """Run a command here, and say what it does that it should not, if anything; and whether it refused."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    before, code = (sys.stdin, sys.stdout, sys.stderr), None
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(stdin)), out, err
    try:
        command_line(words)
    except SystemExit as ended:
        code = ended.code
    except Exception as error:
        return f"{type(error).__name__}: {error}", True
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    err.flush()
    said = err.buffer.getvalue().decode()  # type: ignore[attr-defined]
    if code not in (0, 1, 2, 130):
        return f"exit code {code}", True
    if "unexpectedly" in said or "Traceback" in said:
        return said[:300], True
    if code and said.count("\n") > 1:
        return f"{said.count(chr(10))} lines on stderr", True
    return None, code != 0


def main(calls: int = 100_000, seed: int = 1) -> None:
    print(f"\nHostile values: {calls:,} calls of public functions and commands, from seed {seed}.", flush=True)
    rng = random.Random(seed)
    known, findings, refused, kinds = dict(commands()), Counter[str](), 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_files()
        for function, given in [*hostile.CALLS.values(), *tables.CALLS.values()]:
            hostile.surprise(function, dict(given))  # compiled before the clock starts
        for command in known.values():
            command_surprise(shlex.split(example(command))[1:], b"")
        for _ in range(calls):
            kind = rng.randrange(100)
            if kind < _COMMANDS:
                what, act = command_call(rng, known)
            elif kind < _COMMANDS + _WAREHOUSE:
                what, act = function_call(rng, tables.CALLS, tables.THINGS)
            else:
                what, act = function_call(rng, hostile.CALLS, hostile.OURS)
            kinds["command" if kind < _COMMANDS else "function"] += 1
            try:
                with limited():
                    found, no = act()
            except TooLongError as error:
                found, no = f"more than {_SECONDS} s at {hostile.place(error)}", True
            except KeyboardInterrupt:
                break
            except BaseException as error:
                found, no = f"{type(error).__name__} at {hostile.place(error)}", True
            refused += no
            if found:
                key = found.split(": ")[0]  # the place in the code, so that one of a kind is shown
                findings[key] += 1
                if findings[key] == 1:
                    print(f"  {what[:400]}\n    {found}", flush=True)
    print(
        f"{sum(kinds.values()):,} calls ({kinds['command']:,} of commands), {refused:,} refused, "
        f"{sum(findings.values()):,} surprises of {len(findings)} kinds",
        flush=True,
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
