"""Hostile values, and every public call that they are given to: for the tests and for `python -m benchmarks fuzzing`.

A call is a function with arguments that are right, of which one or two are replaced. An answer, or an error of minleak
that is one line of text, may come out; nothing else.
"""

from __future__ import annotations

import datetime
import decimal
import io
import math
import os
import random
import traceback
import uuid
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from hypothesis import strategies as st

import minleak as ml
from minleak import mechanisms, padding, theory

# -- values ------------------------------------------------------------------------------------------------------------


def raising(*names):
    """An object of which these methods raise what nobody expects."""

    def refuse(*_, **__):
        raise RuntimeError("hostile")

    return type("Hostile", (), dict.fromkeys(names, refuse))()


def looped():
    made = [1]
    made.append(made)
    return made


NUMBERS = [
    *(None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**53 + 1, 2**63 - 1, 2**64, -(2**70), 10**400, -(10**5000)),
    *(0.0, -0.0, -0.5, 0.5, 1.0, 1.5, 1e308, 5e-324, math.nan, math.inf, -math.inf, 1j, complex(math.nan, 1)),
    *(Fraction(1, 3), Fraction(10**400, 3), Fraction(-1, 7), decimal.Decimal("NaN"), decimal.Decimal("sNaN")),
    *(decimal.Decimal("1E+999999"), decimal.Decimal(1), np.int8(1), np.uint64(2**64 - 1), np.float32("nan")),
    *(np.float16(6e4), np.longdouble(1) / 3, np.bool_(True), np.ma.masked, pa.scalar(1), pa.scalar(None, pa.int64())),
]
TEXTS = [
    *("", " ", "x", "a", "flu", "shannon", "arimoto:2", "tsallis:nan", "guess-error:" + "9" * 400, "stable", "a\0b"),
    *("\ud800", "\udc80", "\ufeff", "\n", "a\nb", "\x1b[2J", "é" * 300, "{}", "%s", "-", "none.csv", "x" * 10**5),
    *(b"", b"x", b"\xff", bytearray(b"ab"), memoryview(b"ab"), memoryview(np.eye(3)), np.str_("a"), np.bytes_(b"a")),
]
OTHERS = [
    *(
        object(),
        int,
        len,
        str,
        ...,
        NotImplemented,
        print,
        math.sqrt,
        type("Subclass", (list,), {})([1, 2]),
        Path("none"),
    ),
    *(
        datetime.date(2020, 1, 1),
        datetime.datetime(1, 1, 1),
        datetime.timedelta.max,
        np.datetime64("NaT"),
        uuid.UUID(int=1),
    ),
    *(raising("__repr__"), raising("__repr__", "__str__"), raising("__len__"), raising("__iter__")),
    *(raising("__iter__", "__repr__"), raising("__array__"), raising("__array__", "__len__", "__getitem__")),
    *(
        raising("__len__", "__getitem__"),
        raising("__float__"),
        raising("__index__"),
        raising("__eq__"),
        raising("__hash__"),
    ),
    *(
        raising("__bool__"),
        raising("__fspath__"),
        raising("read"),
        raising("keys"),
        raising("__lt__"),
    ),
    *(raising("__getattr__"), raising("__arrow_c_stream__"), raising("__arrow_array__")),
    *(raising("__array_interface__"), raising("toarray"), raising("to_arrow")),
]
SEVERAL = [
    *(
        [],
        [0],
        [1],
        [-1],
        [1, 2],
        [1.5],
        [math.nan],
        ["a"],
        ["a", "b"],
        ["a", "a"],
        [None],
        [True],
        [[1, 2], [3]],
        [[]],
    ),
    *([10**400], [2**64], [1e308] * 6, [0] * 6, [5e-324] * 6, [10**400, 1, 1, 1, 1, 1], [("a", "b")], [(0, 1)], [b"a"]),
    *([1, 2, 3, 4, 5, 6], list("abcdef"), [0.5, 0.5], [Fraction(1, 2)] * 2, [[1, 0], [0, 1]], [[0.5, 0.5]] * 6),
    *((), {}, {"a": 1, "b": 2}, {1: "x"}, {"a": math.nan}, {None: None}, set(), {1, 2}, frozenset("ab"), range(6)),
    *(range(0), "abcdef", {"a": {"b": 1}}, [{}], [set()], looped(), [raising("__repr__")] * 6),
    *([raising("__eq__", "__hash__")] * 2, [raising("__float__"), 1]),
    *(
        np.array(3),
        np.empty((0, 3)),
        np.empty((3, 0)),
        np.eye(6),
        np.eye(2)[:, ::-1],
        np.array(["a"]),
        np.array(1, "O"),
    ),
    *(np.array([1, 2], dtype=object), np.full(6, np.nan), np.zeros(6, dtype=complex), np.array([1, 2], dtype="M8[s]")),
    *(
        np.ma.masked_array([1, 2], [0, 1]),
        np.ma.masked_array(np.eye(6), np.eye(6)),
        np.zeros((2, 2, 2)),
        np.array([b"a"]),
    ),
    *(
        np.array([(1, 2)], dtype=[("a", int), ("b", int)]),
        np.array([None, 1.0, "a"], dtype=object),
        np.array([True] * 6),
    ),
    *(
        np.array([2**64 - 1] * 6, dtype=np.uint64),
        np.ones(6, dtype=np.float16),
        np.matrix([1, 2]),
        np.recarray(2, "i4"),
    ),
    *(sp.eye(6, format="csr"), sp.coo_matrix((0, 3)), sp.csr_array(np.full((2, 2), np.nan)), sp.eye(3, dtype=bool)),
    *(pa.array([1, None]), pa.array(["a", "b"]), pa.array([{"a": 1}]), pa.nulls(2), pa.chunked_array([[1], [2]])),
    *(pa.table({"secret": ["a"], "count": [1]}), pa.array(["a", "a"]).dictionary_encode(), memoryview(b"abcdef")),
]
# What is used up, or may be changed, is made anew for each call.
FRESH = [
    lambda: iter([1, 2, 3]),
    lambda: (i for i in ()),
    lambda: (1 / i for i in (1, 0)),
    lambda: map(str, range(6)),
    lambda: zip("ab", [1, 2], strict=True),
    lambda: io.BytesIO(b"secret,count\na,1\nb,2\n"),
    lambda: io.BytesIO(b"\x1f\x8b\x00"),
    lambda: io.BytesIO(b"PAR1 PAR1"),
    lambda: io.StringIO("secret,count\na,1\n"),
    lambda: open(os.devnull, "rb"),  # noqa: SIM115
]
FLAT = [*NUMBERS, *TEXTS, *OTHERS]


