"""theory: what the theorems rest on, to be tried out: risks, orders, attackers, checks, the paper's algorithm.

>>> from minleak import theory
>>> bool(theory.majorizes([0.7, 0.2, 0.1], [0.4, 0.3, 0.3]))
True
"""

from minleak._attack.alternatives import baselines
from minleak._attack.estimating import estimate_prior
from minleak._data.joint import Joint
from minleak._data.together import Together
from minleak._entropy.base import ConditionalEntropy, Entropy
from minleak._entropy.check import EntropyCheck, check_entropy
from minleak._entropy.custom import CoreConcave
from minleak._entropy.forms import AllGuesses, BestGuesses, RenyiMean
from minleak._entropy.renyi import FehrBerens, Hayashi, Renyi, SharmaMittal, Tsallis
from minleak._matroids.optimum import matroid_optimum, principal_partition
from minleak._matroids.oracles import Matroid
from minleak._measure.leakages import (
    additive_leakage,
    local_dp_epsilon,
    maximal_leakage,
    multiplicative_leakage,
    posterior_vulnerability,
    vulnerability,
)
from minleak._measure.majorization import Majorization, SchurCheck, check_schur_concave, lorenz, majorizes
from minleak._measure.properties import property_leakage
from minleak._optimise.funnel import PrivacyFunnel, privacy_funnel
from minleak._samples.repeated_observations import observations_needed, repeated_success
from minleak._theory.additive import additive_capacity
from minleak._theory.adversaries import (
    Adversary,
    MismatchedAdversary,
    OptimalAdversary,
    UniformAdversary,
    best_guesses,
)
from minleak._theory.alpha import (
    alpha_leakage,
    local_renyi_epsilon,
    maximal_alpha_beta_leakage,
    maximal_alpha_leakage,
)
from minleak._theory.choices import hidden_choice, visible_choice
from minleak._theory.distribution_distances import convex_separation, multiplicative_distance, total_variation
from minleak._theory.divergences import (
    bhattacharyya,
    chi_square,
    hellinger,
    hockey_stick,
    kl_divergence,
    renyi_divergence,
)
from minleak._theory.gain_forms import (
    GuessingForm,
    gain_sum,
    gain_to_bayes,
    posterior_gain,
    predicate_gain,
    property_channel,
    tries_gain,
)
from minleak._theory.guesswork import GuessworkMoment, guesswork_moment
from minleak._theory.informations import (
    conditional_maximal_leakage,
    conditional_sibson,
    csiszar,
    maximal_correlation,
    sibson,
)
from minleak._theory.max_case import (
    max_case_capacity,
    max_case_leakage,
    max_case_vulnerability,
    pointwise_maximal_leakage,
)
from minleak._theory.named_channels import binary_erasure, binary_symmetric, symmetric, z_channel
from minleak._theory.privacy import d_privacy, induced_metric, prior_epsilon
from minleak._theory.refinement.deficiency import Deficiency, deficiency
from minleak._theory.refinement.distance import RefinementDistance, refinement_distance
from minleak._theory.refinement.information_orders import InformationOrder, less_noisy, more_capable
from minleak._theory.refinement.join_meet import join_meet, join_meet_refined_by
from minleak._theory.refinement.left import left_factor
from minleak._theory.refinement.orders import max_refined_by
from minleak._theory.repetition_bounds import RepetitionBounds, repetition_bounds
from minleak._theory.risks import loss_gain, posterior_risk, risk, risk_leakage
from minleak._theory.row_distances import bayes_risk_capacity, bayes_security
from minleak._theory.smooth import smooth_min_entropy
from minleak._theory.transport import Transport, hyper_distance, kantorovich, multiplicative_kantorovich

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
    "more_capable",
    "multiplicative_distance",
    "multiplicative_kantorovich",
    "multiplicative_leakage",
    "observations_needed",
    "pointwise_maximal_leakage",
    "posterior_gain",
    "posterior_risk",
    "posterior_vulnerability",
    "predicate_gain",
    "principal_partition",
    "prior_epsilon",
    "privacy_funnel",
    "property_channel",
    "property_leakage",
    "refinement_distance",
    "renyi_divergence",
    "repeated_success",
    "repetition_bounds",
    "risk",
    "risk_leakage",
    "sibson",
    "smooth_min_entropy",
    "symmetric",
    "total_variation",
    "tries_gain",
    "visible_choice",
    "vulnerability",
    "z_channel",
]
