"""Equilibrium: the attacker's half of the game, from the planes that prove the bound.

The designer chooses a channel, the attacker what to do at each observable. The least leakage is the value of this game,
and the plane S above the core at observable y says what an attacker loses who does his part: <S, J[:,y]> if the joint
is J. Since every feasible joint has <S, J> at most the bound, his gain is at least that of the optimum whatever channel
the designer chooses, and the optimal channel gives him no more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak._data.arrays import Array
from minleak._data.labels import Labels
from minleak._entropy.base import Entropy
from minleak._face.result import Result
from minleak._optimise.bound import Solved
from minleak._optimise.cores.of_entropy import core_of, gains_of
from minleak._optimise.problem import Problem


@dataclass(frozen=True, eq=False)
class Equilibrium(Result):
    """What the attacker does at each observable, and what he is promised. `kind` says it in words; `inputs` and
    `outputs` are the labels of secrets and observables.

    `strategy[y, x]` is, for guessing attackers, the chance that secret x is among his guesses when he sees y; for
    guesswork how many guesses he needs for x on average; for Shannon the probability that he assigns to x, whose
    negative logarithm is his surprise. NaN where the pair cannot occur. `promised` is his expected chance, number
    of guesses or surprise (in nats) against every channel that keeps to the constraints: at least that chance, or at
    most that many.
    """

    kind: str
    strategy: Array
    promised: float
    inputs: Labels
    outputs: Labels


def equilibrium_of(problem: Problem, H: Entropy, solved: Solved) -> Equilibrium | None:
    """The attacker's part for an entropy that stands for an attacker, without gains and with nothing fixed."""
    core = core_of(H)
    if not solved.planes or gains_of(H) is not None or len(problem.fixed) or not len(problem.rows):
        return None
    part = core.attacker(solved.planes[0], solved.bound)
    if part is None:
        return None
    rows, columns = problem.rows, problem.columns
    if problem.privacy is not None:  # the view leaves out secrets of probability zero
        seen = problem.prior.p[rows] > 0
        rows, columns = rows[seen], columns[seen]
    strategy = np.full((problem.shape[1], problem.shape[0]), np.nan)
    strategy[columns, rows] = part.strategy
    return Equilibrium(part.kind, strategy, part.promised, problem.prior.labels, problem.outputs)