def any_of(values):
    """One of them, by its place: Hypothesis would print or hash the values, which not all of them stand."""

    def picked(i):
        return values[i]

    return st.integers(0, len(values) - 1).map(picked)


def thing(rng, ours=()):
    """A hostile value; some are lists, tuples or mappings of others."""
    kind = rng.randrange(16)
    if kind < 5:
        return rng.choice(FLAT)
    if kind < 10:
        return rng.choice(SEVERAL)
    if kind == 10:
        return rng.choice(FRESH)()
    if kind < 13 and ours:
        return rng.choice(ours)
    inner = [thing(rng, ours) if rng.randrange(8) == 0 else rng.choice(FLAT) for _ in range(rng.choice([1, 2, 3, 6]))]
    if kind == 13:
        return tuple(inner)
    if kind == 14:
        return [inner] * rng.choice([1, 2, 6])
    return inner


# -- calls -------------------------------------------------------------------------------------------------------------

WEIGHTS = [5, 3, 2, 2, 1, 0]
PRIOR = ml.Prior(WEIGHTS, labels=list("abcdef"))
CHANNEL = ml.Channel(np.full((6, 3), 1 / 3))
PLAN = ml.design(PRIOR, 3)
BLOCKS = ml.design(WEIGHTS, 3, layout="blocks")
NEAR = ml.design(WEIGHTS, 3, layout=ml.Near([0, 1, 2, 3, 4, 5]))
CLOAK = ml.Cloak(PLAN, key=ml.Key(bytes(32)))
MODEL = ml.NGram.fit(["a", "ab"], order=2, longest=3, alphabet="ab", others=False)
PADDING = padding.design(range(6), WEIGHTS, budget=2.0)
CHAIN = ml.Chain(PRIOR, np.eye(6, k=1, dtype=int), backoff=2)
TRACKS = ml.Tracks(CHAIN, 2, key=bytes(32))
COST = np.abs(np.subtract.outer(np.arange(6.0), np.arange(3.0)))
OURS = [PLAN, NEAR, PRIOR, CHANNEL, ml.Shannon(), ml.Guesswork(), ml.GuessError(3), ml.Hartley(), ml.Near(range(6))]
OURS += [
    CHAIN,
    TRACKS,
    CLOAK,
    PADDING,
    CLOAK.plan.homes,
    ml.Prior([10**400, 1]),
    ml.Channel(sp.eye(6, format="csr")),
    ml.Stable(),
]


def _designed(layout):
    return lambda **given: ml.design(WEIGHTS, 3, layout=layout(**given))


def _measured(kind):
    return lambda **given: kind(**given).conditional(WEIGHTS, CHANNEL)


def _read(function, text):
    """A reader of the text, unless another source is given."""
    return lambda source=None, **given: function(io.BytesIO(text) if source is None else source, **given)


BOUNDS = {"trials": 10, "seed": 0}


def _modestly(function):
    """A call that is not asked for much, which would be no error but a long time."""

    def called(**given):
        for name in ("permutations", "trials"):
            asked = given.get(name)
            if isinstance(asked, int) and not isinstance(asked, bool) and asked > 99:
                given[name] = 99
        if function is ml.repeated_success:
            looks = given["looks"]
            if isinstance(looks, list | tuple | range):
                given["looks"] = looks[:5]
        return function(**given)

    return called


