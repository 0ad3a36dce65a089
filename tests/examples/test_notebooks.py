"""The code of the notebooks runs; the documentation's build runs them with a kernel and shows what they print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_runs(path, monkeypatch):
    """Its cells run in order in one namespace, and none is stored with its output."""
    monkeypatch.chdir(NOTEBOOKS)
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert cells
    assert not any(cell["outputs"] for cell in cells)
    names: dict[str, object] = {}
    for cell in cells:
        exec("".join(cell["source"]), names)
