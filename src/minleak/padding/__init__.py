"""padding: sizes and times that can only be made larger, what to pad them to, and what others pad to.

>>> from minleak import padding
>>> padding.design([10, 11, 19, 20], budget=1).observables
array([11, 20])
"""

from minleak.padding import profiles
from minleak.padding._comparison import PaddingComparison, PolicyComparison, compare
from minleak.padding._frontiers import CurvePoint, PaddingFrontier, frontier
from minleak.padding._limits import Limits
from minleak.padding._make import design, least_budget, price_limits, update
from minleak.padding._noise import GeometricNoise, RandomTotal, UniformNoise
from minleak.padding._overheads import Overheads
from minleak.padding._policies import AppliedPolicy, nip44, padme, signal, to_multiple, to_power_of_two
from minleak.padding._result import Bucket, LeastOverhead, LimitPrice, Padding
from minleak.padding._samples import SamplePadding, from_samples
from minleak.padding._size_table import SizeTable, universal
from minleak.padding._streams.comparison import AttackedPolicy, StreamComparison, compare_streams
from minleak.padding._streams.make import frames
from minleak.padding._streams.recordings import Streams, read_streams
from minleak.padding._streams.result import FrameCost, Frames

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
