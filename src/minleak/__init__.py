"""minleak: measure what a system leaks about its secrets, and build the countermeasure that leaks least.

The daily names; the rest are in `minleak.padding`, `strings`, `scale`, `report`, `testing`, `results`, `errors`, and
for researchers in `minleak.lab`. Each is loaded when it is first used, from where `__init__.pyi` says.

    >>> import minleak as ml
    >>> ml.leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]], ml.Shannon())
    1.0
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ = sorted([*__all__, "__version__"])
