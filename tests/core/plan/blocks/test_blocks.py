"""Blocks: what they are, say and draw; their certificate and their file."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.core.certify.tampering import tampered
from tests.core.file.mutants import changed

import minleak as ml
from minleak.errors import InvalidCloak, InvalidKey, InvalidParameter

WEIGHTS = [5, 4, 2, 1, 7, 0, 2]
NAMES = list("abcdefg")
PRIOR = ml.Prior(WEIGHTS, labels=NAMES)
KINDS = {
    "integers": PRIOR,
    "no labels": ml.Prior(WEIGHTS),
    "numbers": ml.Prior(WEIGHTS, labels=[3, -1, 5, 2**60, 0, 9, 8]),
    "floats": ml.Prior([0.25, 0.2, 0.1, 0.05, 0.35, 0.0, 0.1], labels=NAMES),
    "beyond 64 bits": ml.Prior([w << 70 for w in WEIGHTS], labels=NAMES),
}


def blocks_of(prior=PRIOR, k=3):
    return ml.design(prior, k, layout="blocks")


@pytest.fixture
def path(tmp_path):
    blocks_of().save(tmp_path / "blocks.cloak")
    return tmp_path / "blocks.cloak"


def test_sorted_and_cut():
    """From the heaviest on, ties in input order; the last block is what is left; members in the prior's order."""
    assert list(blocks_of().sets()) == [
        (("a", "b", "e"), Fraction(16, 21)),
        (("c", "d", "g"), Fraction(5, 21)),
        (("f",), 0),
    ]
    assert "".join(one for (one,), _ in blocks_of(k=1).sets()) == "eabcgdf"
    assert list(blocks_of(k=9).sets()) == [(tuple(NAMES), 1)]
    assert repr(blocks_of()) == "Plan(n=7, k=3, giants=0, layout='blocks', sets=3)"
    assert ml.design(PRIOR, 3, layout=ml.Blocks()).digest == blocks_of().digest


