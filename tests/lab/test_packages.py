"""The packages of the extra `lab` are imported by lab alone, through one door that says how to install them."""

import ast
import tomllib
from pathlib import Path

import pytest

from minleak.errors import MissingExtra
from minleak.lab._packages import package

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "minleak"
PACKAGES = {"cvxpy", "clarabel", "ot", "flint"}


def imported(path):
    """The packages that a file imports, and those that it asks the door for."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("package", "import_module")):
            yield from (argument.value for argument in node.args if isinstance(argument, ast.Constant))


def test_only_lab_uses_them():
    users = {path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py") if PACKAGES & set(imported(path))}
    assert users == {"lab"}


def test_each_is_in_the_extra():
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["lab"]
    assert {line.split(">")[0] for line in extra} == {"cvxpy", "clarabel", "pot", "python-flint", "highspy"}


@pytest.mark.parametrize("name", ["no_such_package", "minleak.no_such_module"])
def test_what_is_missing_is_named_with_the_line_that_installs_it(name):
    with pytest.raises(MissingExtra, match=rf"needs the package {name}: run pip install 'minleak\[lab\]'$"):
        package(name)
