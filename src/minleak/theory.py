"""theory: what the theorems rest on, to be tried out: orders, attackers, risks, checks, the paper's algorithm.

>>> from minleak import theory
>>> bool(theory.majorizes([0.7, 0.2, 0.1], [0.4, 0.3, 0.3]))
True
"""

from minleak._data.together import Together
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
from minleak._measure.join_meet import join_meet, join_meet_refines
from minleak._measure.majorization import Majorization, check_schur_concave, lorenz, majorizes
from minleak._measure.max_case import (
    max_case_capacity,
    max_case_leakage,
    max_case_vulnerability,
    pointwise_maximal_leakage,
)
from minleak._measure.privacy import induced_metric
from minleak._measure.refinement import max_refines
from minleak._measure.risks import loss_gain, posterior_risk, predicate_gain, risk, risk_leakage, tries_gain
from minleak._measure.row_distances import bayes_risk_capacity, bayes_security

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
    "Together",
    "UniformAdversary",
    "bayes_risk_capacity",
    "bayes_security",
    "best_guesses",
    "check_entropy",
    "check_schur_concave",
    "find_increase",
    "induced_metric",
    "join_meet",
    "join_meet_refines",
    "lorenz",
    "loss_gain",
    "majorizes",
    "max_case_capacity",
    "max_case_leakage",
    "max_case_vulnerability",
    "max_refines",
    "metric_invariance",
    "paper_algorithm",
    "pointwise_maximal_leakage",
    "posterior_risk",
    "predicate_gain",
    "risk",
    "risk_leakage",
    "tries_gain",
]