SYSTEM = {"prior": WEIGHTS, "channel": np.eye(6)}
COSTED = {"prior": WEIGHTS, "cost": COST, "allowed": None, "gains": None, "fixed": None, "outputs": None}
FAR = np.abs(np.arange(6.0)[:, None] - np.arange(6))
PADDED = {"sizes": range(6), "prior": WEIGHTS, "floor": 1}
SAMPLED = {"secrets": ["a", "b"] * 30, "observables": [1.5, 2.5, 3.5] * 20}
CALLS = {
    # samples
    "audit": (
        _modestly(ml.audit),
        SAMPLED
        | {"secret": "secret", "observable": "observable", "weight": None, "numeric": None, "blocks": None, "seed": 0}
        | {"attack": None, "measures": ["shannon"], "level": 0.9, "alpha": 0.1, "permutations": 9, "enough": 0.1},
    ),
    "follow": (
        lambda **given: list(ml.follow(**given)),
        {"path": "nowhere.csv", "enough": 0.1, "patience": 0, "level": 0.9, "alpha": 0.1},
    ),
    "repeated_success": (
        _modestly(ml.repeated_success),
        {"prior": [1, 2], "channel": [[0.5, 0.5], [0.1, 0.9]], "looks": [1, 2], "trials": 9, "seed": 0},
    ),
    "observations_needed": (
        _modestly(ml.observations_needed),
        {"prior": [1, 2], "channel": [[0.5, 0.5], [0.1, 0.9]], "success": 0.7, "trials": 9, "seed": 0},
    ),
    # data
    "Prior": (ml.Prior, {"weights": WEIGHTS, "labels": list("abcdef"), "normalised": False}),
    "Prior.from_counts": (ml.Prior.from_counts, {"counts": {"a": 1}}),
    "Prior.uniform": (ml.Prior.uniform, {"n": 3}),
    "Channel": (ml.Channel, {"matrix": np.eye(2), "inputs": ["a", "b"], "outputs": ["x", "y"], "tolerance": 1e-9}),
    "Channel.from_rows": (ml.Channel.from_rows, {"rows": [("a", "y", 1)], "inputs": ["a"]}),
    "Channel.deterministic": (ml.Channel.deterministic, {"observables": ["x", "y"], "inputs": ["a", "b"]}),
    "Channel.random": (ml.Channel.random, {"n": 2, "m": 3, "seed": 0}),
    "Channel.joint": (CHANNEL.joint, {"prior": WEIGHTS}),
    "Channel.output": (CHANNEL.output, {"prior": WEIGHTS}),
    "Channel.posteriors": (CHANNEL.posteriors, {"prior": WEIGHTS}),
    "Channel.parallel": (CHANNEL.parallel, {"other": CHANNEL}),
    "Channel.product": (CHANNEL.product, {"other": CHANNEL}),
    "Channel.repeated": (CHANNEL.repeated, {"times": 2}),
    "read_prior": (
        _read(ml.read_prior, b"secret,count\na,1\nb,2\n"),
        {"source": None, "secret": "secret", "weight": "count", "format": "csv"},
    ),
    "read_channel": (
        _read(ml.read_channel, b"secret,observable,probability\na,y,1\n"),
        {"source": None, "secret": "secret", "observable": "observable", "probability": "probability"}
        | {"inputs": ["a"], "format": "csv"},
    ),
    "read_pairs": (
        _read(ml.read_pairs, b"secret,observable,cost\na,y,1\n"),
        {"source": None, "inputs": ["a"], "secret": "secret", "observable": "observable", "cost": "cost"}
        | {"format": "csv"},
    ),
    "read_places": (
        _read(ml.read_places, b"secret,lat\na,1\n"),
        {"source": None, "columns": ["lat"], "format": "csv"},
    ),
    # entropies
    **{
        kind.__name__: (_measured(kind), given)
        for kind, given in {
            ml.Shannon: {"base": 2},
            ml.MinEntropy: {"base": 2},
            ml.Arimoto: {"alpha": 2, "base": 2},
            ml.Hayashi: {"alpha": 2, "base": 2},
            ml.FehrBerens: {"alpha": 2, "base": 2},
            ml.Collision: {"form": "arimoto", "base": 2},
            ml.Hartley: {"form": "arimoto", "base": 2},
            ml.GuessError: {"l": 1},
            ml.Tsallis: {"q": 2},
            ml.SharmaMittal: {"alpha": 2, "beta": 3},
            ml.Gain: {"entropy": ml.Shannon(), "gain": np.eye(6)},
        }.items()
    },
    "CoreConcave": (
        _measured(ml.CoreConcave),
        {"eta": float, "perspective": np.max, "increasing": False, "vectorised": False, "name": "custom"},
    ),
    "CoreConcave, core": (_measured(ml.CoreConcave), {"eta": float, "core": np.max}),
    "Guesswork": (ml.Guesswork().conditional, {"prior": WEIGHTS, "channel": CHANNEL}),
    "H": (ml.Shannon(), {"prior": WEIGHTS}),
    "entropy": (ml.entropy, {"name": "arimoto:2", "base": 2}),
    # measures
    "leakage": (ml.leakage, {**SYSTEM, "entropy": "shannon"}),
    "leakage_table": (ml.leakage_table, {**SYSTEM, "entropies": ["shannon"]}),
    "vulnerability": (ml.theory.vulnerability, {"prior": WEIGHTS, "gain": np.eye(6)}),
    "posterior_vulnerability": (ml.theory.posterior_vulnerability, {**SYSTEM, "gain": None}),
    "additive_leakage": (ml.theory.additive_leakage, {**SYSTEM, "gain": None}),
    "multiplicative_leakage": (ml.theory.multiplicative_leakage, {**SYSTEM, "gain": None}),
    "maximal_leakage": (ml.theory.maximal_leakage, {"channel": np.eye(6), "base": 2}),
    "local_dp_epsilon": (ml.theory.local_dp_epsilon, {"channel": np.eye(6)}),
    "capacity": (
        ml.capacity,
        {"channel": [[1, 0], [0.5, 0.5]], "entropy": "shannon", "gap": 1e-3, "iterations": 3, "seed": 0},
    ),
    "additive_capacity": (ml.additive_capacity, {"channel": CHANNEL, "prior": WEIGHTS, "spanning": "gains"}),
    "additive_capacity, over priors": (ml.additive_capacity, {"channel": CHANNEL, "spanning": "gains"}),
    "d_privacy": (ml.d_privacy, {"channel": CHANNEL, "metric": np.ones((6, 6))}),
    "refines": (ml.refines, {"first": CHANNEL, "second": CHANNEL, "tolerance": 1e-8}),
    "left_factor": (theory.left_factor, {"first": CHANNEL, "second": CHANNEL, "tolerance": 1e-8}),
    "Channel.hyper": (lambda **given: str(CHANNEL.hyper(**given)), {"prior": WEIGHTS}),
    # designs
    "design": (ml.design, {"prior": WEIGHTS, "k": 3, "layout": "stable", "gains": [1, 2, 3, 4, 5, 6]}),
    "Near": (_designed(ml.Near), {"points": range(6), "metric": "euclidean", "stability": 0.5}),
    "Near, forbid": (_designed(ml.Near), {"points": range(6), "forbid": [(3, 5)]}),
    "Cheapest": (_designed(ml.Cheapest), {"cost": np.ones((6, 6)), "forbid": [(3, 5)]}),
    "Circle": (lambda **given: ml.design(**given, layout=ml.Circle()), {"prior": WEIGHTS, "k": 3}),
    "Stable": (lambda **given: ml.design(**given, layout=ml.Stable()), {"prior": WEIGHTS, "k": 3}),
    "certify": (ml.certify, {"subject": PLAN, "prior": WEIGHTS, "k": 3, "gains": None}),
    "certify a channel": (
        ml.certify,
        {"subject": np.eye(6), "prior": WEIGHTS, "k": 3, "entropies": ["shannon"], "tolerance": 1e-9, "gains": None},
    ),
    "compare": (ml.compare, {"prior": WEIGHTS, "scheme": list("abcabc"), "entropies": ["shannon"]}),
    "BlockPlan.leakage": (BLOCKS.leakage, {"entropy": "shannon", "prior": WEIGHTS}),
    "BlockPlan.loss": (BLOCKS.loss, {"entropy": "shannon"}),
    "BlockPlan.update": (BLOCKS.update, {"prior": WEIGHTS}),
    "BlockPlan.save": (BLOCKS.save, {"path": "none/none.cloak"}),
    "certify blocks": (ml.certify, {"subject": BLOCKS, "prior": WEIGHTS, "k": 3, "entropies": ["shannon"]}),
    "Plan.table": (PLAN.table, {"limit": 100}),
    "load": (ml.load, {"path": "none.cloak", "mapped": True}),
    "Plan.save": (PLAN.save, {"path": "none/none.cloak"}),
    "Plan.entropy": (PLAN.entropy, {"entropy": "shannon"}),
    "Plan.leakage": (PLAN.leakage, {"entropy": "shannon", "prior": WEIGHTS}),
    "Plan.decoy_distances": (NEAR.decoy_distances, {"shares": [0.5]}),
    "Plan.channel": (PLAN.channel, {"dense": True, "exact": False, "limit": 10**6}),
    "Plan.repeated": (PLAN.repeated, {"draws": [1, 2], **BOUNDS, "exact": None}),
    "Plan.repeated, simulated": (NEAR.repeated, {"draws": [1, 2], **BOUNDS, "exact": False}),
    "sweep": (ml.sweep, {"prior": WEIGHTS, "ks": [1, 2], "entropies": ["shannon"]}),
    "least_k": (ml.least_k, {"prior": WEIGHTS, "entropy": "shannon", "leakage": 0.5, "success": None}),
    "least_k, success": (ml.least_k, {"prior": WEIGHTS, "success": 0.5}),
    "baselines": (
        lambda **given: [b.leakage("shannon") for b in ml.baselines(**given)],
        {"prior": WEIGHTS, "k": 3, **BOUNDS},
    ),
    "optimise": (ml.optimise, {**COSTED, "budget": 1.0, "entropy": "min-entropy"}),
    "optimise, private": (
        ml.optimise,
        {"prior": WEIGHTS, "cost": COST, "budget": 2.0, "entropy": ["guess-error:1", "guesswork"], "k": None}
        | {"d_privacy": (1.0, FAR), "weights": [1, 1]},
    ),
    "optimise, capped": (ml.optimise, {"prior": [3, 2, 1], "entropy": "min-entropy", "k": 2, "cost": None}),
    "least_budget": (
        ml.least_budget,
        {"prior": WEIGHTS, "cost": COST, "leakage": 0.5, "entropy": "min-entropy", "allowed": None, "gains": None}
        | {"outputs": None, "k": None, "d_privacy": None},
    ),
    "least_budget, private": (ml.least_budget, {"prior": WEIGHTS, "cost": COST, "d_privacy": (1.0, FAR)}),
    "estimate_prior": (
        ml.estimate_prior,
        {"channel": np.eye(6), "observed": [0, 1, 1], "against": WEIGHTS, "bootstrap": 2, "level": 0.9, "seed": 0}
        | {"interval": None},
    ),
    "estimate_prior, plan": (ml.estimate_prior, {"channel": PLAN, "observed": [tuple("abc")], "bootstrap": 0}),
    "tradeoff": (ml.tradeoff, {**COSTED, "entropy": "min-entropy", "points": 2, "budgets": None}),
    # sequences
    "Chain": (
        ml.Chain,
        {"initial": WEIGHTS, "transitions": np.eye(6), "labels": None, "backoff": 1, "marginal": WEIGHTS},
    ),
    "Chain, clock": (
        ml.Chain,
        {"initial": [1, 1], "transitions": [[0, 1], [1, 0]], "labels": [(0, "a"), (1, "b")], "backoff": 0, "clock": 2},
    ),
    "Chain, mapped": (
        ml.Chain,
        {"initial": {"a": 1, "b": 1}, "transitions": {"a": {"b": 1}, "b": {"a": 2}}, "backoff": 1},
    ),
    "Chain.from_sequences": (
        ml.Chain.from_sequences,
        {"sequences": [list("abcab"), list("bab")], "order": 1, "smoothing": 1, "clock": None},
    ),
    "Chain.probability": (CHAIN.probability, {"a": "a", "b": "b"}),
    "Chain.simulate": (CHAIN.simulate, {"steps": 3, "walks": 2, "seed": 0}),
    "Chain.save": (CHAIN.save, {"path": "none/none.chain"}),
    "Chain.load": (ml.Chain.load, {"path": "none.chain"}),
    "read_chain": (
        _read(ml.read_chain, b"subject,time,state\na,1,x\na,2,y\na,3,x\n"),
        {"source": None, "subject": "subject", "time": "time", "state": "state", "order": 1, "smoothing": 1}
        | {"clock": None, "format": "csv"},
    ),
    "Tracks": (ml.Tracks, {"chain": CHAIN, "k": 2, "key": bytes(32), "on_impossible": "refuse"}),
    "Tracks.draw": (TRACKS.draw, {"sequence": ["a", "b"], "scope": "u"}),
    "Tracks.start": (TRACKS.start, {"state": "a", "scope": "u"}),
    "Tracks.resume": (TRACKS.resume, {"saved": TRACKS.start("a", scope="u").saved(), "scope": "u"}),
    "Walk.move": (lambda **given: TRACKS.start("a", scope="u").move(**given), {"state": "b"}),
    "certify a step": (ml.certify, {"subject": TRACKS, "step": ("a", "b")}),
    "sequence_leakage": (
        ml.sequence_leakage,
        {"chain": CHAIN, "method": "plan", "k": 2, "steps": 2, **BOUNDS, "truth": None, "exact": None},
    ),
    "sequence_leakage, truth": (
        ml.sequence_leakage,
        {"chain": CHAIN, "method": "decoys", "k": 2, "steps": 2, **BOUNDS, "truth": [["a", "b"], ["b", "a"]]},
    ),
    "sequence_baselines": (ml.sequence_baselines, {"chain": CHAIN, "k": 2, "steps": 2, **BOUNDS}),
    # running
    "Cloak": (ml.Cloak, {"plan": PLAN, "key": bytes(32), "stand_in": None}),
    "Cloak, seeded": (ml.Cloak, {"plan": PLAN, "insecure_seed_for_experiments": 1}),
    "Pins": (ml.Pins, {"path": "/dev/null/pins", "cloak": CLOAK}),
    "Cloak.draw_all": (CLOAK.draw_all, {"secrets": ["a"], "scope": "s", "fresh": False}),
    # strings
    "NGram": (
        lambda **given: ml.NGram.fit(**given).weight("a"),
        {"strings": ["a", "ab"], "order": 2, "longest": 4, "alphabet": "ab", "others": False},
    ),
    "NGram, of a policy": (
        lambda **given: ml.NGram.fit(**given).weight("a"),
        {"strings": ["a", "ab"], "alphabet": "ab", "accept": ml.Policy(1), "leave_out": True},
    ),
    "Policy": (
        lambda **given: ml.NGram.fit(["a", "1ab"], accept=ml.Policy(**given), leave_out=True).weight("1ab"),
        {"min_length": 1, "max_length": 3, "require": ["digit"], "matching": "1?ab"},
    ),
    "NGram, fitted": (
        lambda **given: [MODEL.weight(given["string"]), MODEL.interval(given["string"])],
        {"string": "a"},
    ),
    "NGram.at": (MODEL.at, {"position": 3}),
    "NGram.heaviest": (MODEL.heaviest, {"k": 2, "above": MODEL.total // 9}),
    "design, unknown": (
        ml.design,
        {"prior": ml.Prior([3, 1], labels=["a", "b"]), "k": 2, "unknown": MODEL, "unknown_share": 0.5},
    ),
    "design, model": (ml.design, {"prior": MODEL, "k": 2}),
    "honeywords": (ml.honeywords, {"password": "ab", "k": 2, "model": MODEL}),
    "UnlistedPlan.against": (
        ml.design(MODEL, 2).against,
        {"model": MODEL, "prior": None, "unknown_share": None, "trials": 2, "seed": 0},
    ),
    "exposure": (ml.exposure, {"plans": [PLAN], "prior": None, "trials": 100, "seed": 0}),
    "Plan.update": (PLAN.update, {"prior": {"a": 3, "b": 2, "c": 1}}),
    "Cloak.draw": (CLOAK.draw, {"secret": "a", "scope": "s"}),
    "Cloak.draw_fresh": (CLOAK.draw_fresh, {"secret": "a"}),
    "Cloak.draw_many": (CLOAK.draw_many, {"indices": [0, 1], "scopes": ["s", "t"], "fresh": False}),
    "Cloak.positions": (CLOAK.positions, {"secrets": ["a"]}),
    "Cloak.set_id": (CLOAK.set_id, {"labels": list("abc")}),
    "rounded": (ml.mechanisms.rounded, {"channel": np.eye(6), "prior": WEIGHTS}),
    "Cloak, rows": (ml.Cloak, {"plan": np.eye(3), "key": bytes(32)}),
    "Key": (ml.Key, {"secret": bytes(32)}),
    "Key.load": (ml.Key.load, {"path": "none.key"}),
    "Key.save": (ml.Key(bytes(32)).save, {"path": "none/none.key"}),
    # theory
    "paper_algorithm": (theory.paper_algorithm, {"prior": [3, 2, 1], "k": 3, "limit": 1000}),
    "max_refines": (theory.max_refines, {"first": CHANNEL, "second": CHANNEL, "tolerance": 1e-8}),
    "join_meet": (theory.join_meet, {"channel": np.eye(3), "observables": (0, 1)}),
    "join_meet_refines": (theory.join_meet_refines, {"first": np.eye(2), "second": np.eye(2), "trials": 2, "seed": 0}),
    "Joint": (lambda **given: theory.Joint(**given).output(), SYSTEM),
    "Together": (
        lambda **given: ml.theory.posterior_vulnerability([1, 1], theory.Together(**given)),
        {"channels": [np.eye(2), np.eye(2)]},
    ),
    "induced_metric": (theory.induced_metric, {"channel": CHANNEL}),
    "max_case_vulnerability": (theory.max_case_vulnerability, {**SYSTEM, "gain": None}),
    "max_case_leakage": (theory.max_case_leakage, {**SYSTEM, "gain": None, "base": 2}),
    "max_case_capacity": (theory.max_case_capacity, {"channel": CHANNEL, "prior": WEIGHTS, "base": 2}),
    "pointwise_maximal_leakage": (theory.pointwise_maximal_leakage, {**SYSTEM, "base": 2}),
    "bayes_security": (theory.bayes_security, {"channel": CHANNEL, "predicate": [0, 1, 0, 1, 0, 1]}),
    "bayes_risk_capacity": (theory.bayes_risk_capacity, {"channel": CHANNEL, "predicate": None}),
    "risk": (theory.risk, {"prior": WEIGHTS, "loss": np.ones((6, 6))}),
    "posterior_risk": (theory.posterior_risk, {**SYSTEM, "loss": np.ones((6, 6))}),
    "risk_leakage": (theory.risk_leakage, {**SYSTEM, "loss": np.ones((6, 6))}),
    "loss_gain": (theory.loss_gain, {"loss": np.ones((2, 3))}),
    "predicate_gain": (theory.predicate_gain, {"values": [True, False]}),
    "tries_gain": (theory.tries_gain, {"n": 3, "tries": 2}),
    "gain_sum": (theory.gain_sum, {"first": np.eye(3), "second": np.ones((2, 3))}),
    "posterior_gain": (theory.posterior_gain, {"gain": np.ones((2, 6)), "channel": CHANNEL}),
    "gain_to_bayes": (theory.gain_to_bayes, {"prior": WEIGHTS, "gain": np.eye(6)}),
    "property_channel": (theory.property_channel, {**SYSTEM, "values": [0, 1, 0, 1, 0, 1]}),
    "total_variation": (theory.total_variation, {"first": WEIGHTS, "second": WEIGHTS}),
    "multiplicative_distance": (theory.multiplicative_distance, {"first": WEIGHTS, "second": WEIGHTS}),
    "convex_separation": (theory.convex_separation, {"first": WEIGHTS, "second": WEIGHTS, "symmetric": True}),
    "kantorovich": (theory.kantorovich, {"first": WEIGHTS, "second": WEIGHTS, "metric": FAR}),
    "multiplicative_kantorovich": (
        theory.multiplicative_kantorovich,
        {"first": WEIGHTS, "second": WEIGHTS, "metric": FAR},
    ),
    "hyper_distance": (
        theory.hyper_distance,
        {"prior": WEIGHTS, "first": CHANNEL, "second": np.eye(6), "metric": "total variation"},
    ),
    "refinement_distance": (theory.refinement_distance, {"prior": WEIGHTS, "first": CHANNEL, "second": np.eye(6)}),
    "prior_epsilon": (theory.prior_epsilon, {"prior": WEIGHTS, "metric": FAR}),
    "best_guesses": (theory.best_guesses, {**SYSTEM, "gain": None}),
    "majorizes": (theory.majorizes, {"first": WEIGHTS, "second": WEIGHTS, "tolerance": 1e-9}),
    "lorenz": (theory.lorenz, {"prior": WEIGHTS}),
    "check_entropy": (
        theory.check_entropy,
        {"entropy": "shannon", "n": 3, "trials": 3, "tolerance": 1e-9, "seed": 0},
    ),
    "check_schur_concave": (
        theory.check_schur_concave,
        {"f": np.min, "n": 3, "trials": 3, "tolerance": 1e-9, "seed": 0},
    ),
    "metric_invariance": (
        theory.metric_invariance,
        {"prior": [2, 1], "allowed": [[1, 1], [1, 1]], "cost": [[0, 1], [1, 0]], "budget": 0.5, "fixed": None}
        | {"outputs": None, "entropies": ["min-entropy", "guess-error:1"]},
    ),
    "OptimalAdversary": (
        lambda tries, **given: theory.OptimalAdversary(tries=tries).success(**given),
        {**SYSTEM, "tries": 1},
    ),
    "UniformAdversary": (theory.UniformAdversary().success, SYSTEM),
    "MismatchedAdversary": (
        lambda belief, **given: theory.MismatchedAdversary(belief).success(**given),
        {**SYSTEM, "belief": WEIGHTS},
    ),
    # mechanisms
    "randomised_response": (mechanisms.randomised_response, {"n": 3, "epsilon": 1.0, "observables": 4, "inputs": None}),
    "geometric": (mechanisms.geometric, {"n": 3, "epsilon": 1.0, "inputs": None}),
    "truncated_geometric": (mechanisms.truncated_geometric, {"n": 3, "epsilon": 1.0, "low": -1, "high": 4}),
    "exponential": (mechanisms.exponential, {"n": 6, "epsilon": 1.0, "metric": FAR, "observables": None}),
    "tight_constraints": (mechanisms.tight_constraints, {"n": 6, "epsilon": 1.0, "metric": FAR}),
    "planar_geometric": (mechanisms.planar_geometric, {"width": 2, "height": 3, "epsilon": 1.0, "step": 1.0}),
    "planar_laplace": (mechanisms.planar_laplace, {"width": 2, "height": 3, "epsilon": 1.0, "step": 1.0}),
    # padding
    "to_multiple": (padding.to_multiple, {"sizes": [1, 5], "of": 4}),
    "to_power_of_two": (padding.to_power_of_two, {"sizes": [1, 5]}),
    "padme": (padding.padme, {"sizes": [1, 5]}),
    "padding.design": (padding.design, {**PADDED, "budget": 2.0, "entropy": "shannon", "randomised": False}),
    "padding.least_budget": (
        padding.least_budget,
        {**PADDED, "leakage": 1.0, "entropy": "shannon", "randomised": False},
    ),
    "padding.compare": (padding.compare, {**PADDED, "entropies": ["shannon"], "policies": None, "randomised": False}),
    "padding.frontier": (
        padding.frontier,
        {**PADDED, "entropy": "shannon", "points": 3, "policies": None, "randomised": False},
    ),
    "Padding.pad": (PADDING.pad, {"size": 3}),
    "Padding.leakage_in": (PADDING.leakage_in, {"entropy": "shannon"}),
    # report, without its pictures
    "page": (ml.report.page, {"title": "t", "body": "b", "charts": [], "style": None}),
    "save_chart": (ml.report.save_chart, {"chart": None, "path": "none/none.svg", "title": "t"}),
    "write": (ml.report.write, {"plan": None, "path": "none/none.html", "format": None, **BOUNDS}),
    "figures": (ml.report.figures, {"plan": None, **BOUNDS}),
}
# Frozen records that functions return, and what cannot be called to any purpose: no place for somebody's arguments.
# Functions of the caller's: what they raise is the caller's to see.
OWN = ("eta", "core", "perspective", "f")
RECORDS = {
    "MinleakError",
    "Plan",
    "Blocks",
    "Conflict",
    "EntropyCheck",
    "Invariance",
    "Majorization",
    "Padding",
    "Figure",
}
RECORDS |= {
    "GuessingForm",
    "LeastOverhead",
    "Mechanism",
    "PaddingComparison",
    "PaddingFrontier",
    "RefinementDistance",
    "Transport",
    "Adversary",
    "ConditionalEntropy",
    "Entropy",
    "Renyi",
    "RenyiMean",
    "BestGuesses",
    "AllGuesses",
}
RECORDS |= {"Applied", "Bucket", "CurvePoint", "Rival", "SchurCheck"}


def call(rng, name, calls=CALLS, ours=OURS):
    """The arguments of a call, one or two of them replaced."""
    given = dict(calls[name][1])
    for place in rng.sample(sorted(given), min(len(given), rng.choice([1, 1, 1, 2]))):
        given[place] = thing(rng, ours)
    return given


def surprise(function, given):
    """Call it, and say what came out that should not, if anything; and whether it was refused."""
    try:
        function(**given)
    except ml.MinleakError as error:
        said = str(error)
        try:
            said.encode()
        except UnicodeEncodeError:
            return f"a message that cannot be printed: {said!r}", True
        return None, True
    except TypeError:  # wrong types are Python's business
        return None, True
    except Exception as error:
        if any(callable(given.get(name)) for name in OWN) or "hash" in str(error):  # nor what cannot be a label
            return None, True
        return f"{type(error).__name__} at {place(error)}: {ascii(str(error))[:200]}", True
    return None, False


def place(error):
    """The line of minleak where an exception came from."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if f"{os.sep}minleak{os.sep}" in frame.filename
    ]
    return f"{frames[-1].filename.rsplit('minleak' + os.sep, 1)[1]}:{frames[-1].lineno}" if frames else "?"


def shown(given):
    """Arguments, as far as they can be shown."""

    def text(value):
        try:
            return ascii(value)[:120]
        except Exception:
            methods = [name for name in vars(type(value)) if name.startswith("__")]
            return f"<{type(value).__name__} {methods}>"

    return ", ".join(f"{name}={text(value)}" for name, value in given.items())


# -- words for commands ------------------------------------------------------------------------------------------------

FILES = ["queries.csv", "queries.cloak", "queries.key", "diagnoses.csv", "test.csv", "pairs.csv", "files.csv"]
DIGITS = ["0", "1", "3", "-1", "0.5", "5%", "nan", "inf", "1e308", "1e-308", "-0.0", "²", "9" * 18, "9" * 5000, "1:3"]
STRANGE = [
    "",
    "-",
    "--",
    "secret",
    "count",
    "shannon",
    "[/b]",
    "\x1b[2J",
    "\udc80",
    "\ud800",
    "\0",
    "a\nb",
    "..",
    "no/x",
]
ENTROPIES = [f"{name}:{order}" for name in ("arimoto", "tsallis", "guess-error") for order in ("2", "nan", "9" * 400)]
MEANT = ["min-entropy=0.5", "shannon=-1", "duckdb", "x.csv", "x.html", "x.cloak", "circle", "json", "uniq", "lat,lon"]
WORDS = [*FILES, *DIGITS, *STRANGE, *ENTROPIES, *MEANT]
STDIN = [b"", b"query-1\n", b"secret,count\na,1\nb,2\n", b"\xff\x00"]
# Each would be minutes of honest work if it were asked for much of it.
MODEST = {"audit": ["--permutations", "9", "--alpha", "0.5", "--patience", "0"], "report": ["--trials", "50"]}


def words(rng: random.Random, name, command, example):
    """The example of a command, with some words and options of which each may be anything."""
    line = [*example, *MODEST.get(name, [])]
    for place in range(len(name.split()), len(line)):
        if rng.randrange(8) == 0:
            line[place] = rng.choice(WORDS)
    for parameter in command.params:
        if parameter.param_type_name == "option" and parameter.name != "help" and rng.randrange(6) == 0:
            line.append(max(parameter.opts, key=len))
            if not parameter.is_flag:
                line.append(rng.choice(WORDS))
    return line
