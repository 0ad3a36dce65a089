"""The public names, by the modules that they are loaded from when they are first used."""

from . import errors, padding, report, results, theory, warehouse
from ._data.channel import Channel
from ._data.prior import Prior
from ._data.reading.channels import read_channel
from ._data.reading.pairs import read_pairs
from ._data.reading.places import read_places
from ._data.reading.prior import read_prior
from ._design.alternatives import baselines
from ._design.blocks.plan import Blocks
from ._design.certificate import certify
from ._design.comparing import compare
from ._design.constrained.optimum import optimise
from ._design.constrained.tradeoffs import tradeoff
from ._design.layouts.cheapest import Cheapest
from ._design.layouts.circle import Circle
from ._design.layouts.near import Near
from ._design.layouts.stable import Stable
from ._design.living.exposures import exposure
from ._design.make import design
from ._design.plan import Plan
from ._design.stored.opening import load
from ._design.sweeps import least_k, sweep
from ._entropy.custom import CoreConcave
from ._entropy.gain import Gain
from ._entropy.guessing import GuessError, Guesswork, MinEntropy
from ._entropy.names import entropy
from ._entropy.renyi import Arimoto, Collision, FehrBerens, Hartley, Hayashi
from ._entropy.shannon import Shannon
from ._entropy.sharma_mittal import SharmaMittal, Tsallis
from ._measure.capacities import capacity
from ._measure.leakages import (
    additive_leakage,
    leakage,
    leakage_table,
    local_dp_epsilon,
    maximal_leakage,
    multiplicative_leakage,
    posterior_vulnerability,
    vulnerability,
)
from ._run.cloak import Cloak
from ._run.keys import Key
from .errors import MinleakError

__version__: str

__all__ = [
    "Arimoto",
    "Blocks",
    "Channel",
    "Cheapest",
    "Circle",
    "Cloak",
    "Collision",
    "CoreConcave",
    "FehrBerens",
    "Gain",
    "GuessError",
    "Guesswork",
    "Hartley",
    "Hayashi",
    "Key",
    "MinEntropy",
    "MinleakError",
    "Near",
    "Plan",
    "Prior",
    "Shannon",
    "SharmaMittal",
    "Stable",
    "Tsallis",
    "__version__",
    "additive_leakage",
    "baselines",
    "capacity",
    "certify",
    "compare",
    "design",
    "entropy",
    "errors",
    "exposure",
    "leakage",
    "leakage_table",
    "least_k",
    "load",
    "local_dp_epsilon",
    "maximal_leakage",
    "multiplicative_leakage",
    "optimise",
    "padding",
    "posterior_vulnerability",
    "read_channel",
    "read_pairs",
    "read_places",
    "read_prior",
    "report",
    "results",
    "sweep",
    "theory",
    "tradeoff",
    "vulnerability",
    "warehouse",
]
