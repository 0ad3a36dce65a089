"""Files that are cut, changed, foreign, newer or replaced while they are read: a clear error, never a wrong plan."""

from __future__ import annotations

import csv
import os
import zipfile

import numpy as np
import pytest
from tests.core.file.files import PREFIX, packed, sealed
from tests.plans import diseases, zipf

import minleak as ml
from minleak.core._file import format as store
from minleak.errors import InvalidCloak

pytestmark = pytest.mark.parametrize("mapped", [True, False], ids=["mapped", "read"])


@pytest.fixture
def path(tmp_path):
    ml.design(ml.Prior([3, 2, 1], labels=["a", "b", "c"]), 2).save(tmp_path / "plan.cloak")
    return tmp_path / "plan.cloak"


def test_every_byte_flipped(path, mapped):
    """One bit or all of them, wherever they are: refused."""
    content = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        for i, byte in enumerate(content):
            os.pwrite(file.fileno(), bytes([byte ^ (255 if i % 9 == 8 else 1 << i % 9)]), i)
            with pytest.raises(InvalidCloak):
                ml.load(path, mapped=mapped)
            os.pwrite(file.fileno(), bytes([byte]), i)
    ml.load(path, mapped=mapped)


def test_cut_at_every_length(path, mapped):
    """Refused."""
    for length in range(path.stat().st_size - 1, -1, -1):
        os.truncate(path, length)
        with pytest.raises(InvalidCloak, match=r"is cut short|is not a \.cloak file|is damaged"):
            ml.load(path, mapped=mapped)


@pytest.mark.parametrize("more", [b"\0", b"\n", bytes(64), bytes(4096)], ids=len)
def test_something_after_the_end(path, mapped, more):
    """Refused."""
    path.write_bytes(path.read_bytes() + more)
    with pytest.raises(InvalidCloak, match="is damaged: it has"):
        ml.load(path, mapped=mapped)


def test_parts_of_two_files(path, mapped):
    """The header of one and the payload of another of the same size: refused."""
    content = path.read_bytes()
    ml.design(ml.Prior([3, 2, 1], labels=["a", "b", "d"]), 2).save(path)
    other = path.read_bytes()
    assert len(other) == len(content) != 0
    for at in range(PREFIX, len(content), 64):
        for mixture in (content[:at] + other[at:], other[:at] + content[at:]):
            if mixture not in (content, other):
                path.write_bytes(mixture)
                with pytest.raises(InvalidCloak, match="is damaged"):
                    ml.load(path, mapped=mapped)


@pytest.mark.parametrize(("version", "advice"), [(0, "design"), (6, "design"), (8, "upgrade"), (2**32 - 1, "upgrade")])
def test_other_versions(path, mapped, version, advice):
    """With a right checksum: the message says which version it is and what to do."""
    path.write_bytes(sealed(b"{}", version=version))
    with pytest.raises(InvalidCloak, match=f"of format version {version}, .* reads version 7: {advice}"):
        ml.load(path, mapped=mapped)


def test_foreign_files(path, mapped):
    """Tables, archives, Arrow files, text, nothing at all, a pipe to which nobody writes."""
    with path.with_name("table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["secret", "count"], ["flu", 812]])
    with zipfile.ZipFile(path.with_name("archive.zip"), "w") as archive:
        archive.write(path)
    path.with_name("bare").write_bytes(path.read_bytes()[PREFIX:])
    path.with_name("empty").touch()
    path.with_name("magic").write_bytes(b"MINLEAK")
    path.with_name("zeros").write_bytes(bytes(1000))
    os.mkfifo(path.with_name("pipe"))
    for name in (
        "table.csv",
        "archive.zip",
        "bare",
        "empty",
        "magic",
        "zeros",
        "pipe",
        os.devnull,
    ):
        with pytest.raises(InvalidCloak, match=r"is not a \.cloak file"):
            ml.load(path.parent / name, mapped=mapped)


NOT_PLANS = {
    "nothing": sealed(b""),
    "text": sealed(b"secret,count\n" * 100),
    "numbers alone": sealed(b'{"k": 2}'),
    "a list": sealed(b"[1]"),
    "arrays that are none": sealed(b'{"kind": "plan", "arrays": 5}'),
    "no arrays": packed({}, {"kind": "plan"}),
    "another array": packed({"weights": np.array([1, 2])}, {"kind": "plan"}),
    "no numbers": packed({"weights": np.array([1, 2])}, None),
}


@pytest.mark.parametrize("payload", NOT_PLANS.values(), ids=NOT_PLANS)
def test_right_checksums_of_what_is_no_plan(path, mapped, payload):
    """Refused all the same."""
    path.write_bytes(payload)
    with pytest.raises(InvalidCloak, match="does not hold a plan of this format"):
        ml.load(path, mapped=mapped)


def test_what_is_no_file(path, mapped):
    """A folder, what is not there, a folder that is a file."""
    for place, why in (
        (path.parent, "directory"),
        (path.with_name("none"), "No such"),
        (path / "x", "Not a directory"),
    ):
        with pytest.raises(InvalidCloak, match=f"cannot read .*{why}"):
            ml.load(place, mapped=mapped)


def replaced_by(plan, path):
    plan.save(path)


def emptied(_, path):
    os.truncate(path, 0)


def cut(_, path):
    os.truncate(path, 100)


def removed(_, path):
    path.unlink()


def overwritten(_, path):
    path.write_bytes(b"secret,count\n" * 1000)


@pytest.mark.parametrize("step", ["header", "checksum"])
@pytest.mark.parametrize("happens", [replaced_by, emptied, cut, removed, overwritten])
def test_what_happens_to_a_file_while_it_is_read(path, mapped, happens, step, monkeypatch):
    """After its header is read, or after its checksum is computed: an error, never a mixture of two files."""
    name = {"header": "_check_prefix", "checksum": "_parse"}[step]
    whole = getattr(store, name)

    def interrupted(*given):
        result = whole(*given)
        monkeypatch.setattr(store, name, whole)
        happens(zipf(50), path)
        return result

    monkeypatch.setattr(store, name, interrupted)
    with pytest.raises(InvalidCloak, match=r"was replaced|was changed|cannot read|is damaged"):
        ml.load(path, mapped=mapped)


def test_a_damaged_file_may_be_repaired(path, mapped):
    """Nothing of it is remembered."""
    path.write_bytes(b"")
    with pytest.raises(InvalidCloak):
        ml.load(path, mapped=mapped)
    diseases().save(path)
    assert ml.load(path, mapped=mapped).digest == diseases().digest
