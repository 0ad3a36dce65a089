"""results: the frozen objects that functions return, and what a plan or a model is, by name, for annotations."""

from minleak.core._capacity import Capacity
from minleak.core._certify.certificate import Certificate, Check
from minleak.core._frontier import Frontier
from minleak.core._labels import Labels
from minleak.core._leakage import LeakageRow, LeakageTable
from minleak.core._plan.base import BasePlan
from minleak.core._plan.blocks import BlockPlan
from minleak.core._plan.distances import Cost
from minleak.core._plan.drawing_table import ExportedTable
from minleak.core._plan.rows import Rows
from minleak.core._plan.rows_read import RowsRead
from minleak.core._plan.summaries import (
    BlockSummary,
    LineageSummary,
    PartWorth,
    PlanLeakage,
    PlanSummary,
    RowSummary,
    StringSummary,
)
from minleak.core._property_leakage import PropertyLeakage
from minleak.core._result import Result, fields_of
from minleak.core._text_tables import Table
from minleak.io._reading import Pairs
from minleak.lab._hyper import Hyper, Posteriors
from minleak.lab._matroids.optimum import MatroidOptimum, PartitionBlock, PrincipalPartition
from minleak.lab._measures.max_case import PointwiseLeakage
from minleak.lab._optimise.budgets import LeastBudget
from minleak.lab._optimise.result import Equilibrium, Optimum, Stage
from minleak.lab._optimise.tradeoffs import FrontierPoint, Tradeoff
from minleak.lab._orders.join_meet import JoinMeetOrder
from minleak.lab._orders.orders import Refinement
from minleak.lab._repeated_observations import Looks, Needed
from minleak.lab.sequences._results import ByStep, SequenceLeakage, SequenceTable
from minleak.lab.sequences._tracks import Shown, Walk
from minleak.lineage._lineage import Lineage
from minleak.rates._estimating import EstimatedPrior
from minleak.rates._sweeps import Sweep
from minleak.rates._today import Today
from minleak.rates._world import World
from minleak.rivals._alternatives import Baseline, Estimate
from minleak.rivals._comparing import Comparison, ComparisonRow
from minleak.rivals._exposures import Exposure, Repeated
from minleak.samples._looking import LooksNeeded
from minleak.samples._measures import Bracket
from minleak.samples._result import Audit, Measured
from minleak.strings._misfit import Misfit
from minleak.strings._model import StringModel
from minleak.strings._plan import UnlistedPlan

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
