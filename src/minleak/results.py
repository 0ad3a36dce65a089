"""results: the frozen objects that functions return, and what a plan or a model is, by name, for annotations."""

from minleak._data.hyper import Hyper, Posteriors
from minleak._data.labels import Labels
from minleak._data.reading.pairs import Pairs
from minleak._design.alternatives import Baseline, Estimate
from minleak._design.blocks.plan import BlockPlan
from minleak._design.certificate import Certificate, Check
from minleak._design.comparing import Comparison, ComparisonRow
from minleak._design.constrained.budgets import LeastBudget
from minleak._design.constrained.equilibrium import Equilibrium
from minleak._design.constrained.result import Optimum, Stage
from minleak._design.constrained.tradeoffs import FrontierPoint, Tradeoff
from minleak._design.cost import Cost
from minleak._design.estimating import EstimatedPrior
from minleak._design.exposures import Exposure
from minleak._design.lineage import Lineage
from minleak._design.repeated_draws import Repeated
from minleak._design.rows.plan import Rows
from minleak._design.stored.kinds import Stored
from minleak._design.sweeps import Sweep
from minleak._design.unlisted.misfit import Misfit
from minleak._design.unlisted.model import Model
from minleak._design.unlisted.plan import UnlistedPlan
from minleak._design.world import World
from minleak._lineage.today import Today
from minleak._measure.capacities import Capacity
from minleak._measure.frontier import Frontier
from minleak._measure.join_meet import JoinMeetOrder
from minleak._measure.leakages import LeakageRow, LeakageTable
from minleak._measure.max_case import PointwiseLeakage
from minleak._measure.refinement import Refinement
from minleak._samples.looks import Looks, Needed
from minleak._samples.measures import Bracket
from minleak._samples.result import Audit, Measured
from minleak._sequences.results import ByStep, SequenceLeakage, SequenceTable
from minleak._sequences.tracks import Shown, Walk

__all__ = [
    "Audit",
    "Baseline",
    "BlockPlan",
    "Bracket",
    "ByStep",
    "Capacity",
    "Certificate",
    "Check",
    "Comparison",
    "ComparisonRow",
    "Cost",
    "Equilibrium",
    "Estimate",
    "EstimatedPrior",
    "Exposure",
    "Frontier",
    "FrontierPoint",
    "Hyper",
    "JoinMeetOrder",
    "Labels",
    "LeakageRow",
    "LeakageTable",
    "LeastBudget",
    "Lineage",
    "Looks",
    "Measured",
    "Misfit",
    "Model",
    "Needed",
    "Optimum",
    "Pairs",
    "PointwiseLeakage",
    "Posteriors",
    "Refinement",
    "Repeated",
    "Rows",
    "SequenceLeakage",
    "SequenceTable",
    "Shown",
    "Stage",
    "Stored",
    "Sweep",
    "Today",
    "Tradeoff",
    "UnlistedPlan",
    "Walk",
    "World",
]
