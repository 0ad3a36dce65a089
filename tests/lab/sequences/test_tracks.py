"""Tracks at work: sticky, causal, resumed elsewhere, secret in all they say."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import chisquare

import minleak as ml
from minleak.errors import InvalidCloak, InvalidKey, InvalidParameter, UnknownSecret

KEY = bytes(range(32))
PLACES = [f"place-{i}" for i in range(12)]


def chain(backoff=2, n=12):
    rng = np.random.default_rng(5)
    counts = (
        rng.integers(1, 9, (n, n)) * (rng.random((n, n)) < 0.3)
        + np.eye(n, k=1, dtype=int)
        + np.eye(n, k=1 - n, dtype=int)
    )
    return ml.lab.sequences.Chain(rng.integers(1, 9, n), counts, labels=PLACES[:n], backoff=backoff)


@pytest.fixture(scope="module")
def tracks():
    return ml.lab.sequences.Tracks(chain(), 4, key=KEY)


def test_sticky_causal_and_the_true_track_is_there(tracks):
    """The same arguments show the same; longer walks begin as shorter ones; one place holds the walk all along."""
    walk = tracks.chain.simulate(9, seed=2)[0]
    shown = tracks.draw(walk, scope="ann")
    assert shown == tracks.draw(walk, scope="ann")
    assert shown[:5] == tracks.draw(walk[:5], scope="ann")
    assert shown != tracks.draw(walk, scope="bob")
    assert shown != ml.lab.sequences.Tracks(tracks.chain, 4, key=KEY[::-1]).draw(walk, scope="ann")
    assert any(all(step[i] == state for step, state in zip(shown, walk, strict=True)) for i in range(4))
    assert all(len(step) == 4 for step in shown)
    assert shown.cuts == ()


def test_another_process_goes_on(tracks, tmp_path):
    """What is saved is small, and enough with the chain and the key; the true place is not in it."""
    walk = tracks.chain.simulate(8, seed=3)[0]
    whole = tracks.draw(walk, scope="ann")
    going = tracks.start(walk[0], scope="ann")
    for state in walk[1:4]:
        going.move(state)
    tracks.chain.save(tmp_path / "x.chain")
    code = (
        "import sys, json, minleak as ml\n"
        f"chain = ml.lab.sequences.Chain.load({str(tmp_path / 'x.chain')!r})\n"
        "tracks = ml.lab.sequences.Tracks(chain, 4, key=bytes(range(32)))\n"
        "walk = tracks.resume(sys.argv[1], scope='ann')\n"
        "print(json.dumps([walk.move(state) for state in sys.argv[2:]]))"
    )
    saved = going.saved()
    ran = subprocess.run([sys.executable, "-c", code, saved, *walk[4:]], capture_output=True, text=True, check=True)
    assert [tuple(step) for step in json.loads(ran.stdout)] == whole[4:]
    assert len(saved) < 800
    going.move(walk[4])
    assert tracks.resume(saved, scope="ann").move(walk[4]) == going.shown == whole[4]


def test_what_was_tampered_with_is_refused(tracks):
    """Another place, another key, another k, or no walk at all."""
    saved = tracks.start("place-1", scope="ann").saved()
    data = json.loads(saved)
    data["walk"]["place"] = (data["walk"]["place"] + 1) % 4
    others = [
        ml.lab.sequences.Tracks(tracks.chain, 4, key=KEY[::-1]),
        ml.lab.sequences.Tracks(tracks.chain, 3, key=KEY),
    ]
    for who, text in [
        (tracks, json.dumps(data)),
        (tracks, "{}"),
        (tracks, "x"),
        (tracks, None),
        *((o, saved) for o in others),
    ]:
        with pytest.raises(InvalidCloak, match="no walk"):
            who.resume(text, scope="ann")
    with pytest.raises(InvalidParameter, match="begun for another scope"):
        tracks.resume(saved, scope="bob")


def test_masks_hide_the_true_place(tracks):
    """The place that is saved is uniform whatever the true one is."""
    counts = np.zeros((4, 4))
    for number in range(400):
        walk = tracks.start("place-1", scope=f"user {number}")
        counts[walk._place, json.loads(walk.saved())["walk"]["place"]] += 1
    assert chisquare(counts.sum(axis=1)).pvalue > 1e-4
    assert chisquare(counts.ravel()).pvalue > 1e-4


def test_places_and_ranks_are_uniform(tracks):
    """The true place by chi-square, and the rank of the true track's likelihood among all."""
    model, rng = tracks.chain, np.random.default_rng(7)
    places, ranks = np.zeros(4), np.zeros(4)
    for number, states in enumerate(model.simulate_positions(3, 400, rng)):
        shown = tracks.draw([PLACES[x] for x in states.tolist()], scope=f"user {number}")
        seen = np.array([[PLACES.index(label) for label in step] for step in shown])
        true = np.flatnonzero((seen == states[:, None]).all(axis=0))
        place = true[rng.integers(len(true))]
        odds = np.log(model.probabilities(seen[:-1], seen[1:])).sum(axis=0) + 1e-9 * rng.random(4)
        places[place] += 1
        ranks[(odds < odds[place]).sum()] += 1
    assert chisquare(places).pvalue > 1e-4
    assert chisquare(ranks).pvalue > 1e-4


