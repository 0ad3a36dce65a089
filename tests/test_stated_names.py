"""Names that stand in docstrings, messages and documentation: each is one that a reader can type."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import minleak as ml

ROOT = Path(__file__).parents[1]
FILES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "src").rglob("*.py")),
]
STATED = re.compile(r"(?<![\w./-])(?:minleak|ml)((?:\.[A-Za-z_]\w*)+)(?![\w/])")


def written(path: Path) -> list[str]:
    """The text of a page; of a module the strings, docstrings and messages among them."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return [text]
    strings = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return [string for string in strings if isinstance(string, str)]


def exists(dotted: str) -> bool:
    """Whether the path leads from minleak to a module, an attribute or a field."""
    found, so_far = ml, "minleak"
    for name in dotted.strip(".").split("."):
        so_far += f".{name}"
        if hasattr(found, name):
            found = getattr(found, name)
        elif name in getattr(found, "__dataclass_fields__", {}):
            return True
        else:
            try:
                found = importlib.import_module(so_far)
            except ImportError:
                return False
    return True


def test_every_name_that_is_written_leads_somewhere():
    """A name that moved is corrected wherever it is spoken of."""
    stated = {(path.name, name) for path in FILES for text in written(path) for name in STATED.findall(text)}
    assert len(stated) > 400
    assert not sorted((where, name) for where, name in stated if not exists(name))
