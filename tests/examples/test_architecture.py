"""The architecture page says what the code is: its picture and its lists are made again and compared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_and_the_picture_are_up_to_date():
    """If this fails: python docs/rooms.py."""
    code = """
import rooms
print(rooms.PICTURE.read_text() == rooms.picture(rooms.rooms()), rooms.PAGE.read_text() == rooms.page())
"""
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "docs", capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["True", "True"]
