"""The public names, by the modules that they are loaded from when they are first used."""

from . import errors, mechanisms, padding, report, results, theory, warehouse
from ._attack.alternatives import baselines
from ._attack.comparing import compare
from ._attack.estimating import estimate_prior
from ._attack.exposures import exposure
from ._data.channel import Channel
from ._data.prior import Prior
from ._data.reading.channels import read_channel
from ._data.reading.pairs import read_pairs
from ._data.reading.places import read_places
from ._data.reading.prior import read_prior
from ._draw.cloak import Cloak
from ._draw.decoy_words import honeywords
from ._draw.keys import Key
from ._draw.pins import Pins
from ._entropy.custom import CoreConcave
from ._entropy.gain import Gain
from ._entropy.guessing import GuessError, Guesswork, MinEntropy
from ._entropy.names import entropy
from ._entropy.renyi import Arimoto, Collision, FehrBerens, Hartley, Hayashi
from ._entropy.shannon import Shannon
from ._entropy.sharma_mittal import SharmaMittal, Tsallis
from ._layouts.blocks import Blocks
from ._layouts.cheapest import Cheapest
from ._layouts.circle import Circle
from ._layouts.near import Near
from ._layouts.stable import Stable
from ._measure.additive import additive_capacity
from ._measure.capacities import capacity
from ._measure.leakages import leakage, leakage_table
from ._measure.privacy import d_privacy
from ._measure.refinement import refines
from ._optimise.budgets import least_budget
from ._optimise.optimum import optimise
from ._optimise.tradeoffs import tradeoff
from ._plans.certifying import certify
from ._plans.loading import load
from ._plans.make import design
from ._plans.rings import Plan
from ._plans.sweeps import least_k, sweep
from ._samples.auditing import audit
from ._samples.following import follow
from ._samples.looks import observations_needed, repeated_success
from ._sequences.chain import Chain
from ._sequences.measuring import sequence_baselines, sequence_leakage
from ._sequences.reading import read_chain
from ._sequences.tracks import Tracks
from ._strings.ngram import NGram
from ._strings.policy import Policy
from .errors import MinleakError

__version__: str

__all__ = [
    "Arimoto",
    "Blocks",
    "Chain",
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
    "NGram",
    "Near",
    "Pins",
    "Plan",
    "Policy",
    "Prior",
    "Shannon",
    "SharmaMittal",
    "Stable",
    "Tracks",
    "Tsallis",
    "__version__",
    "additive_capacity",
    "audit",
    "baselines",
    "capacity",
    "certify",
    "compare",
    "d_privacy",
    "design",
    "entropy",
    "errors",
    "estimate_prior",
    "exposure",
    "follow",
    "honeywords",
    "leakage",
    "leakage_table",
    "least_budget",
    "least_k",
    "load",
    "mechanisms",
    "observations_needed",
    "optimise",
    "padding",
    "read_chain",
    "read_channel",
    "read_pairs",
    "read_places",
    "read_prior",
    "refines",
    "repeated_success",
    "report",
    "results",
    "sequence_baselines",
    "sequence_leakage",
    "sweep",
    "theory",
    "tradeoff",
    "warehouse",
]
