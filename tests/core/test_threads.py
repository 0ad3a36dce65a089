"""One BLAS thread while small systems are solved."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

import minleak as ml
from minleak.core import _sibson as sibson
from minleak.core import _threads as threads
from minleak.lab._optimise import solve
from minleak.lab._orders import find

ALONE = """
import threading
import scipy.linalg
from threadpoolctl import threadpool_info
from minleak.core._threads import one_thread

def limits():
    return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]

before = limits()
assert before == [2, 2], before
entered, leave = threading.Event(), threading.Event()

def other():
    with one_thread():
        entered.set()
        leave.wait(60)

thread = threading.Thread(target=other)
thread.start()
assert entered.wait(60)
with one_thread(), one_thread():
    leave.set()
    thread.join()
    assert limits() == [1, 1]
assert limits() == before
try:
    with one_thread():
        1 / 0
except ZeroDivisionError:
    pass
assert limits() == before
"""


def test_the_limit_holds_inside_and_goes_with_the_last():
    """Also where those who were first leave first, in another thread. In a process of its own, since a peer that the
    tests load brings a BLAS of its own whose functions hide those of numpy's.
    """
    two = os.environ | {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    subprocess.run([sys.executable, "-c", ALONE], env=two, check=True)


def test_solvers_run_with_one_thread(monkeypatch):
    """Refinement, capacity and design under constraints, whatever they call inside."""
    seen = []

    def spy(module, name):
        inner = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, **kw: seen.append(bool(threads._inside)) or inner(*args, **kw))

    spy(find, "_solution")
    spy(sibson, "_close_gap")
    spy(solve, "certify")
    C = np.array([[0.75, 0.25], [0.25, 0.75]])
    ml.lab.refined_by(C, C)
    ml.capacity(C)
    ml.lab.optimise([1, 2], cost=1 - np.eye(2), budget=0.1)
    assert len(seen) >= 3
    assert all(seen)
    assert not threads._inside
