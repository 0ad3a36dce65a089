"""The application: the answer of each path, from a cloak, tracks and a table of paddings that never change."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from minleak.core._cloak import Cloak
from minleak.core._keys import scope_problem
from minleak.core._labels import as_label
from minleak.errors import MinleakError, PendingSecret, UnknownSecret
from minleak.lab.sequences._tracks import Tracks
from minleak.padding._size_table import SizeTable
from minleak.serve import _messages as m
from minleak.serve._metrics import Collector, MetricTable, Row
from minleak.serve._openapi import describe
from minleak.serve._problems import RequestProblem

JSON = b"application/json"
TEXT = b"text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True)
class Serving:
    """Everything that is served until a plan is replaced: shared by all forked processes."""

    cloak: Cloak
    plans: Sequence[m.PlanFacts]
    #: The lineages whose secrets are numbers.
    numbered: frozenset[str]
    tracks: Tracks | None
    padding: SizeTable | None
    version: str


@dataclass(frozen=True)
class Endpoint:
    """A path, the types of its request and answer, and the method of `Application` that answers. `open` ones need no
    token.
    """

    method: str
    path: str
    act: str
    summary: str
    request: type | None = None
    answer: type | None = None
    open: bool = False

    @property
    def media_type(self) -> bytes:
        """The content type of its answers."""
        return TEXT if self.answer is None else JSON


ENDPOINTS = (
    Endpoint("POST", "/draw", "draw", "The set to show for a secret.", m.DrawRequest, m.DrawAnswer),
    Endpoint("POST", "/draws", "draws", "The sets to show for many secrets.", m.BatchRequest, m.BatchAnswer),
    Endpoint("POST", "/walks", "walk", "The tracks to show for a walk.", m.WalkRequest, m.WalkAnswer),
    Endpoint("POST", "/pad", "pad", "What to pad a size to.", m.PadRequest, m.PadAnswer),
    Endpoint("GET", "/plan", "plan", "The plans that are served; no label of them.", None, m.Plans),
    Endpoint("GET", "/metrics", "metrics", "Counts and latencies for Prometheus."),
    Endpoint("GET", "/openapi.json", "description", "This description.", None, dict[str, Any]),
    Endpoint("GET", "/healthz", "health", "Whether the process answers.", None, m.Status, open=True),
    Endpoint("GET", "/readyz", "ready", "Whether it takes new connections.", None, m.Status, open=True),
)


class Application:
    """Answers the requests of one process. Draws are made in the event loop, being shorter than a switch of threads;
    walks in a thread, one at a time.
    """

    def __init__(self, serving: Serving, table: MetricTable, row: Row) -> None:
        self._serving, self._cloak, self._row = serving, serving.cloak, row
        self._collector = Collector(table, serving.plans)
        self._lineages = {lineage.hex(): lineage for lineage in self._cloak.lineages}
        self._current = self._cloak.current.hex()
        self._walking = asyncio.Lock()
        #: Whether the process ends as soon as its open requests are answered.
        self.retiring = False

    async def answer(self, endpoint: Endpoint, body: bytes) -> bytes:
        """The body of the answer to a request with this body."""
        given = () if endpoint.request is None else (m.parse(endpoint.request, m.read_json(body)),)
        found = await getattr(self, endpoint.act)(*given)
        return found if isinstance(found, bytes) else m.write_json(found)

    def endpoints(self) -> list[Endpoint]:
        """The endpoints of this service: walks need a chain, paddings a table."""
        absent = {"walk": self._serving.tracks is None, "pad": self._serving.padding is None}
        return [one for one in ENDPOINTS if not absent.get(one.act)]

    # -- draws ------------------------------------------------------------------------------------------------------

    async def draw(self, asked: m.DrawRequest) -> m.DrawAnswer:
        """One set."""
        try:
            name = asked.lineage or self._current
            lineage = self._lineages[name]
            secret = self._label(asked.secret, name)
            members = self._cloak.draw(secret, scope=asked.scope, lineage=lineage)
        except (KeyError, MinleakError) as error:  # an unknown secret or lineage is a KeyError too
            raise self._refusal(error, asked.scope) from None
        self._row.count("draws")
        return m.DrawAnswer(m.show_labels(members), name)

    async def draws(self, asked: m.BatchRequest) -> m.BatchAnswer:
        """Many sets, lineage by lineage."""
        if len(asked.draws) > m.BATCH:
            raise RequestProblem("too_large", f"a batch has at most {m.BATCH:,} draws")
        by_lineage: dict[str, list[int]] = {}
        for at, one in enumerate(asked.draws):
            if problem := scope_problem(one.scope):
                raise RequestProblem("bad_scope", problem, at)
            by_lineage.setdefault(one.lineage or self._current, []).append(at)
        sets: list[Any] = [None] * len(asked.draws)
        for name, places in by_lineage.items():
            some = [asked.draws[at] for at in places]
            try:
                found = self._cloak.draw_all(
                    [self._label(one.secret, name) for one in some],
                    scopes=[one.scope for one in some],
                    lineage=self._lineages[name],
                )
            except (KeyError, MinleakError) as error:
                raise self._refusal(error, "", places[getattr(error, "at", None) or 0]) from None
            for at, members in zip(places, found, strict=True):
                sets[at] = m.DrawAnswer(m.show_labels(members), name)
            await asyncio.sleep(0)
        self._row.count("draws", len(sets))
        return m.BatchAnswer(sets)

    def _label(self, secret: m.Label, lineage: str) -> m.Label:
        """The label that is meant: where secrets are numbers, a number may come as text."""
        if type(secret) is str and lineage in self._serving.numbered:
            found: m.Label = as_label(secret, (0,))
            return found
        return secret

    def _refusal(self, error: Exception, scope: str, at: int | None = None) -> RequestProblem:
        if isinstance(error, UnknownSecret):
            code = "pending_secret" if isinstance(error, PendingSecret) else "unknown_secret"
            self._row.count(f"{code}s")
            return RequestProblem(code, at=at)
        if isinstance(error, KeyError):
            return RequestProblem("unknown_lineage", at=at)
        if problem := scope_problem(scope):
            return RequestProblem("bad_scope", problem, at)
        return RequestProblem("refused", at=at)

    # -- walks and paddings -----------------------------------------------------------------------------------------

    async def walk(self, asked: m.WalkRequest) -> m.WalkAnswer:
        """The tracks of some steps. A move may take milliseconds."""
        if not 1 <= len(asked.states) <= m.STEPS:
            raise RequestProblem("too_large", f"a request has between 1 and {m.STEPS} states of a walk")
        if problem := scope_problem(asked.scope):
            raise RequestProblem("bad_scope", problem)
        async with self._walking:
            try:
                shown = await asyncio.to_thread(self._walk, asked)
            except UnknownSecret as error:
                raise self._refusal(error, asked.scope, error.at) from None
            except MinleakError as error:
                raise RequestProblem("refused", str(error)) from None
        self._row.count("steps", len(shown.steps))
        return shown

    def _walk(self, asked: m.WalkRequest) -> m.WalkAnswer:
        tracks: Any = self._serving.tracks
        states = [tuple(state) if type(state) is list else state for state in asked.states]
        if type(tracks.chain.labels[0]) is int:
            states = [as_label(state, (0,)) if type(state) is str else state for state in states]
        tracks.check_states(states)
        if asked.saved is None:
            walk = tracks.start(states[0], scope=asked.scope)
            steps = [walk.shown, *map(walk.move, states[1:])]
        else:
            walk = tracks.resume(asked.saved, scope=asked.scope)
            steps = list(map(walk.move, states))
        cuts = [cut for cut in walk.cuts if cut > walk.step - len(steps)]
        return m.WalkAnswer([m.show_labels(step) for step in steps], cuts, walk.saved())

    async def pad(self, asked: m.PadRequest) -> m.PadAnswer:
        """The least size of the table that is not smaller."""
        padding: Any = self._serving.padding
        try:
            found = padding.pad(asked.size)
        except MinleakError as error:
            raise RequestProblem("refused", str(error)) from None
        self._row.count("padded")
        return m.PadAnswer(found)

    # -- the service ------------------------------------------------------------------------------------------------

    async def plan(self) -> m.Plans:
        """Facts about all plans."""
        key = self._cloak.key
        return m.Plans(list(self._serving.plans), None if key is None else key.id)

    async def metrics(self) -> bytes:
        """The counts of all processes."""
        return self._collector.text()

    async def description(self) -> dict[str, Any]:
        """The OpenAPI description."""
        return describe(self.endpoints(), self._serving.version)

    async def health(self) -> m.Status:
        """It answers."""
        return m.Status("ok")

    async def ready(self) -> m.Status:
        """It answers, and is not about to end."""
        if self.retiring:
            raise RequestProblem("busy", "this process is about to end: another one takes new connections")
        return m.Status("ok")
