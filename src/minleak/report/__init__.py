"""report: a page about a plan for whoever has to be convinced, or about any result, and charts to save (needs the
extra `report`).

    >>> import minleak as ml
    >>> plan = ml.design([5, 3, 2], k=2)
    >>> ml.report.write(plan, "report.html")  # doctest: +SKIP
    ['report.html']

Frontiers draw themselves, by their `chart()`.
"""

from minleak.report._pages import Figure, page
from minleak.report._writing import figures, save_chart, write

__all__ = ["Figure", "figures", "page", "save_chart", "write"]
