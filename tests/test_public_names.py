"""The public names: all there, all explained, and light to import."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import minleak as ml

PROMISED = """
    Prior read_prior Channel
    Shannon MinEntropy GuessError Guesswork Arimoto Hayashi FehrBerens SharmaMittal Tsallis Hartley Collision
    CoreConcave check_entropy Gain entropy Cachin JizbaArimitsu RennerWolf find_increase
    leakage leakage_table vulnerability posterior_vulnerability multiplicative_leakage additive_leakage
    maximal_leakage local_dp_epsilon best_guesses capacity Capacity
    majorizes lorenz check_schur_concave
    OptimalAdversary UniformAdversary MismatchedAdversary
    MinleakError InvalidPrior InvalidChannel InvalidParameter UnreadableFile
"""

MEMBERS = {
    "Prior": "p weights labels total exact from_counts uniform __len__",
    "Channel": "joint posteriors output columns preimages preimage_sizes toarray shape __matmul__ parallel product "
    "repeated from_rows deterministic random",
}


@pytest.mark.parametrize("name", PROMISED.split())
def test_promised_names_are_exported(name):
    """Names are a promise: each is in __all__."""
    assert name in ml.__all__


def test_names_are_in_order_and_once():
    """__all__ is sorted, so that a newcomer finds where to add a name."""
    assert sorted(set(ml.__all__)) == sorted(ml.__all__)


@pytest.mark.parametrize("name", sorted(set(ml.__all__) - {"__version__"}))
def test_every_name_exists_and_has_a_docstring(name):
    """A docstring of its own, not that of a base class."""
    assert (getattr(ml, name).__doc__ or "").strip()
    assert getattr(ml, name).__doc__ != getattr(ml, name).__class__.__doc__


@pytest.mark.parametrize(("owner", "members"), MEMBERS.items())
def test_promised_members_exist(owner, members):
    """The attributes that the documentation speaks of."""
    instance = {"Prior": ml.Prior([1]), "Channel": ml.Channel([[1.0]])}[owner]
    for member in members.split():
        assert hasattr(instance, member)


def parameters():
    """(name, parameter) of every public function and method."""
    for name in sorted(set(ml.__all__) - {"__version__"}):
        value = getattr(ml, name)
        members = vars(value).values() if inspect.isclass(value) else [value]
        for function in filter(inspect.isfunction, members):
            yield from (
                (f"{name}.{function.__name__}", parameter) for parameter in inspect.signature(function).parameters
            )


def test_one_concept_has_one_spelling():
    """A single entropy is `entropy`, several are `entropies`."""
    assert not [(where, parameter) for where, parameter in parameters() if parameter in ("H", "measure")]
    assert ("leakage.leakage", "entropy") in parameters()


def test_importing_is_light():
    """import minleak loads none of the heavy libraries; they come when first needed."""
    heavy = ["numpy", "pyarrow", "scipy", "numba", "hypothesis", "mpmath", "rich", "typer"]
    code = f"import minleak, sys; print([name for name in {heavy!r} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["design", "entropy", "leakage", "capacity"])
def test_functions_keep_their_names_from_folders(name):
    """Whichever is imported first, the folder or the function of the same name."""
    code = f"""
import minleak.{name}, minleak as ml
print(callable(ml.{name}), minleak.{name} is ml.{name})
from minleak import {name}
print(callable({name}), __import__("sys").modules["minleak.{name}"] is not {name})
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["True"] * 4


def test_all_names_come_with_a_star_and_in_dir():
    """`from minleak import *` brings what __all__ lists, and dir() shows it; others are no attributes."""
    names: dict[str, object] = {}
    exec("from minleak import *", names)
    assert set(ml.__all__) <= set(names)
    assert set(ml.__all__) <= {*dir(ml), "__version__"}
    assert ml.Shannon is ml.Shannon
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        ml.nothing_of_this_name  # noqa: B018
