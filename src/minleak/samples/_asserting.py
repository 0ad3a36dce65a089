"""assert_no_leak: a test that fails if the output or time of a function depends on its input."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

from minleak.core._parameters import as_list, real, whole
from minleak.core._simulating import generator
from minleak.errors import InvalidParameter, quote
from minleak.samples._auditing import audit
from minleak.samples._result import Audit


def assert_no_leak(
    f: Callable[[Any], Any],
    inputs: Iterable[Any],
    *,
    alpha: float = 0.01,
    events: int = 2000,
    seen: Literal["value", "time"] = "value",
    attack: Any = None,
    seed: int | None = None,
) -> Audit:
    """Call f on the inputs in random order, and raise AssertionError if what is seen tells which input it was.

    Each input is called about equally often, `events` calls in all. If what is seen does not depend on the input, every
    order is equally likely, whatever else it depends on: drift, warm caches, the time of day. The permutation test of
    `audit` then fails with probability at most alpha, exactly, also for floats and few events. Passing does not exclude
    a leak that is too small for so many events: the audit that is returned has the bounds.

    Parameters
    ----------
    f, inputs
        A function of one input, and two or more different inputs, such as a right and a wrong password. Messages do not
        show them.
    alpha
        How often the test may fail where nothing leaks. A suite of m such tests fails by chance with probability at
        most m alpha, so give each alpha/m; a nightly test at 0.01 fails by chance three or four times a year. Do not
        rerun a failed test until it passes, which hides leaks: rerun it once, on more events, and believe the second
        answer.
    seen
        "value" for what f returns, numbers or texts; "time" for how long it takes, in nanoseconds.
    attack
        As for `audit`.
    seed
        Seed of the order; None for a fresh one, which makes runs independent.

    >>> _ = assert_no_leak(lambda name: len(name) > 0, ["flu", "cold"], events=200)
    >>> assert_no_leak(len, ["flu", "cold"], events=200)
    Traceback (most recent call last):
    AssertionError: what is seen tells the input: p = 0.0005 <= alpha = 0.01; a guess is right ...
    """
    secrets = as_list(inputs, "inputs are two or more values")
    if len(secrets) < 2:
        raise InvalidParameter("inputs are two or more: with one of them nothing can be told apart")
    if seen not in ("value", "time"):
        raise InvalidParameter(f"seen is 'value' or 'time', not {quote(seen)}")
    real(alpha, "alpha is between 0 and 1", above=0, below=1)
    many = whole(events, "events", 20 * len(secrets))
    chosen = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
    (own,) = generator(chosen).spawn(1)  # the audit's permutations, from the same seed, are independent of the order
    order = own.permutation(np.arange(many) % len(secrets))
    found = audit(
        order,
        [_observe(f, secrets[x], seen) for x in order.tolist()],
        alpha=alpha,
        attack=attack,
        permutations=max(1999, math.ceil(2 / alpha) - 1),
        seed=chosen,
    )
    if found.rejected:
        raise AssertionError(
            f"what is seen tells the input: p = {found.p:.3g} <= alpha = {alpha:g}; a guess is right "
            f"{found.success.estimate:.1%} of the time (at least {found.success.low or 0:.1%}), and "
            f"{found.blind.estimate:.1%} without looking; {found.events:,} calls of {found.secrets} inputs"
        )
    return found


def _observe(f: Callable[[Any], Any], secret: Any, seen: str) -> Any:
    begin = time.perf_counter_ns()
    value = f(secret)
    return time.perf_counter_ns() - begin if seen == "time" else value
