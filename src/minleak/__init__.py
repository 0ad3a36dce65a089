"""minleak: measure what a system leaks about its secrets, and build the countermeasure that leaks least.

The public names and nothing else. Each is loaded when it is first used, from where `__init__.pyi` says.

    >>> import minleak as ml
    >>> ml.leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]], ml.Shannon())
    1.0
"""

import sys
from types import ModuleType
from typing import Any

import lazy_loader

__version__ = "0.1.0"

_load, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = [*_names, "__version__"]


def __getattr__(name: str) -> Any:
    value = _load(name)
    globals()[name] = value
    return value


class _Package(ModuleType):
    """A package whose functions keep their names: `minleak.design` is the function, whoever imports from the folder."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in _names):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
