"""The example of honeywords: k words whatever the password, and a thief of the lists who guesses blindly.

The thief shares no code with the generator. Orders come from the system's randomness, so bounds are ten standard
deviations wide: right code fails with probability below 1e-12.
"""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

import minleak as ml
from minleak.errors import InvalidParameter, UnknownSecret

PATH = Path(__file__).parents[2] / "examples" / "honeywords.py"
K, ACCOUNTS = 20, 1000


def module():
    spec = importlib.util.spec_from_file_location("honeywords", PATH)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


WEIGHTS = {f"word{i:03}": 300 // (i + 10) for i in range(200)}
GENERATOR = module().Honeywords(ml.Prior.from_counts({**WEIGHTS, "never-used": 0}), unknown_share=0.3)
KNOWN = random.Random(1).choices(list(WEIGHTS), WEIGHTS.values(), k=ACCOUNTS)
MODEL = ml.strings.NGram.fit([*WEIGHTS, "never-used"])
UNKNOWN = [MODEL.at(random.Random(i).randrange(MODEL.total)) for i in range(ACCOUNTS)]


def swapped(words, real, rng):
    """As a package stores them: the real word changes places with the one at a random index."""
    stored, index = list(words), rng.randrange(len(words))
    at = stored.index(real)
    stored[at], stored[index] = stored[index], stored[at]
    return stored


def moved(stored, rng):
    """A thief's guess: one of the words that are not where sorting would put them, or any if none or all are."""
    odd = [word for word, other in zip(stored, sorted(stored), strict=True) if word != other]
    return rng.choice(odd or stored)


def earliest(stored, rng):
    """Another's: what comes first, be it by place or by the alphabet."""
    return rng.choice([stored[0], stored[-1], min(stored), max(stored)])


@pytest.mark.parametrize("guess", [moved, earliest])
@pytest.mark.parametrize("passwords", [KNOWN, UNKNOWN], ids=["known", "unknown"])
def test_a_thief_of_the_lists(passwords, guess):
    """Is right for one account in k, not for every other one."""
    rng, right = random.Random(2), 0
    for real in passwords:
        words = GENERATOR.honeywords(real, K)
        assert real in words
        right += guess(swapped(words, real, rng), rng) == real
    spread = (ACCOUNTS / K * (1 - 1 / K)) ** 0.5
    assert right < ACCOUNTS / K + 10 * spread


ODD = ["never-used", "пароль", "密码密码", "éé", "x7", "пa", "1234", "-_-", "😀😀", "a\0b", "", " ", "7"]


@pytest.mark.parametrize("k", [2, 8, 20])
def test_never_fewer_than_k(k):
    """Different words, the real one among them, whatever it is."""
    for real in (*ODD, KNOWN[0], UNKNOWN[0], "x" * 32):
        words = GENERATOR.honeywords(real, k)
        assert len(words) == len(set(words)) == k
        assert real in words


@pytest.mark.parametrize("real", ["x" * 33, "\udc80\udc81", 7, None], ids=ascii)
def test_what_the_model_cannot_hold_is_refused(real):
    """Rather than given away alone, and without being quoted."""
    with pytest.raises(UnknownSecret, match="too long, no text") as caught:
        GENERATOR.honeywords(real, K)
    assert "xxx" not in str(caught.value)


def test_a_small_vocabulary():
    """Of fewer than k words shows no fewer than k."""
    generator = module().Honeywords(ml.Prior.from_counts({"water": 2, "house": 1}))
    assert len(set(generator.honeywords("water", 8))) == 8


def test_a_plan_for_another_number_of_words():
    """Is refused."""
    model = ml.strings.NGram.fit(["water", "house"])
    with pytest.raises(InvalidParameter, match="the plan is for 4 words, not 5"):
        ml.strings.honeywords("water", 5, model=ml.design(model, 4))
    with pytest.raises(InvalidParameter, match="a dict is no model"):
        ml.strings.honeywords("water", 5, model={})
