"""warehouse: the same design, cloak and audit inside DuckDB or Spark, through Ibis, where the data is."""

from minleak.scale._auditing import audit
from minleak.scale._certifying import certify
from minleak.scale._chains import chain
from minleak.scale._counts import Spectrum
from minleak.scale._designing import design
from minleak.scale._drawing import cloak
from minleak.scale._engines import connect
from minleak.scale._lineage import WarehouseLineage, load, update
from minleak.scale._memory import to_plan
from minleak.scale._plan import Header, WarehousePlan
from minleak.scale._sources import read

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
