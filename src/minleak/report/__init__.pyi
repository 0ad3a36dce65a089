"""The public names, by the modules that they are loaded from when they are first used."""

from .captions import Figure
from .padding import padding_chart
from .pages import page
from .writing import figures, save_chart, write

__all__ = ["Figure", "figures", "padding_chart", "page", "save_chart", "write"]
