"""Channels and priors in notebooks."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import minleak as ml


def test_a_channel_is_a_heat_map_of_its_first_rows_and_columns():
    shown = ml.Channel([[0.25, 0.75], [0, 1]], inputs=["<b>", "x"], outputs=["hot", "cold"])._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert shown.count("<td") == 4
    assert 'rgba(0, 114, 178, 0.450)">0.75</td>' in shown
    assert "the first" not in shown
    for channel in (ml.Channel(np.eye(50)), ml.Channel(sp.eye_array(50).tocsc())):
        assert channel._repr_html_().count("<td") == 144
        assert "the first 12 of 50 secrets and 12 of 50 observables" in channel._repr_html_()


def test_a_prior_is_a_table_of_its_likeliest_secrets():
    shown = ml.Prior(range(1, 21), labels=[f"s{i}" for i in range(20)])._repr_html_()
    assert shown.index("s19") < shown.index("s18")
    assert shown.count("<td") == 12
    assert "and 8 more, 0.1714 of the probability" in shown
    assert "more" not in ml.Prior([2, 1])._repr_html_()
