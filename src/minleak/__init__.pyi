"""The public names, by the modules that they are loaded from when they are first used."""

from . import errors, mechanisms, padding, report, results, sequences, strings, testing, theory, warehouse
from ._attack.exposures import exposure
from ._data.channel import Channel
from ._data.prior import Prior
from ._data.reading import read_channel, read_pairs, read_places, read_prior
from ._draw.cloak import Cloak
from ._draw.keys import Key
from ._draw.pins import Pins
from ._entropy.gain import Gain
from ._entropy.guessing import GuessError, Guesswork
from ._entropy.names import entropy
from ._entropy.renyi import Arimoto, Collision, Hartley, MinEntropy, Shannon
from ._layouts.blocks import Blocks
from ._layouts.cheapest import Cheapest
from ._layouts.circle import Circle
from ._layouts.near import Near
from ._layouts.stable import Stable
from ._measure.capacities import capacity
from ._measure.leakages import leakage, leakage_table
from ._optimise.budgets import least_budget
from ._optimise.optimum import optimise
from ._optimise.tradeoffs import tradeoff
from ._plan.groups import Groups
from ._plans.certifying import certify
from ._plans.comparing import compare
from ._plans.loading import load
from ._plans.make import design
from ._plans.rings import Plan
from ._plans.sweeps import least_k, sweep
from ._samples.auditing import audit
from ._samples.following import follow
from ._theory.refinement.orders import refined_by

__version__: str

__all__ = [
    "Arimoto",
    "Blocks",
    "Channel",
    "Cheapest",
    "Circle",
    "Cloak",
    "Collision",
    "Gain",
    "Groups",
    "GuessError",
    "Guesswork",
    "Hartley",
    "Key",
    "MinEntropy",
    "Near",
    "Pins",
    "Plan",
    "Prior",
    "Shannon",
    "Stable",
    "__version__",
    "audit",
    "capacity",
    "certify",
    "compare",
    "design",
    "entropy",
    "errors",
    "exposure",
    "follow",
    "leakage",
    "leakage_table",
    "least_budget",
    "least_k",
    "load",
    "mechanisms",
    "optimise",
    "padding",
    "read_channel",
    "read_pairs",
    "read_places",
    "read_prior",
    "refined_by",
    "report",
    "results",
    "sequences",
    "strings",
    "sweep",
    "testing",
    "theory",
    "tradeoff",
    "warehouse",
]
