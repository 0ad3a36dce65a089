"""lab: for researchers: measures, orders of channels, constrained design, mechanisms, sequences, matroids.

>>> from minleak import lab
>>> bool(lab.majorizes([0.7, 0.2, 0.1], [0.4, 0.3, 0.3]))
True
"""

from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.families import FehrBerens, Hayashi, Renyi, SharmaMittal, Tsallis
from minleak.core._entropy.forms import AllGuesses, BestGuesses, RenyiMean
from minleak.core._joint import Joint
from minleak.core._leakage import (
    additive_leakage,
    local_dp_epsilon,
    maximal_leakage,
    multiplicative_leakage,
    posterior_vulnerability,
    vulnerability,
)
from minleak.lab import mechanisms, paper, sequences
from minleak.lab._algebra import parallel, product, repeated
from minleak.lab._entropy_check import check_entropy
from minleak.lab._guessing_capacity import guessing_capacity
from minleak.lab._hyper import hyper, posteriors, reduced
from minleak.lab._invariance import invariance
from minleak.lab._majorization import majorizes
from minleak.lab._matroids.optimum import matroid_optimum
from minleak.lab._matroids.oracles import Matroid
from minleak.lab._measures.adversaries import MismatchedAdversary, OptimalAdversary, UniformAdversary, best_guesses
from minleak.lab._measures.capacities import additive_capacity, bayes_risk_capacity, bayes_security
from minleak.lab._measures.channels import (
    binary_erasure,
    binary_symmetric,
    hidden_choice,
    symmetric,
    visible_choice,
    z_channel,
)
from minleak.lab._measures.distances import (
    convex_separation,
    hockey_stick,
    kl_divergence,
    multiplicative_distance,
    renyi_divergence,
    total_variation,
)
from minleak.lab._measures.entropies import guesswork_moment, smooth_min_entropy
from minleak.lab._measures.funnel import privacy_funnel
from minleak.lab._measures.gains import (
    gain_sum,
    gain_to_bayes,
    posterior_gain,
    posterior_risk,
    predicate_gain,
    risk,
    risk_leakage,
)
from minleak.lab._measures.informations import (
    alpha_leakage,
    conditional_sibson,
    csiszar,
    local_renyi_epsilon,
    maximal_alpha_beta_leakage,
    maximal_alpha_leakage,
    maximal_correlation,
    sibson,
)
from minleak.lab._measures.max_case import (
    max_case_capacity,
    max_case_leakage,
    max_case_vulnerability,
    pointwise_maximal_leakage,
)
from minleak.lab._measures.observations import observations_needed, repeated_success, repetition_bounds
from minleak.lab._measures.privacy import d_privacy, induced_metric, prior_epsilon
from minleak.lab._measures.transport import hyper_distance, kantorovich, multiplicative_kantorovich
from minleak.lab._optimise.budgets import least_budget
from minleak.lab._optimise.optimum import optimise
from minleak.lab._optimise.tradeoffs import tradeoff
from minleak.lab._orders.distances import deficiency, refinement_distance
from minleak.lab._orders.information_orders import less_noisy, more_capable
from minleak.lab._orders.orders import left_factor, max_refined_by, refined_by
from minleak.lab._own_entropy import CoreConcave
from minleak.lab._padding_channel import padding_channel
from minleak.lab._pairs import certify_pairs, pairs
from minleak.lab._together import Together
from minleak.lab._worst_cases import least_capacity, pml_channel
from minleak.rates._estimating import estimate_prior
from minleak.rivals._alternatives import baselines
from minleak.rivals._online import online_buckets

__all__ = [
    "AllGuesses",
    "BestGuesses",
    "ConditionalEntropy",
    "CoreConcave",
    "Entropy",
    "FehrBerens",
    "Hayashi",
    "Joint",
    "Matroid",
    "MismatchedAdversary",
    "OptimalAdversary",
    "Renyi",
    "RenyiMean",
    "SharmaMittal",
    "Together",
    "Tsallis",
    "UniformAdversary",
    "additive_capacity",
    "additive_leakage",
    "alpha_leakage",
    "baselines",
    "bayes_risk_capacity",
    "bayes_security",
    "best_guesses",
    "binary_erasure",
    "binary_symmetric",
    "certify_pairs",
    "check_entropy",
    "conditional_sibson",
    "convex_separation",
    "csiszar",
    "d_privacy",
    "deficiency",
    "estimate_prior",
    "gain_sum",
    "gain_to_bayes",
    "guessing_capacity",
    "guesswork_moment",
    "hidden_choice",
    "hockey_stick",
    "hyper",
    "hyper_distance",
    "induced_metric",
    "invariance",
    "kantorovich",
    "kl_divergence",
    "least_budget",
    "least_capacity",
    "left_factor",
    "less_noisy",
    "local_dp_epsilon",
    "local_renyi_epsilon",
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
    "online_buckets",
    "optimise",
    "padding_channel",
    "pairs",
    "paper",
    "parallel",
    "pml_channel",
    "pointwise_maximal_leakage",
    "posterior_gain",
    "posterior_risk",
    "posterior_vulnerability",
    "posteriors",
    "predicate_gain",
    "prior_epsilon",
    "privacy_funnel",
    "product",
    "reduced",
    "refined_by",
    "refinement_distance",
    "renyi_divergence",
    "repeated",
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
    "visible_choice",
    "vulnerability",
    "z_channel",
]
