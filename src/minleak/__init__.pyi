"""The public names, by the modules that they are loaded from when they are first used."""

from . import report
from .adversary import (
    Adversary,
    MismatchedAdversary,
    OptimalAdversary,
    UniformAdversary,
    best_guesses,
)
from .capacity import Capacity, capacity
from .channel import Channel, Posteriors
from .cloak.cloak import Cloak
from .cloak.keys import Key
from .design.baselines import Baseline, Estimate, baselines
from .design.certify import Certificate, certify
from .design.constrained.invariance import Conflict, Invariance, metric_invariance
from .design.constrained.optimise import Optimum, Stage, optimise
from .design.constrained.tradeoff import FrontierPoint, Tradeoff, tradeoff
from .design.layouts.cheapest import Cheapest
from .design.layouts.circle import Circle
from .design.layouts.near import Near
from .design.layouts.stable import Stable
from .design.literal import paper_algorithm
from .design.make import design
from .design.padding.compare import PaddingComparison, compare_paddings
from .design.padding.curve import PaddingFrontier, padding_frontier
from .design.padding.make import padding
from .design.padding.policies import padme, to_multiple, to_power_of_two
from .design.padding.result import Padding
from .design.plan import Plan
from .design.pricing.cost import Cost
from .design.stored.opening import load
from .design.sweep import Sweep, least_k, sweep
from .entropy.base import ConditionalEntropy, Entropy
from .entropy.check import EntropyCheck, check_entropy
from .entropy.custom import CoreConcave
from .entropy.gain import Gain
from .entropy.guessing import GuessError, Guesswork, MinEntropy
from .entropy.names import entropy
from .entropy.nonmonotone import Cachin, JizbaArimitsu, RennerWolf, find_increase
from .entropy.renyi import Arimoto, Collision, FehrBerens, Hartley, Hayashi
from .entropy.shannon import Shannon
from .entropy.sharma_mittal import SharmaMittal, Tsallis
from .errors import (
    Infeasible,
    InvalidChannel,
    InvalidCloak,
    InvalidKey,
    InvalidParameter,
    InvalidPrior,
    MinleakError,
    MissingExtra,
    SolverFailed,
    UnknownSecret,
    UnreadableFile,
)
from .leakage import (
    LeakageTable,
    additive_leakage,
    leakage,
    leakage_table,
    local_dp_epsilon,
    maximal_leakage,
    multiplicative_leakage,
    posterior_vulnerability,
    vulnerability,
)
from .majorization import Majorization, check_schur_concave, lorenz, majorizes
from .prior import Prior
from .reading.channels import read_channel
from .reading.pairs import Pairs, read_pairs
from .reading.places import read_places
from .reading.prior import read_prior

__version__: str

__all__ = [
    "Adversary",
    "Arimoto",
    "Baseline",
    "Cachin",
    "Capacity",
    "Certificate",
    "Channel",
    "Cheapest",
    "Circle",
    "Cloak",
    "Collision",
    "ConditionalEntropy",
    "Conflict",
    "CoreConcave",
    "Cost",
    "Entropy",
    "EntropyCheck",
    "Estimate",
    "FehrBerens",
    "FrontierPoint",
    "Gain",
    "GuessError",
    "Guesswork",
    "Hartley",
    "Hayashi",
    "Infeasible",
    "InvalidChannel",
    "InvalidCloak",
    "InvalidKey",
    "InvalidParameter",
    "InvalidPrior",
    "Invariance",
    "JizbaArimitsu",
    "Key",
    "LeakageTable",
    "Majorization",
    "MinEntropy",
    "MinleakError",
    "MismatchedAdversary",
    "MissingExtra",
    "Near",
    "OptimalAdversary",
    "Optimum",
    "Padding",
    "PaddingComparison",
    "PaddingFrontier",
    "Pairs",
    "Plan",
    "Posteriors",
    "Prior",
    "RennerWolf",
    "Shannon",
    "SharmaMittal",
    "SolverFailed",
    "Stable",
    "Stage",
    "Sweep",
    "Tradeoff",
    "Tsallis",
    "UniformAdversary",
    "UnknownSecret",
    "UnreadableFile",
    "__version__",
    "additive_leakage",
    "baselines",
    "best_guesses",
    "capacity",
    "certify",
    "check_entropy",
    "check_schur_concave",
    "compare_paddings",
    "design",
    "entropy",
    "find_increase",
    "leakage",
    "leakage_table",
    "least_k",
    "load",
    "local_dp_epsilon",
    "lorenz",
    "majorizes",
    "maximal_leakage",
    "metric_invariance",
    "multiplicative_leakage",
    "optimise",
    "padding",
    "padding_frontier",
    "padme",
    "paper_algorithm",
    "posterior_vulnerability",
    "read_channel",
    "read_pairs",
    "read_places",
    "read_prior",
    "report",
    "sweep",
    "to_multiple",
    "to_power_of_two",
    "tradeoff",
    "vulnerability",
]
