"""Secrets that a plan does not know: refused without being repeated, or shown as one that stands in for them all."""

import pytest
from tests.abilities.names import Cloak, Key, UnknownSecret, design

COUNTS = {"flu": 5, "cold": 4, "gout": 3, "mumps": 2}


def test_refused():
    with pytest.raises(UnknownSecret) as error:
        Cloak(design(COUNTS, 2), key=Key(bytes(32))).draw("rabies", scope="ann")
    assert "rabies" not in str(error.value)


def test_stand_in():
    cloak = Cloak(design(COUNTS, 2), key=Key(bytes(32)), fallback="flu")
    shown = cloak.draw("rabies", scope="ann")
    assert shown == cloak.draw("scurvy", scope="ann") == cloak.draw("flu", scope="ann")
