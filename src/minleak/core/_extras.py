"""The optional packages that charts and reports need, imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from minleak.errors import MissingExtra


def chart_package(name: str) -> Any:
    """The package, or an error that says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:  # of the package itself, or of one that it needs
        missing = error.name or name
        raise MissingExtra.of("report", f"reports and charts need the package {missing}") from None


def altair() -> Any:
    """The chart library."""
    return chart_package("altair")
