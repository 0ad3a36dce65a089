"""Packages of the extras, imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from minleak.errors import MissingExtra


def chart_package(name: str) -> Any:
    """A package that charts need, or an error that says how to get it."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(f"charts need the package {name}: pip install 'minleak[report]'") from None
