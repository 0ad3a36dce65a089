"""The page of a plan under caps on groups claims no more than the plan has: it is the best of those that keep them."""

from __future__ import annotations

import minleak as ml


def test_the_page_speaks_of_sets_that_keep_the_caps(tmp_path):
    prior = ml.Prior([9, 8, 7, 6, 5, 4, 3, 2], labels=[f"city-{i}" for i in range(8)])
    groups = ml.Groups(["a", "a", "a", "a", "b", "c", "d", "e"], at_most=1)
    pages = {}
    for name, plan in {"capped": ml.design(prior, 3, groups=groups), "plain": ml.design(prior, 3)}.items():
        ml.report.write(plan, tmp_path / f"{name}.html", trials=50)
        pages[name] = " ".join((tmp_path / f"{name}.html").read_text().split())
    assert "no sets of 3 that keep the caps leak less than" in pages["capped"]
    assert "have no caps: some may leak less" in pages["capped"]
    assert "no sets of 3 leak less than" in pages["plain"]
    assert "keep the caps" not in pages["plain"]
