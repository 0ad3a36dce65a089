"""mechanisms: mechanisms of differential privacy and geo-indistinguishability, as channels with their epsilon.

>>> from minleak import mechanisms
>>> round(mechanisms.geometric(5, 0.5).epsilon, 12)
0.5
"""

from minleak._mechanisms.curves import PrivacyCurve, privacy_curve, shuffled_epsilon
from minleak._mechanisms.mechanism import Mechanism
from minleak._mechanisms.named import (
    exponential,
    geometric,
    randomised_response,
    tight_constraints,
    truncated_geometric,
)
from minleak._mechanisms.planar import planar_geometric, planar_laplace
from minleak._plans.rounding import rounded

__all__ = [
    "Mechanism",
    "PrivacyCurve",
    "exponential",
    "geometric",
    "planar_geometric",
    "planar_laplace",
    "privacy_curve",
    "randomised_response",
    "rounded",
    "shuffled_epsilon",
    "tight_constraints",
    "truncated_geometric",
]
