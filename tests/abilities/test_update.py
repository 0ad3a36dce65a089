"""Updates: listed secrets keep their sets, new ones wait for a part of their own."""

import pytest
from tests.abilities.names import Cloak, Key, PendingSecret, certify, design, lineage_of, load, parts, pending, update

MONDAY = {"flu": 700, "cold": 690, "gout": 400, "mumps": 390, "rabies": 120, "ague": 115}
TUESDAY = {"flu": 702, "cold": 689, "gout": 405, "mumps": 395, "ague": 118, "croup": 60}
WEDNESDAY = {"flu": 699, "cold": 692, "gout": 401, "mumps": 394, "croup": 58, "scurvy": 55}


def test_three_days(tmp_path):
    plan = design(MONDAY, 2)
    newer = update(plan, TUESDAY)
    assert pending(newer) == ("croup",)
    with pytest.raises(PendingSecret):
        Cloak(newer, key=Key(bytes(32))).draw("croup", scope="ann")
    newest = update(newer, WEDNESDAY)
    assert [len(part.prior) for part in parts(newest)] == [6, 2]
    assert (pending(newest), lineage_of(newest)) == ((), lineage_of(plan))
    first, last = (Cloak(each, key=Key(bytes(32))) for each in (plan, newest))
    for name in MONDAY:
        assert first.draw(name, scope="ann") == last.draw(name, scope="ann")
    assert sorted(last.draw("croup", scope="ann")) == ["croup", "scurvy"]
    assert certify(newest).ok
    newest.save(tmp_path / "names.cloak")
    assert Cloak(load(tmp_path / "names.cloak"), key=Key(bytes(32))).draw("gout", scope="ann") == last.draw(
        "gout", scope="ann"
    )
