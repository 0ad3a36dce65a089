"""Every format that is read: in the table, documented, and tested by an example."""

from __future__ import annotations

import importlib
import inspect
import io
import pkgutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import minleak as ml
import minleak.io
from minleak.errors import UnreadableFile
from minleak.io._formats import FORMATS
from minleak.io._tables import CountsFile, Frame, InputTable

ROOT = Path(__file__).parents[2]


def parquet():
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"secret": ["a,b", "c"], "count": [3, 2**53 + 1]}), file)
    return file.getvalue()


# The same prior in each format: add that of a new one. A log of so many events would be too long, so it has fewer.
LARGE = 2**53 + 1
EXAMPLES = {
    "csv": b'secret,count\n"a,b",3\nc,9007199254740993\n',
    "tsv": b"secret\tcount\na,b\t3\nc\t9007199254740993\n",
    "parquet": parquet(),
    "json": b'{"a,b": 3, "c": 9007199254740993}',
    "uniq": b"      3 a,b\n9007199254740993 c\n",
    "lines": b"a,b\nc\na,b\na,b\n",
    "combined": b"".join(
        b'::1 - - [1] "GET %s HTTP/1.1" 200 5 "-" "x"\n' % path for path in (b"a,b", b"c", b"a,b", b"a,b")
    ),
    "common": b"".join(b'::1 - - [1] "GET %s HTTP/1.1" 200 -\n' % path for path in (b"a,b", b"c", b"a,b", b"a,b")),
    "jsonl": b"".join(b'{"path": "%s"}\n' % path for path in (b"a,b", b"c", b"a,b", b"a,b")),
    "syslog": b"".join(b"Nov 18 04:00:00 x y[1]: %s\n" % path for path in (b"a,b", b"c", b"a,b", b"a,b")),
}
LOGS = {"combined": "path", "common": "path", "jsonl": "path", "syslog": "message"}


def classes():
    """The classes of formats in this room that can be used, but for frames, which are no files."""
    for module in pkgutil.iter_modules(minleak.io.__path__, f"{minleak.io.__name__}."):
        for _, cls in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            usable = cls is not Frame and not inspect.isabstract(cls)
            if issubclass(cls, InputTable) and cls.__module__ == module.name and usable:
                yield cls


def test_every_format_is_in_the_table():
    """Add its line in io/_formats.py."""
    assert set(classes()) == set(FORMATS.values())


def test_every_format_has_an_example():
    """Add it to EXAMPLES above."""
    assert set(EXAMPLES) == set(FORMATS)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_is_documented(kind):
    """Name it in the docstring of read_prior, and bring docs/cli.md up to date."""
    assert f'"{kind}"' in inspect.getdoc(ml.read_prior)
    offered = [line for line in (ROOT / "docs/cli.md").read_text().splitlines() if "its ending if not given" in line]
    assert offered
    assert all(kind in line for line in offered)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_is_read_exactly(kind):
    prior = ml.read_prior(io.BytesIO(EXAMPLES[kind]), format=kind, field=LOGS.get(kind))
    assert dict(zip(prior.labels, prior.weights.tolist(), strict=True)) == {
        "a,b": 3,
        "c": 1 if kind == "lines" or kind in LOGS else LARGE,
    }


@pytest.mark.parametrize("kind", FORMATS)
def test_every_ending_stands_for_its_format(kind, tmp_path):
    """One at least, and no other format's; a log with fields is recognised under other names too."""
    assert FORMATS[kind].endings or kind in LOGS
    for ending in FORMATS[kind].endings + ((".log", "", ".1") if kind in LOGS else ()):
        (tmp_path / f"x{ending}").write_bytes(EXAMPLES[kind])
        assert len(ml.read_prior(tmp_path / f"x{ending}", field=LOGS.get(kind))) == 2
    endings = [ending for made in FORMATS.values() for ending in made.endings]
    assert len(set(endings)) == len(endings)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_refuses_what_is_no_file_of_it(kind):
    """In words, with the file's name, and without what stands in it."""
    for junk in (b"", b"\xff\xfe<hidden>\x00\n", EXAMPLES[kind][:1] + b"\xff<hidden>"):
        with pytest.raises(UnreadableFile, match="the input") as refusal:
            ml.read_prior(io.BytesIO(junk), format=kind, field=LOGS.get(kind))
        assert "hidden" not in str(refusal.value)


@pytest.mark.parametrize(
    "kind", [list, pa.array, lambda values: pa.chunked_array([values])], ids=["list", "array", "chunks"]
)
def test_columns_come_as_lists_or_arrow_and_nothing_is_missing(kind, monkeypatch):
    """Whatever a new format gives."""

    class Odd(CountsFile):
        def counts(self):
            labels = ["a", None if b"nameless" in self.data else "b"]
            return kind(labels), kind([3, None if b"weightless" in self.data else 4])

    monkeypatch.setitem(FORMATS, "odd", Odd)
    assert ml.read_prior(io.BytesIO(b""), format="odd").weights.tolist() == [3, 4]
    for what, role in (b"nameless", "secret"), (b"weightless", "weight"):
        with pytest.raises(UnreadableFile, match=f"the {role} at row 2 of the input is missing"):
            ml.read_prior(io.BytesIO(what), format="odd")
