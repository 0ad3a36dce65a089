"""Entropies by name, as the command line takes them."""

import numpy as np
import pytest
from tests.abilities.names import InvalidParameter, entropy


@pytest.mark.parametrize(
    ("name", "bits"), [("shannon", 2), ("min-entropy", 2), ("arimoto:3", 2), ("hartley", 2), ("guesswork", 2.5)]
)
def test_uniform(name, bits):
    assert entropy(name)(np.ones(4)) == pytest.approx(bits)


def test_unknown_name():
    with pytest.raises(InvalidParameter):
        entropy("shanon")
