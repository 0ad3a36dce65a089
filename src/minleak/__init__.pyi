"""The public names, by the modules that they are loaded from when they are first used."""

from . import errors, lab, padding, report, results, scale, strings, testing
from .core._capacity import capacity
from .core._certify.certifying import certify
from .core._channel import Channel
from .core._cloak import Cloak
from .core._design import design
from .core._entropy.families import Arimoto, Collision, GuessError, Guesswork, Hartley, MinEntropy, Shannon
from .core._entropy.gain import Gain
from .core._entropy.names import entropy
from .core._keys import Key
from .core._layouts.blocks import Blocks
from .core._layouts.circle import Circle
from .core._layouts.stable import Stable
from .core._leakage import leakage, leakage_table
from .core._load import load
from .core._plan.drawing_table import export
from .core._plan.groups import Groups
from .core._plan.plan import Plan
from .core._prior import Prior
from .core._property_leakage import property_leakage
from .io._reading import read_channel, read_pairs, read_places, read_prior
from .lineage._lineage import update
from .lineage._pins import Pins
from .lookups._buckets import Buckets
from .lookups._selector import selector
from .lookups._visits import visits
from .near._cheapest import Cheapest
from .near._decoys import decoy_distances
from .near._near import Near
from .rates._summaries import summary
from .rates._sweeps import least_k, sweep
from .rates._world import population
from .rivals._comparing import compare
from .rivals._exposures import exposure, repeated
from .samples._auditing import audit

__version__: str

__all__ = [
    "Arimoto",
    "Blocks",
    "Buckets",
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
    "decoy_distances",
    "design",
    "entropy",
    "errors",
    "export",
    "exposure",
    "lab",
    "leakage",
    "leakage_table",
    "least_k",
    "load",
    "padding",
    "population",
    "property_leakage",
    "read_channel",
    "read_pairs",
    "read_places",
    "read_prior",
    "repeated",
    "report",
    "results",
    "scale",
    "selector",
    "strings",
    "summary",
    "sweep",
    "testing",
    "update",
    "visits",
]
