"""Policies: what a policy accepts tiles the line, what it refuses has no place, hostile ones are bounded."""

from __future__ import annotations

import random
import re
import sys
from itertools import product

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidCloak, InvalidParameter, InvalidPrior, MissingExtra, UnknownSecret
from minleak.strings._model import strings_of
from minleak.strings._policy import CLASSES, Automaton
from minleak.testing import check_model

ALPHABET = "aB1-"
LONGEST = 5
PATTERNS = [
    None,
    "a*",
    "a+B?1{1,2}",
    "(a|B|aB)*1",
    "[a-z]+|[0-9]{2,}",
    "[^a]*",
    ".{2}",
    "(?=.*1).*a",
    "(?i:b)a*?",
    "(?i)A+b",
    "\\w+\\W",
    "\\d{2}|\\D{3,4}",
    "(a(?:B|1)){1,2}",
    "B{0,1}(a|)",
    "(a*)*",
    "(?s:.)a",
    "x?a|[x-z]*1",
    "((a|B){2}){2}",
]
POLICIES = [ml.strings.Policy(matching=pattern) for pattern in PATTERNS] + [
    ml.strings.Policy(min_length=3),
    ml.strings.Policy(2, 4, ["digit"]),
    ml.strings.Policy(2, 3, ["digit", "upper"], "[a-zA-Z].*"),
    ml.strings.Policy(4, None, ["lower", "upper", "digit", "symbol"]),
    ml.strings.Policy(3, 3, [], "(aB)*.?"),
    ml.strings.Policy(1, None, ["letter"], ".*1"),
]


def meets(policy: ml.strings.Policy, string: str) -> bool:
    """The policy by Python's own means."""
    most = LONGEST if policy.max_length is None else policy.max_length
    return (
        policy.min_length <= len(string) <= most
        and all(any(CLASSES[name](c) for c in string) for name in policy.require)
        and (policy.matching is None or re.fullmatch(policy.matching, string) is not None)
    )


def everything() -> list[str]:
    return ["".join(some) for length in range(LONGEST + 1) for some in product(ALPHABET, repeat=length)]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_what_meets_the_policy_tiles_the_line_and_nothing_else_has_a_place(policy: ml.strings.Policy) -> None:
    """Every string of a small alphabet, against re.fullmatch: weights are positive where it matches, and add up."""
    accepted = [string for string in everything() if meets(policy, string)]
    model = ml.strings.NGram.fit(accepted[:7], order=3, longest=LONGEST, alphabet=ALPHABET, accept=policy)
    assert dict(strings_of(model, 10_000)).keys() == set(accepted)
    for string in everything():
        assert (model.weight(string) > 0) == meets(policy, string), string
    assert sum(map(model.weight, accepted)) == model.total
    check_model(model, positions=50, strings=accepted[:50])
    by_weight = sorted((model.weight(string) for string in accepted), reverse=True)
    assert [weight for _, weight in model.heaviest(len(accepted) + 1)] == by_weight


def test_random_expressions_are_what_python_says() -> None:
    """Expressions put together at random, on all strings of up to four characters."""
    rng = random.Random(5)

    def expression(depth: int) -> str:
        if depth == 0:
            return rng.choice(["a", "B", "1", ".", "[aB]", "[^1]", "\\d", "\\w", "-", ""])
        one, other = expression(depth - 1), expression(depth - 1)
        return rng.choice(
            [f"{one}{other}", f"(?:{one}|{other})", f"(?:{one})*", f"({one}){{1,2}}", f"(?:{one})?{other}"]
        )

    strings = [string for string in everything() if len(string) <= 4]
    for _ in range(300):
        pattern = expression(rng.randrange(1, 5))
        found = re.compile(pattern)
        wanted = [found.fullmatch(string) is not None for string in strings]
        if not any(wanted):
            continue
        automaton = Automaton(ml.strings.Policy(matching=pattern), ALPHABET)
        said = [automaton.accepts([ALPHABET.index(c) for c in string]) for string in strings]
        assert said == wanted, pattern


