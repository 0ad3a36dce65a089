"""The supervisor: opens plans, forks workers that share its memory, and replaces both while requests go on.

It opens the plans and makes their tables before it forks, so that all workers share one copy. A new version of a plan
is certified in a process of its own; then the supervisor opens it, forks new workers, and tells the old ones to take no
more connections and to end with their last answer.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from minleak import __version__
from minleak.core._file.replacing import State, file_state
from minleak.errors import MinleakError
from minleak.serve._application import ENDPOINTS, Serving
from minleak.serve._guard import OTHER
from minleak.serve._metrics import MetricTable
from minleak.serve._plans import OpenPlan, Refused, check_successor, make_cloak, open_plan
from minleak.serve._service import Service
from minleak.serve._worker import RETIRE, STOP, run_worker

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
# Seconds between looks at the files, for a certificate, and before a worker that ended is started again.
_LOOK, _PATIENCE, _PAUSE = 0.5, 3600.0, 0.2
# How many generations of workers may exist at a time: the newest, and those that are ending.
_GENERATIONS = 8


@dataclass(frozen=True)
class _WorkerProcess:
    pid: int
    control: int
    row: int


@dataclass
class _Trial:
    """A plan file that another process is certifying."""

    number: int
    state: State
    pid: int
    pipe: int
    begun: float = field(default_factory=time.monotonic)


class Supervisor:
    """Runs a service until it is told to end."""

    def __init__(self, service: Service) -> None:
        self._service, self._terms = service, service.terms
        self._states: list[State] = [file_state(path) for path in service.plans]
        self._plans: list[OpenPlan] = [open_plan(path) for path in service.plans]
        self._table = MetricTable([one.path for one in ENDPOINTS] + [OTHER], 1 + _GENERATIONS * service.workers)
        self._count = self._table.row(0).count
        self._rows = list(range(1, 1 + _GENERATIONS * service.workers))
        self._workers: dict[int, _WorkerProcess] = {}
        self._old: dict[int, _WorkerProcess] = {}
        self._trial: _Trial | None = None
        self._not_before = 0.0
        self._serving = self._make_serving()

    def facts(self) -> list[dict[str, Any]]:
        """Facts about the plans being served."""
        return [asdict(one.facts) for one in self._plans]

    def _make_serving(self) -> Serving:
        service = self._service
        return Serving(
            cloak=make_cloak(self._plans, service.key),
            plans=[one.facts for one in self._plans],
            numbered=frozenset(one.facts.lineage for one in self._plans if one.numbered),
            tracks=service.tracks,
            padding=service.padding,
            version=__version__,
        )

    def run(self, tell: Callable[[str], None]) -> None:
        """Serve until a signal ends it. `tell` gets the address once requests are accepted."""
        listener = self._service.address.listen()
        try:
            port = listener.getsockname()[1] if self._service.address.path is None else 0
            self._terms = replace(self._terms, hosts=self._service.address.hosts(port))
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
            try:
                self._fill(listener)
                tell(self._service.address.name(listener, tls=self._service.tls is not None))
                self._loop(listener)
            finally:
                self._end()
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        finally:
            self._service.address.remove(listener)

    def _loop(self, listener: socket.socket) -> None:
        while True:
            came = signal.sigtimedwait(_SIGNALS, _LOOK)
            number = None if came is None else came.si_signo
            if number in (signal.SIGTERM, signal.SIGINT):
                return
            self._reap()
            if number == signal.SIGHUP:
                self._states = [None] * len(self._states)
                self._read_token()
            self._watch()
            self._judge(listener)
            self._fill(listener)

    # -- workers ------------------------------------------------------------------------------------------------------

    def _fill(self, listener: socket.socket) -> None:
        """Start the workers that are missing, unless one has just ended by itself."""
        missing = self._service.workers - len(self._workers)
        if missing <= 0 or time.monotonic() < self._not_before:
            return
        gc.collect()
        gc.freeze()  # or garbage collection in each worker would touch, and so copy, the shared pages
        for _ in range(min(missing, len(self._rows))):
            row = self._rows.pop(0)
            reading, writing = os.pipe()
            given = (listener, reading, self._serving, self._terms, self._service.tls, self._table, row)
            pid = self._fork(partial(run_worker, *given), writing)
            os.close(reading)
            self._workers[pid] = _WorkerProcess(pid, writing, row)

    def _fork(self, act: Callable[[], None], *unneeded: int) -> int:
        """Start a process that closes the supervisor's handles, acts and ends; errors are not printed."""
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            for handle in (*unneeded, *(one.control for one in self._all())):
                os.close(handle)
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all processes: the supervisor decides
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            act()
            code = 0
        except BaseException as error:
            if os.environ.get("MINLEAK_DEBUG"):
                _tell(f"a process ended by a {type(error).__name__}")
        finally:
            os._exit(code)

    def _all(self) -> list[_WorkerProcess]:
        return [*self._workers.values(), *self._old.values()]

    def _reap(self) -> None:
        """Forget workers that have ended; others take their rows, and go on counting there."""
        for one in self._all():
            pid, _ = os.waitpid(one.pid, os.WNOHANG)
            if pid:
                if self._workers.pop(pid, None) is not None:
                    self._count("worker_restarts")
                    self._not_before = time.monotonic() + _PAUSE
                self._old.pop(pid, None)
                self._rows.append(one.row)
                os.close(one.control)

    def _order(self, workers: Iterable[_WorkerProcess], order: bytes) -> None:
        for one in workers:
            with contextlib.suppress(OSError):  # it has just ended
                os.write(one.control, order)

    def _replace_workers(self) -> None:
        """Retire all workers: new ones are forked with the current plans, token and certificate."""
        if len(self._rows) < self._service.workers:  # the oldest are slow to end
            self._order(self._old.values(), STOP)
        self._order(self._workers.values(), RETIRE)
        self._old |= self._workers
        self._workers = {}
        self._not_before = 0.0

    def _end(self) -> None:
        self._drop_trial(kill=True)
        self._order(self._all(), STOP)
        for one in self._all():
            os.waitpid(one.pid, 0)
            os.close(one.control)

    # -- new plans ----------------------------------------------------------------------------------------------------

    def _read_token(self) -> None:
        """Read the token again; new workers read the TLS certificate themselves."""
        try:
            self._terms = replace(self._terms, token=self._service.read_token())
        except MinleakError as error:
            _tell(f"the token stays as it was: {error}")
        self._replace_workers()

    def _watch(self) -> None:
        """Start to certify the first plan file that was replaced, in a process of its own."""
        if self._trial is not None:
            return
        for number, path in enumerate(self._service.plans):
            state = file_state(path)
            if state is None or state == self._states[number]:
                continue
            self._states[number] = state
            reading, writing = os.pipe()
            pid = self._fork(partial(_certify, path, self._plans[number], writing), reading)
            os.close(writing)
            os.set_blocking(reading, False)
            self._trial = _Trial(number, state, pid, reading)
            return

    def _judge(self, listener: socket.socket) -> None:
        """Serve a plan that was certified, or go on with the old one."""
        trial = self._trial
        if trial is None:
            return
        try:
            said = os.read(trial.pipe, 1 << 16)
        except BlockingIOError:
            if time.monotonic() - trial.begun > _PATIENCE:
                self._drop_trial(kill=True)
                self._refuse("out_of_time", f"{self._service.plans[trial.number]} took too long to certify")
            return
        self._drop_trial()
        path, old = self._service.plans[trial.number], self._plans[trial.number]
        if file_state(path) != trial.state:
            return  # replaced again: that one is next
        found = json.loads(said) if said else {"why": "unreadable", "message": f"{path} could not be certified"}
        if "why" in found:
            self._refuse(found["why"], found["message"])
            return
        digest = bytes.fromhex(found["digest"])
        if digest == old.plan.digest:
            return  # the same plan
        try:
            new = open_plan(path, certified=digest)
            check_successor(old, new)
        except Refused as error:
            self._refuse(error.why, str(error))
            return
        self._plans[trial.number] = new
        self._serving = self._make_serving()
        self._count("plan_updates")
        self._replace_workers()
        self._fill(listener)

    def _drop_trial(self, *, kill: bool = False) -> None:
        trial, self._trial = self._trial, None
        if trial is not None:
            if kill:
                os.kill(trial.pid, signal.SIGKILL)
            os.close(trial.pipe)
            os.waitpid(trial.pid, 0)

    def _refuse(self, why: str, message: str) -> None:
        self._count(("refused", why))
        _tell(f"the plan that is served stays: {message}")


def _certify(path: str, old: OpenPlan, pipe: int) -> None:
    """Write to a pipe, as JSON, whether a file may replace a plan. Runs in a process of its own."""
    try:
        new = open_plan(path)
        check_successor(old, new)
        found = {"digest": new.plan.digest.hex()}
    except Refused as error:
        found = {"why": error.why, "message": str(error)}
    os.write(pipe, json.dumps(found).encode())


def _tell(message: str) -> None:
    print(f"minleak: {message}", file=sys.stderr, flush=True)
