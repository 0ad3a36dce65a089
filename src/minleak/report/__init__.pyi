"""The public names, by the modules that they are loaded from when they are first used."""

from .captions import Figure
from .pages import page
from .writing import figures, save_chart, write

__all__ = ["Figure", "figures", "page", "save_chart", "write"]
