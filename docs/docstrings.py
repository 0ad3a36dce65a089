"""Docstrings as the site shows them: prose first, then the sections, then the examples under a heading of their own.

In the code the prose and the examples follow the parameters without a heading, which people read at once and griffe
takes for further parameters. mkdocs.yml names this extension.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

HEADING = re.compile(r"\S.*\n-{3,}$", re.MULTILINE)


def in_order(text: str) -> str:
    """The paragraphs of a docstring, sorted: prose, sections with their items, examples."""
    prose: list[str] = []
    sections: list[str] = []
    examples: list[str] = []
    for paragraph in re.split(r"\n{2,}", text):
        if paragraph.startswith(">>>") or (examples and paragraph[:1] == " "):
            examples.append(paragraph)
        elif HEADING.match(paragraph) or (sections and re.match(r"\S.*\n +\S|\s", paragraph)):
            sections.append(paragraph)
        elif paragraph:
            prose.append(paragraph)
    return "\n\n".join([*prose, *sections, *(["Examples\n--------"] if examples else []), *examples])


class Docstrings(griffe.Extension):
    """Puts every docstring in that order before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = in_order(obj.docstring.value)
