"""optimise finds the optimum: closed forms, other algorithms, other solvers, and constraints kept."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog
from tests.lab.optimise.problems import (
    CONIC,
    COUNTEREXAMPLE,
    LINEAR,
    NEAR_ONE,
    entropy_of,
    hamming,
    keeps,
    random_problem,
    rate_distortion,
)

import minleak as ml


@pytest.mark.parametrize("name", [*LINEAR, *CONIC, *NEAR_ONE])
def test_certified_for_every_entropy(name):
    """The leakage is minleak's own of the channel, the bound below it, the gap tiny, the constraints kept."""
    given = random_problem(1)
    best = ml.lab.optimise(entropy=name, **given)
    assert best.leakage == ml.leakage(given["prior"], best.channel, name)
    assert best.value == ml.entropy(name).conditional(given["prior"], best.channel)
    assert 0 <= best.leakage - best.bound == best.gap < 1e-6
    assert keeps(best, **given)
    assert best.shadow_price * (given["budget"] - best.costs[0]) == pytest.approx(0.0, abs=1e-7)
    assert best.shadow_price > 0 or best.leakage < 1e-12


@pytest.mark.parametrize("name", ["shannon", "min-entropy", "guesswork", "arimoto:2", "hayashi:0.5", "fehrberens:2"])
def test_no_feasible_channel_leaks_less_than_the_bound(name):
    """Random feasible channels, and small steps from the optimum towards them, all leak at least the bound."""
    given = random_problem(2)
    best = ml.lab.optimise(entropy=name, **given)
    rng = np.random.default_rng(0)
    p, cost = given["prior"], given["cost"]
    cheap = np.zeros(cost.shape)
    cheap[np.arange(len(p)), cost.argmin(axis=1)] = 1.0
    tried = 0
    for _ in range(300):
        channel = rng.dirichlet(np.full(cost.shape[1], 0.5), size=len(p))
        spent, least = (p[:, None] * channel * cost).sum(), (p[:, None] * cheap * cost).sum()
        if spent > given["budget"]:
            share = (spent - given["budget"]) / (spent - least)
            channel = (1 - share) * channel + share * cheap
        for step in (1.0, 1e-2, 1e-4):
            mixed = (1 - step) * best.channel.toarray() + step * channel
            tried += 1
            assert ml.leakage(p, mixed, name) >= best.bound - 1e-12
    assert tried == 900


def test_uniform_secrets_under_hamming_distortion():
    """log n - h(D) - D log(n-1), the rate-distortion function in closed form; -log max for one guess is 1 - D."""
    for n, budget in ((3, 0.3), (4, 0.1), (5, 0.5)):
        best = ml.lab.optimise([1] * n, cost=hamming(n), budget=budget)
        expected = math.log2(n) - entropy_of([budget, 1 - budget]) - budget * math.log2(n - 1)
        assert best.leakage == pytest.approx(expected, abs=1e-10)
        slope = math.log2((1 - budget) / budget) + math.log2(n - 1)
        assert best.shadow_price == pytest.approx(slope, rel=1e-6)
        guess = ml.lab.optimise([1] * n, entropy="min-entropy", cost=hamming(n), budget=budget)
        assert guess.leakage == pytest.approx(math.log2(n * (1 - budget)), abs=1e-10)


@pytest.mark.parametrize("slope", [4.0, 8.0, 15.0])
def test_shannon_is_rate_distortion(slope):
    """Against Blahut's algorithm, which shares nothing with a conic solver; its slope is the shadow price."""
    given = random_problem(3, n=5, m=4)
    budget, bits = rate_distortion(given["prior"], given["cost"], slope)
    best = ml.lab.optimise(given["prior"], cost=given["cost"], budget=budget)
    assert best.leakage == pytest.approx(bits, abs=1e-8)
    assert best.shadow_price == pytest.approx(slope / math.log(2), rel=1e-4)


