"""The public names, by the modules that they are loaded from when they are first used."""

from . import errors, mechanisms, padding, report, results, theory, warehouse
from ._data.channel import Channel
from ._data.prior import Prior
from ._data.reading.channels import read_channel
from ._data.reading.pairs import read_pairs
from ._data.reading.places import read_places
from ._data.reading.prior import read_prior
from ._design.alternatives import baselines
from ._design.certifying import certify
from ._design.comparing import compare
from ._design.constrained.budgets import least_budget
from ._design.constrained.optimum import optimise
from ._design.constrained.tradeoffs import tradeoff
from ._design.estimating import estimate_prior
from ._design.exposures import exposure
from ._design.layouts.blocks import Blocks
from ._design.layouts.cheapest import Cheapest
from ._design.layouts.circle import Circle
from ._design.layouts.near import Near
from ._design.layouts.stable import Stable
from ._design.make import design
from ._design.plan import Plan
from ._design.stored.opening import load
from ._design.sweeps import least_k, sweep
from ._design.unlisted.ngram import NGram
from ._design.unlisted.policy import Policy
from ._entropy.custom import CoreConcave
from ._entropy.gain import Gain
from ._entropy.guessing import GuessError, Guesswork, MinEntropy
from ._entropy.names import entropy
from ._entropy.renyi import Arimoto, Collision, FehrBerens, Hartley, Hayashi
from ._entropy.shannon import Shannon
from ._entropy.sharma_mittal import SharmaMittal, Tsallis
from ._measure.additive import additive_capacity
from ._measure.capacities import capacity
from ._measure.leakages import leakage, leakage_table
from ._measure.privacy import d_privacy
from ._measure.refinement import refines
from ._run.cloak import Cloak
from ._run.decoy_words import honeywords
from ._run.keys import Key
from ._run.pins import Pins
from ._samples.auditing import audit
from ._samples.following import follow
from ._samples.looks import observations_needed, repeated_success
from ._sequences.chain import Chain
from ._sequences.measuring import sequence_baselines, sequence_leakage
from ._sequences.reading import read_chain
from ._sequences.tracks import Tracks
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
