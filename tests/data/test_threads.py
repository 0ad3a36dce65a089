"""One BLAS thread while small systems are solved."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import minleak as ml
from minleak._data import threads
from minleak._data.factoring import find
from minleak._data.threads import one_thread
from minleak._measure import sibson
from minleak._optimise import solve


def limits() -> list[int]:
    import scipy.linalg  # noqa: F401 - with numpy's the second library

    ours = [found for found in threadpool_info() if found["user_api"] == "blas"]  # a peer may have brought its own
    return [found["num_threads"] for found in ours if "numpy" in found["filepath"] or "scipy" in found["filepath"]]


def test_the_limit_holds_inside_and_goes_with_the_last():
    """Also where those who were first leave first, in another thread."""
    before = limits()
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with one_thread():
            entered.set()
            leave.wait(60)

    thread = threading.Thread(target=other)
    thread.start()
    assert entered.wait(60)
    with one_thread(), one_thread():
        leave.set()
        thread.join()
        assert set(limits()) == {1}
    assert limits() == before
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert limits() == before


def test_solvers_run_with_one_thread(monkeypatch):
    """Refinement, capacity and design under constraints, whatever they call inside."""
    seen = []

    def spy(module, name):
        inner = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, **kw: seen.append(bool(threads._inside)) or inner(*args, **kw))

    spy(find, "_solution")
    spy(sibson, "_closed")
    spy(solve, "certified")
    C = np.array([[0.75, 0.25], [0.25, 0.75]])
    ml.refines(C, C)
    ml.capacity(C)
    ml.optimise([1, 2], cost=1 - np.eye(2), budget=0.1)
    assert len(seen) >= 3
    assert all(seen)
    assert not threads._inside