def test_one_guess_against_qif():
    """The optimal Bayes vulnerability is libqif's."""
    import qif

    given = random_problem(4, n=12, m=12)
    theirs = qif.mechanism.bayes_vuln.min_vuln_given_max_loss(
        given["prior"], 12, given["budget"], lambda x, y: given["cost"][x, y]
    )
    ours = ml.lab.optimise(entropy="min-entropy", **given)
    assert 2**-ours.value == pytest.approx(ml.lab.posterior_vulnerability(given["prior"], theirs), abs=1e-9)


@pytest.mark.parametrize("l", [1, 2, 3])
def test_l_guesses_by_a_linear_programme_of_all_their_sets(l):
    """The least sum over y of max over sets of l secrets of their probability: one row for each set, written out."""
    from itertools import combinations

    given = random_problem(5, n=5, m=4)
    p, cost, (n, m) = given["prior"], given["cost"], given["cost"].shape
    rows, limits = [], []
    for y in range(m):
        for guessed in combinations(range(n), l):
            row = np.zeros(n * m + m)
            row[[x * m + y for x in guessed]], row[n * m + y] = 1.0, -1.0
            rows.append(row)
            limits.append(0.0)
    rows.append(np.concatenate([cost.ravel(), np.zeros(m)]))
    limits.append(given["budget"])
    sums = np.hstack([np.kron(np.eye(n), np.ones(m)), np.zeros((n, m))])
    found = linprog(np.r_[np.zeros(n * m), np.ones(m)], A_ub=np.array(rows), b_ub=limits, A_eq=sums, b_eq=p)
    best = ml.lab.optimise(entropy=ml.GuessError(l), **given)
    assert best.value == pytest.approx(1 - found.fun, abs=1e-9)


def test_guesswork_by_a_linear_programme_of_all_orders():
    """The same for guesswork: it is the least over the orders of guessing, one row for each permutation."""
    from itertools import permutations

    given = random_problem(6, n=4, m=3)
    p, cost, (n, m) = given["prior"], given["cost"], given["cost"].shape
    rows = []
    for y in range(m):
        for ranks in permutations(range(1, n + 1)):
            row = np.zeros(n * m + m)
            row[[x * m + y for x in range(n)]], row[n * m + y] = [-r for r in ranks], 1.0
            rows.append(row)
    rows.append(np.concatenate([cost.ravel(), np.zeros(m)]))
    limits = [*np.zeros(len(rows) - 1), given["budget"]]
    sums = np.hstack([np.kron(np.eye(n), np.ones(m)), np.zeros((n, m))])
    found = linprog(np.r_[np.zeros(n * m), -np.ones(m)], A_ub=np.array(rows), b_ub=limits, A_eq=sums, b_eq=p)
    assert ml.lab.optimise(entropy="guesswork", **given).value == pytest.approx(-found.fun, abs=1e-9)


# -- lists of entropies ----------------------------------------------------------------------------------------------


def test_best_for_one_guess_alone_can_leak_more_than_twice_as_much():
    """Three equally likely secrets, E[x != y] <= 0.3: a vertex leaks 0.953 bits where the second entropy gets 0.404."""
    given = {"prior": [1, 1, 1], "cost": hamming(3), "budget": 0.3}
    alone = ml.lab.optimise(entropy=ml.MinEntropy(), **given)
    both = ml.lab.optimise(entropy=[ml.MinEntropy(), ml.Shannon()], **given)
    assert alone.leakage == pytest.approx(both.leakage, abs=1e-8)
    assert round(ml.leakage([1, 1, 1], alone.channel, "shannon"), 3) == 0.953
    assert round(ml.leakage([1, 1, 1], both.channel, "shannon"), 3) == 0.404
    assert both.stages[1].leakage == pytest.approx(math.log2(3) - entropy_of([0.3, 0.7]) - 0.3, abs=1e-7)
    assert [stage.entropy for stage in both.stages] == ["min-entropy", "shannon"]


