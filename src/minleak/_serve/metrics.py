"""Metrics: counts of all processes in one table of shared memory, told in Prometheus' words.

Each process writes to a row of its own, and the rows are added up when they are asked for; a new process that takes the
row of one that ended goes on counting there. Columns are fixed beforehand, so that nothing of a request can become a
label.
"""

from __future__ import annotations

import mmap
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import CollectorRegistry

from minleak._serve.messages import PlanFacts
from minleak._serve.problems import STATUSES

#: Why a new plan is refused.
REFUSALS = ("unreadable", "uncertified", "another_lineage", "not_later", "out_of_time")
#: What is counted, with a line of help.
COUNTS = {
    "draws": "Sets that were drawn",
    "steps": "Steps of walks that were shown",
    "padded": "Sizes that were padded",
    "unknown_secrets": "Requests refused because a secret or state is unknown",
    "pending_secrets": "Requests refused because a secret waits for a part",
    "internal_errors": "Errors of the service itself",
    "connections_cut": "Connections that took too long or were too many",
    "worker_restarts": "Workers that ended by themselves and were started again",
    "plan_updates": "Plans that took the place of an earlier version",
}
# The upper ends of the classes of latencies, in seconds.
_ENDS = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0)


class MetricTable:
    """The shared table: `rows` for processes, the first for the supervisor, and a column for everything counted."""

    def __init__(self, routes: Sequence[str], rows: int) -> None:
        names: list[Any] = [*COUNTS, *(("refused", why) for why in REFUSALS)]
        names += [("status", route, status) for route in routes for status in STATUSES]
        names += [("latency", route, i) for route in routes for i in range(len(_ENDS) + 1)]
        names += [("nanoseconds", route) for route in routes]
        self.routes, self.columns = routes, {name: i for i, name in enumerate(names)}
        memory = mmap.mmap(-1, 8 * rows * len(names))
        self.values = np.frombuffer(memory, dtype=np.int64).reshape(rows, len(names))

    def row(self, number: int) -> Row:
        """What a process counts by."""
        return Row(self, number)

    def total(self, name: Any) -> int:
        """A column over all processes."""
        return int(self.values[:, self.columns[name]].sum())


class Row:
    """The row of one process."""

    def __init__(self, table: MetricTable, number: int) -> None:
        self._columns, self._values = table.columns, memoryview(table.values[number])  # quicker than numpy, one by one

    def count(self, name: Any, by: int = 1) -> None:
        """Count something."""
        self._values[self._columns[name]] += by

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answer and the time it took."""
        self.count(("status", route, status))
        self.count(("latency", route, bisect_left(_ENDS, seconds)))
        self.count(("nanoseconds", route), int(1e9 * seconds))


class Collector:
    """The table, and the plans that are served, as families of metrics."""

    def __init__(self, table: MetricTable, plans: Sequence[PlanFacts]) -> None:
        self._table, self._plans = table, plans

    def collect(self) -> Iterator[Any]:
        """All families."""
        total = self._table.total
        for name, text in COUNTS.items():
            yield CounterMetricFamily(f"minleak_{name}", text, value=total(name))
        refused = CounterMetricFamily("minleak_plans_refused", "New plans that were refused, by why", labels=["why"])
        for why in REFUSALS:
            refused.add_metric([why], total(("refused", why)))
        yield refused
        yield from self._requests()
        by_lineage: dict[str, tuple[str, Iterable[float]]] = {
            "version": ("The version of each plan", (plan.version for plan in self._plans)),
            "age_seconds": ("Since its file was written", (time.time() - plan.written for plan in self._plans)),
            "parts": ("Its parts", (len(plan.parts) for plan in self._plans)),
        }
        for name, (text, values) in by_lineage.items():
            family = GaugeMetricFamily(f"minleak_plan_{name}", text, labels=["lineage"])
            for plan, value in zip(self._plans, values, strict=True):
                family.add_metric([plan.lineage], value)
            yield family

    def _requests(self) -> Iterator[Any]:
        total = self._table.total
        requests = CounterMetricFamily("minleak_requests", "Answers, by path and status", labels=["path", "status"])
        latency = HistogramMetricFamily("minleak_request_seconds", "From request to answer", labels=["path"])
        for route in self._table.routes:
            for status in STATUSES:
                if number := total(("status", route, status)):
                    requests.add_metric([route, str(status)], number)
            ends = [*map(str, _ENDS), "+Inf"]
            counted = accumulate(total(("latency", route, i)) for i in range(len(ends)))
            latency.add_metric([route], list(zip(ends, counted, strict=True)), total(("nanoseconds", route)) / 1e9)
        yield from (requests, latency)

    def text(self) -> bytes:
        """What `GET /metrics` answers."""
        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry)
