"""theory: what the theorems rest on, to be tried out: orders, attackers, checks of an entropy, the paper's algorithm.

>>> from minleak import theory
>>> bool(theory.majorizes([0.7, 0.2, 0.1], [0.4, 0.3, 0.3]))
True
"""

from minleak._design.constrained.invariance import Conflict, Invariance, metric_invariance
from minleak._design.literal import paper_algorithm
from minleak._entropy.base import ConditionalEntropy, Entropy
from minleak._entropy.check import EntropyCheck, check_entropy
from minleak._entropy.nonmonotone import Cachin, JizbaArimitsu, RennerWolf, find_increase
from minleak._measure.adversaries import (
    Adversary,
    MismatchedAdversary,
    OptimalAdversary,
    UniformAdversary,
    best_guesses,
)
from minleak._measure.majorization import Majorization, check_schur_concave, lorenz, majorizes

__all__ = [
    "Adversary",
    "Cachin",
    "ConditionalEntropy",
    "Conflict",
    "Entropy",
    "EntropyCheck",
    "Invariance",
    "JizbaArimitsu",
    "Majorization",
    "MismatchedAdversary",
    "OptimalAdversary",
    "RennerWolf",
    "UniformAdversary",
    "best_guesses",
    "check_entropy",
    "check_schur_concave",
    "find_increase",
    "lorenz",
    "majorizes",
    "metric_invariance",
    "paper_algorithm",
]
