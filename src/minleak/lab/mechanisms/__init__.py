"""mechanisms: mechanisms of differential privacy and geo-indistinguishability, as channels with their epsilon.

>>> from minleak.lab import mechanisms
>>> round(mechanisms.geometric(5, 0.5).epsilon, 12)
0.5
"""

from minleak.core._plan.channel_plan import rounded
from minleak.lab.mechanisms._curves import PrivacyCurve, privacy_curve, shuffled_epsilon
from minleak.lab.mechanisms._mechanism import (
    Mechanism,
    exponential,
    geometric,
    randomised_response,
    tight_constraints,
    truncated_geometric,
)
from minleak.lab.mechanisms._planar import planar_geometric, planar_laplace

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
