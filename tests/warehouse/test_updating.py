"""An update inside an engine: homes kept, certified, and drawn as in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.design.living.worlds import named, walked, zipf
from tests.plans import KEY

import minleak as ml
from minleak import warehouse
from minleak.errors import InvalidParameter


def table(prior):
    return pa.table({"secret": list(prior.labels), "count": prior.weights})


def homes(plan):
    return {frozenset(plan.prior.labels.at(row)) for row in plan.homes.members}


@pytest.mark.parametrize(("n", "rows", "giant"), [(300, 50, 0), (300, 50, 10**8), (41, 2**16, 0)])
def test_an_update_keeps_homes(n, rows, giant):
    """Whole homes stay; it is certified, follows the lineage, and is less exposed than a plan made anew."""
    first = named([*zipf(n), giant] if giant else 10**5 + 300 * np.arange(n))
    prior = walked(first, np.random.default_rng(0), churn=0.01)
    plan = warehouse.design(table(first), 6, rows=rows)
    newer = warehouse.update(plan, table(prior), rows=rows)
    assert warehouse.certify(newer, table(prior)).ok
    one, two = warehouse.to_plan(plan), warehouse.to_plan(newer)
    assert ml.certify(two, two.prior)
    assert (two.version, two.lineage) == (2, one.lineage)
    there = {home for home in homes(one) if home <= set(prior.labels)}
    if one.u == two.u:
        assert there <= homes(two)
    anew = warehouse.to_plan(warehouse.design(table(prior), 6, rows=rows))
    assert ml.exposure([one, two], trials=3000).success < ml.exposure([one, anew], trials=3000).success


def test_plans_without_a_lineage_are_drawn_by_position():
    """As versions before wrote them; giants are integers here."""
    prior = pa.table({"secret": list(range(61)), "count": [*zipf(60), 10**7]})
    made = warehouse.design(prior, 4, layout="circle")
    older = replace(made, header=replace(made.header, lineage=""))
    events = pa.table({"scope": [f"user-{i % 7}" for i in range(61)], "secret": list(range(61))})
    cloak = ml.Cloak(warehouse.to_plan(older), key=KEY)
    for row in warehouse.cloak(older, events, key=KEY, keep_secret=True).to_pyarrow().to_pylist():
        assert tuple(row["set"]) == cloak.draw(row["secret"], scope=row["scope"])
    with pytest.raises(InvalidParameter, match="out of range"):
        replace(made.header, giants=((2**63, 10**7),))


def test_draws_are_those_in_memory(tmp_path):
    """For all secrets, giants too, of a plan that was written and read."""
    first = named([*zipf(60), 10**7])
    prior = walked(first, np.random.default_rng(0))
    plan = warehouse.design(table(first), 4, folder=tmp_path / "first")
    newer = warehouse.update(plan, table(prior), folder=tmp_path / "newer")
    newer = warehouse.load(tmp_path / "newer", engine=newer.table.get_backend())
    names = list(prior.labels)
    events = pa.table({"scope": [f"user-{i % 7}" for i in range(61)], "secret": names})
    cloak = ml.Cloak(warehouse.to_plan(newer), key=KEY)
    for row in warehouse.cloak(newer, events, key=KEY, keep_secret=True).to_pyarrow().to_pylist():
        assert tuple(row["set"]) == cloak.draw(row["secret"], scope=row["scope"])


def test_versions_of_an_engine_stay_one_lineage_in_files(tmp_path):
    """They are called what the engine calls them, and their digests are computed; draws are the same."""
    first = named([*zipf(60), 10**7])
    plan = warehouse.design(table(first), 4)
    newer = warehouse.update(plan, table(walked(first, np.random.default_rng(0))))
    whole = [warehouse.to_plan(version) for version in (plan, newer)]
    for number, version in enumerate(whole):
        version.save(tmp_path / f"{number}.cloak")
    one, two = (ml.load(tmp_path / f"{number}.cloak") for number in range(2))
    assert one.lineage.hex() == two.lineage.hex() == plan.header.lineage
    assert [one.digest, two.digest] == [version.digest for version in whole]
    assert ml.exposure([one, two], trials=500).success == ml.exposure(whole, trials=500).success
    assert one.update(first).descent.ancestors == two.descent.ancestors
    scopes = [str(i) for i in range(61)]
    drawn = [ml.Cloak(version, key=KEY).draw_many(list(range(61)), scopes=scopes) for version in (one, whole[0])]
    assert np.array_equal(*drawn)


def test_refusals():
    """Layouts that keep nothing, secrets of another type."""
    first = named(zipf(30))
    with pytest.raises(InvalidParameter, match="of layout 'circle' nothing can be kept"):
        warehouse.update(warehouse.design(table(first), 4, layout="circle"), table(first))
    plan = warehouse.design(table(first), 4)
    with pytest.raises(InvalidParameter, match="of layout 'odd' nothing can be kept"):
        warehouse.update(replace(plan, header=replace(plan.header, layout="odd")), table(first))
    numbers = pa.table({"secret": [1, 2, 3], "count": [1, 2, 3]})
    with pytest.raises(InvalidParameter, match="text and integers"):
        warehouse.update(plan, numbers)
