"""Lists of sizes without names: one per line, as `find -printf '%s\\n'` prints them, or counted by `uniq -c`."""

from __future__ import annotations

import re
from typing import Any

from minleak.errors import UnreadableFile
from minleak.io._delimited import Csv
from minleak.io._lines import text_lines

_SIZE = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NAME = re.compile(r'"?[A-Za-z_][^,;\t|]*"?')
# A line in each form, and what it is, by the format that it is known by.
_LINES = {"lines": re.compile(rf" *({_SIZE}) *"), "uniq": re.compile(rf"\s*([0-9]+)\s+({_SIZE})\s*")}
_MEANT = {"lines": "one size, such as 1024", "uniq": "a count and a size, as `sort -n | uniq -c` prints them"}


def recognise_sizes(head: bytes, name: str) -> str | None:
    """ "lines" or "uniq" if the whole lines among these first bytes of a file list sizes, the former perhaps below a
    name; else None. Two numbers in a line are told apart only as `uniq -c` aligns them.

    >>> [recognise_sizes(head, "") for head in (b"10\\n20\\n", b"size\\n10\\n", b"   3 10\\n", b"a,b\\n1,2\\n")]
    ['lines', 'lines', 'uniq', None]
    """
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and not text.endswith("\n"):
        lines.pop()  # it may go on
    if len(lines) > 1 and _NAME.fullmatch(lines[0]) and _LINES["lines"].fullmatch(lines[1]):
        lines = lines[1:]
    kind = next((kind for kind, form in _LINES.items() if lines and all(map(form.fullmatch, lines))), None)
    if kind == "uniq" and not any(line.startswith(" ") for line in lines):
        raise UnreadableFile(
            f"{name} must say which of its two numbers a line is the size; got no names. Give a .csv with a first line "
            "of size,count, or say --format uniq if the count stands first."
        )
    return kind


def read_size_list(data: bytes, name: str, kind: str) -> tuple[Any, Any]:
    """The sizes in a list of that kind, and how many objects have each; None if each has a line of its own."""
    rows = []
    for i, line in enumerate(text_lines(data, name)):
        found = _LINES[kind].fullmatch(line)
        if found:
            rows.append(found.groups())
        elif line.strip() and not (i == 0 and kind == "lines" and _NAME.fullmatch(line)):
            raise UnreadableFile(
                f"line {i + 1} of {name} must be {_MEANT[kind]}; got something else. For sizes with names, give a .csv "
                "with the columns secret and size."
            )
    if not rows:
        raise UnreadableFile(f"{name} must list sizes; got none")
    names = ["size"] if kind == "lines" else ["count", "size"]
    table = Csv("\n".join([",".join(names), *map(",".join, rows)]).encode(), name)
    read = table.read({}, {one: one for one in names})
    return read["size"].numbers(), read["count"].numbers() if kind == "uniq" else None
