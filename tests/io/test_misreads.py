"""What was once read as something else, or fell out as a bare exception, is read as meant or refused in words."""

from __future__ import annotations

import gzip
import io
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.odd import NUMBERS, TEXTS, any_of

import minleak as ml
from minleak.core._labels import Labels
from minleak.errors import InvalidChannel, InvalidParameter, InvalidPrior, MinleakWarning, UnreadableFile

HEADER = b"secret,count\n"
CHANNEL = b"secret,observable,probability\n"


def prior(data, format="csv", **options):
    return ml.read_prior(io.BytesIO(data), format=format, **options)


def channel(data, format="csv", **options):
    return ml.read_channel(io.BytesIO(data), format=format, **options)


def places(data, columns=("lat",), format="csv"):
    return ml.read_places(io.BytesIO(data), columns=columns, format=format)


def pairs(data, format="csv", **options):
    return ml.read_pairs(io.BytesIO(data), format=format, **{"inputs": ["a", "b"]} | options)


def stored(**columns):
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def counts(read):
    return dict(zip(read.labels, read.weights.tolist(), strict=True))


def message(call, *given, **options):
    """What the refusal says, if there is one; nothing but our own errors comes out."""
    try:
        call(*given, **options)
    except ml.errors.MinleakError as refused:
        return str(refused)
    return ""


def attempt(call, *given, **options):
    """A refusal is one line that can be printed; a wrong type is Python's own business."""
    try:
        said = message(call, *given, **options)
    except TypeError:
        return
    said.encode()
    assert len(said.splitlines()) <= 1


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", ["+", ""])
def test_every_integer_is_exact(sign):
    """A sign does not make a count a float, which would lose a unit above 2^53."""
    read = prior(HEADER + f"a,{sign}9007199254740993\nb,1\n".encode())
    assert read.exact
    assert counts(read) == {"a": 2**53 + 1, "b": 1}


@pytest.mark.parametrize("entry", [b"0x10", b"0X1f", b"1_0", b"true", b"", b"nan", b"-inf", b"2020-01-01", b"1,5"])
def test_what_is_no_number_is_none_anywhere(entry):
    """Neither as a weight nor as a place, a probability or a cost."""
    quoted = b'"' + entry + b'"'
    with pytest.raises(UnreadableFile, match="line 3 of the input is"):
        prior(HEADER + b"a,1\nb," + quoted + b"\n")
    with pytest.raises(UnreadableFile, match="line 3 of the input is"):
        places(b"secret,lat\na,1\nb," + quoted + b"\n")
    with pytest.raises(UnreadableFile, match="line 3 of the input is"):
        channel(CHANNEL + b"a,y,1\nb,y," + quoted + b"\n")
    rows = b"secret,observable,cost\na,y,1\nb,y," + quoted + b"\n"
    with pytest.raises(UnreadableFile, match="line 3 of the input is"):
        pairs(rows)


@pytest.mark.parametrize("column", [pa.array([True]), pa.array(["1"]), pa.array([date(2020, 1, 1)]), pa.nulls(1)])
def test_what_is_no_number_in_parquet(column):
    """By its type, for places and probabilities as for weights."""
    with pytest.raises(UnreadableFile, match="row 1 of the input is"):
        places(stored(lat=column), format="parquet")
    with pytest.raises(UnreadableFile, match="row 1 of the input is"):
        channel(stored(secret=["a"], observable=["y"], probability=column), "parquet")


@pytest.mark.parametrize("columns", [[], ["lat", "lat"], "lat", None, 5, [None], ["lat", 3]], ids=repr)
def test_places_need_columns_each_once(columns):
    with pytest.raises(UnreadableFile, match=r"column"):
        places(b"secret,lat\na,1\n", columns=columns)


