"""results: the frozen objects that functions return, and what a plan or a model is, by name, for annotations."""

from minleak._attack.alternatives import Baseline, Estimate
from minleak._attack.estimating import EstimatedPrior
from minleak._attack.exposures import Exposure, Repeated
from minleak._attack.world import World
from minleak._certify.certificate import Certificate, Check
from minleak._data.hyper import Hyper, Posteriors
from minleak._data.labels import Labels
from minleak._data.reading import Pairs
from minleak._face.result import Result, fields_of
from minleak._face.tables import Table
from minleak._lineage.today import Today
from minleak._matroids.optimum import MatroidOptimum, PartitionBlock, PrincipalPartition
from minleak._measure.capacities import Capacity
from minleak._measure.frontier import Frontier
from minleak._measure.leakages import LeakageRow, LeakageTable
from minleak._measure.properties import PropertyLeakage
from minleak._optimise.budgets import LeastBudget
from minleak._optimise.result import Equilibrium, Optimum, Stage
from minleak._optimise.tradeoffs import FrontierPoint, Tradeoff
from minleak._plan.base import BasePlan
from minleak._plan.distances import Cost
from minleak._plan.drawing_table import ExportedTable
from minleak._plan.rows_read import RowsRead
from minleak._plan.summaries import (
    BlockSummary,
    LineageSummary,
    PartWorth,
    PlanLeakage,
    PlanSummary,
    RowSummary,
    StringSummary,
)
from minleak._plans.blocks import BlockPlan
from minleak._plans.comparing import Comparison, ComparisonRow
from minleak._plans.lineage import Lineage
from minleak._plans.rows import Rows
from minleak._plans.sweeps import Sweep
from minleak._samples.looking import LooksNeeded
from minleak._samples.measures import Bracket
from minleak._samples.repeated_observations import Looks, Needed
from minleak._samples.result import Audit, Measured
from minleak._sequences.results import ByStep, SequenceLeakage, SequenceTable
from minleak._sequences.tracks import Shown, Walk
from minleak._strings.misfit import Misfit
from minleak._strings.model import StringModel
from minleak._strings.plan import UnlistedPlan
from minleak._theory.max_case import PointwiseLeakage
from minleak._theory.refinement.join_meet import JoinMeetOrder
from minleak._theory.refinement.orders import Refinement

__all__ = [
    "Audit",
    "BasePlan",
    "Baseline",
    "BlockPlan",
    "BlockSummary",
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
    "ExportedTable",
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
    "LineageSummary",
    "Looks",
    "LooksNeeded",
    "MatroidOptimum",
    "Measured",
    "Misfit",
    "Needed",
    "Optimum",
    "Pairs",
    "PartWorth",
    "PartitionBlock",
    "PlanLeakage",
    "PlanSummary",
    "PointwiseLeakage",
    "Posteriors",
    "PrincipalPartition",
    "PropertyLeakage",
    "Refinement",
    "Repeated",
    "Result",
    "RowSummary",
    "Rows",
    "RowsRead",
    "SequenceLeakage",
    "SequenceTable",
    "Shown",
    "Stage",
    "StringModel",
    "StringSummary",
    "Sweep",
    "Table",
    "Today",
    "Tradeoff",
    "UnlistedPlan",
    "Walk",
    "World",
    "fields_of",
]
