"""results: the frozen objects that functions return, by name, for annotations."""

from minleak._data.channel import Posteriors
from minleak._data.reading.pairs import Pairs
from minleak._design.alternatives import Baseline, Estimate
from minleak._design.blocks.updating import Changes
from minleak._design.certificate import Certificate
from minleak._design.comparing import Comparison
from minleak._design.constrained.optimum import Optimum, Stage
from minleak._design.constrained.tradeoffs import FrontierPoint, Tradeoff
from minleak._design.cost import Cost
from minleak._design.descent import PlanChanges
from minleak._design.living.exposures import Exposure
from minleak._design.repeated_draws import Repeated
from minleak._design.sweeps import Sweep
from minleak._design.world import World
from minleak._measure.capacities import Capacity
from minleak._measure.frontier import Frontier
from minleak._measure.leakages import LeakageTable

__all__ = [
    "Baseline",
    "Capacity",
    "Certificate",
    "Changes",
    "Comparison",
    "Cost",
    "Estimate",
    "Exposure",
    "Frontier",
    "FrontierPoint",
    "LeakageTable",
    "Optimum",
    "Pairs",
    "PlanChanges",
    "Posteriors",
    "Repeated",
    "Stage",
    "Sweep",
    "Tradeoff",
    "World",
]
