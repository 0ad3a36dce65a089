"""Sticky draws: a key, a scope and a secret always show the same set, to the letter."""

from tests.abilities.names import Cloak, Key, design

COUNTS = {"flu": 5, "cold": 4, "gout": 3, "mumps": 2, "ague": 1, "scurvy": 1}


def test_the_very_set():
    cloak = Cloak(design(COUNTS, 3), key=Key(bytes(range(32))))
    assert cloak.draw("mumps", scope="ann") == ("flu", "cold", "mumps")
    assert cloak.draw("mumps", scope="bob") == ("mumps", "ague", "scurvy")
    assert cloak.draw("mumps", scope="ann") == Cloak(design(COUNTS, 3), key=bytes(range(32))).draw("mumps", scope="ann")


def test_scopes_follow_the_plan():
    plan = design(COUNTS, 3)
    cloak = Cloak(plan, key=Key(bytes(range(32))))
    drawn = {tuple(sorted(cloak.draw("mumps", scope=f"user-{i}"))) for i in range(300)}
    assert drawn == {tuple(sorted(members)) for members, _ in plan.sets() if "mumps" in members}