def test_the_automaton_is_the_least_one_whatever_way_a_policy_is_written() -> None:
    """Equal languages have equal tables, so that a file's automaton is found again."""
    for one, other in (
        (ml.strings.Policy(matching="a|B|1|-"), ml.strings.Policy(1, None, [], ".?")),
        (ml.strings.Policy(2), ml.strings.Policy(matching="...*")),
        (ml.strings.Policy(require=["digit"]), ml.strings.Policy(matching=".*1.*")),
        (ml.strings.Policy(matching="(a|aa)*"), ml.strings.Policy(matching="a*")),
    ):
        assert np.array_equal(Automaton(one, ALPHABET).rows(), Automaton(other, ALPHABET).rows())
    assert len(Automaton(ml.strings.Policy(require=["digit", "upper"]), ALPHABET)) == 4


@pytest.mark.parametrize("policy", POLICIES[-5:], ids=str)
def test_a_plan_shows_only_what_meets_the_policy(policy: ml.strings.Policy) -> None:
    """All sets of all places of some secrets, and the certificate."""
    accepted = [string for string in everything() if meets(policy, string)]
    model = ml.strings.NGram.fit(accepted[:9], order=2, longest=LONGEST, alphabet=ALPHABET, accept=policy)
    plan = ml.design(model, 2)
    rng = random.Random(0)
    for _ in range(100):
        secret = model.at(rng.randrange(model.total))
        shown = plan.members(secret, rng.randrange(plan.owned(secret)))
        assert len(set(shown)) == 2
        assert all(meets(policy, member) for member in shown)
    certificate = ml.certify(plan, model)
    assert certificate.ok
    assert "every member meets the policy, where it was tried" in [check.what for check in certificate.checks]


def test_decoys_of_passwords_of_a_policy_all_meet_it() -> None:
    """Counted passwords beside a model: eight characters, a digit; every decoy of many lists."""
    rng = np.random.default_rng(1)
    names = ["dragon", "monkey", "sunshine", "letmein", "qwerty", "tulip", "summer"]
    texts = sorted({f"{name}{rng.integers(10, 9999)}" for name in names for _ in range(40)})
    policy = ml.strings.Policy(min_length=8, max_length=16, require=["digit"])
    texts = [text for text in texts if len(text) >= 8]
    model = ml.strings.NGram.fit(texts, accept=policy)
    assert model.longest == 16
    prior = ml.Prior.from_counts({text: 1 + (i % 5) for i, text in enumerate(texts)})
    plan = ml.design(prior, 6, unknown=model)
    for secret in ["newcomer7", *texts[:40]]:
        words = ml.strings.honeywords(secret, 6, model=plan)
        assert all(8 <= len(word) <= 16 and any(map(str.isdecimal, word)) for word in words)
    assert ml.certify(plan, prior).ok
    with pytest.raises(UnknownSecret, match="policy"):
        ml.strings.honeywords("sunshine", 6, model=plan)
    with pytest.raises(UnknownSecret, match="policy"):
        model.interval("sunshine")
    with pytest.raises(InvalidPrior, match="1 of 2 counted strings do not meet the policy"):
        ml.design(ml.Prior.from_counts({"sunshine": 3, "tulips99": 1}), 2, unknown=model)


def test_lengths_are_those_of_what_was_fitted() -> None:
    """Where a string may end depends on what the policy has seen of it: contexts are counted by its state, too."""
    rng = np.random.default_rng(2)
    texts = ["".join(rng.choice(list("abc123"), size=8 + rng.geometric(0.6) - 1)) for _ in range(4000)]
    model = ml.strings.NGram.fit(texts, accept=ml.strings.Policy(min_length=8))
    draw = random.Random(3)
    lengths = [len(model.at(draw.randrange(model.total))) for _ in range(2000)]
    assert np.mean(lengths) == pytest.approx(np.mean([len(text) for text in texts]), abs=0.5)