def test_many_secrets_are_sorted_by_the_compiled_sort():
    """As numpy sorts them."""
    weights = np.random.default_rng(1).integers(0, 50, 300_000)
    found = blocks_of(ml.Prior(weights), 7)
    order = np.argsort(-weights, kind="stable")
    assert np.array_equal(found.blocks.block_of()[order], np.arange(300_000) // 7)
    assert ml.certify(found, weights)


@pytest.mark.parametrize("name", ["shannon", "min-entropy", "guesswork", "arimoto:0.5", "hayashi:3"])
def test_what_leaks_is_that_of_the_channel(name):
    """Measured on the explicit channel, under its own prior and under another in another order."""
    found = blocks_of()
    channel = ml.Channel.deterministic(found.blocks.block_of().tolist())
    assert found.leakage(name) == pytest.approx(ml.leakage(PRIOR, channel, name), abs=1e-12)
    other = ml.Prior([1, 2, 3, 4], labels=["g", "a", "d", "c"])
    assert found.leakage(name, prior=other) == pytest.approx(
        ml.leakage([2, 0, 4, 3, 0, 0, 1], channel, name), abs=1e-12
    )
    assert found.success == pytest.approx(ml.lab.posterior_vulnerability(PRIOR, channel))
    assert found.leakage(name) == pytest.approx(ml.leakage(PRIOR, found.channel(), name), abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_channel_shows_what_is_drawn(kind):
    """A column for each block, under the name that a draw has; the probabilities are those of the prior, exactly."""
    found = blocks_of(KINDS[kind])
    channel, cloak = found.channel(), ml.Cloak(found)
    for x, label in enumerate(found.prior.labels):
        assert channel.outputs[int(np.flatnonzero(channel.matrix.toarray()[x])[0])] == cloak.draw(label)
    assert sum(probability for _, probability in found.sets()) == 1
    assert channel.outputs == [block for block, _ in found.sets()]
    assert np.allclose([float(probability) for _, probability in found.sets()], found.prior.p @ channel.matrix)


def test_another_prior_with_secrets_of_its_own():
    """How many, and how much of the mass."""
    with pytest.raises(
        InvalidParameter, match=r"2 secrets of the prior, 0\.75 of its mass, are not among the plan's 7"
    ):
        blocks_of().leakage("shannon", prior={"a": 1, "x": 2, "y": 1})


def test_refusals():
    """Gains, and entropies that ask whose a probability is."""
    with pytest.raises(InvalidParameter, match="gains="):
        ml.design(PRIOR, 2, layout="blocks", gains=WEIGHTS)
    with pytest.raises(InvalidParameter, match="gains="):
        ml.certify(blocks_of(), PRIOR, gains=WEIGHTS)
    with pytest.raises(InvalidParameter, match="k = 3, not 2"):
        ml.certify(blocks_of(), PRIOR, k=2)
    with pytest.raises(InvalidParameter, match="plain entropies"):
        blocks_of().leakage(ml.Gain(ml.Shannon(), np.eye(7)))


def test_in_the_world():
    """An attacker who knows the truth takes the likeliest of a block: estimated from the counts, with an interval."""
    rng = np.random.default_rng(2)
    truth = 1 / np.arange(1, 3001) ** 0.7
    counts = rng.multinomial(30_000, truth / truth.sum())
    seen = rng.permutation(np.flatnonzero(counts))
    blocks = blocks_of(ml.Prior(counts[seen]), 8)
    world = blocks.in_the_world(entropies=["shannon"])
    true = blocks.blocks.success(ml.Prior(truth[seen]))
    assert world.claimed == blocks.success
    assert world.low < true < world.high
    assert world.success == pytest.approx(true, rel=0.05)
    assert world.success > 1.1 * world.claimed
    assert world.leakage("shannon") > blocks.leakage("shannon")
    with pytest.raises(InvalidParameter, match="not counts of events"):
        blocks_of(ml.Prior.uniform(9)).in_the_world()


# -- drawing ---------------------------------------------------------------------------------------------------------


def test_always_the_same_set_without_a_key(path):
    """For whoever asks, fresh or not, one or many, from a file or from memory; scopes and keys change nothing."""
    for cloak in (ml.Cloak(path), ml.Cloak(blocks_of()), ml.Cloak(path, key=ml.Key(bytes(32)))):
        assert cloak.draw("d") == cloak.draw("d", scope="x") == cloak.draw_fresh("d") == ("c", "d", "g")
        rows = cloak.draw_many(range(7))
        assert rows.tolist() == cloak.draw_many(range(7), fresh=True).tolist()
        assert rows.tolist() == cloak.draw_many(range(7), scopes=["s"] * 7).tolist()
        assert rows[5].tolist() == [5, -1, -1]
        assert cloak.set_id(["d", "c", "g"]) == cloak.set_id(["c", "d", "g"])
        with pytest.raises(KeyError, match="does not know this secret"):
            cloak.draw("z")
        assert ml.Cloak(path, stand_in="f").draw("z") == ("f",)


def test_other_plans_still_need_a_key_and_a_scope():
    """What blocks do without is asked of the others."""
    cloak = ml.Cloak(ml.design(PRIOR, 2))
    with pytest.raises(InvalidKey):
        cloak.draw("a")
    with pytest.raises(InvalidParameter, match="a scope is text"):
        ml.Cloak(ml.design(PRIOR, 2), key=ml.Key(bytes(32))).draw("a")


# -- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_holds_all_of_it(kind, tmp_path):
    """Weights, labels, blocks and digest; and it certifies."""
    made = blocks_of(KINDS[kind])
    made.save(tmp_path / "x.cloak")
    for mapped in (True, False):
        found = ml.load(tmp_path / "x.cloak", mapped=mapped)
        assert isinstance(found, ml.Plan)
        assert (found.k, found.digest) == (made.k, made.digest)
        assert found.prior.weights.tolist() == made.prior.weights.tolist()
        assert found.prior.events == made.prior.events
        assert list(found.sets()) == list(made.sets())
        assert blocks_of(KINDS[kind], 4).digest != made.digest
    assert ml.certify(tmp_path / "x.cloak", KINDS[kind])


@pytest.mark.parametrize(
    "arrays",
    [
        {"fixed": lambda a: a * 0},
        {"fixed": lambda a: a + 1},
        {"fixed": lambda a: a - 1},
        {"fixed": lambda a: a[:-1]},
        {"fixed": lambda a: a.astype(float)},
        {"begins": lambda a: a[1:]},
        {"begins": lambda a: a[:-1]},
        {"begins": lambda a: a[[0, -1]]},
        {"begins": lambda a: a[[0, 2, 1, 3]]},
        {"begins": lambda a: np.insert(a, 1, 3)},
        {"begins": lambda a: a - 2**62},
        {"begins": lambda a: a[:0]},
        {"weights": lambda a: -a},
        {"weights": lambda a: a[:-1]},
        {"weights": lambda a: a * 0},
        {"slots": lambda a: a[:4]},
        {"slots": lambda a: a + 7},
    ],
)
def test_files_that_nobody_should_follow(path, arrays):
    """Secrets twice or nowhere, blocks that are empty, too large or out of order, an index that leads nowhere."""
    with pytest.raises(InvalidCloak, match="does not hold a plan"):
        ml.load(changed(path, **arrays))


@pytest.mark.parametrize("numbers", [{"k": 0}, {"k": 2}, {"k": 8}, {"k": 1.5}, {"k": None}, {"events": -1}])
def test_numbers_that_are_none_of_blocks(path, numbers):
    """The same."""
    with pytest.raises(InvalidCloak, match="does not hold a plan"):
        ml.load(changed(path, numbers=numbers))


def test_one_kind_is_not_taken_for_another(path, tmp_path):
    """A plan that calls itself a channel, and a kind that nobody knows."""
    with pytest.raises(InvalidCloak, match="does not hold a plan"):
        ml.load(changed(path, numbers={"kind": "channel"}))
    ml.design(PRIOR, 3).save(tmp_path / "rings.cloak")
    with pytest.raises(InvalidCloak, match="which this minleak does not know"):
        ml.load(changed(tmp_path / "rings.cloak", numbers={"kind": "blocks"}))


# -- the certificate -------------------------------------------------------------------------------------------------


def test_certified_with_what_it_loses():
    """The gaps are those to the optimal plan; the theorem names what it covers."""
    found = ml.certify(blocks_of(), PRIOR, entropies=["shannon", "guesswork"])
    assert found.ok
    assert found.exact
    assert found.gaps == pytest.approx(
        {"prior": 0.0} | {name: blocks_of().loss(name) for name in ("shannon", "guesswork")}, rel=1e-12
    )
    assert "leaks less: a theorem in shannon, guesswork\n" in str(found)


@pytest.mark.parametrize("scale", [1, 3, 10**9])
def test_weights_are_compared_in_integers(scale):
    """One count in 10^15 is another prior; the same shares in other units, beyond 64 bits too, are the same one."""
    weights = [10**15 + 7, 10**15, 3, 2]
    found = blocks_of(ml.Prior(weights), 2)
    other = [10**15 + 6, 10**15, 3, 2]
    certificate = ml.certify(found, [scale * w for w in weights])
    assert (certificate.ok, certificate.exact) == (True, True)
    wrong = ml.certify(found, [scale * w for w in other])
    assert [check.what for check in wrong.checks if not check.ok] == ["the weights are the prior's"]


def test_weights_in_floats_are_said_to_be():
    """Floats are compared within rounding."""
    floats = KINDS["floats"]
    for made, prior in ((blocks_of(floats), ml.Prior(floats.weights, labels=NAMES)), (blocks_of(), PRIOR.p)):
        found = ml.certify(made, ml.Prior(np.asarray(prior), labels=NAMES))
        assert (found.ok, found.exact) == (True, False)
    assert not ml.certify(blocks_of(), ml.Prior(PRIOR.p * [1 + 1e-9, 1, 1, 1, 1, 1, 1], labels=NAMES))


def test_only_what_is_a_theorem_is_certified():
    """Whoever asks for other entropies is told so, and that nothing is proved of these."""
    found = ml.certify(blocks_of(), PRIOR, entropies=["shannon", "hayashi:3"])
    assert [check.detail for check in found.checks if "leaks less" in check.what] == ["a theorem in shannon"]
    assert [check.what for check in found.checks if not check.ok] == ["the same in hayashi:3"]
    assert not any(
        "theorem in" in check.detail for check in ml.certify(blocks_of(), PRIOR, entropies=["tsallis:3"]).checks
    )


@pytest.mark.parametrize(
    ("members", "begins", "said"),
    [
        ([0, 1, 4, 2, 3, 6, 5], [0, 3, 7], "a fixed set has more than k = 3 members"),
        ([0, 1, 4, 2, 3, 6, 6], [0, 3, 6, 7], "fixed are not different secrets"),
        ([0, 1, 4, 2, 3, 6, 5], [0, 3, 3, 7], "the fixed sets do not follow each other"),
        ([0, 1, 4, 2, 3, 6, 7], [0, 3, 6, 7], "fixed are not different secrets"),
        ([0, 1, 4, 2, 3, 6], [0, 3, 6], "a secret without weight has no set of its own"),
        ([0, 1, 4, 2, 3, 5], [0, 3, 6], "homes and ring do not weigh"),
        ([0.0, 1, 4, 2, 3, 6, 5], [0, 3, 6, 7], "fixed are not different secrets"),
    ],
)
def test_blocks_that_are_none(members, begins, said):
    """Are refused by the constructor; past it, certify looks for itself."""
    fields = {"fixed": np.array(members), "begins": np.array(begins)}
    with pytest.raises(InvalidParameter, match=f"these fields are not those of a plan: .*{said}"):
        replace(blocks_of(), **fields)
    found = ml.certify(tampered(blocks_of(), **fields), PRIOR)
    assert all(said in check.detail for check in found.checks if not check.ok)
    assert not found
    assert not found.valid


@pytest.mark.parametrize(
    ("members", "begins"),
    [
        ([0, 1, 2, 4, 3, 6, 5], [0, 3, 6, 7]),
        ([0, 1, 4, 2, 3, 6, 5], [0, 2, 5, 7]),
        ([0, 1, 4, 2, 3, 6, 5], [0, 3, 4, 7]),
    ],
)
def test_blocks_that_are_not_the_best(members, begins):
    """They are not certified as optimal; valid they are."""
    made = replace(blocks_of(), fixed=np.array(members), begins=np.array(begins))
    found = ml.certify(made, PRIOR)
    assert (found.ok, found.valid) == (False, True)
    assert str(found).startswith("valid, but NOT certified as optimal (checked exactly)\nnot proved:")
    assert next(check.what for check in found.checks if not check.ok).startswith("sorted by weight")


def test_blocks_in_any_order_with_ties_in_any_order():
    """As good: the second c, of weight 2 like g, in another block; the lightest block first."""
    made = replace(blocks_of(k=4), fixed=np.array([2, 3, 5, 0, 1, 4, 6]), begins=np.array([0, 3, 7]))
    assert ml.certify(made, PRIOR)
    assert not ml.certify(made, ml.Prior([5, 4, 3, 1, 7, 0, 2], labels=NAMES))


def test_an_index_that_misses_a_label(path):
    """The certificate of the file looks at it."""

    def emptied(slots):
        slots[slots == 0] = 1
        return slots

    found = ml.certify(changed(path, slots=emptied), PRIOR)
    assert [check.what for check in found.checks if not check.ok] == ["the index of the file finds every label, once"]


# -- tables ----------------------------------------------------------------------------------------------------------


def test_the_table_of_blocks():
    """A row for each secret; what is shown are those of the same number."""
    rows = blocks_of().table().to_pylist()
    assert [row["secret"] for row in rows] == NAMES
    assert all((row["first"], row["last"]) == (0, 0) for row in rows)
    for row in rows:
        together = tuple(other["secret"] for other in rows if other["set_number"] == row["set_number"])
        assert together == ml.Cloak(blocks_of()).draw(row["secret"])


@pytest.mark.parametrize("layout", ["stable", "circle"])
@pytest.mark.parametrize("weights", [WEIGHTS, [9, 1, 1, 1, 1], [0, 0, 9, 0], [4, 0], [1] * 6, [100, 30, 5, 5, 4, 3]])
def test_whoever_draws_from_the_table_draws_at_the_odds_of_the_plan(layout, weights):
    """Every unit of a secret's line once, as another language would do it: the rows of the explicit channel."""
    for k in (1, 2, 3):
        plan = ml.design(weights, k, layout=layout)
        rows = plan.table().to_pylist()
        members: dict[int, tuple] = {}
        for row in rows:
            members[row["set_number"]] = tuple(sorted({*members.get(row["set_number"], ()), row["secret"]}))
        channel = plan.channel(exact=True)
        for secret in range(len(weights)):
            own = [row for row in rows if row["secret"] == secret]
            line = 1 + max(row["last"] for row in own)
            assert sorted(unit for row in own for unit in range(row["first"], row["last"] + 1)) == list(range(line))
            odds = Counter()
            for row in own:
                odds[members[row["set_number"]]] += row["last"] - row["first"] + 1
            expected = dict(zip(channel.outputs, channel.exact[secret].tolist(), strict=True))
            assert odds == {shown: p * line for shown, p in expected.items() if p}


def test_tables_that_are_refused():
    """Too many rows, or labels that no table holds."""
    with pytest.raises(InvalidParameter, match="above the limit of 3"):
        ml.design(PRIOR, 2).table(limit=3)
    with pytest.raises(InvalidParameter, match="limit on rows"):
        ml.design(PRIOR, 2).table(limit=-1)
    with pytest.raises(InvalidParameter, match="text or 64-bit integers"):
        ml.design(ml.Prior([1, 2], labels=[(1,), (2,)]), 2, layout="blocks").table()
