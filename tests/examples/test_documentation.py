"""The commands in the documentation run, in order, from the folder that it says, and every example does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if "```console" in page.read_text()
]

# Tables that take long, and how many rows are enough to see that a command runs.
LONG, ROWS = ("cities.csv", "package_sizes.csv"), 400


def commands(page: Path) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), flags=re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture
def folder(tmp_path):
    """A folder with the examples and the first rows of long tables."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for table in (tmp_path / "examples" / "data" / name for name in LONG):
        table.write_text("".join(table.read_text().splitlines(keepends=True)[: ROWS + 1]))
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_run(page, folder):
    """Every line of a console block exits with 0."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    assert commands(page)
    for command in commands(page):
        done = subprocess.run(
            command, shell=True, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, (command, done.stderr)


SAID = " ".join(command for page in PAGES for command in commands(page))
EXAMPLES = [path.name for path in sorted((ROOT / "examples").glob("*.py")) if path.name not in SAID]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example, folder):
    """Every example that no page runs does so as it is, and says something."""
    script = folder / "examples" / example
    done = subprocess.run([sys.executable, str(script)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert done.stderr == ""
