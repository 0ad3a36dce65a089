"""Plans inside DuckDB: the target, the certificate and the drawn sets of a plan in memory."""

import pytest
from tests.abilities.names import Cloak, Key, certify, design, engine_draws, exact_target

COUNTS = {f"query-{i}": 1000 // i for i in range(1, 41)}
ASKED = [(f"query-{3 * i % 40 + 1}", f"user-{i}") for i in range(12)]


def test_equals_memory():
    pytest.importorskip("duckdb")
    key = bytes(range(32))
    plan, certified, drawn = engine_draws(COUNTS, 10, ASKED, key=key)
    assert (exact_target(plan), certified) == (exact_target(design(COUNTS, 10)), True)
    assert certify(plan, COUNTS).ok
    cloak = Cloak(plan, key=Key(key))
    assert drawn == [cloak.draw(secret, scope=scope) for secret, scope in ASKED]