def test_strings_outside_the_policy_are_counted_and_refused_unless_left_out() -> None:
    policy = ml.strings.Policy(min_length=3)
    with pytest.raises(InvalidParameter, match="2 of 3 strings do not meet the policy"):
        ml.strings.NGram.fit(["aaa", "b", "cc"], accept=policy)
    model = ml.strings.NGram.fit(["aaa", "b", "cc"], accept=policy, leave_out=True)
    assert model.weight("aaa") > model.weight("cab") > 0 == model.weight("cc")
    with pytest.raises(InvalidParameter, match="at least one string"):
        ml.strings.NGram.fit(["b"], accept=policy, leave_out=True)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"matching": "(a)\\1"}, "more than a regular language"),
        ({"matching": "(a)?(?(1)b|c)"}, "more than a regular language"),
        ({"matching": "(?<!a)b"}, "more than a regular language"),
        ({"matching": "\\ba"}, "more than a regular language"),
        ({"matching": "^a$"}, "whole strings: leave out"),
        ({"matching": "(a"}, "no regular expression"),
        ({"matching": "a{99999999999999}"}, "more often than 4,096 times"),
        ({"matching": "(" * 490 + ")" * 490}, "(no regular expression|longest=|least one|at least one)"),
        ({"matching": "é"}, "no string of the alphabet meets the policy"),
        ({"matching": "a{2000}"}, "too large, with more than 1,024 states"),
        ({"matching": b"a"}, "as text"),
        ({"matching": "a" * 1001}, "at most 1,000 characters"),
        ({"min_length": 40}, "at least 40 characters, and longest= is 32"),
        ({"min_length": -1}, "min_length="),
        ({"min_length": 5, "max_length": 4}, "max_length="),
        ({"min_length": 1.5}, "min_length="),
        ({"require": "digit"}, "not the text 'digit'"),
        ({"require": ["vowel"]}, "not 'vowel'"),
        ({"require": [["digit"]]}, "not "),
    ],
)
def test_what_is_no_policy_is_refused_in_one_line(said: dict, why: str) -> None:
    with pytest.raises(InvalidParameter, match=why) as error:
        ml.strings.NGram.fit(["a"], alphabet=ALPHABET, accept=ml.strings.Policy(**said))
    assert "\n" not in str(error.value)


def test_without_the_package_the_message_names_it(monkeypatch, tmp_path) -> None:
    """Only expressions need it, and only where a policy is made: a file holds the automaton."""
    policy = ml.strings.Policy(2, None, [], "a.*")
    ml.strings.NGram.fit(["aa"], alphabet=ALPHABET, accept=policy, longest=LONGEST).save(tmp_path / "m")
    monkeypatch.setitem(sys.modules, "interegular", None)
    with pytest.raises(MissingExtra, match=re.escape("pip install '.[strings]'")):
        ml.strings.NGram.fit(["aa"], alphabet=ALPHABET, accept=policy)
    ml.strings.NGram.fit(["aa"], alphabet=ALPHABET, accept=ml.strings.Policy(2))
    assert ml.strings.NGram.load(tmp_path / "m").policy == policy


def test_random_text_is_an_expression_or_is_refused() -> None:
    """Noise made of what expressions are written with."""
    rng = random.Random(9)
    for _ in range(1500):
        pattern = "".join(rng.choice("aB1-.*?{}[](),|\\dw2:=i#") for _ in range(rng.randrange(1, 25)))
        try:
            automaton = Automaton(ml.strings.Policy(matching=pattern), ALPHABET)
        except InvalidParameter:
            continue
        try:
            re.compile(pattern)
        except re.error:  # such as a{2}{3}
            continue
        for string in ("", "a", "B", "1-", "aB1"):
            said = automaton.accepts([ALPHABET.index(c) for c in string])
            assert said == (re.fullmatch(pattern, string) is not None), (pattern, string)


