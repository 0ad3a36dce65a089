"""Secrets that differ in what nobody sees are told of, and brought together where that is asked for."""

from __future__ import annotations

import io
import unicodedata
import warnings

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import minleak as ml
from minleak.errors import InvalidParameter, InvalidPrior, MinleakWarning, UnreadableFile

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def read(text, format="lines", **options):
    """The counts, and what was warned of."""
    data = text if isinstance(text, bytes) else text.encode()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        prior = ml.read_prior(io.BytesIO(data), format=format, **options)
    assert all(warning.category is MinleakWarning and warning.filename == __file__ for warning in told)
    return dict(zip(prior.labels, prior.weights.tolist(), strict=True)), [str(warning.message) for warning in told]


def test_lines_that_are_made_equal_are_counted_together():
    log = f"flu\n flu\n\n  \n{COMPOSED}\n{DECOMPOSED}\t\nFlu\nflu\n"
    counts, told = read(log)
    assert counts == {"flu": 2, " flu": 1, "  ": 1, COMPOSED: 1, f"{DECOMPOSED}\t": 1, "Flu": 1}
    assert told[0] == "1 blank line of the input was skipped"
    assert told[1].startswith("3 labels of the input differ from another only in blanks, capitals")
    assert "strip=True" in told[1]
    assert "nfc=True" in told[1]
    counts, told = read(log, strip=True, nfc=True)
    assert counts == {"flu": 3, COMPOSED: 2, "Flu": 1}
    assert told[0] == "2 blank lines of the input were skipped"
    assert told[1].startswith("1 label of the input differs from another")
    assert "strip=True" not in told[1]
    assert not any(secret in said for said in told for secret in ("flu", "Flu", "caf"))


def test_nothing_is_told_where_all_differ():
    assert read("flu\ncold\nnew york\nnewyork\n") == ({"flu": 1, "cold": 1, "new york": 1, "newyork": 1}, [])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet=f" \t\u00a0aAbe{COMPOSED[-1]}{DECOMPOSED[-1]}\u212b", max_size=5), min_size=1))
def test_tidying_is_what_python_does(lines):
    """The counts of Python's own strip and normal form, and of what these leave equal in lower case."""
    plain = [unicodedata.normalize("NFC", line).strip() for line in lines]
    wanted = {line: plain.count(line) for line in plain if line}
    if not wanted:
        with pytest.raises(UnreadableFile, match="no rows"):
            read("\n".join(lines) + "\n", strip=True, nfc=True)
        return
    counts, told = read("\n".join(lines) + "\n", strip=True, nfc=True)
    assert counts == wanted
    alike = len(wanted) - len({" ".join(line.lower().split()) for line in wanted})
    assert [said.split()[0] for said in told] == [str(number) for number in (plain.count(""), alike) if number]


def test_rows_that_are_made_equal_are_refused():
    """They may have gains or places beside their counts, which nobody can add up."""
    rows = b"secret,count\nflu ,3\ncold,2\n"
    assert read(rows, "csv", strip=True) == ({"flu": 3, "cold": 2}, [])
    with pytest.raises(InvalidPrior, match="stands twice, at line 2 of the input and line 4"):
        read(rows + b"flu,1\n", "csv", strip=True)
    assert read(b" 3 flu \n 1 cold\n", "uniq", strip=True)[0] == {"flu": 3, "cold": 1}
    assert read(b'{" flu": 3}', "json", strip=True)[0] == {"flu": 3}
    with pytest.raises(UnreadableFile, match="surrogate"):
        read(b'{"\\ud800": 3}', "json", strip=True)


def test_what_is_no_text_stays():
    file = io.BytesIO()
    parquet.write_table(pa.table({"secret": [1, 2], "count": [3, 4]}), file)
    assert read(file.getvalue(), "parquet", strip=True, nfc=True)[0] == {1: 3, 2: 4}


@pytest.mark.parametrize("option", ["strip", "nfc"])
def test_options_are_true_or_false(option):
    with pytest.raises(InvalidParameter, match=f"{option} is True or False, not 'yes'"):
        read("a\n", **{option: "yes"})


def test_rows_are_counted_as_lines_are():
    log = "user,query\n1,flu\n2,flu\n2,\n1,cold\n3,Cold\n"
    counts, told = read(log, "csv", secret="query", weight=None)
    assert counts == {"flu": 2, "cold": 1, "Cold": 1}
    assert told[0] == "1 blank row of the input was skipped"
    assert told[1].startswith("1 label of the input differs from another")
    assert read("flu\nflu\n", weight=None) == ({"flu": 2}, [])
    sink = io.BytesIO()
    parquet.write_table(pa.table({"query": [7, 7, 9]}), sink)
    assert read(sink.getvalue(), "parquet", secret="query", weight=None) == ({7: 2, 9: 1}, [])
    with pytest.raises(UnreadableFile, match="counts already"):
        read('{"flu": 2}', "json", weight=None)
    with pytest.raises(UnreadableFile, match="no rows but blank ones"):
        read("user,query\n1,\n", "csv", secret="query", weight=None)


@pytest.mark.parametrize(
    ("data", "field", "said"),
    [
        (
            b'{"user_1": "x"}\n{"user_2": "x"}\n',
            None,
            "though they are not the same in most records; or format='lines'",
        ),
        (b'{"user_1": "x"}\n{"user_2": "x"}\n', "path", "its fields are not the same in most records"),
        (b"", "path", "its fields are none in its first lines"),
        (b"no record\n", None, "though they are none in its first lines; or format='lines'"),
    ],
)
def test_fields_that_cannot_be_listed(data, field, said):
    """Names that may be data are not shown, and a log without a record is not said to have different ones."""
    with pytest.raises(UnreadableFile) as refused:
        read(data, format="jsonl", field=field)
    assert said in str(refused.value)
    assert "user_" not in str(refused.value)
