"""Whatever is given to the public functions: an answer, or an error of ours that says what was wrong."""

from __future__ import annotations

import contextlib
import random

import pytest
from tests import hostile

import minleak as ml


@pytest.fixture(scope="module", autouse=True)
def elsewhere(tmp_path_factory):
    """Odd paths that can be written are written there."""
    with contextlib.chdir(tmp_path_factory.mktemp("odd")):
        yield


def test_every_public_name_is_tried():
    """A new function needs a line in the table."""
    modules = (ml, ml.mechanisms, ml.theory, ml.padding, ml.report, ml.sequences, ml.strings)
    public = {name: getattr(module, name) for module in modules for name in module.__all__}
    names = {name for name, value in public.items() if callable(value)} - hostile.RECORDS
    tried = {name.split(",")[0].split(".")[-1] for name in hostile.CALLS}
    assert names <= tried


@pytest.mark.parametrize("name", hostile.CALLS)
@pytest.mark.filterwarnings("ignore")
def test_only_errors_of_ours(name):
    """One or two arguments replaced by anything."""
    rng = random.Random(name)
    for _ in range(25):
        given = hostile.call(rng, name)
        found, _ = hostile.surprise(hostile.CALLS[name][0], given)
        assert found is None, hostile.shown(given)