def test_impossible_moves_are_refused_or_cut_the_link():
    """By default nothing is shown and the walk stays where it was; with restart the cut is told."""
    sparse = ml.lab.sequences.Chain([1, 1, 0], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], labels=["a", "b", "c"])
    strict = ml.lab.sequences.Tracks(sparse, 2, key=KEY)
    walk = strict.start("a", scope="x")
    before = walk.saved()
    with pytest.raises(InvalidParameter, match="restart"):
        walk.move("a")
    assert walk.saved() == before
    with pytest.raises(InvalidParameter, match="first state"):
        strict.start("c", scope="x")
    loose = ml.lab.sequences.Tracks(sparse, 2, key=KEY, on_impossible="restart")
    shown = loose.draw(["c", "a", "a", "b"], scope="x")
    assert shown.cuts == (0, 2)
    assert shown == loose.draw(["c", "a", "a", "b"], scope="x")
    assert all(state in step for state, step in zip("caab", shown, strict=True))
    never = ml.lab.sequences.Tracks(
        ml.lab.sequences.Chain([1, 0], [[1, 0], [1, 0]]), 2, key=KEY, on_impossible="restart"
    )
    with pytest.raises(InvalidParameter, match="no walk ever comes there"):
        never.start(1, scope="x")


def test_refusals_name_no_state_and_no_key(tracks):
    """Unknown states, bad scopes, no key, pickles; and representations tell nothing."""
    with pytest.raises(UnknownSecret, match="does not know") as refused:
        tracks.draw(["place-1", "hidden-thing"], scope="ann")
    assert refused.value.at == 1
    assert "hidden" not in str(refused.value)
    for scope in ("", " ", None, 3):
        with pytest.raises(InvalidParameter, match="scope"):
            tracks.draw(["place-1"], scope=scope)
    with pytest.raises(InvalidKey, match="key="):
        ml.lab.sequences.Tracks(tracks.chain, 2).draw(["place-1"], scope="ann")
    walk = tracks.start("place-1", scope="ann")
    for thing in (tracks, walk):
        assert "place" not in repr(thing)
        assert KEY.hex()[:8] not in repr(thing)
        with pytest.raises(InvalidKey, match="pickled"):
            pickle.dumps(thing)
    for make in (
        lambda: ml.lab.sequences.Tracks("chain", 2),
        lambda: ml.lab.sequences.Tracks(tracks.chain, 0),
        lambda: ml.lab.sequences.Tracks(tracks.chain, 2.5),
        lambda: ml.lab.sequences.Tracks(tracks.chain, 2, on_impossible="pass"),
        lambda: tracks.draw([], scope="ann"),
        lambda: tracks.draw("place-1", scope="ann"),
    ):
        with pytest.raises(InvalidParameter):
            make()


def test_one_track_and_more_tracks_than_states():
    """k = 1 shows the walk; with k above n states are shared evenly."""
    model = chain(n=3)
    assert ml.lab.sequences.Tracks(model, 1, key=KEY).draw(["place-0", "place-1"], scope="a") == [
        ("place-0",),
        ("place-1",),
    ]
    shown = ml.lab.sequences.Tracks(model, 7, key=KEY).draw(["place-0", "place-1", "place-2"], scope="a")
    assert max(shown[2].count(place) for place in PLACES[:3]) < 7
