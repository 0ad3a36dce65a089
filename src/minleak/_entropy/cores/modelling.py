"""The modelling library, imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from minleak.errors import MissingExtra


def cvxpy() -> Any:
    """cvxpy with Clarabel, or an error that says how to get them."""
    try:
        import_module("clarabel")
        return import_module("cvxpy")
    except ImportError:
        raise MissingExtra.of("convex", "convex design for this entropy needs cvxpy and clarabel") from None
