"""Sequences: a chain of states, decoy walks beside the true one, and what a watcher of every step learns."""

import numpy as np
import pytest
from tests.abilities.names import Chain, DecoyWalks, certify, chain_of, entropy_rate, load_chain, sequence_leakage

RING = sum(np.roll(np.eye(6, dtype=int), shift, axis=0) for shift in (0, 0, 1, -1))


def test_chain(tmp_path):
    chain = Chain([1, 1], [[3, 1], [1, 1]], labels=["home", "work"])
    rate = 2 / 3 * (0.75 * np.log2(4 / 3) + 0.25 * 2) + 1 / 3
    assert (chain.probability("home", "work"), entropy_rate(chain)) == (0.25, pytest.approx(rate))
    chain.save(tmp_path / "walks.chain")
    assert load_chain(tmp_path / "walks.chain").probability("home", "work") == 0.25
    counted = chain_of([["home", "work", "home"], ["home", "shop", "home"]], smoothing=0)
    assert counted.probability("home", "work") == 0.5


def test_walks():
    walks = DecoyWalks(Chain([1, 1, 1], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], labels=["a", "b", "c"]), 2, key=bytes(32))
    shown = list(walks.draw(["a", "b", "a"], scope="ann"))
    assert shown == list(walks.draw(["a", "b", "a"], scope="ann"))
    assert all(len(set(step)) == 2 and state in step for step, state in zip(shown, ["a", "b", "a"], strict=True))
    assert shown == [("c", "a"), ("a", "b"), ("c", "a")]
    walk = walks.start("a", scope="ann")
    assert walk.move("b") == shown[1]
    assert certify(walks, step=walk.shown).ok


def test_leakage():
    chain = Chain([1] * 6, RING)
    assert sequence_leakage(chain, "buckets", k=2, steps=3).filtered.values == (0.5, 0.625, 0.65625)
    best = sequence_leakage(chain, DecoyWalks(chain, 2, key=bytes(32)), steps=3, trials=50, rng=0)
    assert max(best.smoothed.values) <= 0.5 + 1e-9
