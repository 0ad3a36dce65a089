"""mechanisms: the mechanisms of differential privacy and geo-indistinguishability, as channels with their epsilon.

>>> from minleak import mechanisms
>>> round(mechanisms.geometric(5, 0.5).epsilon, 12)
0.5
"""

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
    "exponential",
    "geometric",
    "planar_geometric",
    "planar_laplace",
    "randomised_response",
    "rounded",
    "tight_constraints",
    "truncated_geometric",
]
