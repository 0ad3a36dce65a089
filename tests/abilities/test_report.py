"""A page that opens without network and holds its headline number."""

import pytest
from tests.abilities.names import audit, design, write_page


def test_plan(tmp_path):
    pytest.importorskip("jinja2")
    plan = design({f"name-{i}": 1000 // i for i in range(1, 41)}, 8)
    write_page(plan, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert f"{100 * plan.success:.1f}%" in text
    assert "<script src=" not in text


def test_audit(tmp_path):
    pytest.importorskip("jinja2")
    found = audit([0, 1] * 500, ["a", "b"] * 500, measures=["min-entropy"], rng=0)
    write_page(found, tmp_path / "page.html")
    assert f"{100 * found.success.low:.1f}%" in (tmp_path / "page.html").read_text()
