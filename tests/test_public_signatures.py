"""The public signatures: operands first and in one order, all else by name; and what is returned can be named."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import typing
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import pytest
import scipy.sparse
from tests.test_public_names import EACH

import minleak as ml

# How the rooms hand work to each other, through methods that no user needs: what these return has no public name.
INNER = """
    Grid Core Axes Laid Distances GroupTree Partition StringPrior
    Ledger Calendar ClassLimits HeldOutEvents ObservedShares JointCounts WeightLine
    Sets
"""

PUBLIC = {f"{namespace}.{name}": getattr(importlib.import_module(namespace), name) for namespace, name in EACH}
CLASSES = {found for found in PUBLIC.values() if inspect.isclass(found)}
# What annotations may name without importing it when they run, as a plan names the lineage that it becomes.
NAMED = {kind.__name__: kind for kind in CLASSES} | {"sp": scipy.sparse}


def methods(owner: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods and properties of a class, those that it inherits from our own among them."""
    for kind in owner.__mro__:
        for name, found in vars(kind).items() if kind.__module__.startswith("minleak") else ():
            made = {property: "fget", cached_property: "func", classmethod: "__func__", staticmethod: "__func__"}
            function = getattr(found, made.get(type(found), ""), found)
            if inspect.isfunction(function) and (not name.startswith("_") or name == "__getitem__"):
                yield f"{owner.__name__}.{name}", function


def returned() -> Iterator[tuple[str, Any]]:
    """What public functions and methods return, and fields of results have, as annotated."""
    for name, found in PUBLIC.items():
        if inspect.isfunction(found) and not name.startswith("minleak.testing."):
            yield name, typing.get_type_hints(found)["return"]
        elif inspect.isclass(found):
            for method, function in methods(found):
                yield method, typing.get_type_hints(function, localns=NAMED).get("return")
            if dataclasses.is_dataclass(found):
                fields = {field.name for field in dataclasses.fields(found) if not field.name.startswith("_")}
                hints = typing.get_type_hints(found, localns=NAMED)
                yield from ((f"{name}.{field}", hints[field]) for field in fields)


def classes_in(annotation: Any) -> Iterator[type]:
    if inspect.isclass(annotation):
        yield annotation
    for part in typing.get_args(annotation):
        yield from classes_in(part)


def test_what_is_returned_can_be_named():
    """A class of ours that a public function returns, or a result holds, is in a public namespace."""
    missing = {
        f"{kind.__qualname__}: {name}"
        for name, annotation in returned()
        for kind in classes_in(annotation)
        if kind.__module__.startswith("minleak.") and kind not in CLASSES and kind.__qualname__ not in INNER.split()
    }
    assert not sorted(missing)


# The operands of functions and classes, in the order in which they stand; whatever else these take, they take by name.
OPERANDS = """
    app plan plans padding counts subject chart path cloak source folder title body charts chain secret secrets
    roots closures observables sizes weights joints streams frames
    initial transitions password f inputs eta perspective loss matrix distances prior belief gain first second
    channel channels observations guesses times n m error erased smallest largest independent matroid
    width height epsilon metric values observed scheme method model table events engine name alpha beta gamma q l
    entropy entropies k tries of form pairs allowed prefix draws shares
"""
# Those that may be left out; and of methods, what they are asked about.
OPTIONAL = "draws shares guesses frames prior channel observables metric perspective entropy entropies k l path table "
OPTIONAL += "engine"
ASKED = "draws shares above"
# What plans, priors and channels tell the rooms that work with them, not users.
WORKING = "blocks cells walk trusted"
# One concept, one spelling: what must not come back, and what it is called.
CALLED = {"A": "first", "a": "first", "B": "second", "b": "second", "backend": "engine", "output": "folder, observable"}


def positional(function: Callable[..., Any]) -> list[inspect.Parameter]:
    given = [p for p in inspect.signature(function).parameters.values() if p.name not in ("self", "cls")]
    return [p for p in given if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)]


MADE = {
    name: found.__init__
    for name, found in PUBLIC.items()
    if inspect.isclass(found) and "__init__" in vars(found) and not dataclasses.is_dataclass(found)
    if not name.startswith(("minleak.results.", "minleak.errors.")) and not issubclass(found, Exception)
}
CALLABLE = MADE | {name: found for name, found in PUBLIC.items() if inspect.isfunction(found)}


@pytest.mark.parametrize("name", CALLABLE)
def test_operands_come_first_and_in_one_order(name):
    """The plan before the table, the prior before the channel, the entropy after both; what may be left out is last."""
    given, order = positional(CALLABLE[name]), OPERANDS.split()
    assert not [p.name for p in given if p.name not in order]
    needed = [order.index(p.name) for p in given if p.default is p.empty]
    assert needed == sorted(needed) or name == "minleak.Gain"  # of an entropy
    assert not [p.name for p in given if p.default is not p.empty and p.name not in OPTIONAL.split()]
    assert not [(p, CALLED[p]) for p in inspect.signature(CALLABLE[name]).parameters if p in CALLED]


def test_methods_take_options_by_name():
    """But for what a method is asked about."""
    told = {
        f"{name}({p.name})"
        for owner in CLASSES - {ml.results.Labels}
        for name, function in methods(owner)
        for p in positional(function)
        if p.default is not p.empty and name.split(".")[1] not in WORKING.split()
        if p.name not in f"{OPTIONAL} {ASKED}".split()
    }
    assert not sorted(told)
