"""Several lineages in one cloak, and pins that keep each person with the first that they saw."""

from tests.abilities.names import Cloak, Key, Pins, design, lineage_of


def test_pins(tmp_path):
    march, june = design([5, 3, 2, 2], 2), design([4, 4, 2, 3], 2)
    key = Key(bytes(32))
    assert Pins(tmp_path / "pins.sqlite", Cloak(march, key=key)).lineage("ann") == lineage_of(march)
    both = Cloak([march, june], key=key)
    pins = Pins(tmp_path / "pins.sqlite", both)
    assert (pins.lineage("ann"), pins.lineage("bob")) == (lineage_of(march), lineage_of(june))
    for scope, plan in (("ann", march), ("bob", june)):
        alone = Cloak(plan, key=key).draw(2, scope=scope)
        assert both.draw(2, scope=scope, lineage=pins.lineage(scope)) == alone
    assert both.draw(2, scope="bob") == Cloak(june, key=key).draw(2, scope="bob")  # the newest, unless told otherwise
