"""padding: sizes and times that can only be made larger, what to pad them to, and what others pad to.

>>> from minleak import padding
>>> padding.design([10, 11, 19, 20], budget=1).observables
array([11, 20])
"""

from minleak._padding.comparison import PaddingComparison, PolicyComparison, compare
from minleak._padding.frontiers import CurvePoint, PaddingFrontier, frontier
from minleak._padding.make import design, least_budget
from minleak._padding.policies import AppliedPolicy, padme, to_multiple, to_power_of_two
from minleak._padding.result import Bucket, LeastOverhead, Padding
from minleak._streams.comparison import AttackedPolicy, StreamComparison, compare_streams
from minleak._streams.make import frames
from minleak._streams.recordings import Streams, read_streams
from minleak._streams.result import FrameCost, Frames

__all__ = [
    "AppliedPolicy",
    "AttackedPolicy",
    "Bucket",
    "CurvePoint",
    "FrameCost",
    "Frames",
    "LeastOverhead",
    "Padding",
    "PaddingComparison",
    "PaddingFrontier",
    "PolicyComparison",
    "StreamComparison",
    "Streams",
    "compare",
    "compare_streams",
    "design",
    "frames",
    "frontier",
    "least_budget",
    "padme",
    "read_streams",
    "to_multiple",
    "to_power_of_two",
]
