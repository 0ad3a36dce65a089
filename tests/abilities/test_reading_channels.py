"""Channels, costs of pairs and places from files."""

import numpy as np
import pytest
from tests.abilities.names import leakage, read_channel, read_pairs, read_places


def test_channel(tmp_path):
    rows = "secret,observable,probability\nflu,hot,0.9\nflu,mild,0.1\ncold,mild,1\n"
    (tmp_path / "test.csv").write_text(rows)
    channel = read_channel(tmp_path / "test.csv", inputs=["flu", "cold"])
    assert np.asarray(channel.toarray()).tolist() == [[0.9, 0.1], [0, 1]]
    assert leakage([1, 1], channel, "min-entropy") == pytest.approx(np.log2(1.9))


def test_mapping_and_matrix(tmp_path):
    (tmp_path / "shown.csv").write_text("secret,observable\nflu,hot\ncold,mild\ngout,hot\n")
    assert np.asarray(read_channel(tmp_path / "shown.csv").toarray()).tolist() == [[1, 0], [0, 1], [1, 0]]
    (tmp_path / "matrix.csv").write_text("secret,hot,mild\nflu,3/4,1/4\ncold,0,1\n")
    assert np.asarray(read_channel(tmp_path / "matrix.csv").toarray()).tolist() == [[0.75, 0.25], [0, 1]]


def test_pairs_and_places(tmp_path):
    (tmp_path / "pairs.csv").write_text("secret,observable,cost\nhome,north,0\nhome,east,1\nwork,east,2\n")
    pairs = read_pairs(tmp_path / "pairs.csv", inputs=["home", "work"])
    assert (pairs.allowed.tolist(), pairs.cost.max()) == ([[True, True], [False, True]], 2)
    (tmp_path / "places.csv").write_text("secret,count,x,y\na,1,0.5,2\nb,1,3,4\n")
    assert read_places(tmp_path / "places.csv", columns=["x", "y"]).tolist() == [[0.5, 2], [3, 4]]
