"""How much there is to know about the package: python -m tests.house prints the numbers that tests/test_house.py keeps
from rising. With --where, also what is counted.

A room is a folder, or a module with a plain name, at the top of the package.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import minleak

PACKAGE = "minleak"
SRC = Path(minleak.__file__).parent
#: The rooms that a reader of the core reads.
CORE = {"core"}

Found = list[str]


@cache
def trees() -> dict[Path, ast.Module]:
    """Every file of the package."""
    return {path: ast.parse(path.read_text()) for path in sorted(SRC.rglob("*.py"))}


def room(path: Path) -> str:
    """The room of a file; "." is the top of the package."""
    parts = path.relative_to(SRC).parts
    return parts[0] if len(parts) > 1 else "."


def place(path: Path, node: ast.AST) -> str:
    """A line of a file."""
    return f"{path.relative_to(SRC)}:{getattr(node, 'lineno', 1)}"


def nodes(kind: type[ast.AST]) -> Iterator[tuple[Path, Any]]:
    """Every node of a kind, with its file."""
    for path, tree in trees().items():
        yield from ((path, node) for node in ast.walk(tree) if isinstance(node, kind))


def ours(node: ast.AST) -> list[str]:
    """The modules of the package that an import names, without the package's own name."""
    if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == PACKAGE:
        inside = node.module.removeprefix(PACKAGE).lstrip(".")
        return [inside] if inside else [alias.name for alias in node.names]
    if isinstance(node, ast.Import):
        return [a.name.removeprefix(f"{PACKAGE}.") for a in node.names if a.name.startswith(f"{PACKAGE}.")]
    return []


def imports() -> Iterator[tuple[Path, ast.AST, str]]:
    """Every import of our own, with its file."""
    for path, tree in trees().items():
        yield from ((path, node, module) for node in ast.walk(tree) for module in ours(node))


def kinds_of_plan() -> Found:
    """Classes that are drawn from, by a sampler or by places that lead to sets; and those that are plans by their name
    and measure or save themselves.
    """
    found = []
    for path, node in nodes(ast.ClassDef):
        has = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        bases = {getattr(base, "id", "") for base in node.bases}
        drawn = "sampler" in has or {"places", "locate"} <= has
        named = re.search("(Plan|Lineage)$", node.name) and has & {"entropy", "leakage", "save"}
        abstract = any(
            getattr(mark, "id", "") == "abstractmethod"
            for item in node.body
            if isinstance(item, ast.FunctionDef)
            for mark in item.decorator_list
        )
        if (drawn or named) and not abstract and not bases & {"ABC", "Protocol"}:
            found.append(f"{place(path, node)} {node.name}")
    return found


def samplers() -> Found:
    """Classes beside plans that draw from them."""
    return [f"{place(path, node)} {node.name}" for path, node in nodes(ast.ClassDef) if node.name.endswith("Sampler")]


def reaches() -> Found:
    """Imports that pass another room's front door: they name a private file or folder of it, or a file of a private
    room. The top of the package may, since it lists names.
    """
    return [
        f"{place(path, node)} {module}"
        for path, node, module in imports()
        if room(path) not in (".", module.split(".")[0])
        and "." in module
        and "_" in {part[0] for part in module.split(".")}
    ]


def both_ways() -> Found:
    """Pairs of rooms that know each other."""
    edges = {(room(path), module.split(".")[0]) for path, _, module in imports() if room(path) != "."}
    return [f"{a} {b}" for a, b in sorted(edges) if a < b and (b, a) in edges]


def inside_functions() -> Found:
    """Imports of our own inside functions."""
    found = set()
    for path, function in (*nodes(ast.FunctionDef), *nodes(ast.AsyncFunctionDef)):
        found |= {place(path, node) for node in ast.walk(function) if ours(node)}
    return sorted(found)


