"""Several attackers at once, and the attacker's half of the game."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter

LINE = np.abs(np.arange(6.0)[:, None] - np.arange(6))
WEIGHTS = [5, 3, 8, 1, 2, 4]
BOTH = ["shannon", "guesswork"]


def feasible(count: int) -> list[np.ndarray]:
    """Random channels within the budget of 1."""
    rng = np.random.default_rng(0)
    p = np.array(WEIGHTS) / sum(WEIGHTS)
    found = []
    for _ in range(count):
        C = rng.dirichlet(np.full(6, 0.3), 6)
        cost = float((p[:, None] * C * LINE).sum())
        share = min(1.0, 1.0 / cost)
        found.append(share * C + (1 - share) * np.eye(6))
    return found


def test_weights_add_the_leakages_up():
    """No random channel does better, and the sum is certified; one attacker alone is as without weights."""
    best = ml.lab.optimise(WEIGHTS, entropy=BOTH, cost=LINE, budget=1.0, weights=[2, 1])
    first, second = (stage.leakage for stage in best.stages)
    assert best.leakage == pytest.approx(2 * first + second, abs=1e-12)
    assert best.gap < 1e-6
    for C in feasible(50):
        assert 2 * ml.leakage(WEIGHTS, C, "shannon") + ml.leakage(WEIGHTS, C, "guesswork") >= best.bound
    alone = ml.lab.optimise(WEIGHTS, entropy=BOTH, cost=LINE, budget=1.0, weights=[3, 0])
    assert alone.leakage == pytest.approx(3 * ml.lab.optimise(WEIGHTS, cost=LINE, budget=1.0).leakage, abs=1e-6)


def test_the_worst_of_several_is_made_least():
    """Where two attackers differ, both leak the same; the mix is how an opponent chooses among them."""
    entropies = ["guess-error:1", "guess-error:3"]
    best = ml.lab.optimise(WEIGHTS, entropy=entropies, cost=LINE, budget=0.6, weights="worst")
    leaks = [stage.leakage for stage in best.stages]
    assert best.leakage == max(leaks)
    assert best.gap < 1e-6
    assert sum(best.mix) == pytest.approx(1)
    weighed = ml.lab.optimise(WEIGHTS, entropy=entropies, cost=LINE, budget=0.6, weights=best.mix)
    assert weighed.leakage == pytest.approx(best.leakage, abs=1e-6)
    for first in entropies:
        turn = ml.lab.optimise(WEIGHTS, entropy=[first, *entropies], cost=LINE, budget=0.6)
        assert max(stage.leakage for stage in turn.stages) >= best.bound - 1e-9


@pytest.mark.parametrize("entropy", ["min-entropy", "guess-error:2", "guesswork", "shannon"])
def test_the_attackers_part_holds_against_every_channel(entropy):
    """What he is promised he gets from every feasible channel, and from the best one no more."""
    best = ml.lab.optimise(WEIGHTS, entropy=entropy, cost=LINE, budget=1.0)
    part = best.attacker
    p = np.array(WEIGHTS) / sum(WEIGHTS)
    gained = part.strategy.T if entropy != "shannon" else -np.log(part.strategy.T)
    sign = 1 if "gue" not in entropy or "work" in entropy else -1
    sign = -1 if entropy == "min-entropy" else sign
    for C in feasible(30):
        assert sign * float((p[:, None] * C * gained).sum()) <= sign * part.promised + 1e-9
    met = float((p[:, None] * best.channel.toarray() * np.nan_to_num(gained, posinf=0.0)).sum())
    assert met == pytest.approx(part.promised, abs=1e-6)
    if entropy in ("min-entropy", "guess-error:2"):
        assert part.strategy.sum(axis=1).max() <= (1 if entropy == "min-entropy" else 2) + 1e-9
    if entropy == "min-entropy":
        assert 2**-best.value == pytest.approx(part.promised)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ("best", "or 'worst', not 'best'"),
        ([1], "1 weights for 2 entropies"),
        ([1, -1], "a number from 0 on, not -1"),
        ([1, float("nan")], "a number from 0 on, not nan"),
        ([0, 0], "not all 0"),
        (3, "weights are a list of numbers"),
    ],
)
def test_weights_that_are_none_are_refused(weights, said):
    """One line."""
    with pytest.raises(InvalidParameter, match=said):
        ml.lab.optimise(WEIGHTS, entropy=BOTH, cost=LINE, budget=1.0, weights=weights)


def test_what_is_not_concave_is_refused():
    """In bits min-entropy is none; as a chance it is."""
    with pytest.raises(InvalidParameter, match="use shannon, guesswork or guess-error"):
        ml.lab.optimise(WEIGHTS, entropy=["min-entropy", "shannon"], cost=LINE, budget=1.0, weights=[1, 1])
