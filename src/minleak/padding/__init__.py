"""padding: sizes and times that can only be made larger, what to pad them to, and what others pad to.

>>> from minleak import padding
>>> padding.design([10, 11, 19, 20], budget=1).observables
array([11, 20])
"""

from minleak.padding import profiles
from minleak.padding._choosing_frames import frames
from minleak.padding._comparison import PaddingComparison, PolicyComparison, compare
from minleak.padding._frames import FrameCost, Frames
from minleak.padding._frontiers import CurvePoint, PaddingFrontier, frontier
from minleak.padding._limits import Limits, Overheads
from minleak.padding._make import design, least_budget, price_limits, update
from minleak.padding._policies import AppliedPolicy, nip44, padme, signal, to_multiple, to_power_of_two
from minleak.padding._result import Bucket, LeastOverhead, Padding
from minleak.padding._samples import SamplePadding, from_samples
from minleak.padding._size_table import SizeTable, universal
from minleak.padding._streams import Streams, read_streams

__all__ = [
    "AppliedPolicy",
    "Bucket",
    "CurvePoint",
    "FrameCost",
    "Frames",
    "LeastOverhead",
    "Limits",
    "Overheads",
    "Padding",
    "PaddingComparison",
    "PaddingFrontier",
    "PolicyComparison",
    "SamplePadding",
    "SizeTable",
    "Streams",
    "compare",
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
