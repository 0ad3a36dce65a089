"""The commands in the documentation run, in order, from the folder that it says, and every example does.

Commands of minleak alone are run in this process, which has loaded what they need; the others by a shell.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minleak.cli._app import main

ROOT = Path(__file__).parents[2]
PAGES = [
    page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if "```console" in page.read_text()
]

# Tables that take long, and how many rows are enough to see that a command runs; rows with quotes are kept, since
# commands such as sed and awk may break them.
LONG, ROWS = ("cities.csv", "package_sizes.csv"), 400


def commands(page: Path) -> dict[str, list[str]]:
    """The lines to type, and what the page shows below each of them."""
    found: dict[str, list[str]] = {}
    for block in re.findall(r"```console\n(.*?)```", page.read_text(), flags=re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                shown = found.setdefault(line.removeprefix("$ "), [])
            elif line != "...":
                shown.append(line)
    return found


@pytest.fixture
def folder(tmp_path):
    """A folder with the examples and the first rows of long tables."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "runtimes" / "python", tmp_path / "runtimes" / "python")
    for table in (tmp_path / "examples" / "data" / name for name in LONG):
        rows = table.read_text().splitlines(keepends=True)
        table.write_text("".join(rows[: ROWS + 1] + [row for row in rows[ROWS + 1 :] if '"' in row]))
    return tmp_path


def exit_code(command: str) -> int:
    """What a line of a shell ends with."""
    if command.startswith("minleak ") and not set("|<>&;$`*") & set(command):
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(command)[1:])
        return ended.value.code
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(command, shell=True, env=os.environ | {"PATH": path}).returncode


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_run(page, folder, monkeypatch, capfd):
    """Every line of a console block exits with 0, and prints what the page shows."""
    monkeypatch.chdir(folder)
    assert commands(page)
    for command, shown in commands(page).items():
        code = exit_code(command)
        printed = capfd.readouterr()
        assert code == 0, (command, printed.err)
        assert set(shown) <= set(printed.out.splitlines()), (command, printed.out)


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
