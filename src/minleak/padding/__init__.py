"""padding: sizes and times that can only be made larger, what to pad them to, and what others pad to.

>>> from minleak import padding
>>> padding.design([10, 11, 19, 20], budget=1).observables
array([11, 20])
"""

from minleak._padding.comparison import PaddingComparison, PolicyComparison, compare
from minleak._padding.frontiers import CurvePoint, PaddingFrontier, frontier
from minleak._padding.limits import Limits
from minleak._padding.make import design, least_budget, price_limits, update
from minleak._padding.noise import GeometricNoise, RandomTotal, UniformNoise
from minleak._padding.overheads import Overheads
from minleak._padding.policies import AppliedPolicy, nip44, padme, signal, to_multiple, to_power_of_two
from minleak._padding.result import Bucket, LeastOverhead, LimitPrice, Padding
from minleak._padding.samples import SamplePadding, from_samples
from minleak._padding.size_table import SizeTable, universal
from minleak._streams.comparison import AttackedPolicy, StreamComparison, compare_streams
from minleak._streams.make import frames
from minleak._streams.recordings import Streams, read_streams
from minleak._streams.result import FrameCost, Frames
from minleak.padding import profiles

__all__ = [
    "AppliedPolicy",
    "AttackedPolicy",
    "Bucket",
    "CurvePoint",
    "FrameCost",
    "Frames",
    "GeometricNoise",
    "LeastOverhead",
    "LimitPrice",
    "Limits",
    "Overheads",
    "Padding",
    "PaddingComparison",
    "PaddingFrontier",
    "PolicyComparison",
    "RandomTotal",
    "SamplePadding",
    "SizeTable",
    "StreamComparison",
    "Streams",
    "UniformNoise",
    "compare",
    "compare_streams",
    "design",
    "frames",
    "from_samples",
    "frontier",
    "least_budget",
    "nip44",
    "padme",
    "price_limits",
    "profiles",
    "read_streams",
    "signal",
    "to_multiple",
    "to_power_of_two",
    "universal",
    "update",
]
