"""The benchmarks still find what they measure: each can be loaded, and none is missing from the list."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = sorted(path for path in (ROOT / "benchmarks").glob("*.py") if not path.stem.startswith("__"))


def test_every_benchmark_loads():
    """In a process of its own: what they load stays out of other tests."""
    names = ", ".join(f"benchmarks.{path.stem}" for path in FILES)
    loaded = subprocess.run([sys.executable, "-c", f"import {names}"], cwd=ROOT, capture_output=True, text=True)
    assert not loaded.returncode, loaded.stderr


def test_every_benchmark_is_listed():
    listed = set(re.findall(r'^    "(\w+)",$', (ROOT / "benchmarks/__main__.py").read_text(), flags=re.MULTILINE))
    assert listed == {path.stem for path in FILES if "def main(" in path.read_text()}
