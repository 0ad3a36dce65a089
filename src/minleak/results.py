"""results: the frozen objects that functions return, and what a plan or a model is, by name, for annotations."""

from minleak.core._capacity import Capacity
from minleak.core._certify.certificate import Certificate, Check
from minleak.core._frontier import Frontier
from minleak.core._labels import Labels
from minleak.core._leakage import LeakageRow, LeakageTable
from minleak.core._plan.channel_plan import ChannelPlan
from minleak.core._plan.distances import Cost
from minleak.core._plan.drawable import Drawable
from minleak.core._plan.drawing_table import ExportedTable
from minleak.core._plan.rows_read import RowsRead
from minleak.core._property_leakage import PropertyLeakage
from minleak.core._result import Result, fields_of
from minleak.core._text_tables import Table
from minleak.groups._invariance import Invariance, Witness
from minleak.io._reading import Pairs
from minleak.lab._entropy_check import EntropyCheck
from minleak.lab._hyper import Hyper, Posteriors
from minleak.lab._majorization import Majorization
from minleak.lab._matroids.optimum import MatroidOptimum, PartitionBlock, PrincipalPartition
from minleak.lab._measures.entropies import GuessworkMoment
from minleak.lab._measures.funnel import PrivacyFunnel
from minleak.lab._measures.gains import GuessingForm
from minleak.lab._measures.max_case import PointwiseLeakage
from minleak.lab._measures.observations import Looks, Needed, RepetitionBounds
from minleak.lab._measures.transport import Transport
from minleak.lab._optimise.budgets import LeastBudget
from minleak.lab._optimise.result import Equilibrium, Optimum, Stage
from minleak.lab._optimise.tradeoffs import FrontierPoint, Tradeoff
from minleak.lab._orders.distances import Deficiency, RefinementDistance
from minleak.lab._orders.information_orders import InformationOrder
from minleak.lab._orders.orders import Refinement
from minleak.lab._pairs import PairClass, PairsOptimum
from minleak.lab._worst_cases import LeastCapacity
from minleak.lab.sequences._results import ByStep, SequenceLeakage, SequenceTable
from minleak.lab.sequences._tracks import Shown, Walk
from minleak.lineage._lineage import Lineage
from minleak.lineage._summary import LineageSummary, PartWorth
from minleak.lookups._figures import LookupFigures, PopularityClass
from minleak.lookups._selector import Selector, SelectorReport
from minleak.lookups._visits import HiddenVisits
from minleak.rates._estimating import EstimatedPrior
from minleak.rates._summaries import ChannelSummary, PlanLeakage, PlanSummary
from minleak.rates._sweeps import Sweep
from minleak.rates._today import Today
from minleak.rates._world import World
from minleak.rivals._alternatives import Baseline, Estimate
from minleak.rivals._comparing import Comparison, ComparisonRow
from minleak.rivals._exposures import Exposure, Repeated
from minleak.rivals._online import OnlineBuckets
from minleak.rivals._visits import VisitRow
from minleak.samples._looking import LooksNeeded
from minleak.samples._measures import Bracket
from minleak.samples._result import Audit, Measured
from minleak.strings._misfit import Misfit
from minleak.strings._model import StringModel
from minleak.strings._plan import UnlistedPlan
from minleak.strings._summary import StringSummary

__all__ = [
    "Audit",
    "Baseline",
    "Bracket",
    "ByStep",
    "Capacity",
    "Certificate",
    "ChannelPlan",
    "ChannelSummary",
    "Check",
    "Comparison",
    "ComparisonRow",
    "Cost",
    "Deficiency",
    "Drawable",
    "EntropyCheck",
    "Equilibrium",
    "Estimate",
    "EstimatedPrior",
    "ExportedTable",
    "Exposure",
    "Frontier",
    "FrontierPoint",
    "GuessingForm",
    "GuessworkMoment",
    "HiddenVisits",
    "Hyper",
    "InformationOrder",
    "Invariance",
    "Labels",
    "LeakageRow",
    "LeakageTable",
    "LeastBudget",
    "LeastCapacity",
    "Lineage",
    "LineageSummary",
    "Looks",
    "LooksNeeded",
    "LookupFigures",
    "Majorization",
    "MatroidOptimum",
    "Measured",
    "Misfit",
    "Needed",
    "OnlineBuckets",
    "Optimum",
    "PairClass",
    "Pairs",
    "PairsOptimum",
    "PartWorth",
    "PartitionBlock",
    "PlanLeakage",
    "PlanSummary",
    "PointwiseLeakage",
    "PopularityClass",
    "Posteriors",
    "PrincipalPartition",
    "PrivacyFunnel",
    "PropertyLeakage",
    "Refinement",
    "RefinementDistance",
    "Repeated",
    "RepetitionBounds",
    "Result",
    "RowsRead",
    "Selector",
    "SelectorReport",
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
    "Transport",
    "UnlistedPlan",
    "VisitRow",
    "Walk",
    "Witness",
    "World",
    "fields_of",
]
