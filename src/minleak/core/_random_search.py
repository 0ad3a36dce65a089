"""Random search for a probability vector where a function is large, where no better method is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minleak.core._arrays import Array


def random_search(
    f: Callable[[Array], float],
    n: int,
    *,
    trials: int,
    rng: np.random.Generator,
    starts: list[Array] | None = None,
) -> tuple[Array, float]:
    """A distribution on n points where f is large, and its value there: a lower bound on the maximum, no more.

    Half of the trials are random points of varied skew; the other half are steps from the best of them (and of the
    `starts`), which get shorter whenever one fails.
    """
    points = list(starts or [])
    for _ in range(trials // 2):
        point = rng.gamma(rng.choice([0.2, 1.0, 5.0]), size=n) + 1e-9
        points.append(point / point.sum())
    values = [f(point) for point in points]
    best = int(np.argmax(values))
    top, value = points[best], values[best]
    step = 0.5
    for _ in range(trials - trials // 2):
        moved = top * np.exp(step * rng.standard_normal(n))
        moved /= moved.sum()
        moved_value = f(moved)
        if moved_value > value:
            top, value = moved, moved_value
            step = min(2 * step, 1.0)
        else:
            step = max(0.9 * step, 1e-6)
    return top, value
