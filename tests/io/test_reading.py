"""read_prior: every format gives the same prior, odd but valid files are read, and broken ones are refused by line."""

from __future__ import annotations

import csv
import gzip
import io
import json
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import minleak as ml
from minleak import scale
from minleak.errors import UnreadableFile

HEADER = b"secret,count\n"
COUNTS = {"flu": 812, "cold, common": 640, 'the "gout"': 3, "NA": 2, "": 1, "null": 0, "Röteln": 2**70}


def read(data, format="csv", **columns):
    return ml.read_prior(io.BytesIO(data), format=format, **columns)


def counts(prior):
    return dict(zip(prior.labels, prior.weights.tolist(), strict=True))


def delimited(mapping, delimiter=",", end="\n"):
    text = io.StringIO()
    rows = csv.writer(text, delimiter=delimiter, lineterminator=end)
    rows.writerow(["secret", "count"])
    rows.writerows(mapping.items())
    return text.getvalue().encode()


def parquet_bytes(secrets, weights, names=("secret", "count")):
    file = io.BytesIO()
    parquet.write_table(pa.table([secrets, weights], names=list(names)), file)
    return file.getvalue()


def parquet_of(mapping):
    return parquet_bytes(pa.array(list(mapping)), pa.array([Decimal(w) for w in mapping.values()]))


def uniq_of(mapping):
    return "".join(f"{weight:7d} {secret}\n" for secret, weight in mapping.items()).encode()


WRITERS = {
    "csv": delimited,
    "tsv": lambda mapping: delimited(mapping, "\t"),
    "parquet": parquet_of,
    "json": lambda mapping: json.dumps(mapping).encode(),
    "txt": uniq_of,
}
FORMAT_OF = {"txt": "uniq"}


# -- what is read ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_every_format_gives_the_same_prior(tmp_path, ending, packed):
    """Labels, order and exact weights come back, from a path, from text and from an open file."""
    expected = {secret: weight for secret, weight in COUNTS.items() if secret or ending != "txt"}
    data = WRITERS[ending](expected)
    path = tmp_path / (f"counts.{ending}.gz" if packed else f"counts.{ending}")
    path.write_bytes(gzip.compress(data) if packed else data)
    with path.open("rb") as file:
        priors = [ml.read_prior(path), ml.read_prior(str(path)), ml.read_prior(file)]
    priors.append(read(data, FORMAT_OF.get(ending, ending)))
    for prior in priors:
        assert prior.exact
        assert list(counts(prior).items()) == list(expected.items())


@pytest.mark.parametrize("ending", [".CSV", ".Csv.GZ"])
def test_endings_in_capitals_are_the_same(tmp_path, ending):
    """The ending decides in any case of letters."""
    path = tmp_path / f"counts{ending}"
    data = delimited(COUNTS)
    path.write_bytes(gzip.compress(data) if ending.endswith("GZ") else data)
    assert counts(ml.read_prior(path)) == COUNTS


def test_a_file_decompressed_on_the_way_is_not_decompressed_again(tmp_path):
    """gzip.open keeps the name that ends in .gz."""
    path = tmp_path / "counts.csv.gz"
    path.write_bytes(gzip.compress(delimited(COUNTS)))
    with gzip.open(path) as file:
        assert counts(ml.read_prior(file)) == COUNTS


VALID = {
    "quoted delimiter": (HEADER + b'"a,b",1\n', {"a,b": 1}),
    "quoted line breaks": (HEADER + b'"a\nb",1\n"c\r\nd",2\n', {"a\nb": 1, "c\r\nd": 2}),
    "doubled quotes": (HEADER + b'"say ""a""",1\n', {'say "a"': 1}),
    "a quote inside": (HEADER + b'5" disk,1\n', {'5" disk': 1}),
    "byte order mark": (b"\xef\xbb\xbf" + HEADER + b"a,1\n", {"a": 1}),
    "byte order mark and quotes": (b'\xef\xbb\xbf"secret","count"\n"a","1"\n', {"a": 1}),
    "CRLF": (b"secret,count\r\na,1\r\nb,2\r\n", {"a": 1, "b": 2}),
    "CR": (b"secret,count\ra,1\rb,2\r", {"a": 1, "b": 2}),
    "no last line break": (HEADER + b"a,1\nb,2", {"a": 1, "b": 2}),
    "empty lines": (b"\n" + HEADER + b"\na,1\n\nb,2\n\n", {"a": 1, "b": 2}),
    "other columns": (b'x,count,"y\nz",secret\n1,5,2,a\n', {"a": 5}),
    "labels that mean nothing elsewhere": (HEADER + b'NA,1\nnull,2\nNaN,3\n"",4\n#N/A,5\n1,6\ntrue,7\n', None),
    "spaces about a number": (HEADER + b"a, 1\nb,2 \n", {"a": 1, "b": 2}),
    "floats": (HEADER + b"a,0.5\nb,1e-3\nc,2\n", {"a": 0.5, "b": 1e-3, "c": 2.0}),
    "2^63": (HEADER + b"a,9223372036854775808\nb,9007199254740993\n", {"a": 2**63, "b": 2**53 + 1}),
    "30 digits": (HEADER + b"a,%d\nb,1\n" % (10**30 + 1), {"a": 10**30 + 1, "b": 1}),
    "large floats": (HEADER + b"a,1e30\nb,2\n", {"a": 1e30, "b": 2.0}),
    "a row longer than a block": (HEADER + b"a" * 3_000_000 + b",1\n", {"a" * 3_000_000: 1}),
}


