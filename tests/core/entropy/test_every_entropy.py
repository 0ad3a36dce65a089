"""Every entropy that has a name is documented, has its row in the table of what it knows, and is in the property tests.

A newcomer who adds an entropy sees these fail first: each says which line is missing, and where.
"""

from __future__ import annotations

import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest
from tests.core.entropy.test_names import ALL
from tests.lab.test_check import LIBRARY

import minleak as ml
from minleak.core._certify.plans import best_sorted
from minleak.core._entropy.forms import RenyiMean, arimoto_exponent, as_mean
from minleak.core._entropy.names import NAMES
from minleak.core._entropy.standard import FEW, STANDARD
from minleak.errors import InvalidParameter
from minleak.lab._optimise.cores.of_entropy import core_of
from minleak.rivals._random_sets import RandomSets
from minleak.testing import families

DOCS = Path(__file__).parents[3] / "docs"


def has_core(H):
    try:
        return core_of(H) is not None
    except InvalidParameter:
        return False


def is_arimoto(form):
    return isinstance(form, RenyiMean) and form.degree == 0 and form.exponent == arimoto_exponent(form.order)


# The columns of the table in docs/explanation/entropies.md, and what the objects themselves answer.
COLUMNS = {
    "spectrum": lambda H: H.of_spectrum(np.array([0.5, 0.25]), np.array([1.0, 2.0])) is not None,
    "random sets": lambda H: RandomSets(ml.Prior([3, 2, 1]), 2).entropy(H.form) is not None,
    "mean": lambda H: as_mean(H.form) is not None,
    "convex": has_core,
    "buckets": lambda H: as_mean(H.form) is not None and math.isfinite(as_mean(H.form).exponent),
    "capacity": lambda H: is_arimoto(H.form) and H.form.order > 0,
    "sorted": lambda H: best_sorted(H.form),
}


def table() -> dict[str, dict[str, str]]:
    """The rows under "What each entropy knows", by name."""
    page = (DOCS / "explanation" / "entropies.md").read_text()
    section = page.split("## What each entropy knows")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return {row[0].strip("`"): dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[2:]}


def test_the_table_has_a_row_for_every_name_and_a_column_for_every_question():
    """Add the entropy's row to docs/explanation/entropies.md, under "What each entropy knows"."""
    assert list(table()) == list(NAMES)
    assert all(list(row) == list(COLUMNS) for row in table().values())


@pytest.mark.parametrize("name", NAMES)
def test_the_table_says_what_the_entropies_say(name):
    """yes: at all parameters; no: at none; else the cell says in words when."""
    members = [ml.entropy(full) for full in ALL if full.split(":")[0] == name]
    for column, knows in COLUMNS.items():
        answers = {bool(knows(H)) for H in members}
        cell = table().get(name, {}).get(column)
        if len(answers) == 1:
            assert cell == ("yes" if answers.pop() else "no"), column
        else:
            assert cell not in ("yes", "no"), column


@pytest.mark.parametrize("name", NAMES)
def test_every_entropy_is_in_the_documentation(name):
    """In the reference, and its class says its formula."""
    maker = NAMES[name][0]
    listed = re.search(rf"\.{maker.__name__}$", (DOCS / "reference.md").read_text(), flags=re.MULTILINE)
    assert listed, f"add ::: minleak.lab.{maker.__name__} to docs/reference.md"
    assert (inspect.getdoc(maker) or "").strip()


def test_every_entropy_is_in_the_property_tests():
    """Add the class to `families` in minleak/_strategies.py (theorems), and to LIBRARY in test_check.py."""
    classes = {type(H) for H in map(ml.entropy, ALL)}
    assert set(families()) == classes, "add the class to `families` in minleak/_strategies.py"
    assert {type(H) for H in LIBRARY} == classes, "add the class to LIBRARY in tests/lab/test_check.py"


def test_the_standard_entropies_are_one_list():
    assert set(FEW) <= set(STANDARD)
    for name in STANDARD:
        assert isinstance(ml.entropy(name), ml.lab.Entropy)
