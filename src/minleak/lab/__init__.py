"""lab: for researchers: measures, orders of channels, constrained design, mechanisms, sequences, matroids.

>>> from minleak import lab
>>> bool(lab.majorizes([0.7, 0.2, 0.1], [0.4, 0.3, 0.3]))
True
"""

from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.custom import CoreConcave
from minleak.core._entropy.forms import AllGuesses, BestGuesses, RenyiMean
from minleak.core._entropy.renyi import FehrBerens, Hayashi, Renyi, SharmaMittal, Tsallis
from minleak.core._joint import Joint
from minleak.core._leakage import (
    additive_leakage,
    local_dp_epsilon,
    maximal_leakage,
    multiplicative_leakage,
    posterior_vulnerability,
    vulnerability,
)
from minleak.core._together import Together
from minleak.lab import mechanisms, sequences
from minleak.lab._entropy_check import EntropyCheck, check_entropy
from minleak.lab._majorization import Majorization, SchurCheck, check_schur_concave, lorenz, majorizes
from minleak.lab._matroids.optimum import matroid_optimum, principal_partition
from minleak.lab._matroids.oracles import Matroid
from minleak.lab._measures.additive import additive_capacity
from minleak.lab._measures.adversaries import (
    Adversary,
    MismatchedAdversary,
    OptimalAdversary,
    UniformAdversary,
    best_guesses,
)
from minleak.lab._measures.alpha import (
    alpha_leakage,
    local_renyi_epsilon,
    maximal_alpha_beta_leakage,
    maximal_alpha_leakage,
)
from minleak.lab._measures.choices import hidden_choice, visible_choice
from minleak.lab._measures.distribution_distances import convex_separation, multiplicative_distance, total_variation
from minleak.lab._measures.divergences import (
    bhattacharyya,
    chi_square,
    hellinger,
    hockey_stick,
    kl_divergence,
    renyi_divergence,
)
from minleak.lab._measures.gain_forms import (
    GuessingForm,
    gain_sum,
    gain_to_bayes,
    posterior_gain,
    predicate_gain,
    property_channel,
    tries_gain,
)
from minleak.lab._measures.guesswork import GuessworkMoment, guesswork_moment
from minleak.lab._measures.informations import (
    conditional_maximal_leakage,
    conditional_sibson,
    csiszar,
    maximal_correlation,
    sibson,
)
from minleak.lab._measures.max_case import (
    max_case_capacity,
    max_case_leakage,
    max_case_vulnerability,
    pointwise_maximal_leakage,
)
from minleak.lab._measures.named_channels import binary_erasure, binary_symmetric, symmetric, z_channel
from minleak.lab._measures.privacy import d_privacy, induced_metric, prior_epsilon
from minleak.lab._measures.repetition_bounds import RepetitionBounds, repetition_bounds
from minleak.lab._measures.risks import loss_gain, posterior_risk, risk, risk_leakage
from minleak.lab._measures.row_distances import bayes_risk_capacity, bayes_security
from minleak.lab._measures.smooth import smooth_min_entropy
from minleak.lab._measures.transport import Transport, hyper_distance, kantorovich, multiplicative_kantorovich
from minleak.lab._optimise.budgets import least_budget
from minleak.lab._optimise.funnel import PrivacyFunnel, privacy_funnel
from minleak.lab._optimise.optimum import optimise
from minleak.lab._optimise.tradeoffs import tradeoff
from minleak.lab._orders.deficiency import Deficiency, deficiency
from minleak.lab._orders.distance import RefinementDistance, refinement_distance
from minleak.lab._orders.information_orders import InformationOrder, less_noisy, more_capable
from minleak.lab._orders.join_meet import join_meet, join_meet_refined_by
from minleak.lab._orders.left import left_factor
from minleak.lab._orders.orders import max_refined_by, refined_by
from minleak.lab._padding_channel import padding_channel
from minleak.lab._repeated_observations import observations_needed, repeated_success
from minleak.rates._estimating import estimate_prior
from minleak.rivals._alternatives import baselines

__all__ = [
    "Adversary",
    "AllGuesses",
    "BestGuesses",
    "ConditionalEntropy",
    "CoreConcave",
    "Deficiency",
    "Entropy",
    "EntropyCheck",
    "FehrBerens",
    "GuessingForm",
    "GuessworkMoment",
    "Hayashi",
    "InformationOrder",
    "Joint",
    "Majorization",
    "Matroid",
    "MismatchedAdversary",
    "OptimalAdversary",
    "PrivacyFunnel",
    "RefinementDistance",
    "Renyi",
    "RenyiMean",
    "RepetitionBounds",
    "SchurCheck",
    "SharmaMittal",
    "Together",
    "Transport",
    "Tsallis",
    "UniformAdversary",
    "additive_capacity",
    "additive_leakage",
    "alpha_leakage",
    "baselines",
    "bayes_risk_capacity",
    "bayes_security",
    "best_guesses",
    "bhattacharyya",
    "binary_erasure",
    "binary_symmetric",
    "check_entropy",
    "check_schur_concave",
    "chi_square",
    "conditional_maximal_leakage",
    "conditional_sibson",
    "convex_separation",
    "csiszar",
    "d_privacy",
    "deficiency",
    "estimate_prior",
    "gain_sum",
    "gain_to_bayes",
    "guesswork_moment",
    "hellinger",
    "hidden_choice",
    "hockey_stick",
    "hyper_distance",
    "induced_metric",
    "join_meet",
    "join_meet_refined_by",
    "kantorovich",
    "kl_divergence",
    "least_budget",
    "left_factor",
    "less_noisy",
    "local_dp_epsilon",
    "local_renyi_epsilon",
    "lorenz",
    "loss_gain",
    "majorizes",
    "matroid_optimum",
    "max_case_capacity",
    "max_case_leakage",
    "max_case_vulnerability",
    "max_refined_by",
    "maximal_alpha_beta_leakage",
    "maximal_alpha_leakage",
    "maximal_correlation",
    "maximal_leakage",
    "mechanisms",
    "more_capable",
    "multiplicative_distance",
    "multiplicative_kantorovich",
    "multiplicative_leakage",
    "observations_needed",
    "optimise",
    "padding_channel",
    "pointwise_maximal_leakage",
    "posterior_gain",
    "posterior_risk",
    "posterior_vulnerability",
    "predicate_gain",
    "principal_partition",
    "prior_epsilon",
    "privacy_funnel",
    "property_channel",
    "refined_by",
    "refinement_distance",
    "renyi_divergence",
    "repeated_success",
    "repetition_bounds",
    "risk",
    "risk_leakage",
    "sequences",
    "sibson",
    "smooth_min_entropy",
    "symmetric",
    "total_variation",
    "tradeoff",
    "tries_gain",
    "visible_choice",
    "vulnerability",
    "z_channel",
]
