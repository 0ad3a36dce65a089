"""Entropies by name: every name leads to its entropy and back, and every entropy has a name."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil

import pytest

import minleak as ml
from minleak.core._entropy.names import NAMES, as_entropy
from minleak.errors import InvalidParameter
from minleak.testing import DEGREES, ORDERS

# Entropies that a name cannot make, and why.
NAMELESS = {
    ml.Gain: "needs a matrix",
    ml.lab.CoreConcave: "needs functions",
    ml.lab.Renyi: "needs a form",
}

# Parameters for each name, as text.
_ORDERS = [repr(a) for a in ORDERS]
PARAMETERS = {
    "guess-error": ["1", "2", "17"],
    "sharma-mittal": [f"{a},{b}" for a in _ORDERS for b in map(repr, DEGREES)],
    "tsallis": [a for a in _ORDERS if a != "inf"],
    **dict.fromkeys(("arimoto", "hayashi", "fehrberens"), _ORDERS),
}
ALL = [f"{name}:{text}" for name, texts in PARAMETERS.items() for text in texts]
ALL += [name for name in NAMES if name not in PARAMETERS]


@pytest.mark.parametrize("name", ALL)
def test_round_trip(name):
    H = ml.entropy(name)
    assert ml.entropy(H.name) == H
    assert ml.entropy(H.name).name == H.name


def test_names_keep_all_digits():
    assert ml.Arimoto(1 + 1e-14).name == "arimoto:1.00000000000001"
    assert ml.lab.SharmaMittal(0.1 + 0.2, -1e-300).name == "sharma-mittal:0.30000000000000004,-1e-300"
    assert ml.lab.Hayashi(math.inf).name == "hayashi:inf"
    assert ml.Arimoto(-0.0).name == "arimoto:0"


def every_entropy():
    """The classes of the entropy folder that can be used: not abstract, not private."""
    package = importlib.import_module("minleak.core._entropy")
    for module in pkgutil.iter_modules(package.__path__, "minleak.core._entropy."):
        for _, cls in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            ours = cls.__module__.startswith("minleak.core._entropy.") and issubclass(cls, ml.lab.ConditionalEntropy)
            if ours and not inspect.isabstract(cls) and not cls.__name__.startswith("_"):
                yield cls


def test_every_entropy_has_a_name():
    """Add an entropy's line to the table in entropy/names.py, or its reason to NAMELESS above."""
    named = {maker for maker, *_ in NAMES.values()}
    missing = {cls.__name__ for cls in every_entropy()} - {cls.__name__ for cls in named | set(NAMELESS)}
    assert not missing
    assert {"Shannon", "GuessError", "Tsallis", "Hartley"} <= {cls.__name__ for cls in every_entropy()}


def test_every_name_is_tested_and_every_entropy_public():
    assert set(PARAMETERS) == {name for name, (_, _, most, _) in NAMES.items() if most}
    for cls in every_entropy():
        assert cls in (getattr(room, cls.__name__, None) for room in (ml, ml.lab))


@pytest.mark.parametrize(
    ("name", "H"),
    [
        ("shannon", ml.Shannon()),
        (" Shannon ", ml.Shannon()),
        ("guess-error", ml.GuessError(1)),
        ("guess-error:3", ml.GuessError(3)),
        ("hartley", ml.Arimoto(0)),
        ("collision", ml.Arimoto(2)),
        ("sharma-mittal: 2, -0.5", ml.lab.SharmaMittal(2, -0.5)),
    ],
)
def test_what_a_name_means(name, H):
    assert ml.entropy(name) == H


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("renyi:2", "unknown entropy"),
        ("", "unknown entropy"),
        (":2", "unknown entropy"),
        ("shannon:2", "no parameters"),
        ("shannon:", "not numbers"),
        ("arimoto", "the order alpha"),
        ("arimoto:", "not numbers"),
        ("arimoto:two", "not numbers"),
        ("arimoto:2,3", "gives 2"),
        ("arimoto:2,", "not numbers"),
        ("arimoto:-1", "from 0 on"),
        ("arimoto:nan", "from 0 on"),
        ("tsallis:inf", "finite"),
        ("sharma-mittal:2", "alpha and beta"),
        ("sharma-mittal:2,inf", "finite"),
        ("guess-error:0", "whole number from 1"),
        ("guess-error:1.5", "whole number"),
        (None, "is text"),
        (2, "is text"),
    ],
)
def test_bad_names_are_refused(name, says):
    with pytest.raises(InvalidParameter, match=says):
        ml.entropy(name)


def test_a_base():
    assert ml.entropy("arimoto:2", base=math.e) == ml.Arimoto(2, base=math.e)
    assert ml.entropy("collision", base=3)([1, 1, 1]) == pytest.approx(1)
    for name in ("tsallis:2", "guesswork", "guess-error", "sharma-mittal:2,2"):
        with pytest.raises(InvalidParameter, match="takes no base"):
            ml.entropy(name, base=2)


def test_an_entropy_is_its_own_name():
    H = ml.lab.Tsallis(2)
    assert as_entropy(H) is H
    assert as_entropy("tsallis:2") == H
    with pytest.raises(InvalidParameter):
        as_entropy(2)


def test_equality_and_hash():
    assert ml.Arimoto(2) == ml.Arimoto(2.0)
    assert hash(ml.Arimoto(2)) == hash(ml.Arimoto(2.0))
    assert ml.Arimoto(2) != ml.Arimoto(2, base=3)
    assert ml.Arimoto(2) != ml.lab.Hayashi(2)
    assert len({ml.Shannon(), ml.Shannon(), ml.Guesswork()}) == 2
    assert repr(ml.lab.Tsallis(0.5)) == "<entropy tsallis:0.5>"