def plans_without_a_type() -> Found:
    """Parameters and fields that hold plans or parts and say Any."""
    names = re.compile("_?(plans?|parts?)")
    arguments = [(path, node, node.arg) for path, node in nodes(ast.arg)]
    fields = [(p, n, n.target.id) for p, n in nodes(ast.AnnAssign) if isinstance(n.target, ast.Name)]
    return [
        f"{place(path, node)} {name}"
        for path, node, name in (*arguments, *fields)
        if names.fullmatch(name) and node.annotation is not None and says_any(node.annotation)
    ]


def says_any(annotation: ast.AST) -> bool:
    """Whether an annotation is, or holds, Any."""
    return any(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(annotation))


def any_in_core() -> Found:
    """Each Any in the core."""
    return [place(path, node) for path, node in nodes(ast.Name) if node.id == "Any" and room(path) in CORE]


def daily_names() -> Found:
    """What `import minleak` gives."""
    return list(minleak.__all__)


def public_names() -> Found:
    """What is public in all namespaces."""
    found = daily_names()
    for info in pkgutil.walk_packages(minleak.__path__, f"{PACKAGE}."):
        if any(part.startswith("_") for part in info.name.split(".")) or info.name.split(".")[1] == "cli":
            continue
        try:
            space = importlib.import_module(info.name)
        except ImportError:  # an extra that is not installed
            continue
        found += [f"{info.name}.{name}" for name in getattr(space, "__all__", ())]
    return sorted(set(found))


def walk() -> tuple[Found, Found]:
    """The modules that run from a csv to a drawn set, in order, and the calls back to a module met earlier."""
    with tempfile.TemporaryDirectory() as folder:
        csv, plan = Path(folder) / "p.csv", Path(folder) / "p.cloak"
        csv.write_text("secret,count\n" + "".join(f"s{i},{10000 // i + 1}\n" for i in range(1, 500)))

        def way() -> None:
            prior = minleak.read_prior(csv)
            designed = minleak.design(prior, k=8)
            minleak.certify(designed, prior)
            designed.save(plan)
            minleak.Cloak(minleak.load(plan), key=minleak.Key(bytes(32))).draw("s7", scope="u")

        way()  # what is loaded or compiled once is no part of the way
        steps = steps_of(way)
    order = list(dict.fromkeys(called for _, called in steps))
    back = [f"{a} -> {b}" for a, b in steps if a and order.index(b) < order.index(a)]
    return order, back


def steps_of(way: Callable[[], None]) -> Counter[tuple[str, str]]:
    """The calls from one of our modules to another, in the order in which each was first made."""
    steps: Counter[tuple[str, str]] = Counter()
    stack = [""]

    def hook(frame: Any, event: str, _: Any) -> None:
        name = frame.f_globals.get("__name__", "")
        if name.split(".")[0] != PACKAGE:
            return
        if event == "call":
            if name != stack[-1]:
                steps[stack[-1], name] += 1
            stack.append(name)
        elif event == "return" and len(stack) > 1:
            stack.pop()

    sys.setprofile(hook)
    try:
        way()
    finally:
        sys.setprofile(None)
    return steps


def count() -> dict[str, Found | int]:
    """Everything that is counted: a number, or a list of what there is."""
    order, back = walk()
    return {
        "kinds of plan": kinds_of_plan(),
        "samplers": samplers(),
        "reaches into another room": reaches(),
        "rooms that know each other both ways": both_ways(),
        "imports of ours inside functions": inside_functions(),
        "plans without a type": plans_without_a_type(),
        "Any in the core": any_in_core(),
        "daily names": daily_names(),
        "public names": public_names(),
        "modules from a csv to a drawn set": order,
        "calls back on that way": back,
        "rooms": sorted({room(path) for path in trees()} - {"."}),
        "files": [str(path.relative_to(SRC)) for path in trees()],
        "lines": sum(len(path.read_text().splitlines()) for path in trees()),
    }


def main(arguments: list[str]) -> None:
    """Print the numbers, and what they count if that is asked for."""
    for what, found in count().items():
        print(f"{what}: {found if isinstance(found, int) else len(found)}")
        if "--where" in arguments and not isinstance(found, int):
            print(*(f"    {each}" for each in found), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