def test_huge_integers_are_shown_in_words():
    """Python prints no more than some thousand digits."""
    huge = 10**5000
    assert repr(ml.Prior([huge, 1])) == "Prior(n=2, total=a number of very many digits, exact)"
    assert repr(Labels.of([huge], 1)) == "Labels(a number of very many digits; n=1)"
    for weights in ([-huge, 1], [Fraction(-huge, 3), 1], [huge, 0.5]):
        with pytest.raises(InvalidPrior, match="row 0"):
            ml.Prior(weights)
    with pytest.raises(InvalidPrior, match="very many digits"):
        ml.Prior([huge, 1], normalised=True)
    with pytest.raises(InvalidPrior, match="very many digits"):
        ml.Prior([1, 1], labels=[huge, huge])
    with pytest.raises(InvalidChannel, match="very many digits"):
        ml.Channel([[Fraction(1, huge), Fraction(0)]])
    with pytest.raises(InvalidChannel, match="second time"):
        ml.Channel.from_rows([(huge, huge, 0.5), (huge, huge, 0.5)])


# -- labels ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nan", [float("nan"), np.float64("nan"), Decimal("nan"), (1, (float("nan"),))], ids=repr)
def test_nan_names_nothing(nan):
    """It equals nothing, so that no look-up would find it and no duplicate be seen."""
    with pytest.raises(InvalidParameter, match="label 1 is NaN"):
        ml.Prior([1, 2], labels=["a", nan])
    with pytest.raises(ml.errors.MinleakError, match="NaN"):
        ml.Channel.from_rows([(nan, "y", 1)])


@pytest.mark.parametrize("secrets", [pa.array(["a", None]), pa.array([0.5, float("nan")]), pa.array([1, None])])
def test_a_missing_secret_is_no_label(secrets):
    """In files of priors, channels and pairs, and in memory."""
    data = stored(secret=secrets, count=[1, 2], observable=["y", "y"], probability=[1, 1])
    for read in (prior, channel, pairs):
        with pytest.raises(UnreadableFile, match="secret at row 2 of the input is missing"):
            read(data, "parquet")
    with pytest.raises(InvalidParameter, match="label 1 is"):
        Labels.of(secrets, 2)


def test_masks_are_not_looked_behind():
    """What numpy.ma masks is no number and no name."""
    with pytest.raises(InvalidPrior, match="weight at row 1 is masked"):
        ml.Prior(np.ma.array([3, 99, 1], mask=[0, 1, 0]))
    with pytest.raises(InvalidParameter, match="label 0 is masked"):
        ml.Prior([1, 2], labels=np.ma.array(["a", "b"], mask=[1, 0]))
    masked = np.ma.array([[0.5, 0.5], [0, 1]], mask=[[0, 0], [0, 1]])
    for matrix in (masked, list(masked), masked.tolist(), [[0.5, 0.5], [0, np.ma.masked]]):
        with pytest.raises(InvalidChannel, match="row 1, column 1"):
            ml.Channel(matrix)
    assert ml.Prior(np.ma.array([3, 1])).total == 4
    assert ml.Channel(np.ma.array([[1.0]])).shape == (1, 1)


# -- text --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [b'"a\\"x",1', b'"a"b,1', b'"a" ,1', b'"a\\"",1\n"b\\"",2', b'"a" "b",1'])
def test_text_after_a_closing_quote_is_refused(row):
    """As where quotes are escaped by a backslash; programs differ in what they make of it."""
    for data in (HEADER + row + b"\n", HEADER + b'5" disk,3\n' + row):
        with pytest.raises(UnreadableFile, match="text after a closing quote"):
            prior(data)
    with pytest.raises(UnreadableFile, match="text after a closing quote"):
        channel(CHANNEL + row.replace(b",", b",y,"))


def test_backslashes_are_letters():
    assert counts(prior(HEADER + b'"C:\\",1\nd\\,2\n"e\\""f",3\n')) == {"C:\\": 1, "d\\": 2, 'e\\"f': 3}