def test_a_list_is_as_good_in_the_first_and_best_in_the_second():
    """Among channels with the best guesswork of the counterexample, 0.15 <= x <= 0.3, Arimoto 2 picks its own best."""
    best = ml.lab.optimise(entropy=["guesswork", "arimoto:2"], **COUNTEREXAMPLE)
    assert 0.5 * best.channel.toarray()[1, 1] == pytest.approx(0.25735931, abs=1e-5)
    reverse = ml.lab.optimise(entropy=["arimoto:2", "guesswork"], **COUNTEREXAMPLE)
    assert 0.5 * reverse.channel.toarray()[1, 1] == pytest.approx(0.25735931, abs=1e-4)
    assert all(stage.gap < 1e-6 for stage in (*best.stages, *reverse.stages))


def test_linear_lists_need_no_conic_solver():
    """Min-entropy, then guesswork: both by linear programmes, the first's optimum kept."""
    given = random_problem(7)
    first = ml.lab.optimise(entropy="min-entropy", **given)
    both = ml.lab.optimise(entropy=["min-entropy", "guesswork"], **given)
    assert both.leakage == pytest.approx(first.leakage, abs=1e-8)
    assert both.stages[1].leakage <= ml.leakage(given["prior"], first.channel, "guesswork") + 1e-9
    assert all(stage.status == "Optimal" for stage in both.stages)


def test_a_cost_without_a_budget_breaks_ties():
    """The ends of the interval on which guesswork is largest: cheapest and dearest x."""
    up = np.zeros((4, 2))
    up[1, 1] = 1.0
    ends = [
        0.5 * ml.lab.optimise(entropy="guesswork", cost=sign * up, **COUNTEREXAMPLE).channel.toarray()[1, 1]
        for sign in (1, -1)
    ]
    assert ends == pytest.approx([0.15, 0.3], abs=1e-7)


def test_ties_that_cannot_be_certified_are_told():
    """Channels that agree to 1e-11 in one entropy may differ by more in one that is steep at zero: the status tells."""
    p = [2, 4, 6]
    best = ml.lab.optimise(p, entropy=["min-entropy", "shannon"], cost=hamming(3), budget=0.2, gap=1e-6)
    assert best.status == "certified"
    told = ml.lab.optimise(p, entropy=["min-entropy", "arimoto:0.3"], cost=hamming(3), budget=0.2, gap=1e-13)
    assert told.status == "certified in the first entropy"
    assert told.stages[0].gap <= 1e-13 < told.stages[1].gap < 1e-3


@pytest.mark.parametrize("name", ["shannon", "arimoto:0.5", "arimoto:2", "min-entropy"])
def test_a_budget_of_just_the_least_cost(name):
    """Only the cheapest pairs are left; a steep entropy would gain without bound from the first bit of budget."""
    given = random_problem(13)
    least = float(given["prior"] @ given["cost"].min(axis=1))
    best = ml.lab.optimise(given["prior"], entropy=name, cost=given["cost"], budget=least)
    assert best.channel.toarray().argmax(axis=1).tolist() == given["cost"].argmin(axis=1).tolist()
    assert best.gap < 1e-6
    assert math.isinf(best.shadow_price) == (name in ("shannon", "arimoto:0.5"))
    ties = [[0, 0, 1], [0, 0, 1], [1, 0, 0]]
    among = ml.lab.optimise([1, 1, 1], entropy=name, cost=ties, budget=0.0)
    assert (among.channel.toarray() * np.array(ties)).max() < 1e-9
    assert among.gap < 1e-6


# -- what else can be given ------------------------------------------------------------------------------------------


def test_the_counterexamples_maximisers():
    """0.2573593 and 0.3, unique; one guess and guesswork at an end of theirs."""
    x = {
        name: 0.5 * ml.lab.optimise(entropy=name, **COUNTEREXAMPLE).channel.toarray()[1, 1]
        for name in ("arimoto:2", "shannon", "guesswork")
    }
    assert x["arimoto:2"] == pytest.approx(0.2573593129, abs=1e-9)
    assert x["shannon"] == pytest.approx(0.3, abs=1e-9)
    assert 0.15 - 1e-9 <= x["guesswork"] <= 0.3 + 1e-9


