"""Every public parameter that takes one value or row for each secret: matched by label, or refused; never by position
where labels say otherwise.

Complete by construction: `test_every_parameter_is_known` goes over the parameters of all public functions, classes and
methods. Their names are listed here as one of three: per secret, and then in the table `CASES`; per secret, and
excused with a reason; or something else. A new name fails until it is listed.
"""

from __future__ import annotations

import inspect
import random
import re

import numpy as np
import pandas
import pyarrow as pa
import pytest
import xarray

import minleak as ml
from minleak import lab, padding
from minleak.core._result import Result
from minleak.errors import MinleakError
from minleak.lab import mechanisms, sequences

L = list("abcde")
W = [10, 7, 5, 3, 2]
PRIOR = ml.Prior(W, labels=L)
OUTS = ["u", "v", "w"]
rng = np.random.default_rng(3)
ROWS = rng.dirichlet(np.ones(3), 5).round(3)
ROWS[:, 2] = 1 - ROWS[:, 0] - ROWS[:, 1]
COST = rng.random((5, 3)).round(3)
ALLOWED = [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
FIXED = np.full((5, 3), np.nan)
FIXED[1, 1] = 0.3
FIXED[3, 0] = 0.5
LINE = [0.0, 10.0, 1.0, 11.0, 5.0]
PLACES = [[46.9, 7.4], [47.6, 7.6], [45.8, 4.8], [43.7, 7.3], [48.9, 2.4]]
SQUARE = np.abs(np.subtract.outer(LINE, LINE))
COUNTS = np.array(rng.integers(1, 9, (5, 5)))
CHANNEL = ml.Channel(ROWS, inputs=L, outputs=OUTS)
PLAN = ml.design(PRIOR, 2)
GAINS = [1, 4, 2, 9, 3]
MORE = {"y": 3, "z": 2, **dict(zip(L, W, strict=True))}
CHAIN = sequences.Chain(PRIOR, COUNTS, backoff=1)


def leak(channel, prior=PRIOR):
    return ml.leakage(prior, channel, "shannon")


def of_chain(**given):
    found = sequences.Chain(**({"initial": PRIOR, "transitions": COUNTS, "backoff": 1} | given))
    return [found.probability(a, b) for a in L for b in L], [found.initial[a] for a in L], found.entropy_rate()


def of_plan(plan):
    return plan.success, plan.leakage("shannon"), getattr(plan, "cost", None)


SIZES = [100, 250, 120, 900, 260]
EDGES = [("a", "b"), ("b", "c"), ("d", "e")]
KINDS = ["x", "y", "x", "z", "y"]
# (what is covered, a function of the given object, its values in the order of the secrets, must it match?)
ONE = {
    "Prior": (lambda v: ml.design(v, 2).success, W, True),
    "Prior labels": (lambda v: leak(CHANNEL, ml.Prior(v, labels=L)), W, True),
    "Prior.from_counts": (lambda v: leak(CHANNEL, ml.Prior.from_counts(v)), W, False),
    "design gains": (lambda v: of_plan(ml.design(PRIOR, 2, gains=v)), GAINS, True),
    "pairs gains": (lambda v: lab.pairs(PRIOR, EDGES, gains=v).leakage("shannon"), GAINS, True),
    "least_capacity sizes": (lambda v: str(lab.least_capacity(L, sizes=v, budget=1000)), SIZES, False),
    "design groups": (lambda v: of_plan(ml.design(PRIOR, 2, groups=ml.Groups(v, at_most=1))), KINDS, True),
    "sweep groups": (lambda v: ml.sweep(PRIOR, ks=[2], groups=ml.Groups(v, at_most=1)).success[0], KINDS, True),
    "least_k groups": (
        lambda v: ml.least_k(PRIOR, success=0.6, groups=ml.Groups(v, at_most=1), on_counts=True),
        ["x", "y", "z", "x", "y"],
        True,
    ),
    "Near points": (lambda v: of_plan(ml.design(PRIOR, 2, layout=ml.Near(v))), LINE, True),
    "Blocks rows": (lambda v: of_plan(ml.design(PRIOR, 3, layout=ml.Blocks(worst_rows=12, rows=v))), GAINS, True),
    "certify prior": (lambda v: ml.certify(PLAN, v).ok, W, True),
    "certify wrong prior": (lambda v: ml.certify(PLAN, v).ok, [10, 7, 5, 2, 3], True),
    "certify channel prior": (lambda v: ml.certify(CHANNEL, v, k=5).gaps["shannon"], W, True),
    "certify gains": (lambda v: ml.certify(ml.design(PRIOR, 2, gains=GAINS), PRIOR, gains=v).ok, GAINS, True),
    "compare scheme": (lambda v: ml.compare(PRIOR, v).success, [0, 1, 0, 2, 1], True),
    "compare prior": (lambda v: ml.compare(v, dict(zip(L, [0, 1, 0, 2, 1], strict=True))).success, W, True),
    "compare rows": (lambda v: ml.compare(PRIOR, [0, 1, 0, 2, 1], rows=v).rows[0].read.mean, GAINS, True),
    "exposure prior": (
        lambda v: (ml.exposure([PLAN], prior=v).success, ml.exposure([PLAN], prior=v).single),
        GAINS,
        True,
    ),
    "leakage prior": (lambda v: leak(CHANNEL, v), W, True),
    "leakage of": (lambda v: ml.leakage(PRIOR, CHANNEL, "shannon", of=v), KINDS, True),
    "leakage of, named channel": (lambda v: ml.leakage(W, CHANNEL, "shannon", of=v), KINDS, True),
    "leakage_table prior": (lambda v: ml.leakage_table(v, CHANNEL)["shannon"].leakage, W, True),
    "leakage_table of": (lambda v: ml.leakage_table(PRIOR, CHANNEL, of=v)["shannon"].leakage, KINDS, True),
    "Plan.leakage prior": (lambda v: PLAN.leakage("shannon", prior=v), GAINS, True),
    "Plan.leakage of": (lambda v: PLAN.leakage("shannon", of=v), KINDS, True),
    "Plan.entropy of": (lambda v: PLAN.entropy("shannon", of=v), KINDS, True),
    "Plan.success_of": (lambda v: PLAN.success_of(v), KINDS, True),
    "Plan.under": (lambda v: PLAN.under(v).weights.tolist(), GAINS, True),
    "Plan.rows_read": (lambda v: ml.design(PRIOR, 3, layout="blocks").rows_read(rows=v).mean, GAINS, True),
    "Plan.success_of prior": (lambda v: PLAN.success_of(KINDS, prior=v), GAINS, True),
    "Plan.property_leakage": (lambda v: PLAN.property_leakage(v).success, KINDS, True),
    "Plan.update gains": (
        lambda v: (
            ml.update(ml.design({"y": 3, "z": 2}, 2, gains=[1, 2]), MORE, cohort=1, gains=v).parts[1].gains.tolist()
        ),
        GAINS,
        False,
    ),
    "Plan.update groups": (
        lambda v: of_plan(
            ml.update(
                ml.design({"y": 3, "z": 2}, 2, groups=ml.Groups([0, 1], at_most=1)),
                MORE,
                cohort=1,
                groups=ml.Groups(v, at_most=1),
            ).parts[1]
        ),
        KINDS,
        False,
    ),
    "Plan.summary of": (lambda v: str(ml.summary(PLAN, of=v)), KINDS, True),
    "Plan.update counts": (lambda v: [ml.update(PLAN, v).prior[x] for x in L], GAINS, True),
    "optimise prior": (lambda v: ml.lab.optimise(v, allowed=dict(zip(L, ALLOWED, strict=True))).leakage, W, True),
    "optimise gains": (lambda v: ml.lab.optimise(PRIOR, allowed=ALLOWED, gains=v).leakage, GAINS, True),
    "least_budget gains": (
        lambda v: ml.lab.least_budget(PRIOR, cost=COST, leakage=0.3, gains=v).budget,
        GAINS,
        True,
    ),
    "tradeoff gains": (lambda v: ml.lab.tradeoff(PRIOR, cost=COST, points=3, gains=v).points[1].leakage, GAINS, True),
    "Gain": (lambda v: ml.Gain("min-entropy", v)(PRIOR), GAINS, False),
    "Channel.deterministic": (lambda v: leak(ml.Channel.deterministic(v, inputs=L)), KINDS, True),
    "Joint.matrix": (lambda v: lab.Joint(v, CHANNEL).matrix(), W, True),
    "Joint.output": (lambda v: lab.Joint(v, CHANNEL).output(), W, True),
    "lab.posteriors": (lambda v: lab.posteriors(v, CHANNEL).matrix, W, True),
    "lab.hyper": (lambda v: lab.hyper(v, CHANNEL).inners, W, True),
    "padding.design sizes": (lambda v: padding.design(v, PRIOR, budget=20).leakage, SIZES, True),
    "padding.design prior": (lambda v: padding.design(dict(zip(L, SIZES, strict=True)), v, budget=20).leakage, W, True),
    "padding.update sizes": (
        lambda v: padding.update(padding.design([100, 200], [3, 4], budget=20), v, PRIOR).leakage,
        SIZES,
        False,
    ),
    "padding.least_budget sizes": (lambda v: padding.least_budget(v, PRIOR, leakage=1.0).overhead, SIZES, True),
    "padding_channel sizes": (lambda v: lab.padding_channel(v, PRIOR, budget=20).leakage, SIZES, True),
    "padding_channel prior": (
        lambda v: lab.padding_channel(dict(zip(L, SIZES, strict=True)), v, budget=20).leakage,
        W,
        True,
    ),
    "padding.compare sizes": (lambda v: padding.compare(v, PRIOR).rivals[0].policy.leakage, SIZES, True),
    "padding.frontier sizes": (lambda v: padding.frontier(v, PRIOR, points=3).buckets[1].leakage, SIZES, True),
    "Padding.leakage_in of": (
        lambda v: padding.design(SIZES, PRIOR, budget=20).leakage_in("shannon", of=v),
        KINDS,
        True,
    ),
    "Padding.success_of": (
        lambda v: padding.design(pandas.Series(SIZES, index=L), W, budget=20).success_of(v),
        KINDS,
        True,
    ),
    "Chain initial": (lambda v: of_chain(initial=v, labels=L), W, True),
    "Chain backoff": (lambda v: of_chain(backoff=v), [1, 2, 3, 4, 5], True),
    "Chain marginal": (lambda v: of_chain(marginal=v), GAINS, True),
    "mechanisms.rounded prior": (lambda v: mechanisms.rounded(CHANNEL, v).leakage("shannon"), W, True),
    "lab.vulnerability gain": (lambda v: lab.vulnerability(PRIOR, gain=v), GAINS, True),
    "lab.posterior_vulnerability gain": (
        lambda v: lab.posterior_vulnerability(PRIOR, CHANNEL, gain=v),
        GAINS,
        True,
    ),
    "lab.multiplicative_leakage gain": (
        lambda v: lab.multiplicative_leakage(PRIOR, CHANNEL, gain=v),
        GAINS,
        True,
    ),
    "lab.additive_leakage gain": (lambda v: lab.additive_leakage(PRIOR, CHANNEL, gain=v), GAINS, True),
    "lab.max_case_vulnerability gain": (
        lambda v: lab.max_case_vulnerability(PRIOR, CHANNEL, gain=v),
        GAINS,
        True,
    ),
    "lab.max_case_leakage gain": (lambda v: lab.max_case_leakage(PRIOR, CHANNEL, gain=v), GAINS, False),
    "lab.best_guesses gain": (lambda v: lab.best_guesses(PRIOR, CHANNEL, gain=v), GAINS, True),
    "lab.gain_to_bayes gain": (lambda v: lab.gain_to_bayes(PRIOR, v).scale, GAINS, True),
    "lab.posterior_gain gain": (lambda v: lab.posterior_gain(v, CHANNEL), GAINS, True),
    "lab.gain_sum": (lambda v: lab.gain_sum(v, GAINS), GAINS, False),
    "lab.bayes_security predicate": (lambda v: lab.bayes_security(CHANNEL, predicate=v), KINDS, True),
    "lab.bayes_risk_capacity predicate": (
        lambda v: lab.bayes_risk_capacity(CHANNEL, predicate=v).value,
        KINDS,
        True,
    ),
    "lab.predicate_gain": (lambda v: lab.predicate_gain(v), KINDS, False),
    "ml.property_leakage of": (lambda v: ml.property_leakage(PRIOR, CHANNEL, v).success, KINDS, True),
    "lab.Joint.of": (lambda v: leak(lab.Joint(PRIOR, CHANNEL).of(v).channel, [1, 1, 1]), KINDS, False),
    "lab.MismatchedAdversary": (lambda v: lab.MismatchedAdversary(v).success(PRIOR, CHANNEL), GAINS, True),
    "lab.Matroid.partition": (
        lambda v: lab.matroid_optimum(PRIOR, lab.Matroid.partition(v, 1)).prior.p,
        KINDS,
        False,
    ),
    "lab.estimate_prior against": (
        lambda v: lab.estimate_prior(CHANNEL, ["u"] * 5 + ["v"] * 3 + ["w"], against=v, bootstrap=0).surprise,
        W,
        True,
    ),
    "lab.prior_epsilon": (lambda v: lab.prior_epsilon(v, pandas.DataFrame(SQUARE, index=L, columns=L)), W, True),
    "lab.kantorovich": (lambda v: lab.kantorovich(v, PRIOR, pandas.DataFrame(SQUARE, L, L)).value, GAINS, True),
    "lab.multiplicative_kantorovich": (
        lambda v: lab.multiplicative_kantorovich(PRIOR, v, pandas.DataFrame(SQUARE, L, L) / 9),
        GAINS,
        True,
    ),
    **{
        f"lab.{name}": (lambda v, f=f: (f(v, PRIOR), f(PRIOR, v)), GAINS, True)
        for name, f in {
            "total_variation": lab.total_variation,
            "multiplicative_distance": lab.multiplicative_distance,
            "convex_separation": lab.convex_separation,
            "kl_divergence": lab.kl_divergence,
            "hockey_stick": lambda p, q: lab.hockey_stick(p, q, 1.5),
            "renyi_divergence": lambda p, q: lab.renyi_divergence(p, q, 2),
        }.items()
    },
    **{
        f"lab.{name} prior": (lambda v, f=f: f(v, CHANNEL), W, True)
        for name, f in {
            "OptimalAdversary": lab.OptimalAdversary().success,
            "UniformAdversary": lab.UniformAdversary().success,
            "MismatchedAdversary": lab.MismatchedAdversary(ml.Prior(GAINS, labels=L)).success,
            "alpha_leakage": lambda p, c: lab.alpha_leakage(p, c, 2),
            "sibson": lambda p, c: lab.sibson(p, c, 2),
            "csiszar": lambda p, c: lab.csiszar(p, c, 2),
            "posterior_risk": lab.posterior_risk,
            "risk_leakage": lab.risk_leakage,
            "maximal_correlation": lab.maximal_correlation,
            "pointwise_maximal_leakage": lambda p, c: lab.pointwise_maximal_leakage(p, c).mean,
            "guesswork_moment": lambda p, c: lab.guesswork_moment(p, c, rho=1.5).value,
            "smooth_min_entropy": lambda p, c: lab.smooth_min_entropy(p, c, epsilon=0.1),
            "repeated_success": lambda p, c: lab.repeated_success(p, c, looks=[1, 2]).success,
            "observations_needed": lambda p, c: lab.observations_needed(p, c, success=0.7).looks,
            "additive_capacity": lambda p, c: lab.additive_capacity(c, prior=p).value,
            "max_case_capacity": lambda p, c: lab.max_case_capacity(c, prior=p),
            "hyper_distance": lambda p, c: lab.hyper_distance(p, c, np.eye(5)).value,
            "refinement_distance": lambda p, c: lab.refinement_distance(p, c, np.eye(5)).value,
            "privacy_funnel": lambda p, c: lab.privacy_funnel(p, c, utility=0.05).leakage,
            "conditional": ml.entropy("arimoto:2").conditional,
            "Joint": lambda p, c: lab.Joint(p, c).output(),
        }.items()
    },
}
# The same for a matrix: (function, matrix, labels of its rows and of its columns, must it match?)
TWO = {
    "Near points": (lambda m: of_plan(ml.design(PRIOR, 2, layout=ml.Near(m))), PLACES, L, ["lat", "lon"], True),
    "Near haversine": (
        lambda m: of_plan(ml.design(PRIOR, 2, layout=ml.Near(m, metric="haversine"))),
        PLACES,
        L,
        ["lat", "lon"],
        True,
    ),
    "Cheapest cost": (lambda m: of_plan(ml.design(PRIOR, 2, layout=ml.Cheapest(m))), SQUARE, L, L, True),
    "optimise allowed": (lambda m: ml.lab.optimise(PRIOR, allowed=m).leakage, ALLOWED, L, OUTS, True),
    "optimise cost": (lambda m: ml.lab.optimise(PRIOR, cost=m, budget=0.4).leakage, COST, L, OUTS, True),
    "optimise cost and allowed": (
        lambda m: ml.lab.optimise(PRIOR, cost=m, budget=0.6, allowed=pandas.DataFrame(ALLOWED, L, OUTS)).leakage,
        COST,
        L,
        OUTS,
        True,
    ),
    "optimise outputs": (
        lambda m: ml.lab.optimise(PRIOR, cost=m, budget=0.4, outputs=OUTS).leakage,
        COST,
        L,
        OUTS,
        True,
    ),
    "optimise fixed": (
        lambda m: ml.lab.optimise(PRIOR, allowed=pandas.DataFrame(ALLOWED, L, OUTS), fixed=m).leakage,
        FIXED,
        L,
        OUTS,
        True,
    ),
    "optimise d_privacy": (
        lambda m: ml.lab.optimise(PRIOR, cost=COST, budget=0.45, d_privacy=(0.5, m)).leakage,
        SQUARE,
        L,
        L,
        True,
    ),
    "least_budget cost": (lambda m: ml.lab.least_budget(PRIOR, cost=m, leakage=0.3).budget, COST, L, OUTS, True),
    "least_budget allowed": (
        lambda m: ml.lab.least_budget(PRIOR, cost=pandas.DataFrame(COST, L, OUTS), leakage=0.5, allowed=m).budget,
        ALLOWED,
        L,
        OUTS,
        True,
    ),
    "tradeoff cost": (lambda m: ml.lab.tradeoff(PRIOR, cost=m, points=3).points[1].leakage, COST, L, OUTS, True),
    "leakage channel": (lambda m: leak(m), ROWS, L, OUTS, True),
    "leakage channel, raw prior": (lambda m: leak(m, dict(zip(L, W, strict=True))), ROWS, L, OUTS, True),
    "leakage_table channel": (lambda m: ml.leakage_table(PRIOR, m)["shannon"].leakage, ROWS, L, OUTS, True),
    "Channel inputs": (lambda m: leak(ml.Channel(m, inputs=L, outputs=OUTS)), ROWS, L, OUTS, True),
    "certify channel": (lambda m: ml.certify(m, PRIOR, k=5).gaps["shannon"], ROWS, L, OUTS, False),
    "lab.parallel": (lambda m: leak(lab.parallel(CHANNEL, m)), ROWS, L, OUTS, False),
    "Together": (lambda m: leak(lab.Together([CHANNEL, m])), ROWS, L, OUTS, False),
    "Channel @": (
        lambda m: leak(ml.Channel(np.eye(5), inputs=L, outputs=L) @ m),
        ROWS,
        L,
        OUTS,
        False,
    ),
    "refined_by": (lambda m: ml.lab.refined_by(CHANNEL, m).ok, ROWS, L, OUTS, False),
    "deficiency": (lambda m: lab.deficiency(CHANNEL, m).value, ROWS, L, OUTS, False),
    "less_noisy": (lambda m: lab.less_noisy(CHANNEL, m).ok, ROWS, L, OUTS, False),
    "more_capable": (lambda m: lab.more_capable(CHANNEL, m).ok, ROWS, L, OUTS, False),
    "max_refined_by": (lambda m: lab.max_refined_by(CHANNEL, m).ok, ROWS, L, OUTS, False),
    "left_factor": (lambda m: lab.left_factor(CHANNEL, m) is None, ROWS, L, OUTS, False),
    "hyper_distance": (lambda m: lab.hyper_distance(PRIOR, CHANNEL, m).value, ROWS, L, OUTS, False),
    "refinement_distance": (lambda m: lab.refinement_distance(PRIOR, CHANNEL, m).value, ROWS, L, OUTS, False),
    "hidden_choice": (lambda m: leak(lab.hidden_choice([1, 2], [CHANNEL, m])), ROWS, L, OUTS, False),
    "visible_choice": (lambda m: leak(lab.visible_choice([1, 2], [CHANNEL, m])), ROWS, L, OUTS, False),
    "d_privacy": (lambda m: lab.d_privacy(CHANNEL, m), SQUARE + 1, L, L, True),
    "prior_epsilon": (lambda m: lab.prior_epsilon(PRIOR, m), SQUARE, L, L, True),
    "kantorovich metric": (lambda m: lab.kantorovich(PRIOR, ml.Prior(GAINS, labels=L), m).value, SQUARE, L, L, True),
    "multiplicative_kantorovich metric": (
        lambda m: lab.multiplicative_kantorovich(PRIOR, ml.Prior(GAINS, labels=L), m),
        SQUARE / 9,
        L,
        L,
        True,
    ),
    "exponential metric": (lambda m: mechanisms.exponential(5, 1.0, m, inputs=L).toarray(), SQUARE, L, L, True),
    "tight_constraints metric": (
        lambda m: mechanisms.tight_constraints(5, 2.0, m, inputs=L).toarray(),
        SQUARE,
        L,
        L,
        True,
    ),
    "Chain transitions": (lambda m: of_chain(transitions=m), COUNTS, L, L, True),
    "sequences.leakage": (lambda m: sequences.leakage(CHAIN, m, steps=2).filtered.values, ROWS, L, OUTS, False),
    "vulnerability gain": (lambda m: lab.vulnerability(PRIOR, gain=m), SQUARE, L, L, True),
    "posterior_vulnerability gain": (
        lambda m: lab.posterior_vulnerability(PRIOR, CHANNEL, gain=m),
        SQUARE,
        L,
        L,
        True,
    ),
    "risk loss": (lambda m: lab.risk(PRIOR, loss=m), SQUARE, L, L, False),
    "posterior_risk loss": (lambda m: lab.posterior_risk(PRIOR, CHANNEL, loss=m), SQUARE, L, L, False),
    "Gain": (lambda m: ml.Gain("min-entropy", m)(PRIOR), SQUARE, L, L, False),
    "Joint.from_matrix": (lambda m: leak(*_parts(lab.Joint.from_matrix(m))), ROWS * 100, L, OUTS, True),
    "Joint.from_matrix inputs": (
        lambda m: leak(*_parts(lab.Joint.from_matrix(m, inputs=L, outputs=OUTS))),
        ROWS * 100,
        L,
        OUTS,
        True,
    ),
}


def _parts(joint):
    return joint.channel, joint.prior


def one_forms(values, seed=0):
    """The values of the secrets, as objects of all kinds; those with labels in another order."""
    order = random.Random(seed).sample(range(len(values)), len(values))
    names, moved = [L[i] for i in order], [values[i] for i in order]
    yield "list", list(values)
    yield "tuple", tuple(values)
    yield "arrow", pa.array(values)
    yield "series without labels", pandas.Series(values)
    yield "series in order", pandas.Series(values, index=L)
    yield "dict", dict(zip(names, moved, strict=True))
    yield "series", pandas.Series(moved, index=names)
    yield "categorical index", pandas.Series(moved, index=pandas.CategoricalIndex(names))
    yield "xarray", xarray.DataArray(moved, dims=["secret"], coords={"secret": names})


def two_forms(matrix, rows, columns, seed=0):
    """The rows of a matrix, as objects of all kinds; those with labels in another order of rows and columns."""
    matrix, draw = np.asarray(matrix), random.Random(seed)
    order, across = draw.sample(range(len(rows)), len(rows)), draw.sample(range(len(columns)), len(columns))
    moved = matrix[np.ix_(order, across)]
    names, others = [rows[i] for i in order], [columns[i] for i in across]
    yield "list", matrix.tolist()
    yield "frame in order", pandas.DataFrame(matrix, index=rows, columns=columns)
    yield "rows", pandas.DataFrame(matrix[order], index=names, columns=columns)
    yield "frame", pandas.DataFrame(moved, index=names, columns=others)
    yield "xarray", xarray.DataArray(moved, dims=["x", "y"], coords={"x": names, "y": others})
    yield "rows by label", {rows[i]: matrix[i].tolist() for i in order}
    yield "arrow", pa.table({name: matrix[:, i] for i, name in enumerate(columns)})


def same(found, expected):
    """Whether two results are equal, floats within rounding."""
    if isinstance(expected, tuple | list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, np.ndarray):
        return found.shape == expected.shape and np.allclose(found, expected, rtol=1e-6, atol=1e-9)
    return (
        found == expected if not isinstance(expected, float) else found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    )


def plain(found):
    return found.toarray() if hasattr(found, "toarray") else found


# Kinds that must be matched, not only refused.
LABELLED = ("dict", "series", "series in order", "xarray", "frame in order", "rows", "frame")


def check(function, forms, expected, must):
    for kind, given in forms:
        refused, found = None, None
        try:
            found = plain(function(given))
        except MinleakError as error:
            refused = str(error)
        if refused is None:
            assert same(found, expected), (kind, found, expected)
        else:
            assert not (must and kind in LABELLED), (kind, refused)
            assert not any(f"'{name}'" in refused for name in L), (kind, refused)


@pytest.mark.parametrize("name", ONE)
def test_values_go_by_label(name):
    function, values, must = ONE[name]
    try:
        expected = plain(function(list(values)))
    except MinleakError:  # which takes no lists
        expected = plain(function(dict(zip(L, values, strict=True))))
    for seed in range(2):
        check(function, one_forms(values, seed), expected, must)


@pytest.mark.parametrize("name", TWO)
def test_rows_and_columns_go_by_label(name):
    function, matrix, rows, columns, must = TWO[name]
    try:
        expected = plain(function(np.asarray(matrix)))
    except MinleakError:  # which takes no unnamed ones
        expected = plain(function(pandas.DataFrame(matrix, index=rows, columns=columns)))
    for seed in range(2):
        check(function, two_forms(matrix, rows, columns, seed), expected, must)


def test_values_go_by_label_whatever_the_order():
    """A fuzz over permutations of the prior and of each value beside it."""
    draw, expected = random.Random(7), {name: plain(f(list(v))) for name, (f, v, must) in ONE.items() if name in FUZZED}
    for _ in range(30):
        names = draw.sample(L, len(L))
        for name in FUZZED:
            function, values, _ = ONE[name]
            by_label = dict(zip(L, values, strict=True))
            for given in ({x: by_label[x] for x in names}, pandas.Series({x: by_label[x] for x in names})):
                assert same(plain(function(given)), expected[name]), name


# Quick ones, one for each way in.
FUZZED = (
    "design gains",
    "Near points",
    "certify prior",
    "compare scheme",
    "leakage prior",
    "leakage of",
    "padding.design sizes",
    "lab.total_variation",
    "lab.vulnerability gain",
    "Channel.deterministic",
    "Chain backoff",
)


# -- labels that are numbers ---------------------------------------------------------------------------------------


def test_numbers_are_labels_where_the_secrets_are_these_numbers():
    """A default index is one of positions, unless the secrets are numbered in another order."""
    weights, sizes = pandas.Series(W), pandas.Series(SIZES)
    expected = padding.design(sizes, weights, budget=20).leakage
    for one, other in (
        (weights.sort_values(), sizes),
        (weights, sizes.sort_values()),
        (weights[::-1], sizes[[2, 0, 1, 4, 3]]),
    ):
        assert padding.design(other, one, budget=20).leakage == pytest.approx(expected)
    near = ml.design(weights, 2, layout=ml.Near(LINE)).cost
    assert ml.design(weights[::-1], 2, layout=ml.Near(pandas.Series(LINE))).cost == pytest.approx(near)
    assert ml.design(weights, 2, layout=ml.Near(pandas.Series(LINE)[::-1])).cost == pytest.approx(near)
    assert ml.design(weights, 2, layout=ml.Near(dict(enumerate(LINE)))).cost == pytest.approx(near)


def test_a_sorted_default_index_is_refused_where_secrets_have_names():
    """The index after `sort_values` numbers rows of another table."""
    moved = pandas.Series(SIZES).sort_values()
    for call in (
        lambda: padding.design(moved, PRIOR, budget=20),
        lambda: ml.compare(PRIOR, moved),
        lambda: ml.design(PRIOR, 2, layout=ml.Near(moved)),
        lambda: ml.design(PRIOR, 2, gains=moved),
        lambda: ml.leakage(PRIOR, pandas.DataFrame(ROWS)[::-1], "shannon"),
    ):
        with pytest.raises(MinleakError, match="5 secrets are missing and 5 names are of no secret"):
            call()
    for unmoved in (pandas.Series(SIZES), pandas.Series(SIZES, index=range(5))):
        assert padding.design(unmoved, PRIOR, budget=20).leakage == padding.design(SIZES, PRIOR, budget=20).leakage


def test_numbers_in_another_order_are_refused_beside_positions():
    """A channel without labels may be by number or by position: it was taken by position."""
    shuffled = ml.Prior(pandas.Series(W)[::-1])
    for call in (
        lambda: ml.leakage(shuffled, ml.Channel(pandas.DataFrame(ROWS)), "shannon"),
        lambda: lab.Joint(shuffled, ml.Channel(ROWS)).output(),
        lambda: (
            PLAN.leakage("shannon", prior=ml.Prior(W, labels=[4, 3, 2, 1, 0]))
            and ml.design(W, 2).leakage("shannon", prior=shuffled)
        ),
    ):
        with pytest.raises(MinleakError, match=r"unclear whether numbers or positions count|not among the plan's"):
            call()
    assert ml.leakage(shuffled, pandas.DataFrame(ROWS)[::-1], "shannon") == pytest.approx(
        ml.leakage(W, ROWS, "shannon")
    )


def test_columns_of_events_with_different_indices_are_refused():
    """`from_samples` padded by sizes of other rows."""
    table = pandas.DataFrame({"secret": ["a", "b"] * 40, "size": [10, 20, 11, 21] * 20, "user": list("wxyz") * 20})
    assert padding.from_samples(table["secret"], table["size"], overhead=0.2).rows == 40
    cloak = ml.Cloak(ml.design({"a": 3, "b": 2, "c": 1}, 2), key=ml.Key(bytes(range(32))))
    assert len(cloak.draw_all(table["secret"], scopes=table["user"])) == 80
    for call in (
        lambda: padding.from_samples(table["secret"], table["size"].sort_values(), overhead=0.2),
        lambda: ml.audit(table["secret"], table["size"], of=table["user"].sort_values()),
        lambda: cloak.draw_all(table["secret"], scopes=table["user"].sort_values()),
        lambda: cloak.draw_many(pandas.Series([0, 1]), scopes=pandas.Series(["u", "v"], index=[1, 0])),
    ):
        with pytest.raises(MinleakError, match="different indices"):
            call()


def test_labels_given_beside_those_of_a_frame():
    """The same names say the order, new ones replace them, and what is in between is a mistake."""
    frame, series = pandas.DataFrame(ROWS, L, OUTS)[::-1], pandas.Series(W, index=L)[::-1]
    assert ml.Channel(frame, inputs=L) == CHANNEL
    assert ml.Prior(series, labels=L) == PRIOR
    assert list(ml.Prior(series, labels=list("vwxyz")).labels) == list("vwxyz")
    for call in (lambda: ml.Prior(series, labels=list("abcdx")), lambda: ml.Channel(frame, inputs=list("abcdx"))):
        with pytest.raises(MinleakError, match="1 secrets are missing and 1 names are of no secret"):
            call()


# -- nothing is forgotten ----------------------------------------------------------------------------------------------

# Names of parameters that take one value or row for each secret.
PER_SECRET = """
    against allowed backoff belief by channel cost counts d_privacy first fixed gain gains groups indices initial
    inputs labels loss marginal matrix method metric observables of other outputs points predicate prior rows scheme
    scopes second secrets sizes transitions values weights
"""
# Names of parameters that do not.
OTHERS = """
    a accept at at_most attack automaton b begins beside block blocks budget budgets caps chain channels classes
    cloak closures columns contents core costs degree distances distribution draws edges entropies entropy
    erased error escape eta exponent f fields form found frames giants given gradient hashed home_members
    home_weights homes independent inside joints key ks label layout leakage levels located looks lower mass
    matroid measures members model most names nats observable observed order p padding pairs perspective phases
    places plan plans policies problem progress require rings rng roles roots scale secret seed sequence
    sequences shares size some source spanning stand_in starts state states step streams string strings subject
    summary tiers times total truth unit unknown v vectors visits which x
"""
# What has such a name and is not in the tables, with the reason.
EXCUSED = {
    "one value for each event, not secret: see test_columns_of_events_with_different_indices_are_refused": """
        Cloak.draw_all Cloak.draw_many Cloak.positions Cloak.set_id audit from_samples assert_no_leak
    """,
    "symmetric: the order of the secrets does not count": "baselines majorizes",
    "a prior alone, whose labels are its own": "algorithm_1 invariance online_buckets pml_channel selector",
    "the prior and gains of what pairs made, matched as there": "certify_pairs",
    "secrets are positions there, and a matroid is of positions": "matroid_optimum Plan.places",
    "a channel alone: its own labels": """
        guessing_capacity induced_metric local_dp_epsilon local_renyi_epsilon maximal_alpha_beta_leakage
        maximal_alpha_leakage privacy_curve reduced repetition_bounds product Mechanism capacity maximal_leakage
    """,
    "labels to give, not to match": """
        geometric planar_geometric planar_laplace randomised_response truncated_geometric Channel.from_rows
        read_channel read_pairs Groups.tree
    """,
    "weights of several joints or channels, not of secrets": "conditional_sibson",
    "sizes one by one, whosoever they are": """
        nip44 padme signal to_multiple to_power_of_two SizeTable SizeTable.of Limits.largest Overheads.of
    """,
    "the names of columns": "chain read_chain",
    "in the tables under another name": """
        ConditionalEntropy.conditional Arimoto.conditional MismatchedAdversary.success
        OptimalAdversary.success UniformAdversary.success Groups
    """,
    "by the same door as Joint.output": "Frames.measure Streams.weights frames",
    "parts that are checked already": """
        Arimoto.of_spectrum Gain.of_spectrum ConditionalEntropy.of_spectrum GuessError.of_spectrum
        Guesswork.of_spectrum Renyi.of_spectrum Prior.trusted Padding.of PrivacyCurve Streams Entropy.combine
    """,
    "hands on what a plan takes": "write",
}
_SCALARS = {"float", "int", "str", "bool", "None", "bytes", "bytearray", "os", "PathLike", "Literal", "Fraction"}


def public_parameters():
    """(owner, parameter) of public functions, classes and methods, but for results, which others make, and parameters
    that are single numbers, truth values or texts.
    """
    found, seen = [], set()

    def add(owner, function):
        try:
            given = inspect.signature(function).parameters
        except (TypeError, ValueError):
            return
        for name, one in given.items():
            words = set(re.findall(r"[A-Za-z_]+", str(one.annotation)))
            if name not in ("self", "cls") and not name.startswith("_") and not words <= _SCALARS:
                found.append((owner, name))

    def walk(module):
        for name in sorted(module.__all__):
            thing = getattr(module, name)
            if inspect.ismodule(thing):
                if thing not in (ml.errors, ml.results, ml.testing, ml.scale, ml.report):
                    walk(thing)
            elif (
                callable(thing) and id(thing) not in seen and not (inspect.isclass(thing) and issubclass(thing, Result))
            ):
                seen.add(id(thing))
                add(name, thing)
                for method, function in inspect.getmembers(thing) if inspect.isclass(thing) else ():
                    function = getattr(function, "__func__", function)
                    ours = inspect.isfunction(function) and function.__module__.startswith("minleak")
                    if ours and not method.startswith("_") and id(function) not in seen:
                        seen.add(id(function))
                        add(f"{name}.{method}", function)

    walk(ml)
    return found


def test_every_parameter_is_known():
    unknown = sorted({one for _, one in public_parameters()} - set(PER_SECRET.split()) - set(OTHERS.split()))
    assert not unknown, f"list these as one for each secret (and test them) or as something else: {unknown}"


def test_every_parameter_of_values_of_secrets_is_in_the_tables():
    tested, names = " ".join([*ONE, *TWO]), PER_SECRET.split()
    excused = {owner for owners in EXCUSED.values() for owner in owners.split()}
    missing = {
        owner for owner, one in public_parameters() if one in names and owner not in tested and owner not in excused
    }
    assert not missing, f"test these with labels in another order, or say why not: {sorted(missing)}"