@pytest.mark.parametrize(("data", "expected"), VALID.values(), ids=VALID)
def test_odd_but_valid_csv(data, expected):
    """Quotes, line ends, marks and null-like labels are read as they stand."""
    if expected is None:
        expected = {"NA": 1, "null": 2, "NaN": 3, "": 4, "#N/A": 5, "1": 6, "true": 7}
    assert counts(read(data)) == expected


def test_the_type_of_a_weight_may_change_late_in_a_file():
    """An integer column with one fraction a megabyte later is a float column."""
    rows = b"".join(b"s%d,%d\n" % (i, i) for i in range(200_000))
    prior = read(HEADER + rows + b"last,0.5\n")
    assert prior.total == sum(range(200_000)) + 0.5


def test_quoted_line_breaks_all_over_a_large_file():
    """Wherever the reader cuts the file into blocks, it does not cut a field."""
    words = [f"first {i}\n\nsecond, {i}" for i in range(100_000)]
    prior = read(HEADER + "".join(f'"{word}",{i}\n' for i, word in enumerate(words)).encode())
    assert list(prior.labels) == words
    assert prior.weights.tolist() == list(range(100_000))


@given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), st.integers(1, 2**80), min_size=1)
)
def test_csv_and_json_bring_any_labels_back(mapping):
    """What the standard library writes, quoted where needed, is read back exactly."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_NONNUMERIC).writerows([["secret", "count"], *mapping.items()])
    assert counts(read(text.getvalue().encode())) == mapping
    assert counts(read(json.dumps(mapping).encode(), "json")) == mapping


def test_columns_are_chosen_by_name():
    """secret= and weight= name the columns of csv, tsv and parquet."""
    data = b"word,seen,count\na,3,1\n"
    assert counts(read(data, secret="word", weight="seen")) == {"a": 3}
    assert counts(read(data.replace(b",", b"\t"), "tsv", secret="word", weight="seen")) == {"a": 3}
    stored = parquet_bytes(["a"], [3], ("word", "seen"))
    assert counts(read(stored, "parquet", secret="word", weight="seen")) == {"a": 3}


@pytest.mark.parametrize(
    ("secrets", "labels"),
    [
        (pa.array([7, 8]), [7, 8]),
        (pa.array(["a", "b"], pa.large_string()), ["a", "b"]),
        (pa.array(["a", "b"], pa.string_view()), ["a", "b"]),
        (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
        (pa.array([b"a", b"b"]), [b"a", b"b"]),
        (pa.array([0.5, 1.5]), [0.5, 1.5]),
        (pa.array([True, False]), [True, False]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_parquet_keeps_the_type_of_its_secrets(secrets, labels):
    """Integers stay integers, text stays text, however it is stored."""
    prior = read(parquet_bytes(secrets, [1, 2]), "parquet")
    assert list(prior.labels) == labels
    assert [prior.labels.position(label) for label in labels] == [0, 1]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (pa.array([2**64 - 1, 1], pa.uint64()), [2**64 - 1, 1]),
        (pa.array([1, 2], pa.int8()), [1, 2]),
        (pa.array([0.5, 2.0], pa.float32()), [0.5, 2.0]),
        (pa.array([Decimal("0.50"), Decimal("2.00")]), [0.5, 2.0]),
        (pa.array([Decimal(10**30), Decimal(1)]), [10**30, 1]),
        (pa.array([3, 1]).dictionary_encode(), [3, 1]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_parquet_weights_of_any_numeric_type(weights, expected):
    """Integers and whole decimals stay exact."""
    prior = read(parquet_bytes(["a", "b"], weights), "parquet")
    assert prior.weights.tolist() == expected
    assert prior.exact == all(isinstance(weight, int) for weight in expected)


def test_uniq_keeps_the_secret_as_printed():
    """Spaces within and before a secret, CRLF and a byte order mark."""
    assert counts(read(b"      3 a b\n     12  c \n", "uniq")) == {"a b": 3, " c ": 12}
    assert counts(read(b"\xef\xbb\xbf 3 a\r\n 1 b\r\n", "uniq")) == {"a": 3, "b": 1}


def test_json_may_hold_what_utf8_cannot():
    """Half of a surrogate pair is a label like any other."""
    prior = read(b'{"\\ud800": 1, "a": 2}', "json")
    assert prior.labels.position("\ud800") == 0


# -- what is refused ---------------------------------------------------------------------------------------------------

# name: (data, what the message must say)
BAD_CSV = {
    "empty file": (b"", "is empty"),
    "only empty lines": (b"\n\r\n", "is empty"),
    "header only": (HEADER, "has a header but no rows"),
    "header only, no line break": (HEADER.strip(), "has a header but no rows"),
    "missing secret": (b"word,count\na,1\n", "no column 'secret'; its columns are 'word', 'count'"),
    "missing weight": (b"secret,n\na,1\n", "no column 'count'; its columns are 'secret', 'n'"),
    "other delimiter": (b"secret|count\na|1\n", "it has one column: give commas between columns"),
    "semicolons": (b"secret;count\na;1\n", "its columns are separated by semicolons: separate them by commas"),
    "column twice": (b"secret,count,count\na,1,2\n", "2 columns named 'count'"),
    "too many fields": (HEADER + b"a,1\nb,2,3\n", "line 3 of the input has 3 columns where the header has 2"),
    "too few fields": (HEADER + b"a,1\n\nb\n", "line 4 of the input has 1 columns where the header has 2"),
    "blank but not empty": (HEADER + b"a,1\n  \n", "line 3 of the input has 1 columns"),
    "late ragged row": (HEADER + b"a,1\n" * 200_000 + b"b\n", "line 200002 of the input has 1 columns"),
    "quote without end": (HEADER + b'a,1\n"b,2\nc,3\n', "line 3 of the input has a quote that is never closed"),
    "unparsable": (HEADER + b"a,1\nb,many\n", "the weight at line 3 of the input is not a number"),
    "late unparsable": (HEADER + b"a,1\n" * 200_000 + b"b,many\n", "line 200002 of the input is not a number"),
    "after quoted line breaks": (HEADER + b'"a\n\nb",1\n\nc,many\n', "line 6 of the input is not a number"),
    "after CRs": (b"secret,count\ra,1\rb,many\r", "line 3 of the input is not a number"),
    "thousands": (HEADER + b'a,"1,000"\n', "line 2 of the input is not a number"),
    "underscores": (HEADER + b"a,1\nb,1_000\n", "line 3 of the input is not a number"),
    "date": (HEADER + b"a,2020-01-01\n", "line 2 of the input is not a number"),
    "time": (HEADER + b"a,12:30\n", "line 2 of the input is not a number"),
    "bool": (HEADER + b"a,true\nb,false\n", "line 2 of the input is not a number"),
    "bool among numbers": (HEADER + b"a,1\nb,true\n", "line 3 of the input is not a number"),
    "missing": (HEADER + b"a,1\nb,\n", "the weight at line 3 of the input is missing"),
    "all missing": (HEADER + b"a,\nb,\n", "the weight at line 2 of the input is missing"),
    "NaN": (HEADER + b"a,1\nb,NaN\n", "line 3 of the input is not a number"),
    "NA": (HEADER + b"a,0.5\nb,NA\n", "line 3 of the input is not a number"),
    "infinite": (HEADER + b"a,1\nb,inf\n", "line 3 of the input is not a number"),
    "overflow": (HEADER + b"a,1\nb,1e999\n", "line 3 of the input is inf: weights must be finite"),
    "5000 digits": (HEADER + b"a," + b"1" * 5000 + b"\n", "line 2 of the input has 5000 digits"),
    "negative": (
        HEADER + b"a,1\nb,-2\n",
        "the weight at line 3 of the input is -2: weights must be finite and not neg",
    ),
    "negative float": (HEADER + b"a,1\n\nb,-0.5\n", "the weight at line 4 of the input is -0.5"),
    "negative beyond int64": (HEADER + b"a,1\nb,-%d\n" % 10**30, "the weight at line 3 of the input is -1"),
    "all zero": (HEADER + b"a,0\nb,0\n", "all weights are zero"),
    "duplicate": (HEADER + b"a,1\nb,2\n\na,3\n", "stands twice, at line 2 of the input and line 5 of the input"),
    "not UTF-8 secret": (HEADER + b"a,1\nM\xfcnchen,2\n", "line 3 of the input is not UTF-8 text"),
    "not UTF-8 weight": (HEADER + b"a,1\nb,\xff\n", "line 3 of the input is not UTF-8 text"),
    "not UTF-8 header": (b"secr\xe9t,count\na,1\n", "line 1 of the input is not UTF-8 text"),
    "UTF-16": ("secret,count\na,1\n".encode("utf-16"), "line 1 of the input is not UTF-8 text"),
}
BAD_JSON = {
    "empty file": (b"", "cannot parse the input as json: Expecting value at line 1"),
    "cut short": (b'{"a": 1,\n "b": 2', "at line 2"),
    "list": (b"[1, 2]", "holds a list, not a mapping"),
    "number": (b"3", "holds a int, not a mapping"),
    "empty mapping": (b"{}", "has no rows"),
    "duplicate": (b'{"a": 1, "b": 1, "a": 2}', "stands twice, at entry 1 of the input and entry 3 of the input"),
    "negative": (b'{"a": 1, "b": -1}', "the weight at entry 2 of the input is -1"),
    "NaN": (b'{"a": 1, "b": NaN}', "the weight at entry 2 of the input is nan"),
    "infinite": (b'{"a": 1, "b": Infinity}', "the weight at entry 2 of the input is inf"),
    "bool": (b'{"a": 1, "b": true}', "the weight at entry 2 of the input is a bool"),
    "text": (b'{"a": 1, "b": "2"}', "the weight at entry 2 of the input is a str"),
    "missing": (b'{"a": 1, "b": null}', "the weight at entry 2 of the input is missing"),
    "mapping": (b'{"a": 1, "b": {}}', "the weight at entry 2 of the input is a dict"),
    "not UTF-8": (b'{"a": 1,\n "\xff": 2}', "line 2 of the input is not UTF-8 text"),
    "5000 digits": (b'{"a": ' + b"1" * 5000 + b"}", "an integer has more digits than can be read"),
    "deep": (b"[" * 100_000, "nested too deeply"),
}
BAD_UNIQ = {
    "empty file": (b"", "has no rows"),
    "no secret": (b"  3 a\n  2\n", "line 2 of the input is not a count, a space and a secret"),
    "no count": (b"  3 a\n  two b\n", "line 2 of the input is not a count"),
    "negative": (b" -3 a\n", "line 1 of the input is not a count"),
    "fraction": (b" 1.5 a\n", "line 1 of the input is not a count"),
    "empty line": (b"  3 a\n\n  1 b\n", "line 2 of the input is not a count"),
    "duplicate": (b"  3 a\n  2 b\n  1 a\n", "the label stands twice, at line 1 of the input and line 3 of the input"),
    "not UTF-8": (b"  3 a\n  2 \xff\n", "line 2 of the input is not UTF-8 text"),
    "5000 digits": (b"1" * 5000 + b" a\n", "line 1 of the input has 5000 digits"),
    "all zero": (b"  0 a\n", "all weights are zero"),
}
_AB = pa.array(["a", "b"])
_TWICE = pa.table([_AB, _AB, pa.array([1, 2])], names=["secret", "secret", "count"])
BAD_PARQUET = {
    "empty file": (b"", "cannot parse the input as parquet"),
    "not parquet": (HEADER + b"a,1\n", "cannot parse the input as parquet"),
    "cut short": (parquet_bytes(_AB, [1, 2])[:-20], "cannot parse the input as parquet"),
    "damaged": (parquet_bytes(_AB, [1, 2]).replace(b"\x00", b"\xff", 3), "cannot parse the input as parquet"),
    "no rows": (parquet_bytes(_AB[:0], pa.array([], pa.int64())), "has no rows"),
    "missing column": (parquet_bytes(_AB, [1, 2], ("word", "count")), "no column 'secret'; its columns are 'word'"),
    "missing secret": (parquet_bytes(pa.array(["a", None]), [1, 2]), "the secret at row 2 of the input is missing"),
    "missing weight": (parquet_bytes(_AB, pa.array([1, None])), "the weight at row 2 of the input is missing"),
    "no weights at all": (parquet_bytes(_AB, pa.nulls(2)), "the weight at row 1 of the input is missing"),
    "bool": (parquet_bytes(_AB, pa.array([True, False])), "the weight at row 1 of the input is of type bool"),
    "text": (parquet_bytes(_AB, pa.array(["1", "2"])), "the weight at row 1 of the input is of type string"),
    "date": (parquet_bytes(_AB, pa.array([1, 2], pa.date32())), "the weight at row 1 of the input is of type date32"),
    "list": (parquet_bytes(_AB, pa.array([[1], [2]])), "the weight at row 1 of the input is of type list"),
    "list of secrets": (
        parquet_bytes(pa.array([[1], [2]]), [1, 2]),
        "the secret at row 1 of the input is of type list",
    ),
    "NaN": (parquet_bytes(_AB, [1.0, float("nan")]), "the weight at row 2 of the input is nan"),
    "negative": (parquet_bytes(_AB, [1, -1]), "the weight at row 2 of the input is -1"),
    "duplicate": (parquet_bytes(["a", "a"], [1, 2]), "stands twice, at row 1 of the input and row 2 of the input"),
}
BAD = {
    f"{format}: {name}": (format, *case)
    for format, cases in {"csv": BAD_CSV, "json": BAD_JSON, "uniq": BAD_UNIQ, "parquet": BAD_PARQUET}.items()
    for name, case in cases.items()
}


def attempt(data, format):
    """The prior, or the message of the refusal."""
    try:
        return read(data, format)
    except ml.errors.MinleakError as error:
        return str(error)


def refusal(source, reader=ml.read_prior, **options):
    """The message of the refusal, which must be one line."""
    with pytest.raises(ml.errors.MinleakError) as refused:
        reader(source, **options)
    message = str(refused.value)
    assert len(message.splitlines()) == 1
    assert len(message) < 400
    return message


@pytest.mark.parametrize(("format", "data", "says"), BAD.values(), ids=BAD)
def test_a_bad_file_is_refused_in_one_line_that_says_where(format, data, says):
    """Nothing but our own errors escapes, and the message names the line, row or secret."""
    assert says in refusal(data, read, format=format)


@pytest.mark.parametrize("name", BAD_CSV)
def test_what_csv_is_refused_for_tsv_is_refused_for(name):
    """The delimiter changes nothing else."""
    data, _ = BAD_CSV[name]
    refusal(data.replace(b",", b"\t"), read, format="tsv")


@given(st.binary(max_size=60), st.sampled_from(["csv", "tsv", "json", "uniq", "parquet"]))
def test_no_bytes_escape_as_a_raw_error(data, format):
    """Any bytes at all are a prior or one of our errors; so are bytes after a good start."""
    starts = {"csv": HEADER, "tsv": b"secret\tcount\n", "json": b'{"a": ', "uniq": b" 3 a\n", "parquet": b"PAR1"}
    for content in (data, starts[format] + data):
        made = attempt(content, format)
        assert isinstance(made, ml.Prior) or len(made.splitlines()) == 1


def test_a_repeated_column_is_refused_in_parquet():
    """Which of the two is meant cannot be known."""
    file = io.BytesIO()
    parquet.write_table(_TWICE, file)
    assert "2 columns named 'secret'" in refusal(file.getvalue(), read, format="parquet")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_secret_and_weight_are_two_columns(format):
    """One column cannot be both."""
    data = {"csv": b"a,b\n1,2\n", "parquet": parquet_bytes([1], [2], ("a", "b"))}[format]
    assert "both name the column 'a'" in refusal(data, read, format=format, secret="a", weight="a")


PACKED = gzip.compress(delimited(COUNTS))
BAD_GZIP = {
    "cut short": PACKED[:-10],
    "not gzip": delimited(COUNTS),
    "wrong checksum": PACKED[:-8] + bytes(4) + PACKED[-4:],
    "damaged": PACKED[:15] + b"\xff" * 8 + PACKED[23:],
}


@pytest.mark.parametrize("data", BAD_GZIP.values(), ids=BAD_GZIP)
@pytest.mark.parametrize("ending", WRITERS)
def test_a_damaged_gzip_file_is_refused(tmp_path, data, ending):
    """Whatever is wrong with the compression, the message names the file."""
    path = tmp_path / f"counts.{ending}.gz"
    path.write_bytes(data)
    assert f"{path} is not a whole gzip file" in refusal(path)


def test_what_cannot_be_opened_is_named(tmp_path):
    """A missing file, a folder, a path that no system has."""
    assert "nowhere.csv: No such file" in refusal(tmp_path / "nowhere.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "folder.csv: Is a directory" in refusal(tmp_path / "folder.csv")
    (tmp_path / "folder").mkdir()
    assert "folder: Is a directory" in refusal(tmp_path / "folder")
    assert "nowhere: No such file" in refusal(tmp_path / "nowhere")
    assert "null byte" in refusal("a\0b.csv")


@pytest.mark.parametrize("name", ["counts", "counts.xls", "counts.gz", "csv"])
def test_an_unknown_ending_needs_a_format(tmp_path, name):
    """The message lists the formats; naming one helps."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(delimited(COUNTS)) if name.endswith(".gz") else delimited(COUNTS))
    assert "say format= one of csv, tsv, parquet, json, uniq, lines" in refusal(path)
    assert counts(ml.read_prior(path, format="csv")) == COUNTS


