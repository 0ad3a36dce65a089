"""The public signatures: what they return can be named."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import typing
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from tests.test_public_names import EACH

# How the rooms hand work to each other, through methods that no user needs: what these return has no public name.
INNER = """
    Columns Grid RenyiMean Core Axes Laid Distances Descent Homes Ring Partition Joint Running RingDrawable
    BlockDrawable RowDrawable StringDrawable Seen JointCounts Line
"""

PUBLIC = {f"{namespace}.{name}": getattr(importlib.import_module(namespace), name) for namespace, name in EACH}
CLASSES = {found for found in PUBLIC.values() if inspect.isclass(found)}


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
                yield method, typing.get_type_hints(function).get("return")
            if dataclasses.is_dataclass(found):
                fields = {field.name for field in dataclasses.fields(found) if not field.name.startswith("_")}
                hints = typing.get_type_hints(found)
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
