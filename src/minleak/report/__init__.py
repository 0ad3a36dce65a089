"""The report of a plan, and charts to save or to put on a page of one's own. Needs the extra `report`.

Names are loaded when they are first used. The frontier of `minleak.tradeoff` draws itself, by its `chart()`.

    >>> import minleak as ml
    >>> plan = ml.design([5, 3, 2], k=2)
    >>> ml.report.write(plan, "report.html")  # doctest: +SKIP
    ['report.html']
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
