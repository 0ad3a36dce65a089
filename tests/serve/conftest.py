"""An application with a plan, a chain and paddings, without a process."""

from __future__ import annotations

import pytest
from tests.plans import KEY

import minleak as ml
from minleak.padding._size_table import SizeTable
from minleak.serve._application import ENDPOINTS, Application, Serving
from minleak.serve._guard import OTHER, Guard, Terms
from minleak.serve._metrics import MetricTable
from minleak.serve._plans import make_cloak, open_plan

COUNTS = {"hush-flu": 40, "hush-cold": 30, "hush-gout": 20, "hush-mumps": 15, "hush-rabies": 3}
CHAIN = ml.lab.sequences.Chain([1, 1, 1], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], labels=["home", "work", "shop"])


def older_plan():
    return ml.design(COUNTS, k=2)


def numbered_plan():
    """Secrets that are numbers, one of them too large for other languages."""
    return ml.design(ml.Prior([5, 4, 3, 2], labels=[7, 8, 9, 2**60]), k=2)


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    """Two lineages: that of the diseases, updated, and a newer one of numbers."""
    folder = tmp_path_factory.mktemp("plans")
    ml.update(older_plan(), {**COUNTS, "hush-new": 1}).save(folder / "a.cloak")
    numbered_plan().save(folder / "b.cloak")
    plans = [open_plan(str(folder / name)) for name in ("a.cloak", "b.cloak")]
    return Serving(
        cloak=make_cloak(plans, KEY),
        plans=[one.facts for one in plans],
        numbered=frozenset(one.facts.lineage for one in plans if one.numbered),
        tracks=ml.lab.sequences.Tracks(CHAIN, 2, key=KEY),
        padding=SizeTable([10, 21, 40]),
        version="1",
    )


def new_table():
    return MetricTable([*(one.path for one in ENDPOINTS), OTHER], 2)


def guard_of(serving, table, **terms):
    row = table.row(1)
    application = Application(serving, table, row)
    made = Guard(application, Terms(**terms), row)
    made.application = application
    return made


@pytest.fixture
def table():
    return new_table()


@pytest.fixture
def guarded(serving, table):
    """guarded(token=...) is the application behind a guard of these terms."""
    return lambda **terms: guard_of(serving, table, **terms)


@pytest.fixture(scope="module")
def shared(serving):
    """One for many examples."""
    return guard_of(serving, new_table())
