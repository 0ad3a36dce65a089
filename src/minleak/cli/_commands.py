"""From a function to a command: its options are declared to typer, and its answer is printed.

A parameter `name: type = option(help)` is an option. A parameter whose type is a dataclass is a group of options, its
fields, which several commands may share.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import Field, fields, is_dataclass
from functools import partial
from inspect import Parameter
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from minleak.cli._options import number, option, whole
from minleak.cli._output import Outcome, emit, write_page
from minleak.cli._overwriting import check_outputs


def _page_file(path: str) -> str:
    """The path of a page, refused before any work is done if its ending is another."""
    if not path.lower().endswith((".html", ".htm")):
        raise typer.BadParameter("the file name must end in .html")
    return path


_PARSERS: dict[Any, Callable[[str], Any]] = {
    int: whole,
    int | None: whole,
    float: number,
    float | None: number,
    list[float] | None: number,
}


# The commands whose results can be written as pages.
_PAGES = ("measure", "audit", "compare", "sweep", "design", "update", "pad", "optimise")
_PAGE = option("Write a self-contained page about the result to this .html file.", parser=_page_file)

Answer = Outcome[Any] | Iterator[Outcome[Any]]


def as_command(name: str, function: Callable[..., Answer]) -> Callable[..., None]:
    """The command of that name. The function gets its arguments and options, and its groups as objects; what it yields
    is printed one by one, as soon as it comes, and the largest exit code is that of the command.
    """
    own = inspect.signature(function, eval_str=True).parameters
    groups: dict[str, Any] = {key: one.annotation for key, one in own.items() if is_dataclass(one.annotation)}

    def command(**given: Any) -> None:
        check_outputs(name, given)
        for key, group in groups.items():
            given[key] = group(**{one.name: given.pop(one.name) for one in fields(group)})
        page = given.pop("report") if name in _PAGES else None
        outcome, code = function(**given), 0
        for one in [outcome] if isinstance(outcome, Outcome) else outcome:
            emit(name, one if page is None else write_page(one, page, name))
            code = max(code, one.code)
        if code:
            raise typer.Exit(code)

    parameters = list(_spell_out(own))
    if name in _PAGES:
        parameters.append(_for_typer("report", str | None, _PAGE))
    command.__doc__ = function.__doc__
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.results = partial(_result_classes, function)  # type: ignore[attr-defined] # which docs/cli.md describes
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _result_classes(function: Callable[..., Answer]) -> tuple[type, ...]:
    """The classes of results that a command may print, as its function says what it returns."""
    (returned,) = get_args(get_type_hints(function)["return"])
    if get_origin(returned) is Outcome:
        (returned,) = get_args(returned)
    return get_args(returned) or (returned,)


def _spell_out(own: Any) -> Iterator[Parameter]:
    """The parameters of a function, with the fields of groups in their places."""
    for name, parameter in own.items():
        if is_dataclass(parameter.annotation):
            types = get_type_hints(parameter.annotation, include_extras=True)
            yield from (_for_typer(one.name, types[one.name], one) for one in fields(parameter.annotation))
        elif isinstance(parameter.default, Field):
            yield _for_typer(name, parameter.annotation, parameter.default)
        else:  # its type says it all
            yield parameter.replace(kind=Parameter.KEYWORD_ONLY)


def _for_typer(name: str, kind: Any, said: Field[Any]) -> Parameter:
    default = Parameter.empty if said.default is ... else said.default
    if "metavar" in said.metadata:
        kind = Annotated[kind, typer.Argument(**said.metadata)]
    elif said.metadata:
        flags = said.metadata["flags"] or [f"--{name.replace('_', '-')}"]
        parser = said.metadata["parser"] or _PARSERS.get(kind)
        kind = Annotated[kind, typer.Option(*flags, parser=parser, help=said.metadata["help"])]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
