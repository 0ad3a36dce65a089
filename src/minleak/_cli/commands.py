"""From a function to a command: groups of options are spelled out, --json is added, and the answer is printed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Annotated, Any

import typer

from minleak._cli.output import Answer, emit

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON (schema minleak/1) instead of tables.")]


def as_command(name: str, function: Callable[..., Answer]) -> Callable[..., None]:
    """The command of that name.

    A parameter of the function whose type is a dataclass is a group of options: each field is one, in its place, and
    the function gets the object.
    """
    own = inspect.signature(function, eval_str=True).parameters
    groups = {
        parameter: inspect.signature(of.annotation, eval_str=True).parameters
        for parameter, of in own.items()
        if is_dataclass(of.annotation)
    }

    def command(as_json: bool, **given: Any) -> None:
        for parameter, fields in groups.items():
            given[parameter] = own[parameter].annotation(**{field: given.pop(field) for field in fields})
        answer = function(**given)
        emit(name, answer.data, answer.parts, as_json=as_json)
        if answer.code:
            raise typer.Exit(answer.code)

    options = [one for name, option in own.items() for one in groups.get(name, {name: option}).values()]
    options.append(inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=AsJson))
    command.__doc__ = function.__doc__
    command.__annotations__ = {option.name: option.annotation for option in options}
    signature = inspect.Signature([option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options])
    command.__signature__ = signature  # type: ignore[attr-defined]
    return command
