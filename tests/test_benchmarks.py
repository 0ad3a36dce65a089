"""The benchmarks still find what they measure: each can be loaded, and none is missing from the list."""

from __future__ import annotations

import ast
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
    tuples = re.findall(
        r"^[A-Z]+ = \((.*?)\)$", (ROOT / "benchmarks/__main__.py").read_text(), flags=re.MULTILINE | re.DOTALL
    )
    listed = {name for text in tuples for name in re.findall(r'"(\w+)"', text)}
    assert listed == {path.stem for path in FILES if "def main(" in path.read_text()}


def test_same_tells_what_differs():
    """Numbers to 1e-9, what a solver found to 1e-6, all else to the letter; formats that change are left out."""
    from benchmarks.same import compare

    old = {"plans 0": [["number", "1.0"], ["solved", "2.0"], ["letter", "a"], ["files", "f"]], "gone 0": None}
    new = {
        "plans 0": [["number", "1.0000000001"], ["solved", "2.0000001"], ["letter", "a"], ["files", "g"]],
        "gone 0": [],
    }
    counted, differences = compare(old, new, [])
    assert (counted["equal"], counted["different"], counted["absent"], len(differences)) == (3, 1, 1, 1)
    assert compare(old, new, ["files"])[1] == []
    new["plans 0"][0][1] = "1.00000001"
    new["plans 0"][2][1] = "b"
    assert len(compare(old, new, ["files"])[1]) == 2
    new["plans 0"].pop()
    assert len(compare(old, new, [])[1]) == 1


def test_mutants_are_one_change_each():
    from benchmarks.mutants import changes, mutate

    text = "def f(a, b):\n    if a < 1 and not b:\n        raise ValueError(a + 1)\n    return [a - 1] if a else None\n"
    said = [mutate(text, number) for number in range(len(list(changes(ast.parse(text)))))]
    assert len(set(said)) == len(said) == 6
    for line in ("if a < 1 or", "if a <= 1 and", "if a < 2 and", "and (not not b)", "return [a + 1]", "return [a - 2]"):
        assert sum(line in one for one in said) == 1


def test_mutants_follow_the_rooms():
    from benchmarks.mutants import ALWAYS, ROOMS, SRC

    missing = [room for room in ROOMS if not (ROOT / SRC / room).exists()]
    missing += [path for paths in (*ROOMS.values(), [ALWAYS]) for path in paths if not (ROOT / path).exists()]
    assert not missing, "benchmarks/mutants.py lists what is not there"
