"""minleak: measure what a system leaks about its secrets, and build the countermeasure that leaks least.

The public names and nothing else. Heavy libraries are imported where they are first needed, not here.

    >>> import minleak as ml
    >>> ml.leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]], ml.Shannon())
    1.0
"""

from minleak.adversary import (
    Adversary,
    MismatchedAdversary,
    OptimalAdversary,
    UniformAdversary,
    best_guesses,
)
from minleak.capacity import Capacity, capacity
from minleak.channel import Channel, Posteriors
from minleak.cloak.cloak import Cloak
from minleak.cloak.keys import Key
from minleak.cloak.store import load
from minleak.design.baselines import Baseline, Estimate, baselines
from minleak.design.certify import Certificate, certify
from minleak.design.constrained.invariance import Conflict, Invariance, metric_invariance
from minleak.design.constrained.optimise import Optimum, Stage, optimise
from minleak.design.constrained.tradeoff import FrontierPoint, Tradeoff, tradeoff
from minleak.design.literal import paper_algorithm
from minleak.design.make import design
from minleak.design.padding.compare import PaddingComparison, compare_paddings
from minleak.design.padding.curve import PaddingFrontier, padding_frontier
from minleak.design.padding.make import padding
from minleak.design.padding.policies import padme, to_multiple, to_power_of_two
from minleak.design.padding.result import Padding
from minleak.design.plan import Plan
from minleak.design.pricing.cost import Cost
from minleak.design.sweep import Sweep, least_k, sweep
from minleak.entropy.base import ConditionalEntropy, Entropy
from minleak.entropy.check import EntropyCheck, check_entropy
from minleak.entropy.custom import CoreConcave
from minleak.entropy.gain import Gain
from minleak.entropy.guessing import GuessError, Guesswork, MinEntropy
from minleak.entropy.names import entropy
from minleak.entropy.nonmonotone import Cachin, JizbaArimitsu, RennerWolf, find_increase
from minleak.entropy.renyi import Arimoto, Collision, FehrBerens, Hartley, Hayashi
from minleak.entropy.shannon import Shannon
from minleak.entropy.sharma_mittal import SharmaMittal, Tsallis
from minleak.errors import (
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
from minleak.leakage import (
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
from minleak.majorization import Majorization, check_schur_concave, lorenz, majorizes
from minleak.prior import Prior
from minleak.reading.channels import read_channel
from minleak.reading.pairs import Pairs, read_pairs
from minleak.reading.places import read_places
from minleak.reading.prior import read_prior

__version__ = "0.1.0"

__all__ = [
    "Adversary",
    "Arimoto",
    "Baseline",
    "Cachin",
    "Capacity",
    "Certificate",
    "Channel",
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
    "sweep",
    "to_multiple",
    "to_power_of_two",
    "tradeoff",
    "vulnerability",
]