@pytest.mark.parametrize("piece", [1, 2, 3, 7])
def test_quotes_are_seen_across_pieces(monkeypatch, piece):
    """Wherever the search for quotes cuts the file, good files pass and bad ones do not."""
    from minleak.io import _delimited as delimited

    monkeypatch.setattr(delimited, "_PIECE", piece)
    assert delimited.Csv(b'\xef\xbb\xbf"secret","count"\n"a""b","1"\n"",2\n"c\n","3"', "x")._is_well_quoted()
    for bad in (b'"a', b'a"b"', b'"a"b', b'a""', b'"a""', b'"a"\n "b"'):
        assert not delimited.Csv(bad, "x")._is_well_quoted()


def test_uniq_may_end_its_lines_by_nul():
    """As `uniq -cz` does; then a secret may hold a line break."""
    assert counts(prior(b"      3 a\0      1 b\nc\0", "uniq")) == {"a": 3, "b\nc": 1}
    with pytest.raises(UnreadableFile, match="NUL"):
        prior(b"      3 a\0      1 b\n", "uniq")


def test_empty_lines_are_no_events():
    """A count of them is refused; in a log they are left out."""
    with pytest.raises(UnreadableFile, match=r"line 1 of the input counts empty lines.*grep"):
        prior(b"      3 \n      1 a\n", "uniq")
    with pytest.warns(MinleakWarning, match="2 blank lines of the input were skipped"):
        assert counts(prior(b"a\n\nb\r\na\n\n", "lines")) == {"a": 2, "b": 1}
    assert counts(prior(b"a\0b\nc\0a\0", "lines")) == {"a": 2, "b\nc": 1}
    with pytest.raises(UnreadableFile, match="no rows"):
        prior(b"\n\n", "lines")


def test_fields_of_any_length():
    """Longer than the csv module takes: read; and what is wrong after them is refused in words."""
    long = b"l" * 200_000
    assert len(prior(HEADER + long + b",1\nb,2\n")) == 2
    assert channel(CHANNEL + long + b",y,1\n").shape == (1, 1)
    with pytest.raises(UnreadableFile, match="row 2 after the header of the input is not a number"):
        prior(HEADER + long + b",1\nb,many\n")
    with pytest.raises(UnreadableFile, match="columns than the header"):
        prior(HEADER + long + b",1\nb\n")
    with pytest.raises(UnreadableFile, match="more than 131,072 characters"):
        prior(long + b",count\na,1\n")


def test_a_wrong_checksum_is_reported(tmp_path):
    packed = gzip.compress(HEADER + b"a,1\n")
    (tmp_path / "x.csv.gz").write_bytes(packed[:-8] + bytes(4) + packed[-4:])
    for read in (ml.read_prior, ml.read_channel, lambda path: ml.read_places(path, columns=["count"])):
        with pytest.raises(UnreadableFile, match="not a whole gzip file"):
            read(tmp_path / "x.csv.gz")


# -- columns -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_columns_that_differ_in_capitals_only(format):
    """Which of them is meant cannot be known; nor is a column in other capitals left out unsaid."""
    two = {"csv": b"secret,Count,count\na,1,2\n", "parquet": stored(secret=["a"], Count=[1], count=[2])}[format]
    with pytest.raises(UnreadableFile, match="2 columns named 'count', but for capitals"):
        prior(two, format)
    with pytest.raises(UnreadableFile, match="2 columns named 'count', but for capitals"):
        places(two, ["count"], format)
    other = {"csv": b"secret,observable,Cost\na,y,2\n", "parquet": stored(secret=["a"], observable=["y"], Cost=[1])}
    with pytest.raises(UnreadableFile, match="no column 'cost'; its columns are 'secret', 'observable', 'Cost'"):
        pairs(other[format], format)


@pytest.mark.parametrize("header", [b"secret,lat,lat", b"lat,lat,lat"])
def test_a_column_that_stands_twice(header):
    with pytest.raises(UnreadableFile, match="columns named 'lat': rename"):
        places(header + b"\n1,2,3\n")
    with pytest.raises(UnreadableFile, match="secret and observable both name the column 'lat'"):
        channel(header + b"\n1,2,3\n", secret="lat", observable="lat")