def test_fixed_entries_stay():
    """A partial channel: its entries as they are, the others optimal; all fixed is that channel."""
    given = random_problem(8, n=4, m=3)
    whole = ml.lab.optimise(**given).channel.toarray()
    fixed = np.full((4, 3), np.nan)
    fixed[0] = whole[0]
    fixed[1, 1] = whole[1, 1]
    again = ml.lab.optimise(fixed=fixed, **given)
    assert keeps(again, fixed=fixed, **given)
    assert again.leakage == pytest.approx(ml.lab.optimise(**given).leakage, abs=1e-8)
    moved = fixed.copy()
    moved[1, 1] = 0.9
    other = ml.lab.optimise(given["prior"], fixed=moved)
    assert keeps(other, prior=given["prior"], fixed=moved)
    assert other.leakage > 1e-3
    everything = ml.lab.optimise(given["prior"], fixed=whole)
    assert everything.channel.toarray() == pytest.approx(whole)
    assert everything.gap < 1e-12


@pytest.mark.parametrize("name", ["min-entropy", "shannon", "arimoto:2", "guesswork"])
@pytest.mark.parametrize("shape", ["vector", "matrix", "sparse"])
def test_gains(name, shape):
    """Gains of any shape, as gains= or within the entropy; the value is Gain's own, no random channel beats it."""
    given = random_problem(9, n=4, m=3)
    gain = {
        "vector": np.array([1.0, 0.0, 2.0, 0.5]),
        "matrix": np.array([[1, 0.5, 0, 0], [0, 1, 1, 0], [0.2, 0, 0, 2.0]]),
        "sparse": sp.csr_array(np.array([[1.0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 3, 0]])),
    }[shape]
    best = ml.lab.optimise(entropy=name, gains=gain, **given)
    H = ml.Gain(ml.entropy(name), gain)
    assert best.value == pytest.approx(H.conditional(given["prior"], best.channel), abs=1e-12)
    assert ml.lab.optimise(entropy=H, **given).leakage == pytest.approx(best.leakage, abs=1e-7)
    assert best.gap < 1e-6
    assert keeps(best, **given)
    rng = np.random.default_rng(1)
    for _ in range(200):
        mixed = 0.9 * best.channel.toarray() + 0.1 * rng.dirichlet(np.ones(3), size=4)
        if (given["prior"][:, None] * mixed * given["cost"]).sum() <= given["budget"]:
            assert ml.leakage(given["prior"], mixed, H) >= best.bound - 1e-12


def test_one_guess_with_gains_is_g_vulnerability():
    """The value is minus the logarithm of the posterior g-vulnerability."""
    given = random_problem(10, n=4, m=3)
    G = np.array([[1, 0.5, 0, 0], [0, 1, 1, 0], [0.2, 0, 0, 2.0]])
    best = ml.lab.optimise(entropy="min-entropy", gains=G, **given)
    assert 2**-best.value == pytest.approx(
        ml.lab.posterior_vulnerability(given["prior"], best.channel, gain=G), rel=1e-12
    )


def test_several_budgets():
    """Each is kept; with one of them slack the answer is that of the other alone."""
    given = random_problem(11)
    other = np.random.default_rng(5).random(given["cost"].shape)
    cap = float((given["prior"] @ other).mean()) * 0.8
    best = ml.lab.optimise(given["prior"], cost=[given["cost"], other], budget=[given["budget"], cap])
    assert keeps(best, **given)
    assert keeps(best, prior=given["prior"], cost=other, budget=cap)
    assert best.gap < 1e-6
    slack = ml.lab.optimise(given["prior"], cost=[given["cost"], other], budget=[given["budget"], 99.0])
    assert slack.leakage == pytest.approx(ml.lab.optimise(**given).leakage, abs=1e-8)
    assert slack.stages[0].shadow_prices[1] == pytest.approx(0.0, abs=1e-6)


