"""Plans in files: what is loaded is what was saved."""

import pytest
from tests.abilities.names import Cloak, InvalidCloak, Key, design, lineage_of, load, prior_from_counts

COUNTS = {"flu": 5, "cold": 4, "gout": 3, "mumps": 2, "ague": 1}


@pytest.mark.parametrize("layout", ["stable", "circle", "blocks"])
def test_round_trip(layout, tmp_path):
    plan = design(prior_from_counts(COUNTS), 2, layout=layout)
    plan.save(tmp_path / "plan.cloak")
    again = load(tmp_path / "plan.cloak")
    assert (again.success, lineage_of(again), dict(again.sets())) == (plan.success, lineage_of(plan), dict(plan.sets()))
    one, two = (Cloak(each, key=Key(bytes(32))) for each in (plan, again))
    assert all(one.draw(name, scope="ann") == two.draw(name, scope="ann") for name in COUNTS)


def test_not_a_plan(tmp_path):
    (tmp_path / "notes.txt").write_text("flu,5\n")
    with pytest.raises(InvalidCloak):
        load(tmp_path / "notes.txt")
