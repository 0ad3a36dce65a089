"""Messages: what is asked and answered, as dataclasses by which JSON is checked and described."""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from minleak._serve.problems import RequestProblem

M = TypeVar("M")

#: The most draws of one batch, and the most states of one request for a walk.
BATCH, STEPS = 1000, 256
# Whole numbers up to this one are the same in every language's JSON.
_SAFE = (1 << 53) - 1

Label = str | int
State = str | int | list[str | int]
_LINEAGE = "That of a plan that is served, in hexadecimal; the newest plan's if not given."


@dataclass(frozen=True)
class Draw:
    """A set is asked for."""

    secret: Annotated[Label, "The secret's label. A number beyond 2^53 is written as text."]
    scope: Annotated[str, "Who asks: the same scope and secret always show the same set."]
    lineage: Annotated[str | None, _LINEAGE] = None


@dataclass(frozen=True)
class Draws:
    """Many sets are asked for; all are drawn, or none."""

    draws: Annotated[list[Draw], f"At most {BATCH}."]


@dataclass(frozen=True)
class Walk:
    """The tracks of a walk, or of its next steps, are asked for."""

    states: Annotated[list[State], f"Where the walk goes, at most {STEPS} states; those of several parts are lists."]
    scope: Annotated[str, "Who walks."]
    saved: Annotated[str | None, "What the last answer saved, to go on with the walk."] = None


@dataclass(frozen=True)
class Pad:
    """A size to pad."""

    size: Annotated[int | float, "The natural size, from 0 on."]


@dataclass(frozen=True)
class DrawnSet:
    """The set to show."""

    members: Annotated[list[Any], "Its labels, in the order of the prior. Numbers beyond 2^53 are written as text."]
    lineage: Annotated[str, "That of the plan it was drawn by: name it in later draws of the same scope."]


@dataclass(frozen=True)
class DrawnSets:
    """The sets to show, in the order in which they were asked for."""

    sets: Annotated[list[DrawnSet], "One for each draw."]


@dataclass(frozen=True)
class Tracks:
    """The tracks to show."""

    steps: Annotated[list[list[Any]], "For each state the k states to show; the same track has the same place."]
    cuts: Annotated[list[int], "The steps at which new tracks began."]
    saved: Annotated[str, "What to send with the next states. It is sealed and tells no more than what was shown."]


@dataclass(frozen=True)
class Padded:
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
    digest: Annotated[str, "What stands for all of it, in hexadecimal."]
    lineage: Annotated[str, "What it shares with all its versions, in hexadecimal."]
    version: Annotated[int, "1, and one more with each update."]
    written: Annotated[float, "When its file was written, in seconds since 1970."]


@dataclass(frozen=True)
class Plans:
    """What is served. All plans were certified, part by part."""

    plans: Annotated[list[PlanFacts], "The newest is the last."]
    key: Annotated[str | None, "The id of the key, which tells nothing of it."]


@dataclass(frozen=True)
class Status:
    """How the service is."""

    status: Annotated[str, "ok, or retiring while the last requests end."]


# -- reading and writing ---------------------------------------------------------------------------------------------


def read_json(body: bytes) -> Any:
    """What a body says, if it says one thing."""
    problem = "the body is no JSON in UTF-8"
    try:
        return _DECODER.decode(body.decode())
    except (ValueError, RecursionError) as error:
        if isinstance(error, _Twice):
            problem = "an object of the body has a name twice"
    raise RequestProblem("bad_json", problem)  # here, since JSON's error holds the text that it read


class _Twice(ValueError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice
    return found


def _refuse(_: str) -> Any:
    raise ValueError


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse)
_ENCODER = json.JSONEncoder(default=vars, allow_nan=False, separators=(",", ":"))


def write_json(answer: Any) -> bytes:
    """An answer, or a dictionary, in bytes."""
    return _ENCODER.encode(answer).encode()


def show_labels(labels: Any) -> list[Any]:
    """Labels as JSON holds them: whole numbers that some languages would round are text, tuples are lists."""
    return [str(label) if type(label) is int and abs(label) > _SAFE else label for label in labels]


def parse(kind: type[M], data: Any, at: int | None = None) -> M:
    """A message of that kind from what JSON said; what is wrong is told without a word of what came."""
    if type(data) is not dict:
        raise RequestProblem("bad_request", f"a JSON object with {_known(kind)} is expected", at)
    checks, needed = _checks(cast(Any, kind))
    if not (data.keys() <= checks.keys() and data.keys() >= needed):
        raise RequestProblem("bad_request", f"the fields are {_known(kind)}: one is missing, or there is another", at)
    for name, value in data.items():
        scalars, hint = checks[name]
        if type(value) in scalars:
            continue
        if not _fits(value, hint):
            raise RequestProblem("bad_request", f"{name} is {_in_words(hint)}", at)
        inner = get_args(hint)[0]
        if is_dataclass(inner):
            data[name] = [parse(cast(Any, inner), one, i) for i, one in enumerate(value)]
    return kind(**data)


@cache
def _checks(kind: type) -> tuple[dict[str, tuple[frozenset[Any], Any]], frozenset[str]]:
    """The types of each field, those that are no lists apart, and the names of the fields that must be there."""
    given: Any = kind
    hints = get_type_hints(kind)
    scalars = {
        name: frozenset(one for one in (get_args(hint) if type(hint) is UnionType else (hint,)) if one in _WORDS)
        for name, hint in hints.items()
    }
    needed = frozenset(one.name for one in fields(given) if one.default is MISSING)
    return {name: (scalars[name], hint) for name, hint in hints.items()}, needed


def _known(kind: Any) -> str:
    checks, needed = _checks(kind)
    return ", ".join(name if name in needed else f"{name} (if wanted)" for name in checks)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, with true and false no numbers; objects within lists are looked at later."""
    if type(hint) is UnionType:
        return any(_fits(value, one) for one in get_args(hint))
    if get_origin(hint) is list:
        (inner,) = get_args(hint)
        return type(value) is list and (is_dataclass(inner) or all(_fits(one, inner) for one in value))
    return type(value) is hint


_WORDS = {str: "text", int: "a whole number", float: "a number", NoneType: "null"}


def _in_words(hint: Any) -> str:
    if type(hint) is UnionType:
        return " or ".join(_in_words(one) for one in get_args(hint))
    if get_origin(hint) is list:
        inner = get_args(hint)[0]
        return "a list of objects" if is_dataclass(inner) else f"a list, each {_in_words(inner)}"
    return _WORDS[hint]
