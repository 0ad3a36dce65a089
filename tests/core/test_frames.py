"""Frames: the names that pandas, polars, xarray and Arrow give to rows and columns are labels, or are refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import minleak as ml
from minleak import lab
from minleak.core._frames import axes
from minleak.errors import InvalidParameter, MinleakError

pandas = pytest.importorskip("pandas")

SECRETS = ["flu", "cold", "gout"]
WEIGHTS = [5, 3, 2]
ROWS = [[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]]
SERIES = pandas.Series(WEIGHTS, index=SECRETS)
FRAME = pandas.DataFrame(ROWS, index=SECRETS, columns=["hot", "not"])


class PolarsFrame:
    """What a frame of polars shows of itself."""

    columns = ("hot", "not")

    def get_columns(self):
        raise NotImplementedError

    def __array__(self, dtype=None, copy=None):
        return np.array(ROWS, dtype=dtype)


def xarrays():
    xarray = pytest.importorskip("xarray")
    return (
        xarray.DataArray(WEIGHTS, dims=["secret"], coords={"secret": SECRETS}),
        xarray.DataArray(ROWS, dims=["secret", "seen"], coords={"secret": SECRETS, "seen": ["hot", "not"]}),
    )


def test_the_index_of_a_series_labels_its_secrets():
    """The same prior with its index reversed is the same prior: it gave another leakage."""
    assert list(ml.Prior(SERIES).labels) == SECRETS
    assert ml.leakage(SERIES, FRAME, "shannon") == ml.leakage(WEIGHTS, ROWS, "shannon")
    assert ml.leakage(SERIES[::-1], FRAME[::-1], "shannon") == pytest.approx(ml.leakage(WEIGHTS, ROWS, "shannon"))
    assert ml.leakage(SERIES[::-1], FRAME, "shannon") == ml.leakage(WEIGHTS, ROWS, "shannon")
    assert ml.leakage(ml.Prior(SERIES), FRAME[::-1], "shannon") == ml.leakage(WEIGHTS, ROWS, "shannon")
    assert list(ml.design(SERIES, k=2).prior.labels) == SECRETS


def test_the_index_and_columns_of_a_frame_label_a_channel():
    channel = ml.Channel(FRAME)
    assert (list(channel.inputs), list(channel.outputs)) == (SECRETS, ["hot", "not"])
    named = ml.Channel(FRAME, inputs=[1, 2, 3], outputs=["y", "n"])
    assert (list(named.inputs), list(named.outputs)) == ([1, 2, 3], ["y", "n"])
    assert list(ml.Channel.deterministic(pandas.Series(["x", "y", "x"], index=SECRETS)).inputs) == SECRETS


def test_arrays_of_xarray_arrow_and_polars():
    weights, rows = xarrays()
    assert list(ml.Prior(weights).labels) == SECRETS
    channel = ml.Channel(rows)
    assert (list(channel.inputs), list(channel.outputs)) == (SECRETS, ["hot", "not"])
    assert ml.leakage(weights[::-1], rows, "shannon") == ml.leakage(WEIGHTS, ROWS, "shannon")
    for table in (pa.table(FRAME.reset_index(drop=True)), PolarsFrame()):
        channel = ml.Channel(table)
        assert channel.inputs.is_default
        assert list(channel.outputs) == ["hot", "not"]
        assert channel.toarray().tolist() == ROWS


def test_what_nobody_named_has_no_labels():
    """A range from 0 on, in whatever index, is what positions are called anyway."""
    for weights in (pandas.Series(WEIGHTS), pandas.Series(WEIGHTS, index=[0, 1, 2]), pa.array(WEIGHTS), WEIGHTS):
        assert ml.Prior(weights).labels.is_default
    assert axes(pandas.DataFrame(ROWS)) == (None, None)
    for given in (5, None, "text", {"a": 1}):
        assert axes(given) == (None, None)
    assert list(ml.Prior(pandas.Series(WEIGHTS)[[2, 0]]).labels) == [2, 0]


def test_labels_beside_weights_with_an_index():
    """Labels that are given count; those of another index are refused."""
    table = pandas.DataFrame({"name": SECRETS, "count": WEIGHTS}).sort_values("count")
    prior = ml.Prior(table["count"], labels=table["name"])
    assert dict(zip(prior.labels, prior.weights.tolist(), strict=True)) == dict(zip(SECRETS, WEIGHTS, strict=True))
    with pytest.raises(MinleakError, match="the weights and their labels have different indices"):
        ml.Prior(table["count"], labels=table["name"].sort_index())


def test_gains_and_metrics_are_matched_and_refused_where_the_secrets_are_not_known():
    prior, backwards = ml.Prior(SERIES), SERIES[::-1]
    assert ml.design(prior, k=2, gains=SERIES).success == ml.design(prior, k=2, gains=WEIGHTS).success
    metric = pandas.DataFrame(np.ones((3, 3)) - np.eye(3), index=SECRETS, columns=SECRETS)
    assert ml.lab.d_privacy(ml.Channel(FRAME[:2]), metric.iloc[:2, :2]) == pytest.approx(np.log(2))
    allowed = pandas.DataFrame(np.ones((3, 2)), index=SECRETS, columns=["hot", "not"])
    found = ml.lab.optimise(prior, allowed=allowed)
    assert list(found.channel.outputs) == ["hot", "not"]
    assert ml.design(prior, k=2, gains=backwards).success == ml.design(prior, k=2, gains=WEIGHTS).success
    assert lab.d_privacy(FRAME, metric.iloc[::-1, [1, 0, 2]]) == lab.d_privacy(FRAME, metric)
    refused = (
        lambda: lab.predicate_gain(pandas.Series([0, 1, 1], index=SECRETS)),
        lambda: ml.Gain("min-entropy", metric),
    )
    for call in refused:
        with pytest.raises(MinleakError, match=r"taken in the order of the secrets, and the .* has names"):
            call()


def test_events_with_different_indices_are_refused():
    """pandas would bring columns together by their index, and positions would not."""
    table = pandas.DataFrame({"secret": ["a", "b"] * 60, "size": [1, 2] * 60})
    assert ml.audit(table["secret"], table["size"]).events == 120
    with pytest.raises(InvalidParameter, match="different indices"):
        ml.audit(table["secret"], table["size"][::-1])
