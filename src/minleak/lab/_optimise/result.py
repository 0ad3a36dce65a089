"""Optimum: the channel that leaks least, its leakage and cost, the certified bound, and the attacker's strategy."""

from __future__ import annotations

from dataclasses import dataclass, field

from minleak import Channel
from minleak.core._arrays import Array
from minleak.core._labels import Labels
from minleak.core._result import Result
from minleak.core._text_tables import Table


@dataclass(frozen=True)
class Stage(Result):
    """One `entropy` of a list: `leakage` is what the channel leaks in it, `value` is H(X|Y), and `bound` is the least
    leakage of any channel that is as good in the entropies before it; `shadow_prices` are those of the budgets, and
    `status` is the solver's.
    """

    entropy: str
    value: float
    leakage: float
    bound: float
    shadow_prices: tuple[float, ...]
    status: str

    reported = ("gap",)

    @property
    def gap(self) -> float:
        """How far the channel may be from the best, in the unit of the entropy."""
        return max(self.leakage - self.bound, 0.0)


@dataclass(frozen=True, eq=False)
class Equilibrium(Result):
    """The attacker's strategy at the equilibrium: what they do at each observable, and what that guarantees them.

    The designer chooses a channel, the attacker what to do at each observable; the least leakage is the value of this
    game. The plane S above the core at y, which proves the bound, is a strategy: its loss is <S, J[:,y]> if the joint
    is J. Every feasible joint has <S, J> at most the bound, so the strategy gains at least the value of the game
    against every channel, and the optimal channel gives the attacker no more.

    `kind` describes the numbers in `strategy`. `strategy[y, x]` is, for guessing attackers, the chance that they guess
    secret x when they see y; for guesswork the mean number of guesses that x takes them; for Shannon the probability
    that they assign to x. It is NaN where the pair cannot occur. `promised` is their expected chance (at least), number
    of guesses or surprise in nats (at most) against every feasible channel. `inputs` and `outputs` are the labels of
    secrets and observables.
    """

    kind: str
    strategy: Array
    promised: float
    inputs: Labels
    outputs: Labels


@dataclass(frozen=True)
class Optimum(Result):
    """The `channel` that leaks least: `value` is H(X|Y), `leakage` is what it leaks, and no feasible channel leaks less
    than the certified `bound`. `status` says how it was found.

    For a list of entropies these are for the first; `stages` has them all. `shadow_price` is by how much the least
    leakage falls for one more unit of the (first) budget, 0 if there is none; `costs` are the expected costs.

    `attacker` is the strategy that guarantees the bound against every channel, see `Equilibrium`; None where the
    entropy stands for no such attacker. For several attackers by weights or at worst, value and leakage are weighted
    sums, and `mix` has the weights; at worst they are the mix of an opponent who may choose the attacker.
    """

    channel: Channel = field(repr=False)
    value: float
    leakage: float
    bound: float
    status: str
    shadow_price: float
    costs: tuple[float, ...]
    stages: tuple[Stage, ...]
    attacker: Equilibrium | None = None
    mix: tuple[float, ...] = ()

    reported = ("gap",)

    @property
    def gap(self) -> float:
        """How far the channel may be from the best, in the unit of the (first) entropy."""
        return max(self.leakage - self.bound, 0.0)

    def to_parts(self) -> list[str | Table]:
        n, m = self.channel.shape
        columns = ["entropy", "leakage", "no less than", "gap", "shadow price"]
        rows = [
            [stage.entropy, stage.leakage, stage.bound, stage.gap, next(iter(stage.shadow_prices), None)]
            for stage in self.stages
        ]
        return [
            Table(f"{n} secrets, {m} observables: least leakage, {self.status}", columns, rows),
            *(f"expected cost {cost:.6g}" for cost in self.costs),
        ]