def test_an_unknown_format_is_refused(tmp_path):
    """The message lists those there are."""
    assert "unknown format 'xls': one of csv" in refusal(tmp_path / "counts.csv", format="xls")


def test_sources_that_are_no_binary_files_are_refused():
    """Text files, closed files, and what is no file at all."""
    assert "binary mode" in refusal(io.StringIO("secret,count\na,1\n"), format="csv")
    closed = io.BytesIO(HEADER)
    closed.close()
    assert "closed file" in refusal(closed, format="csv")
    for source in (None, 5, b"counts.csv"):
        assert f"not {type(source).__name__}" in refusal(source, format="csv")


@pytest.mark.parametrize("before", range(-6, 4))
def test_quotes_that_come_late(before):
    """Line breaks inside of quotes at the border of two blocks, after a megabyte without any."""
    row, block = b"item-%07d,1\n", 1 << 20
    plain = HEADER + b"".join(row % i for i in range(2 * block // 15))
    plain = plain[: plain.rindex(b"\n", 0, 2 * block - 40) + 1]
    filler = b"f" * (2 * block - len(plain) - 3 + before) + b",2\n"
    prior = read(plain + filler + b'"x\ny",3\n"z, ""w""",4\n')
    assert list(prior.labels)[-2:] == ["x\ny", 'z, "w"']
    assert prior.weights[-2:].tolist() == [3, 4]


def test_rows_longer_than_a_block():
    """With and without quotes late in the file."""
    long = b"l" * (3 << 20)
    assert len(read(HEADER + b"a,1\n" + long + b",2\nb,3\n")) == 3
    assert list(read(HEADER + b"a,1\n" + long + b',2\n"b\nc",3\n').labels)[2] == "b\nc"


def test_names_that_no_file_can_have():
    """Are refused in one line."""
    for name in ("\ud800.csv", "a\0b.csv"):
        assert "cannot open" in refusal(name)


def bomb(path):
    """A table of 100 MB in some 100 kB."""
    with gzip.open(path, "wb") as file:
        file.write(b"secret,count\n")
        for _ in range(100):
            file.write(b"flu,1\n" * 170_000)
    return path


def test_a_file_that_was_packed_to_fill_memory_is_refused(tmp_path):
    """Before it is unpacked, in memory and for an engine; with the way out for one that is meant so."""
    path = bomb(tmp_path / "counts.csv.gz")
    assert path.stat().st_size < 1_000_000
    words = r"counts\.csv\.gz is more than 100 times as large when it is unpacked.*unpack it first with gunzip"
    with pytest.raises(UnreadableFile, match=words):
        ml.read_prior(path)
    with path.open("rb") as file, pytest.raises(UnreadableFile, match=words):
        ml.read_prior(file)
    pytest.importorskip("duckdb")
    with pytest.raises(UnreadableFile, match=words):
        scale.read(path)


def test_a_small_file_may_be_packed_as_tightly_as_it_likes(tmp_path):
    """Up to some 60 MB nothing is asked: a short log of one secret is no attack."""
    with gzip.open(tmp_path / "log.log.gz", "wb") as file:
        file.write(b"flu\n" * 1_000_000 + b"cold\n")
    assert (tmp_path / "log.log.gz").stat().st_size * 100 < 4_000_000
    assert ml.read_prior(tmp_path / "log.log.gz").weights.tolist() == [1_000_000, 1]
