"""Every result has the one face: plain in JSON, printed and shown as HTML without letting a label out, documented."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import tempfile

import numpy as np
import pytest

import minleak as ml
from minleak import lab, padding, results
from minleak.results import Result, fields_of

LABELS = ["<b>", "\x1b[31m", "a\nb", "back\\slash"]
PRIOR = ml.Prior([40, 30, 20, 15], labels=LABELS)
CHANNEL = ml.Channel(
    [[0.7, 0.3, 0], [0.2, 0.8, 0], [0, 0.5, 0.5], [0, 0, 1]], inputs=LABELS, outputs=["<i>", "\x07", "z"]
)
NOISY = ml.Channel([[0.6, 0.4], [0.4, 0.6], [0.5, 0.5], [0.3, 0.7]], inputs=LABELS)
COSTS = 1 - np.eye(4)
# No results: what is designed, drawn or built from, and the bases.
OTHERS = {"AllGuesses", "BestGuesses", "ChannelPlan", "Lineage", "Pairs", "RenyiMean", "Selector", "Streams", "Table"}
OTHERS |= {"UnlistedPlan"}


def examples():
    """One of each class, or several."""
    plan = ml.design(PRIOR, k=2)
    days = ml.Prior([400, 300, 200, 150], labels=LABELS)
    lasting = ml.update(ml.design(days, k=2), dict(zip(LABELS, [390, 310, 190, 160], strict=True)))
    rng = np.random.default_rng(0)
    events = rng.integers(0, 4, 400)
    audit = ml.audit([LABELS[i] for i in events], (events // 2).tolist(), permutations=99, enough=0.5)
    table = ml.leakage_table(PRIOR, CHANNEL)
    best = ml.lab.matroid_optimum(PRIOR, ml.lab.Matroid.uniform(len(PRIOR), 2))
    told = ml.property_leakage(PRIOR, CHANNEL, [i % 2 for i in range(len(PRIOR))])
    chain = ml.lab.sequences.Chain([1, 1, 1], [[0, 1, 1], [1, 0, 1], [1, 2, 0]], labels=LABELS[:3])
    walked = ml.lab.sequences.baselines(chain, 2, steps=3, trials=20)
    tradeoff = ml.lab.tradeoff(PRIOR, cost=COSTS, points=3)
    optimum = ml.lab.optimise(PRIOR, cost=COSTS, budget=0.4, entropy="guess-error:1")
    words = ml.strings.NGram.fit(["abab", "ba", "bb"], order=2, longest=6)
    padded = padding.design([3, 4, 5, 9], PRIOR, budget=2)
    compared = padding.compare([3, 4, 5, 9], PRIOR, policies={"<b>": padding.to_power_of_two})
    chunks = {
        "stream": [0, 0, 1, 1],
        "secret": ["<b>", "<b>", "\x1b[31m", "\x1b[31m"],
        "time": [0, 9] * 2,
        "size": [3, 4, 5, 9],
    }
    framed = padding.frames(chunks, budget=100, delay=20)
    refined = ml.lab.refined_by(NOISY, CHANNEL)
    swapped = ml.lab.pairs(PRIOR, [(LABELS[0], LABELS[1]), (LABELS[1], LABELS[2]), (LABELS[2], LABELS[3])])
    scope = ml.lab.invariance([(0, 1, 2), (2, 3)])
    selected = ml.selector(days, k=2, prefix="sha256:1", listed=2).audit(days)
    needed = {name: LABELS[i : i + 2] for i, name in enumerate(LABELS)}
    return [
        swapped,
        swapped.classes[0],
        scope,
        scope.witness,
        ml.lab.least_capacity(LABELS, 2),
        ml.lab.online_buckets(PRIOR, 2),
        selected,
        selected.before,
        selected.classes[0],
        ml.visits(days, needed, k=2),
        ml.compare(days, ml.Buckets("sha256:1"), visits=needed).visits[0],
        framed,
        framed.measured,
        best,
        best.partition,
        best.partition.blocks[0],
        told,
        ml.summary(plan),
        ml.summary(ml.design(PRIOR, k=2, layout="blocks")),
        ml.summary(lasting),
        ml.summary(lasting).each_part[0],
        ml.summary(plan).leakage[0],
        ml.summary(ml.lab.mechanisms.rounded(NOISY)),
        ml.summary(ml.design(words, k=2)),
        ml.population(lasting),
        ml.population(plan),
        ml.repeated(plan, [1, 2]),
        ml.repeated(plan, [1, 2], exact=False, trials=50),
        ml.exposure([plan, ml.design(days, k=2)]),
        ml.export(plan, os.path.join(tempfile.mkdtemp(), "table.json")),
        ml.certify(plan, PRIOR),
        ml.certify(plan, PRIOR).checks[0],
        ml.lab.deficiency(NOISY, CHANNEL),
        ml.lab.guesswork_moment([3, 2, 1], rho=2),
        ml.lab.repetition_bounds(NOISY, 3),
        ml.lab.privacy_funnel([1, 1], [[0.9, 0.1], [0.1, 0.9]], utility=0.5),
        ml.lab.more_capable(NOISY, CHANNEL, trials=2),
        ml.certify(plan, [1, 1, 1, 2]),
        table,
        table.rows[0],
        ml.capacity(CHANNEL, "shannon"),
        ml.lab.refined_by(CHANNEL, CHANNEL),
        refined,
        lab.refinement_distance(PRIOR, CHANNEL, NOISY),
        lab.majorizes([3, 1], [2, 2]),
        lab.check_entropy("shannon", trials=5),
        lab.kantorovich([1, 2], [2, 1], lambda x, y: abs(x - y)),
        lab.pointwise_maximal_leakage(PRIOR, CHANNEL),
        lab.hyper(PRIOR, CHANNEL),
        lab.posteriors(PRIOR, CHANNEL),
        ml.compare(PRIOR, ["x", "x", "y", "y"]),
        ml.compare(PRIOR, ["x", "x", "y", "y"], rows=PRIOR).rows[0],
        ml.design(PRIOR, 2, layout="blocks").rows_read(),
        ml.sweep(PRIOR, ks=[1, 2, 3]),
        tradeoff,
        tradeoff.points[0],
        optimum,
        optimum.stages[0],
        optimum.attacker,
        ml.lab.least_budget(PRIOR, cost=COSTS, leakage=0.1),
        ml.lab.repeated_success(PRIOR, NOISY, looks=[1, 5]),
        ml.lab.observations_needed([1, 1], [[0.6, 0.4], [0.4, 0.6]], success=0.8),
        audit,
        audit.success,
        audit.looks(0.6),
        audit.rows[0],
        walked,
        walked.rows[0],
        walked.rows[0].filtered,
        padded,
        padded.buckets()[0],
        compared,
        compared.rivals[0],
        compared.rivals[0].policy,
        padding.frontier([3, 4, 5, 9], PRIOR),
        padding.frontier([3, 4, 5, 9], PRIOR).buckets[0],
        ml.design(PRIOR, k=2, layout=ml.Near([[0, 0], [1, 0], [2, 0], [3, 0]])).costs,
        ml.lab.estimate_prior(CHANNEL, {"<i>": 5, "z": 7}),
        ml.lab.baselines(PRIOR, 2, trials=20)[0].leakage("shannon"),
        ml.design(words, k=2).against(ml.strings.NGram.fit(["ab", "bb"], order=1, longest=6), trials=20),
        lab.gain_to_bayes(PRIOR, np.eye(4)),
        padding.least_budget([3, 4, 5, 9], PRIOR, leakage=1.0),
        padded.limits,
        padding.Limits(most=lambda _: 0.1),
        padded.overheads,
        padded.table(),
        padding.from_samples(["<b>", "<i>"] * 10, list(range(20)), overhead=0.1),
        padding.profiles.backup(),
    ]


EXAMPLES = examples()


@pytest.mark.parametrize("found", EXAMPLES, ids=lambda found: type(found).__name__)
def test_the_face_of_a_result(found):
    """JSON without NaN; text whose every character can be seen; HTML in which labels are text; no frozen field."""
    assert isinstance(found, Result)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert isinstance(data, dict)
    assert all(line.replace("\t", " ").isprintable() for line in str(found).split("\n"))
    shown = found._repr_html_()
    assert not any(raw in shown for raw in ("<b>", "<i>", "\x1b", "\x07"))
    assert shown.count("<table") == shown.count("</table>")
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(found, dataclasses.fields(found)[0].name, 0)


def classes():
    for namespace in (results, lab, padding, padding.profiles):
        for name in namespace.__all__:
            found = getattr(namespace, name)
            if inspect.isclass(found) and dataclasses.is_dataclass(found) and name not in OTHERS:
                yield found


@pytest.mark.parametrize("kind", dict.fromkeys(classes()), ids=lambda kind: kind.__name__)
def test_every_class_is_a_result_with_documented_fields(kind):
    """Each field is told of by the class's docstring or by a string below it."""
    assert issubclass(kind, Result)
    for name, annotation, text in fields_of(kind):
        assert annotation, name
        assert text, name


def test_there_is_an_example_of_every_result():
    """Of those in `minleak.results`; the base, frontiers and what strings are told by have none of their own."""
    shown = {type(found) for found in EXAMPLES}
    missing = [kind.__name__ for kind in classes() if kind.__module__ and kind not in shown]
    assert missing == []