def test_the_first_event_is_not_shown():
    """Without a header the first line is an event; names are shown where one of them is looked for, or by a schema."""
    for read in (prior, channel, places, pairs):
        with pytest.raises(UnreadableFile, match="first line must name its columns, and the 2 there") as refused:
            read(b"hiv positive,12\nflu,3\n")
        assert "hiv" not in str(refused.value)
    with pytest.raises(UnreadableFile, match="its columns are 'Secret', 'n'"):
        prior(b"Secret,n\na,1\n")
    with pytest.raises(UnreadableFile, match="its columns are 'word', 'n'"):
        prior(stored(word=["a"], n=[1]), "parquet")


CANARY = "hiv positive"
BROKEN = {
    "weight": f"secret,count\n{CANARY},{CANARY}\n",
    "columns": f"secret,count\n{CANARY},1,{CANARY}\n",
    "twice": f"secret,count\n{CANARY},1\n{CANARY},2\n",
    "negative": f"secret,count\n{CANARY},-1\n",
    "quote": f'secret,count\n"{CANARY},1\n',
    "escaped": f'secret,count\n"{CANARY}\\"x",1\n',
    "header": f"{CANARY},count\n{CANARY},1\n".replace("count", "n"),
    "uniq": f"{CANARY}\n",
    "uniq twice": f" 1 {CANARY}\n 2 {CANARY}\n",
    "json": f'{{"{CANARY}": 1, "{CANARY}": 2}}',
    "json text": f'{{"{CANARY}": "{CANARY}"}}',
    "json negative": f'{{"{CANARY}": -1}}',
    "json cut": f'{{"{CANARY}": 1',
    "channel twice": f"secret,observable,probability\n{CANARY},{CANARY},1\n{CANARY},{CANARY},1\n",
    "channel sum": f"secret,observable,probability\n{CANARY},{CANARY},0.5\n",
    "channel negative": f"secret,observable,probability\n{CANARY},{CANARY},-0.5\n",
    "channel text": f"secret,observable,probability\n{CANARY},{CANARY},{CANARY}\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_no_message_shows_an_entry(text):
    """Whatever is wrong, and however the file is read."""
    for format in ("csv", "tsv", "json", "uniq", "parquet"):
        data = text.replace(",", "\t") if format == "tsv" else text
        for read in (prior, channel, lambda data, format: places(data, ["count"], format)):
            assert CANARY not in message(read, data.encode(), format)


@pytest.mark.parametrize("odd", [None, 5, ["csv"], b"csv", "", "xls"], ids=repr)
def test_odd_names_of_columns_and_formats(odd):
    for data in (HEADER + b"a,1\n", CHANNEL + b"a,y,1\n"):
        for read in (prior, channel, pairs):
            attempt(read, data, secret=odd)
            attempt(read, data, odd or "csv")
        attempt(pairs, data, cost=odd)
        attempt(channel, data, probability=odd)


def test_secrets_are_given_once():
    """Else the rows of the file would go to the last of them."""
    for read in (channel, pairs):
        with pytest.raises(InvalidParameter, match="inputs 0 and 2 are the same"):
            read(CHANNEL + b"a,y,1\n", inputs=["a", "b", "a"])


def test_a_channel_names_lines():
    with pytest.raises(InvalidChannel, match=r"the secret at line 3 of the input sums to 0\.5"):
        channel(CHANNEL + b"a,y,1\nb,y,0.25\nb,z,0.25\n")
    with pytest.raises(InvalidChannel, match="no rows for secret 1 of the inputs"):
        channel(CHANNEL + b"a,y,1\n", inputs=["a", "b"])
    with pytest.raises(UnreadableFile, match="line 2 of the input names a secret"):
        channel(CHANNEL + b"c,y,1\n", inputs=["a", "b"])


# -- sizes -------------------------------------------------------------------------------------------------------------


def wide(n, dense):
    """n secrets that show the same 2 n observables each, or (sparse) n secrets that each shows n observables."""
    return ml.Channel(np.full((n, n), 1 / n) if dense else sp.csc_array(np.full((n, n), 1 / n)))


@pytest.mark.parametrize("dense", [True, False], ids=["dense", "sparse"])
def test_compositions_beyond_memory_are_refused(dense):
    """Before any memory is asked for, with the size in words."""
    big = wide(1000, dense)
    for compose in (big.parallel, big.product):
        with pytest.raises(InvalidChannel, match=r"entries, about [0-9,]+ GiB, where at most 8 GiB"):
            compose(big)
    with pytest.raises(InvalidChannel, match="8 GiB"):
        ml.lab.repeated(big, 3)
    for times in (10**5, 10**12, 10**5000):
        with pytest.raises(InvalidChannel, match="8 GiB of different observations"):
            ml.lab.repeated(wide(2, dense), times)
    tall, flat = np.ones((100_000, 1)), np.full((1, 100_000), 1e-5)
    if not dense:
        tall, flat = sp.csc_array(tall), sp.csc_array(flat)
    with pytest.raises(InvalidChannel, match="cascade would have up to 10,000,000,000 entries"):
        ml.Channel(tall) @ ml.Channel(flat)


def test_other_sizes_beyond_memory():
    n = 100_000
    identity = ml.Channel(sp.identity(n, format="csc"))
    assert ml.lab.parallel(identity @ identity, identity).shape == (n, n)
    with pytest.raises(InvalidChannel, match="work on its sparse"):
        identity.toarray()
    with pytest.raises(InvalidParameter, match="8 GiB"):
        ml.Channel.random(n, n)
    with pytest.raises(InvalidParameter, match="from 1 to 1,073,741,824"):
        ml.Prior.uniform(10**30)
    rows = "secret,observable\n" + "".join(f"{i},{i}\n" for i in range(40_000))
    with pytest.raises(UnreadableFile, match="about 13 GiB"):
        pairs(rows.encode(), inputs=[str(i) for i in range(40_000)])


# -- anything at all ---------------------------------------------------------------------------------------------------

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([10**5000, -(10**5000), 2**63, Fraction(1, 3), Decimal("NaN"), Decimal(1), 1j, np.ma.masked]),
    st.floats(),
    st.text(st.characters(), max_size=2),
    st.binary(max_size=2),
    st.dates(),
    any_of([np.float64("nan"), (1, "a"), [1], {}, *NUMBERS, *TEXTS]),
)
SEVERAL = st.one_of(ODD, st.lists(ODD, max_size=4), st.lists(st.lists(ODD, max_size=3), max_size=3))


