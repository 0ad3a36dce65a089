"""warehouse: the same design, cloak and audit inside DuckDB or Spark, through Ibis, where the data is."""

from minleak._warehouse.auditing import audit
from minleak._warehouse.certifying import certify
from minleak._warehouse.chains import chain
from minleak._warehouse.counts import Spectrum
from minleak._warehouse.designing import design
from minleak._warehouse.drawing import cloak
from minleak._warehouse.engines import connect
from minleak._warehouse.lineage import WarehouseLineage, load, update
from minleak._warehouse.memory import to_plan
from minleak._warehouse.plan import Header, WarehousePlan
from minleak._warehouse.sources import read

__all__ = [
    "Header",
    "Spectrum",
    "WarehouseLineage",
    "WarehousePlan",
    "audit",
    "certify",
    "chain",
    "cloak",
    "connect",
    "design",
    "load",
    "read",
    "to_plan",
    "update",
]
