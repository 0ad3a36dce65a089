"""The picture and the lists in architecture.md, from the real imports and a real walk: python docs/rooms.py.

A test runs this and fails if what it makes is not what is committed.
"""

from __future__ import annotations

import collections
import importlib
import pkgutil
import sys
import tempfile
import tomllib
from html import escape
from pathlib import Path
from types import FrameType

import grimp

import minleak as ml

PAGE = Path(__file__).parent / "explanation" / "architecture.md"
PICTURE = Path(__file__).parent / "pictures" / "rooms.svg"
WIDTH, HEIGHT, ROOM_WIDTH, ROOM_HEIGHT = 860, 92, 190, 52


def rooms() -> dict[str, set[str]]:
    """The folders of the package, and for each the others that it imports from, but for imports that are to go."""
    graph = grimp.build_graph("minleak", exclude_type_checking_imports=True)
    for line in upward():
        importer, imported = line.split(" -> ")
        graph.remove_import(importer=importer, imported=imported)
    folders = [m.name for m in pkgutil.iter_modules(ml.__path__) if m.ispkg]
    return {
        room: {
            other
            for other in folders
            if other != room
            and graph.direct_import_exists(importer=f"minleak.{room}", imported=f"minleak.{other}", as_packages=True)
        }
        for room in folders
    }


def upward() -> list[str]:
    """The imports against the layers that pyproject.toml still lists."""
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    layers = [c for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "layers"]
    return [line for contract in layers for line in contract.get("ignore_imports", ())]


def depths(imports: dict[str, set[str]]) -> dict[str, int]:
    """How many rooms a room stands on: the longest way down from it."""
    found: dict[str, int] = {}

    def depth(room: str) -> int:
        if room not in found:
            found[room] = 1 + max(map(depth, imports[room]), default=-1)
        return found[room]

    for room in imports:
        depth(room)
    return found


def needed(imports: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The imports that do not follow from others: without these arrows the picture would say less."""

    def reached(room: str) -> set[str]:
        return imports[room].union(*map(reached, imports[room]))

    return [
        (room, other)
        for room in imports
        for other in imports[room]
        if not any(other in reached(between) for between in imports[room])
    ]


def idea(name: str) -> str:
    """The first sentence of a module's docstring."""
    text = " ".join((importlib.import_module(name).__doc__ or "").split())
    return text.split(". ")[0].rstrip(".")


def picture(imports: dict[str, set[str]]) -> str:
    """Rooms as boxes, those that others stand on below; an arrow goes to what is imported."""
    depth = depths(imports)
    rows: dict[int, list[str]] = collections.defaultdict(list)
    for room in sorted(imports):
        rows[depth[room]].append(room)
    top = max(rows)
    middle: dict[str, tuple[float, float]] = {}
    for d in sorted(rows):
        for i, room in enumerate(rows[d]):
            below = [middle[other][0] for one, other in needed(imports) if one == room]
            alone = sum(below) / len(below) if below else WIDTH / 2  # above what it imports, so that arrows are seen
            x = alone if len(rows[d]) == 1 else WIDTH * (i + 1) / (len(rows[d]) + 1)
            middle[room] = (x, (top - d) * HEIGHT + ROOM_HEIGHT / 2 + 10)
    height = (top + 1) * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
        '<path d="M0 0 8 4 0 8z" fill="#777"/></marker></defs>',
    ]
    for room, other in sorted(needed(imports)):
        (x, y), (to_x, to_y) = middle[room], middle[other]
        parts.append(
            f'<path d="M{x:.0f} {y + ROOM_HEIGHT / 2:.0f} C{x:.0f} {y + 60:.0f} {to_x:.0f} {to_y - 60:.0f} '
            f'{to_x:.0f} {to_y - ROOM_HEIGHT / 2:.0f}" fill="none" stroke="#777" marker-end="url(#to)"/>'
        )
    for room, (x, y) in middle.items():
        parts.append(
            f'<rect x="{x - ROOM_WIDTH / 2:.0f}" y="{y - ROOM_HEIGHT / 2:.0f}" width="{ROOM_WIDTH}" '
            f'height="{ROOM_HEIGHT}" rx="6" fill="#e8eef7" stroke="#36648b"/>'
            f'<text x="{x:.0f}" y="{y + 6:.0f}" font-size="17" text-anchor="middle">{escape(room)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def walk() -> list[str]:
    """The modules that a prior passes on its way from a csv to a drawn set, in order."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        lines = "".join(f"s{i},{10000 // i + 1}\n" for i in range(1, 500))
        (path / "p.csv").write_text("secret,count\n" + lines)

        def way() -> None:
            prior = ml.read_prior(path / "p.csv")
            plan = ml.design(prior, k=8)
            ml.certify(plan, prior)
            plan.save(path / "p.cloak")
            ml.Cloak(path / "p.cloak", key=ml.Key(bytes(32))).draw("s7", scope="user-17")

        way()  # what is loaded or compiled once is not part of the way
        order: list[str] = []

        def hook(frame: FrameType, event: str, _argument: object) -> None:
            name = frame.f_globals.get("__name__", "")
            if event == "call" and name.startswith("minleak.") and name not in order:
                order.append(name)

        sys.setprofile(hook)
        way()
        sys.setprofile(None)
    return order


def page() -> str:
    """The page with its lists made anew between their marks."""
    imports = rooms()
    depth = depths(imports)
    in_order = sorted(imports, key=lambda room: (depth[room], room))
    made = {
        "rooms": [f"- `{room}/`: {idea(f'minleak.{room}')}." for room in in_order],
        "walk": [f"{i}. `{name.removeprefix('minleak.')}`: {idea(name)}." for i, name in enumerate(walk(), 1)],
    }
    text = PAGE.read_text()
    for mark, lines in made.items():
        begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
        before, rest = text.split(begin)
        text = before + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1]
    return text


if __name__ == "__main__":
    PICTURE.write_text(picture(rooms()))
    PAGE.write_text(page())
