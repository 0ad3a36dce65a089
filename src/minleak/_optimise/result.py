"""Optimum: the channel that leaks least, what it leaks and costs, how sure that is, and the attacker's part."""

from __future__ import annotations

from dataclasses import dataclass, field

from minleak._data.arrays import Array
from minleak._data.channel import Channel
from minleak._data.labels import Labels
from minleak._face.result import Result
from minleak._face.tables import Table


@dataclass(frozen=True)
class Stage(Result):
    """One `entropy` of a list: what the channel leaks in it, `leakage`, with `value` for H(X|Y), and `bound`, the least
    that any channel leaks that is as good in the entropies before it; `shadow_prices` are those of the budgets, and
    `status` the solver's.
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
    """The attacker's half of the game: what they do at each observable, and what they are promised.

    `kind` says it in words; `inputs` and `outputs` are the labels of secrets and observables.

    The designer chooses a channel, the attacker what to do at each observable, and the least leakage is the value of
    this game. Of the plane S above the core at y, which proves the bound, <S, J[:,y]> is what an attacker loses who
    does this part if the joint is J. Every feasible joint has <S, J> at most the bound: so they gain at least as much
    as at the optimum whatever channel the designer chooses, and the optimal channel gives them no more.

    `strategy[y, x]` is, for guessing attackers, the chance that secret x is among their guesses when they see y; for
    guesswork how many guesses they need for x on average; for Shannon the probability that they assign to x, whose
    negative logarithm is their surprise. NaN where the pair cannot occur. `promised` is their expected chance, number
    of guesses or surprise (in nats) against every channel that keeps to the constraints: at least that chance, or at
    most that many.
    """

    kind: str
    strategy: Array
    promised: float
    inputs: Labels
    outputs: Labels


@dataclass(frozen=True)
class Optimum(Result):
    """The channel that leaks least, H(X|Y) as `value` and the `leakage`, and a certified `bound`: no feasible channel
    leaks less. `status` says how it was found.

    Of a list of entropies these are for the first; `stages` has them all. `shadow_price` is by how much the least
    leakage falls for one more unit of the (first) budget, 0 if there is none; `costs` are the expected costs.

    `attacker` is what the attacker does who holds the designer to the bound, whatever channel that one chooses: see
    `Equilibrium`; None where the entropy stands for no such attacker. Of several attackers by weights or at worst,
    value and leakage are their weighted sum, with `mix` the weights; at worst these are how an opponent who may choose
    the attacker chooses.
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
