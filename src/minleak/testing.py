"""testing: a test that a function leaks nothing, and Hypothesis strategies (which need hypothesis).

>>> import minleak as ml
>>> _ = ml.testing.assert_no_leak(lambda password: 200, ["flu", "cold"], events=100)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minleak.samples._asserting import assert_no_leak

if TYPE_CHECKING:
    from minleak._strategies import capped_channels, channels, check_model, entropies, gains, priors, systems

__all__ = ["assert_no_leak", "capped_channels", "channels", "check_model", "entropies", "gains", "priors", "systems"]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'minleak.testing' has no attribute {name!r}")
    from minleak import _strategies

    return getattr(_strategies, name)
