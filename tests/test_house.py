"""What there is to know about the package only becomes less: the numbers of tests/house.py, and how far they may fall
before their entry has to follow.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: What is counted: the most that there may be, and how far it may be below that before the entry is to be lowered.
MOST = {
    "kinds of plan": (6, 0),
    "samplers": (0, 0),
    "reaches into another room": (1000, 20),
    "rooms that know each other both ways": (7, 0),
    "imports of ours inside functions": (45, 2),
    "plans without a type": (36, 2),
    "Any in the core": (423, 15),
    "daily names": (55, 0),
    "public names": (348, 4),
    "modules from a csv to a drawn set": (36, 0),
    "calls back on that way": (26, 1),
    "rooms": (16, 0),
    "files": (364, 5),
    "lines": (56_018, 500),
}


@pytest.fixture(scope="module")
def counted():
    """In a process of its own, where nothing else is loaded and traced."""
    root = Path(__file__).parents[1]
    ended = subprocess.run([sys.executable, "-m", "tests.house"], cwd=root, capture_output=True, text=True)
    assert not ended.returncode, ended.stderr
    return {what: int(n) for what, n in (line.split(": ") for line in ended.stdout.splitlines())}


@pytest.mark.parametrize("what", MOST)
def test_only_falls(what, counted):
    most, slack = MOST[what]
    problem = judge(counted[what], most, slack)
    assert not problem, f"{what}: {problem}. `python -m tests.house --where` says where."


def test_everything_is_kept(counted):
    assert counted.keys() == MOST.keys()


def judge(n: int, most: int, slack: int) -> str:
    """What is wrong with a number, if anything."""
    if n > most:
        return f"{n:,}, and it was at most {most:,}: find a way that needs no more"
    return f"{n:,}: lower its entry in tests/test_house.py from {most:,}, so that it stays" if n < most - slack else ""


def test_the_ratchet():
    assert [bool(judge(n, 10, 2)) for n in (11, 10, 8, 7)] == [True, False, False, True]
