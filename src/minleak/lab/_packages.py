"""The packages that lab stands on, imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from minleak.errors import MissingExtra


def package(name: str) -> Any:
    """Import cvxpy, clarabel, ot, flint or highspy, or raise an error that says how to install them.

    >>> package("nothing_of_that_name")
    Traceback (most recent call last):
    minleak.errors.MissingExtra: this needs the package nothing_of_that_name: run pip install 'minleak[lab]'
    """
    try:
        return import_module(name)
    except ImportError as error:  # of the package itself, or of one that it needs
        raise MissingExtra(f"this needs the package {error.name or name}: run pip install 'minleak[lab]'") from None
