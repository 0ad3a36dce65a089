"""Programme: the input of every solver, and Solution: its output."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minleak import Gain
from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.gain import gain_matrix
from minleak.core._entropy.names import as_entropy
from minleak.core._labels import Labels
from minleak.errors import InvalidParameter
from minleak.lab._optimise.cores.base import Core, Grouped
from minleak.lab._optimise.cores.of_entropy import core_of, gains_of
from minleak.lab._optimise.problem import Problem


@dataclass(frozen=True, eq=False)
class View:
    """What an attacker with gains G sees: the entries v = K z + k of G J, column by column, for free entries z.

    `identity` means v = z: no gains, and nothing fixed.
    """

    matrix: Any
    constant: Array
    columns: Indices
    identity: bool

    @cached_property
    def by(self) -> Grouped:
        """The entries by columns."""
        return Grouped(self.columns)

    def of(self, z: Array) -> Array:
        """v, clipped at zero against rounding."""
        return z if self.identity else np.maximum(self.matrix @ z + self.constant, 0.0)


def view_of(problem: Problem, gain: Any = None) -> View:
    """The view through a gain matrix, a vector for a diagonal one, or None."""
    import scipy.sparse as sp

    free = len(problem.rows)
    if problem.privacy is not None:  # z are entries of the channel, not of the joint
        gain = problem.prior.p if gain is None else _weigh_gains(gain, problem.prior.p)
    if gain is None and not len(problem.fixed):
        return View(sp.eye_array(free, format="csr"), np.zeros(free), problem.columns, identity=True)
    n = problem.shape[0]
    gain = np.ones(n) if gain is None else gain
    if gain.shape[-1] != n:
        raise InvalidParameter(
            f"the gains are for {gain.shape[-1]} secrets, and there are {n}: G has one column for each secret"
        )
    gains = sp.csc_array(sp.diags_array(gain) if gain.ndim == 1 else gain)
    gains.eliminate_zeros()
    rows = np.concatenate([problem.rows, problem.fixed_rows])
    columns = np.concatenate([problem.columns, problem.fixed_columns])
    # A pair (x, y) reaches the entries (w, y) with G[w, x] > 0.
    reached = np.diff(gains.indptr)[rows]
    pair = np.repeat(np.arange(len(rows)), reached)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(reached) - reached, reached)
    at = gains.indptr[rows][pair] + within
    key = columns[pair].astype(np.int64) * gains.shape[0] + gains.indices[at]
    entries, place = np.unique(key, return_inverse=True)
    if not len(entries):
        raise InvalidParameter("every gain is for a secret of probability zero: nothing is worth hiding")
    whole = sp.csr_array((gains.data[at], (place, pair)), shape=(len(entries), len(rows)))
    constant = np.asarray(whole[:, free:] @ problem.fixed)
    return View(whole[:, :free].tocsr(), constant, entries // gains.shape[0], identity=False)


def _weigh_gains(gain: Any, p: Array) -> Any:
    """The gains times the probabilities of the secrets."""
    import scipy.sparse as sp

    if gain.ndim == 1 and len(gain) == len(p):
        return gain * p
    return gain @ sp.diags_array(p) if gain.shape[-1] == len(p) else gain


@dataclass(frozen=True, eq=False)
class Term:
    """The sum of a core over the columns in view: `weight` times it is part of the objective, or it is at least
    `floor`.
    """

    core: Core
    view: View
    floor: float | None = None
    weight: float = 1.0

    def total(self, z: Array) -> float:
        """The sum of U at z."""
        return float(self.core.values(self.view.of(z), self.view.by).sum())


def convex_form(entropy: ConditionalEntropy | str, gains: Any = None, secrets: Labels | None = None) -> Entropy:
    """The entropy, seen through `gains` of the secrets if any; InvalidParameter if the problem would not be convex."""
    chosen = as_entropy(entropy)
    if not isinstance(chosen, Entropy):
        raise InvalidParameter(f"{chosen.name} is not of the form eta(sum Fhat), so its problem is not convex")
    form = chosen if gains is None else Gain(chosen, gain_matrix(gains, secrets))
    core_of(form)  # raises where there is none
    gains_of(form)  # raises where nested gains do not fit
    return form


def term_of(problem: Problem, entropy: Entropy) -> Term:
    """The term that the designer maximises for an entropy."""
    return Term(core_of(entropy), view_of(problem, gains_of(entropy)))


@dataclass(frozen=True, eq=False)
class Programme:
    """Maximise the sum of the terms without a floor, minus <expense, z>, subject to the floors of the others."""

    problem: Problem
    terms: tuple[Term, ...]
    expense: Array | None = None

    @property
    def linear(self) -> bool:
        """True for a linear programme."""
        return all(term.core.linear for term in self.terms)

    @property
    def core(self) -> Core | None:
        """The core, if there is one term and nothing else in the objective."""
        alone = len(self.terms) == 1 and self.expense is None and self.terms[0].floor is None
        return self.terms[0].core if alone else None

    @property
    def plain_core(self) -> Core | None:
        """The same if the core sees z itself."""
        return self.core if self.terms and self.terms[0].view.identity else None

    def objective(self, z: Array) -> float:
        """The objective at z."""
        total = sum(term.weight * term.total(z) for term in self.terms if term.floor is None)
        return total - (0.0 if self.expense is None else float(self.expense @ z))


@dataclass(frozen=True, eq=False)
class Solution:
    """A solver's answer: entries z, multipliers mu of the budgets, and its status.

    `multipliers` has the weight of each term of the objective, or the multiplier of its floor. `duals` has for each
    term the derivative of the optimum by the entries in its view, divided by that. `privacy_price` and
    `privacy_allowance` are those of `Problem.price_privacy`.
    """

    z: Array
    mu: Array
    multipliers: tuple[float, ...]
    duals: tuple[Array, ...]
    status: str
    privacy_price: Array | None = None
    privacy_allowance: float = 0.0


def duals_of_prices(problem: Problem, lam: Array, mu: Array) -> Array:
    """The dual variables lambda_x + sum of mu_i cost_i of a core that sees z itself."""
    return np.asarray(lam[problem.rows] + sum(price * cost for price, cost in zip(mu, problem.costs, strict=True)))
