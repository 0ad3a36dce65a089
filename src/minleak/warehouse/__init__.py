"""warehouse: the same design, cloak and audit inside DuckDB or Spark, through Ibis, where the data is."""

from minleak.warehouse.auditing import Audit, audit
from minleak.warehouse.certifying import certify
from minleak.warehouse.designing import design
from minleak.warehouse.drawing import cloak
from minleak.warehouse.engines import connect
from minleak.warehouse.memory import to_plan
from minleak.warehouse.plan import Header, WarehousePlan, load
from minleak.warehouse.sources import read
from minleak.warehouse.spectra import Spectrum

__all__ = [
    "Audit",
    "Header",
    "Spectrum",
    "WarehousePlan",
    "audit",
    "certify",
    "cloak",
    "connect",
    "design",
    "load",
    "read",
    "to_plan",
]
