"""The example of a login: the password opens, a honeyword raises the alarm, the stored list says nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import minleak as ml

EXAMPLES = Path(__file__).parents[2] / "examples"
WEIGHTS = {f"word{i:03}": 300 // (i + 10) for i in range(200)}


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    for name in ("honeywords", "honeywords_login"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import honeywords_login

    monkeypatch.setattr(honeywords_login, "_hash", lambda word, salt: salt + word.encode())  # so that words can be read
    return honeywords_login


def test_a_login(example):
    checker = example.Honeychecker()
    site = example.Login(example.Honeywords(ml.Prior.from_counts(WEIGHTS), unknown_share=0.3), checker)
    for i in range(40):
        site.register(f"user{i}", "word007")
    places = set()
    for user, (salt, stored) in site.stored.items():
        words = [one.removeprefix(salt).decode() for one in stored]
        assert len(set(words)) == example.K
        places.add(words.index("word007"))
        assert site.login(user, "word007")
        assert not checker.alarms
        assert not site.login(user, next(word for word in words if word != "word007"))
        assert checker.alarms == [user]
        assert not site.login(user, "none of them")
        assert checker.alarms == [user]
        checker.alarms.clear()
    assert len(places) > 1  # 40 users at one place: 8 / 8**40
    assert not site.login("nobody", "word007")
    assert not checker.alarms


def test_the_hashes_are_salted_and_slow(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    for name in ("honeywords", "honeywords_login"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import honeywords_login

    honeywords_login.main()
    assert capsys.readouterr().out.startswith("the password: True\nanother word: False")
    assert honeywords_login._hash("a", b"1") != honeywords_login._hash("a", b"2")
