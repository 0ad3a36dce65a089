"""Requests and answers as dataclasses, from which JSON is checked and the OpenAPI description is made."""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from minleak.serve._problems import RequestProblem

M = TypeVar("M")

#: The most draws in a batch, and the most states in one request for a walk.
BATCH, STEPS = 1000, 256
# The largest integer that every language's JSON reads exactly.
_SAFE = (1 << 53) - 1

Label = str | int
State = str | int | list[str | int]
_LINEAGE = "That of a plan that is served, in hexadecimal; the newest plan's if not given."


@dataclass(frozen=True)
class DrawRequest:
    """Asks for the set of a secret."""

    secret: Annotated[Label, "The secret's label. A number beyond 2^53 is written as text."]
    scope: Annotated[str, "Who asks: the same scope and secret always show the same set."]
    lineage: Annotated[str | None, _LINEAGE] = None


@dataclass(frozen=True)
class BatchRequest:
    """Asks for the sets of many secrets; all are drawn, or none."""

    draws: Annotated[list[DrawRequest], f"At most {BATCH}."]


@dataclass(frozen=True)
class WalkRequest:
    """Asks for the tracks of a walk, or of its next steps."""

    states: Annotated[list[State], f"Where the walk goes, at most {STEPS} states; those of several parts are lists."]
    scope: Annotated[str, "Who walks."]
    saved: Annotated[str | None, "What the last answer saved, to go on with the walk."] = None


@dataclass(frozen=True)
class PadRequest:
    """Asks what to pad a size to."""

    size: Annotated[int | float, "The natural size, from 0 on."]


@dataclass(frozen=True)
class DrawAnswer:
    """The set to show."""

    members: Annotated[list[Any], "Its labels, in the order of the prior. Numbers beyond 2^53 are written as text."]
    lineage: Annotated[str, "That of the plan it was drawn by: name it in later draws of the same scope."]


@dataclass(frozen=True)
class BatchAnswer:
    """The sets to show, in the order of the request."""

    sets: Annotated[list[DrawAnswer], "One for each draw."]


@dataclass(frozen=True)
class WalkAnswer:
    """The tracks to show."""

    steps: Annotated[list[list[Any]], "For each state the k states to show; the same track has the same place."]
    cuts: Annotated[list[int], "The steps at which new tracks began."]
    saved: Annotated[str, "What to send with the next states. It is sealed and tells no more than what was shown."]


@dataclass(frozen=True)
class PadAnswer:
    """The size to show."""

    padded: Annotated[int | float, "At least the natural size."]


@dataclass(frozen=True)
class Part:
    """A part of a plan."""

    secrets: Annotated[int | None, "How many secrets it lists."]
    success: Annotated[float, "How often a guess that sees a set is right, for the counts it was made for."]
    leakage: Annotated[dict[str, float], "Bits that a set leaks, by entropy."]


@dataclass(frozen=True)
class PlanFacts:
    """A plan that is served."""

    k: Annotated[int, "The cap on the size of a set."]
    layout: Annotated[str, "How its sets are laid out."]
    leakage: Annotated[dict[str, float], "The most that a part leaks, by entropy."]
    parts: Annotated[list[Part], "Its parts."]
    pending: Annotated[int, "How many secrets wait for a part."]
    digest: Annotated[str, "Identifies this version, in hexadecimal."]
    lineage: Annotated[str, "Identifies all its versions, in hexadecimal."]
    version: Annotated[int, "1, and one more with each update."]
    written: Annotated[float, "When its file was written, in seconds since 1970."]


@dataclass(frozen=True)
class Plans:
    """The plans that are served. Each was certified, part by part."""

    plans: Annotated[list[PlanFacts], "The newest is the last."]
    key: Annotated[str | None, "The id of the key, which tells nothing of it."]


@dataclass(frozen=True)
class Status:
    """The state of the service."""

    status: Annotated[str, "ok, or retiring while the last requests end."]


# -- reading and writing ---------------------------------------------------------------------------------------------


def read_json(body: bytes) -> Any:
    """The value in a body that is JSON in UTF-8, without repeated names, NaN or infinities."""
    try:
        return _DECODER.decode(body.decode())
    except (ValueError, RecursionError):
        pass
    raise RequestProblem("bad_json")  # outside of the handler: JSON's error holds the text it read


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _refuse(_: str) -> Any:
    raise ValueError


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
_ENCODER = json.JSONEncoder(default=vars, allow_nan=False, separators=(",", ":"))


def write_json(answer: Any) -> bytes:
    """An answer, or a dictionary, as JSON."""
    return _ENCODER.encode(answer).encode()


def show_labels(labels: Any) -> list[Any]:
    """Labels as JSON holds them: integers that some languages would round become text, tuples lists."""
    return [str(label) if type(label) is int and abs(label) > _SAFE else label for label in labels]


def parse(kind: type[M], data: Any, at: int | None = None) -> M:
    """A message of this kind from decoded JSON; a refusal repeats nothing of what came."""
    if type(data) is not dict:
        raise RequestProblem("bad_request", f"a JSON object with {_list_fields(kind)} is expected", at)
    hints, scalars, needed = _fields(cast(Any, kind))
    if not needed <= data.keys() <= hints.keys():
        problem = f"the fields are {_list_fields(kind)}: one is missing, or there is another"
        raise RequestProblem("bad_request", problem, at)
    for name, value in data.items():
        if type(value) in scalars[name]:
            continue
        if not _fits(value, hints[name]):
            raise RequestProblem("bad_request", f"{name} is {_describe(hints[name])}", at)
        inner = get_args(hints[name])[0]
        if is_dataclass(inner):
            data[name] = [parse(cast(Any, inner), one, i) for i, one in enumerate(value)]
    return kind(**data)


@cache
def _fields(kind: type) -> tuple[dict[str, Any], dict[str, set[Any]], set[str]]:
    """The type of each field, those of its types that are no lists, and the names of the fields that are required."""
    hints = get_type_hints(kind)
    choices = {name: get_args(hint) if type(hint) is UnionType else (hint,) for name, hint in hints.items()}
    scalars = {name: set(kinds) & _WORDS.keys() for name, kinds in choices.items()}
    return hints, scalars, {one.name for one in fields(cast(Any, kind)) if one.default is MISSING}


def _list_fields(kind: Any) -> str:
    hints, _, needed = _fields(kind)
    return ", ".join(name if name in needed else f"{name} (if wanted)" for name in hints)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type (true and false are no numbers); objects within lists are parsed later."""
    if type(hint) is UnionType:
        return any(_fits(value, one) for one in get_args(hint))
    if get_origin(hint) is list:
        (inner,) = get_args(hint)
        return type(value) is list and (is_dataclass(inner) or all(_fits(one, inner) for one in value))
    return type(value) is hint


_WORDS = {str: "text", int: "a whole number", float: "a number", NoneType: "null"}


def _describe(hint: Any) -> str:
    if type(hint) is UnionType:
        return " or ".join(_describe(one) for one in get_args(hint))
    if get_origin(hint) is list:
        inner = get_args(hint)[0]
        return "a list of objects" if is_dataclass(inner) else f"a list, each {_describe(inner)}"
    return _WORDS[hint]
