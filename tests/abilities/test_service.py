"""The service: one question, the set that a cloak draws."""

import pytest
from tests.abilities.names import Cloak, Key, design, service

COUNTS = {"flu": 5, "cold": 4, "gout": 3, "mumps": 2, "ague": 1, "scurvy": 1}


def test_one_draw(tmp_path):
    pytest.importorskip("uvicorn")
    plan, key = design(COUNTS, 3), Key(bytes(range(32)))
    plan.save(tmp_path / "names.cloak")
    key.save(tmp_path / "names.key")
    with service("names.cloak", "names.key", cwd=tmp_path) as ask:
        answer = ask("/draw", {"secret": "mumps", "scope": "ann"})
        refusal = ask("/draw", {"secret": "rabies", "scope": "ann"})
    assert tuple(answer["members"]) == Cloak(plan, key=key).draw("mumps", scope="ann")
    assert "rabies" not in str(refusal)
    assert "members" not in refusal
