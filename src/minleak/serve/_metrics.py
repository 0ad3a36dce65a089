"""Metrics: counts of all processes in one shared table, in Prometheus' format.

Each process writes to its own row, and rows are summed when asked for; a process that takes over the row of one that
ended goes on counting there. The columns are fixed in advance, so nothing of a request can become a label.
"""

from __future__ import annotations

import mmap
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import CollectorRegistry

from minleak.serve._messages import PlanFacts
from minleak.serve._problems import STATUSES

#: Why a new plan is refused.
REFUSALS = ("unreadable", "uncertified", "another_lineage", "not_later", "out_of_time")
#: The counters, each with its help text.
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
_GAUGES: dict[str, tuple[str, Callable[[PlanFacts], float]]] = {
    "version": ("The version of each plan", lambda plan: plan.version),
    "age_seconds": ("Since its file was written", lambda plan: time.time() - plan.written),
    "parts": ("Its parts", lambda plan: len(plan.parts)),
}
# Upper ends of the latency classes, in seconds.
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
        """The row of one process."""
        return Row(self.columns, memoryview(self.values[number]))  # one by one, faster than numpy

    def total(self, name: Any) -> int:
        """A column summed over all processes."""
        return int(self.values[:, self.columns[name]].sum())


class Row:
    """The counts of one process."""

    def __init__(self, columns: dict[Any, int], values: memoryview) -> None:
        self._columns, self._values = columns, values

    def count(self, name: Any, by: int = 1) -> None:
        """Add to a column."""
        self._values[self._columns[name]] += by

    def count_answer(self, route: str, status: int, seconds: float) -> None:
        """Count an answer and the time it took."""
        self.count(("status", route, status))
        self.count(("latency", route, bisect_left(_ENDS, seconds)))
        self.count(("nanoseconds", route), int(1e9 * seconds))


class Collector:
    """The table, and the plans being served, as Prometheus metrics."""

    def __init__(self, table: MetricTable, plans: Sequence[PlanFacts]) -> None:
        self._table, self._plans = table, plans

    def collect(self) -> Iterator[Any]:
        """All metric families: what a registry asks for."""
        total = self._table.total
        for name, text in COUNTS.items():
            yield CounterMetricFamily(f"minleak_{name}", text, value=total(name))
        refused = CounterMetricFamily("minleak_plans_refused", "New plans that were refused, by why", labels=["why"])
        for why in REFUSALS:
            refused.add_metric([why], total(("refused", why)))
        requests = CounterMetricFamily("minleak_requests", "Answers, by path and status", labels=["path", "status"])
        latency = HistogramMetricFamily("minleak_request_seconds", "From request to answer", labels=["path"])
        for route in self._table.routes:
            for status in STATUSES:
                if number := total(("status", route, status)):
                    requests.add_metric([route, str(status)], number)
            ends = [*map(str, _ENDS), "+Inf"]
            counted = accumulate(total(("latency", route, i)) for i in range(len(ends)))
            latency.add_metric([route], list(zip(ends, counted, strict=True)), total(("nanoseconds", route)) / 1e9)
        yield from (refused, requests, latency)
        for name, (text, value) in _GAUGES.items():
            family = GaugeMetricFamily(f"minleak_plan_{name}", text, labels=["lineage"])
            for plan in self._plans:
                family.add_metric([plan.lineage], value(plan))
            yield family

    def text(self) -> bytes:
        """The answer to `GET /metrics`."""
        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry)
