"""The format of runtimes/selector.md: the library writes the bytes that the page says, and reads and refuses alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.lookups import vectors

import minleak as ml
from minleak.errors import UnreadableFile

FILE = Path(__file__).parents[2] / "runtimes" / "selector.json"
TOLD = json.loads(FILE.read_text())
FILES = {one["name"]: one for one in TOLD["files"]}


def made(what):
    """The file as the library writes it."""
    if what == "two layers":
        old = ml.results.Selector(made("a third listed"))
        return old.add(vectors.NEWER["counts"], listed=vectors.NEWER["listed"]).data
    build = vectors.builds()[what]
    rows = list(build["counts"].items())[::-1]  # in another order
    return ml.selector(
        dict(rows), build["k"], prefix=build["prefix"], listed=build["listed"], names=build["names"]
    ).data  # fmt: skip


def test_the_file_is_what_the_page_says():
    """Made anew by `python -m tests.lookups.vectors > runtimes/selector.json`."""
    assert json.loads(json.dumps(vectors.vectors())) == TOLD


@pytest.mark.parametrize("what", FILES)
def test_the_library_writes_these_bytes(what):
    assert made(what).hex() == FILES[what]["file"]


@pytest.mark.parametrize("what", FILES)
def test_the_library_finds(what):
    selector, asked = ml.results.Selector(bytes.fromhex(FILES[what]["file"])), FILES[what]["find"]
    assert [[name, selector.find(name)] for name, _ in asked] == asked
    in_bulk = selector.buckets([name for name, _ in asked]).tolist()
    assert [n if n < selector.blocks else None for n in in_bulk] == [block for _, block in asked]


@pytest.mark.parametrize("one", TOLD["refused"], ids=lambda one: one["name"])
def test_what_is_refused(one):
    with pytest.raises(UnreadableFile) as caught:
        ml.results.Selector(bytes.fromhex(one["file"]))
    assert "\n" not in str(caught.value)


def test_every_flipped_byte_and_every_cut_is_refused():
    """But for a cut where a layer ends: that is the older file."""
    data = bytes.fromhex(FILES["two layers"]["file"])
    older = len(FILES["a third listed"]["file"]) // 2
    for at in range(len(data)):
        with pytest.raises(UnreadableFile):
            ml.results.Selector(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        if at != older:
            with pytest.raises(UnreadableFile):
                ml.results.Selector(data[:at])
    assert ml.results.Selector(data[:older]).layers == 1


def test_text_that_utf_8_cannot_hold():
    selector = ml.results.Selector(bytes.fromhex(FILES["one block"]["file"]))
    for units in TOLD["unencodable"]:
        assert selector.find("".join(map(chr, units))) is None


def test_the_old_file_is_the_beginning_of_the_new_one():
    old, new = (bytes.fromhex(FILES[what]["file"]) for what in ("a third listed", "two layers"))
    assert new.startswith(old)