def use(made, name):
    """What one does with priors and labels."""
    repr(made)
    labels = made if isinstance(made, Labels) else made.labels
    if made is not labels:
        assert (made.p >= 0).all()
    labels.first_duplicate()
    if not isinstance(name, list | dict | np.ndarray):
        labels.position(name)


@settings(max_examples=200, deadline=None)
@given(SEVERAL, SEVERAL, SEVERAL)
def test_anything_is_a_prior_or_refused(weights, labels, other):
    for call, given_, options in (
        (ml.Prior, weights, {}),
        (ml.Prior, weights, {"labels": labels}),
        (ml.Prior, [1, 2], {"labels": labels, "normalised": True}),
        (ml.Prior, [1, 2], {"labels": labels}),
        (ml.Prior.from_counts, weights, {}),
        (ml.Prior.uniform, weights if not isinstance(weights, int) else -1, {}),
        (lambda names: Labels.of(names, 2), labels, {}),
    ):
        attempt(lambda *given, call=call, **options: use(call(*given, **options), other), given_, **options)


@settings(max_examples=100, deadline=None)
@given(SEVERAL, SEVERAL, SEVERAL, st.sampled_from([None, 0.1, float("nan"), -1, "x", 10**5000]))
def test_anything_is_a_channel_or_refused(matrix, labels, other, odd):
    simple = ml.Channel([[1, 0], [0.5, 0.5]], outputs=["a", "b"])
    attempt(ml.Channel, matrix, inputs=labels)
    attempt(ml.Channel, matrix, outputs=labels)
    attempt(ml.Channel, [[1, 0], [0, 1]], inputs=labels, outputs=other)
    attempt(ml.Channel, [[1, 0], [0, 1]], tolerance=odd)
    attempt(ml.Channel.from_rows, matrix)
    attempt(ml.Channel.from_rows, [(matrix, "y", 1), ("b", labels, 1), ("c", "y", other)])
    attempt(ml.Channel.from_rows, [("a", "y", 1)], inputs=labels)
    attempt(ml.Channel.deterministic, labels, inputs=other)
    attempt(ml.Channel.random, 2, 2, seed=odd)
    attempt(ml.Channel.random, odd, 2)
    for method in (simple.joint, simple.output, simple.posteriors, simple.columns, simple.parallel, simple.product):
        attempt(method, matrix)
    attempt(simple.__matmul__, matrix)
    attempt(simple.repeated, odd)


