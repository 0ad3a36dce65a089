"""The benchmarks still find what they measure: each can be loaded, and none is missing from the list."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("__"))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # a numpy matrix is one of the hostile values
@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_loads(name):
    importlib.import_module(f"benchmarks.{name}")


def test_every_benchmark_is_listed():
    listed = set(re.findall(r'^    "(\w+)",$', (FOLDER / "__main__.py").read_text(), flags=re.MULTILINE))
    assert listed == {name for name in NAMES if "def main(" in (FOLDER / f"{name}.py").read_text()}
