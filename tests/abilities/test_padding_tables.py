"""Tables of sizes: kept in files, for any size, of recorded answers, updated, and ready-made."""

import numpy as np
import pytest
from tests.abilities.names import (
    load_sizes,
    pad_design,
    pad_from_samples,
    pad_update,
    profile_of_dns,
    profile_of_messages,
    size_table,
    universal,
)

SIZES = [100 * i + 7 for i in range(1, 61)]


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_files(ending, tmp_path):
    found = pad_design(SIZES, overhead=0.1)
    found.save(tmp_path / f"table.{ending}")
    table = load_sizes(tmp_path / f"table.{ending}")
    assert table.values == size_table(found).values
    for size in SIZES:
        assert table.pad(size) == found.pad(size) >= size


def test_universal():
    table = universal(100, 10_000, max_growth=0.25)
    padded = np.array([table.pad(size) for size in range(100, 10_001)])
    assert (padded / np.arange(100, 10_001)).max() <= 1.25
    assert len(table.values) == 21  # the logarithm of 100 to base 1.25 is 20.6


def test_samples():
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 4, 4000)
    size = 1000 + 300 * topic + rng.integers(0, 400, 4000)
    found = pad_from_samples(topic, size, overhead=0.3, rng=0)
    assert (found.leakage, found.unpadded) == (
        pytest.approx(0.216558158, abs=1e-9),
        pytest.approx(1.664895667, abs=1e-9),
    )
    assert found.success == pytest.approx(0.352)
    assert len(found.table.values) in (26, 27)  # one more hides as much


def test_update():
    found = pad_design(SIZES, overhead=0.1)
    newer = pad_update(found, [size + 3 for size in SIZES])
    assert all(newer.pad(size + 3) >= size + 3 for size in SIZES)
    assert newer.overheads.share <= 0.1 + 1e-9


def test_profiles():
    messages, dns = profile_of_messages(), profile_of_dns()
    assert (messages.table.pad(100), messages.unpadded, messages.leakage) == (124, 8.0451, 2.0232)
    assert dns.leakage < dns.unpadded