def test_impossible_secrets_change_nothing():
    """A secret of probability zero gets a row within its mask, and the leakage is the same."""
    allowed = [[1, 0], [1, 1], [0, 1], [0, 1], [0, 1]]
    with_it = ml.lab.optimise([4, 10, 3, 3, 0], allowed=allowed)
    assert with_it.leakage == pytest.approx(ml.lab.optimise(**COUNTEREXAMPLE).leakage, abs=1e-10)
    assert with_it.channel.toarray()[4].tolist() == [0.0, 1.0]


def test_labels_and_sparse_masks():
    """Outputs are named; a sparse mask is a mask; columns that nobody may show stay empty."""
    mask = sp.csr_array(np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]]))
    best = ml.lab.optimise({"flu": 2, "cold": 5, "gout": 3}, allowed=mask, outputs=["a", "b", "c"])
    assert list(best.channel.outputs) == ["a", "b", "c"]
    assert list(best.channel.inputs) == ["flu", "cold", "gout"]
    assert best.channel.preimage_sizes.tolist() == [2, 2, 0]


def test_nothing_leaks_where_nothing_has_to():
    """All pairs allowed and no budget: leakage 0, bound 0."""
    for name in ("shannon", "min-entropy", "guesswork", "arimoto:2"):
        best = ml.lab.optimise([3, 2, 1], entropy=name, allowed=np.ones((3, 2)))
        assert best.leakage == pytest.approx(0.0, abs=1e-9)
        assert best.bound == pytest.approx(0.0, abs=1e-9)


def test_one_guess_by_pairs_that_join(monkeypatch):
    """The same optimum whether pairs join one after the other or the whole programme is solved at once."""
    import sys

    given = random_problem(12, n=40, m=40)
    monkeypatch.setattr(sys.modules["minleak.lab._optimise.one_guess"], "_REACH", 0.1)
    joined = ml.lab.optimise(entropy="min-entropy", **given)
    monkeypatch.setattr(sys.modules["minleak.lab._optimise.solve"], "is_one_guess", lambda _: False)
    whole = ml.lab.optimise(entropy="min-entropy", **given)
    assert joined.leakage == pytest.approx(whole.leakage, abs=1e-9)
    assert joined.gap < 1e-9
    assert keeps(joined, **given)


def test_very_unlikely_secrets_have_an_observable():
    """A solver may leave a row of 1e-16 empty; it goes to its cheapest pair, and the answer is certified as any."""
    best = ml.lab.optimise([1, 10**16], entropy="hayashi:2", cost=[[0], [0]])
    assert best.channel.toarray().tolist() == [[1], [1]]
    best = ml.lab.optimise([1e-16, 0.1, 0.2], entropy="guess-error:1", allowed=[[1, 1], [1, 0], [0, 1]])
    assert best.gap < 1e-9
    assert best.channel.toarray().sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-12)


def test_a_later_entropy_that_no_solver_manages_leaves_the_channel():
    """Later entropies break ties: where they cannot be solved the first one's channel stays, and the status says so."""
    weights = [0.49598559734952186, 0.9678805610381473, 0.6130522956357773]
    given = {"allowed": [[1, 1, 0], [1, 0, 1], [1, 1, 0]], "gains": [0.14884983, 0, 0.23436642]}
    alone = ml.lab.optimise(weights, entropy="arimoto:2", **given)
    best = ml.lab.optimise(weights, entropy=["arimoto:2", "arimoto:1.0001"], **given)
    assert best.leakage == pytest.approx(alone.leakage, abs=1e-9)
    assert 0 <= best.stages[1].bound <= best.stages[1].leakage
    assert best.status == ("certified" if best.stages[1].gap <= 1e-6 else "certified in the first entropy")
