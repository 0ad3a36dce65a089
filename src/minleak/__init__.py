"""minleak: measure what a system leaks about its secrets, and build the countermeasure that leaks least.

The public names and nothing else. Each is loaded when it is first used, from where `__init__.pyi` says; functions keep
their names from the folders that are called alike.

    >>> import minleak as ml
    >>> ml.leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]], ml.Shannon())
    1.0
"""

import lazy_loader

import minleak.errors  # noqa: F401 - tracebacks name errors so

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
