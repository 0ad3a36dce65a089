"""results: the frozen objects that functions return, by name, for annotations."""

from minleak._data.channel import Posteriors
from minleak._data.reading.pairs import Pairs
from minleak._design.alternatives import Baseline, Estimate
from minleak._design.certificate import Certificate
from minleak._design.constrained.optimum import Optimum, Stage
from minleak._design.constrained.tradeoffs import FrontierPoint, Tradeoff
from minleak._design.cost import Cost
from minleak._design.repeated_draws import Repeated
from minleak._design.sweeps import Sweep
from minleak._design.world import World
from minleak._measure.capacities import Capacity
from minleak._measure.frontier import Frontier
from minleak._measure.leakages import LeakageTable
from minleak._sequences.results import ByStep, SequenceLeakage, SequenceTable
from minleak._sequences.tracks import Shown, Walk

__all__ = [
    "Baseline",
    "ByStep",
    "Capacity",
    "Certificate",
    "Cost",
    "Estimate",
    "Frontier",
    "FrontierPoint",
    "LeakageTable",
    "Optimum",
    "Pairs",
    "Posteriors",
    "Repeated",
    "SequenceLeakage",
    "SequenceTable",
    "Shown",
    "Stage",
    "Sweep",
    "Tradeoff",
    "Walk",
    "World",
]
