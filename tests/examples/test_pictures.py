"""The pictures of the documentation say what the code computes: they are made again and compared."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
MADE = runpy.run_path(str(PICTURES / "draw.py"))["PICTURES"]


@pytest.mark.parametrize("name", sorted(MADE))
def test_the_picture_is_up_to_date(name):
    """If this fails: python docs/pictures/draw.py."""
    assert (PICTURES / name).read_text() == MADE[name]()