def test_a_file_keeps_the_policy(tmp_path) -> None:
    """Model and plan: the same strings at the same places; the digest tells policies apart."""
    texts = ["aB1", "a1-", "B11", "1aa"]
    policy = ml.strings.Policy(2, None, ["digit"], "[^-].*")
    model = ml.strings.NGram.fit(texts, order=2, longest=LONGEST, alphabet=ALPHABET, accept=policy)
    model.save(tmp_path / "m")
    loaded = ml.strings.NGram.load(tmp_path / "m")
    assert loaded.policy == policy
    assert dict(strings_of(loaded, 10_000)) == dict(strings_of(model, 10_000))
    assert repr(loaded) == repr(model)
    plan = ml.design(model, 3)
    plan.save(tmp_path / "p.cloak")
    again = ml.load(tmp_path / "p.cloak")
    assert again.digest == plan.digest
    assert ml.certify(again, again.string_prior.model).ok
    cloaks = [ml.Cloak(some, key=bytes(32)) for some in (plan, again)]
    assert cloaks[0].draw("aB1", scope="u") == cloaks[1].draw("aB1", scope="u")
    other = ml.strings.NGram.fit(
        texts, order=2, longest=LONGEST, alphabet=ALPHABET, accept=ml.strings.Policy(2, None, ["digit"])
    )
    assert ml.design(other, 3).digest != plan.digest


@pytest.mark.parametrize(
    "changed",
    [
        {"policy": [9, None, ["digit"], None]},
        {"policy": [2, None, ["vowel"], None]},
        {"policy": [2, None, [["digit"]], None]},
        {"policy": [2, None, ["digit"]]},
        {"policy": [2, None, ["digit"], None, 1]},
        {"policy": None},
        {"policy": {}},
        {"policy": "abcd"},
        {"policy": [2, None, ["upper"], "[^-].*"]},
        {"policy": [3, None, ["digit"], None]},
    ],
)
def test_a_file_with_another_policy_is_refused(tmp_path, monkeypatch, changed: dict) -> None:
    """Whoever can write the file can seal it: what it says is checked all the same."""
    from minleak.strings import _files as files

    model = ml.strings.NGram.fit(
        ["aB1"], order=2, longest=4, alphabet=ALPHABET, accept=ml.strings.Policy(2, None, ["digit"])
    )
    contents = files.contents_of
    monkeypatch.setattr(files, "contents_of", lambda some: (contents(some)[0], contents(some)[1] | changed))
    model.save(tmp_path / "m")
    with pytest.raises(InvalidCloak):
        ml.strings.NGram.load(tmp_path / "m")


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:-1],  # no whole rows
        lambda rows: rows[:0],
        lambda rows: np.where(rows == 1, 99, rows),  # states that are none
        lambda rows: np.append(rows, rows[-5:]),  # not the least one
        lambda rows: np.where(np.arange(len(rows)) % 5 == 4, 0, rows),  # nothing ends
        lambda rows: np.where(np.arange(len(rows)) % 5 == 4, 1, rows),  # too short ones end
    ],
)
def test_a_file_with_another_automaton_is_refused(tmp_path, monkeypatch, change) -> None:
    from minleak.strings import _files as files

    policy = ml.strings.Policy(2, None, ["digit"], "a.*")
    model = ml.strings.NGram.fit(["a1"], order=2, longest=4, alphabet=ALPHABET, accept=policy)
    arrays, numbers = files.contents_of(model)
    changed = arrays | {"automaton": change(arrays["automaton"]).astype(np.int32)}
    monkeypatch.setattr(files, "contents_of", lambda _: (changed, numbers))
    model.save(tmp_path / "m")
    with pytest.raises(InvalidCloak):
        ml.strings.NGram.load(tmp_path / "m")


def test_others_and_a_policy_do_not_go_together() -> None:
    with pytest.raises(InvalidParameter, match="alphabet="):
        ml.strings.NGram.fit(["aaaa"], accept=ml.strings.Policy(3), others=True)
    with pytest.raises(InvalidParameter, match=r"such as Policy\(min_length=8\)"):
        ml.strings.NGram.fit(["aaaa"], accept="a*")