FIELDS = st.one_of(
    st.sampled_from(["secret", "count", "Count", "observable", "probability", "lat", "a", "1", "0.5", "-1", "", " "]),
    st.sampled_from(['"', '"a""b"', '"a\\"x"', "\\", "0x10", "1e999", "+1", "NaN", "\0", "\ufeff", "é", "9" * 5000]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
)
ROWS = st.lists(st.lists(FIELDS, min_size=1, max_size=4), max_size=4)
HEADERS = st.sampled_from(
    ["", "secret,count\n", "secret,observable,probability\n", "lat,secret\r\n", '{"a": ', " 3 a\n"]
)


@pytest.mark.filterwarnings("ignore::minleak.errors.MinleakWarning")
@settings(max_examples=200, deadline=None)
@given(HEADERS, ROWS, st.sampled_from([",", "\t"]), st.sampled_from(["csv", "tsv", "json", "uniq", "lines", "parquet"]))
def test_any_text_is_read_or_refused(header, rows, delimiter, format):
    text = (header + "\n".join(map(",".join, rows))).replace(",", delimiter)
    data = text.encode()
    attempt(prior, data, format)
    attempt(prior, data, format, secret="secret", weight="lat")
    attempt(prior, data, format, strip=True, nfc=True)
    attempt(channel, data, format)
    attempt(channel, data, format, inputs=["a", "b"])
    attempt(places, data, ["lat"], format)
    attempt(pairs, data, format)


COLUMNS = st.sampled_from(
    [
        pa.array([1, 2]),
        pa.array([1.5, float("inf")]),
        pa.array([True, False]),
        pa.array(["a", "b"]),
        pa.array([None, "b"]),
        pa.array([b"\xff", b"b"]),
        pa.array([date(1, 1, 1), date(9999, 12, 31)]),
        pa.array([2**62, 1], pa.timestamp("s")),
        pa.array([1, 2**62], pa.timestamp("ns")),
        pa.array([2**62, 3], pa.duration("ns")),
        pa.array([1, 2], pa.time64("ns")),
        pa.array([Decimal("1.5"), Decimal(10) ** 30]),
        pa.array([[1], [2]]),
        pa.array([{"a": 1}, None]),
        pa.array([1, 2], pa.float16()),
        pa.nulls(2),
        pa.array(["a", None]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None])),
        pa.array(["a", "a"], pa.large_string()),
    ]
)


@settings(max_examples=100, deadline=None)
@given(COLUMNS, COLUMNS, COLUMNS)
def test_any_columns_are_read_or_refused(first, second, third):
    attempt(ml.Prior, second, labels=first)
    try:
        data = stored(secret=first, count=second, observable=third, probability=second, lat=second)
    except pa.ArrowException:  # not every type can be stored
        return
    attempt(prior, data, "parquet")
    attempt(channel, data, "parquet")
    attempt(places, data, ["lat", "count"], "parquet")
    attempt(pairs, data, "parquet", cost="count")
