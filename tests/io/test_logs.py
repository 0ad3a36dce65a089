"""Logs with fields: each record is an event, hostile lines are counted, and no message shows what stands in a log."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import threading
import warnings
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minleak as ml
from minleak.errors import InvalidParameter, MinleakWarning, UnreadableFile
from minleak.io import _logs as logs
from minleak.io._logs import recognise_log

TAIL = '"https://example.org/a?b=c" "Mozilla/5.0 (X11; \\"Linux\\")"'
CANARY = "hiv-positive"


def line(path="/", status=200, method="GET", host="10.0.0.1", tail=TAIL):
    return f'{host} - alice [18/Nov/2026:04:00:00 +0000] "{method} {path} HTTP/1.1" {status} 512 {tail}\n'.encode()


def read(data, format="combined", **options):
    """The counts, and what was warned of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        prior = ml.read_prior(io.BytesIO(data), format=format, **options)
    assert all(warning.category is MinleakWarning for warning in told)
    return dict(zip(prior.labels, prior.weights.tolist(), strict=True)), [str(one.message) for one in told]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("server", "example.org:443"),
        ("host", "10.0.0.1"),
        ("user", "alice"),
        ("time", "18/Nov/2026:04:00:00 +0000"),
        ("method", "GET"),
        ("path", "/a b?c=d"),
        ("query", "c=d"),
        ("protocol", "HTTP/1.1"),
        ("status", "404"),
        ("bytes", "512"),
        ("referrer", "https://example.org/a?b=c"),
        ("agent", 'Mozilla/5.0 (X11; \\"Linux\\")'),
    ],
)
def test_every_field_of_an_access_log(field, value):
    record = b"example.org:443 " + line("/a b?c=d", 404)
    assert read(record, field=field) == ({value: 1}, [])
    assert set(logs.Combined.header) >= {field}
    if field not in ("referrer", "agent"):
        assert read(record, "common", field=field) == ({value: 1}, [])


def test_states_and_query_strings():
    log = line("/a?x=1") + line("/a?x=2", 204) + line("/a", 304) + line("/b", 404)
    assert read(log, field="path")[0] == {"/a?x=1": 1, "/a?x=2": 1, "/a": 1, "/b": 1}
    assert read(log, field="path", query=False)[0] == {"/a": 3, "/b": 1}
    assert read(log, field="path", query=False, status="2xx")[0] == {"/a": 2}
    assert read(log, field="path", query=False, status="2XX,404")[0] == {"/a": 2, "/b": 1}
    assert read(log, field="referrer", query=False)[0] == {"https://example.org/a": 4}
    for wrong in ("2", "abc", "", "2xx,", 200):
        with pytest.raises(InvalidParameter, match="2xx or 200,304"):
            read(log, field="path", status=wrong)
    with pytest.raises(UnreadableFile, match="no records with a value"):
        read(log, field="path", status="5xx")
    with pytest.raises(UnreadableFile, match="no field 'status'"):
        read(b"Nov 18 04:00:00 host sshd[1]: hello\n", "syslog", field="message", status="2xx")
    with pytest.raises(UnreadableFile, match="not an access log"):
        read(b"secret,count\na,1\n", "csv", status="2xx")


def test_hostile_lines_are_counted_and_not_shown():
    hostile = [
        b"\xff\xfe" + CANARY.encode(),
        CANARY.encode(),
        line(CANARY)[:40],
        b'10.0.0.1 - - [x] "GET /"' + CANARY.encode() + b'" 200 1 "-" "-"',
        line("/x", tail='"a').rstrip(),
        b"\0" * 30,
        b"x" * (logs._LONGEST + 1),
    ]
    counts, told = read(line("/a") + b"\n".join(hostile) + b"\n\n" + line("/a") + line("/b").rstrip(), field="path")
    assert counts == {"/a": 2, "/b": 1}
    assert told == [f"{len(hostile)} lines of the input are no records of the format combined: left out"]
    # requests that are none are records, of which other fields count
    odd = line("/a") + b'10.0.0.1 - - [x] "\\x16\\x03" 400 1 "-" "-"\n'
    assert read(odd, field="path")[1] == ["1 lines of the input are records without a value of path: left out"]
    assert read(odd, field="host") == ({"10.0.0.1": 2}, [])
    assert read(odd, field="referrer")[0] == {"https://example.org/a?b=c": 1}


def test_a_log_without_a_field_is_refused(tmp_path):
    (tmp_path / "access.log").write_bytes(line(CANARY) * 3)
    with pytest.raises(UnreadableFile, match=r"format combined.*field='path', of 'server'.*format='lines'") as refused:
        ml.read_prior(tmp_path / "access.log")
    with pytest.raises(UnreadableFile, match="no field 'pth'; its fields are 'server', 'host'") as other:
        ml.read_prior(tmp_path / "access.log", field="pth")
    assert CANARY not in f"{refused.value}{other.value}"
    assert len(ml.read_prior(tmp_path / "access.log", format="lines")) == 1
    with pytest.raises(UnreadableFile, match="no fields: leave out field="):
        ml.read_prior(tmp_path / "access.log", format="lines", field="path")
    with pytest.raises(UnreadableFile, match="no line that is a record of the format syslog"):
        ml.read_prior(tmp_path / "access.log", format="syslog", field="message")


def test_recognised_by_most_of_its_lines():
    assert recognise_log(line() * 3 + b"junk\njunk\n") == "combined"
    assert recognise_log(line(tail="") * 2) == "common"
    assert recognise_log(b'{"a": 1}\n[1]\n{"a": {"b": 2}}\n') == "jsonl"
    assert recognise_log(b'<34>1 2026-11-18T04:00:00Z host app 12 ID [x y="z"] text\n') == "syslog"
    assert recognise_log(b"Nov  8 04:00:00 host cron[12]: text\n") == "syslog"
    for other in (b"", b"flu\ncold\n", b"secret,count\na,1\n", b"  3 a\n", line() + b"a\nb\n", b"{}\n{}\n"):
        assert recognise_log(other) is None


def test_both_kinds_of_syslog():
    log = (
        b'Nov  8 04:00:00 web cron[12]: job\n<34>1 2026-11-18T04:00:00Z web sshd 7 ID [x y="\\]"][z] text\n'
        b"2026-11-18T04:00:00+01:00 db kernel: oops\n<34>1 2026-11-18T04:00:00Z - - - - - text\n"
    )
    assert read(log, "syslog", field="program")[0] == {"cron": 1, "sshd": 1, "kernel": 1}
    assert read(log, "syslog", field="pid")[0] == {"12": 1, "7": 1}
    assert read(log, "syslog", field="host")[0] == {"web": 2, "db": 1}
    assert read(log, "syslog", field="message")[0]["text"] == 2


def test_fields_of_json_lines():
    records = [
        {"path": "/a", "status": 200, "user": {"id": 7, "name.first": "x"}},
        {"path": "/b", "status": 404, "ok": True},
        {"path": None, "status": 200},
        {"path": "/a", "status": "200", "user": {"id": "7"}},
        {"path": ["/a"], "status": 200},
    ]
    log = "\n".join(map(json.dumps, records)).encode() + b'\n{"path": NaN}\n{"path"\n[]\n' + b"[" * 100_000
    assert read(log, "jsonl", field="path", status="2xx") == (
        {"/a": 2},
        [
            "4 lines of the input are no records of the format jsonl: left out",
            "2 lines of the input are records without a value of path: left out",
        ],
    )
    assert read(log, "jsonl", field="user.id")[0] == {"7": 2}
    assert read(log, "jsonl", field="user.name.first")[0] == {"x": 1}
    assert read(log, "jsonl", field="ok")[0] == {"true": 1}
    assert read(b'{"a": "\\ud800"}\n{"a": "x"}\n', "jsonl", field="a")[0] == {"x": 1}
    with pytest.raises(UnreadableFile, match=r"no field 'Path'; its fields are 'path', 'status' \("):
        read(log, "jsonl", field="Path")


def test_a_column_of_a_table_is_a_field_too():
    assert read(b"when,word\n1,a\n2,b\n3,a\n", "csv", field="word")[0] == {"a": 2, "b": 1}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(["/a", "/b?x", "/c d", ""]), st.binary(max_size=12)), min_size=1, max_size=12),
    st.integers(1, 200),
)
def test_the_size_of_pieces_makes_no_difference(lines, size):
    """Counted as Python's own loop over whole lines counts."""
    parts = [line(one) if isinstance(one, str) else one.replace(b"\n", b"") + b"\n" for one in lines] + [line("/z")]
    data = b"".join(parts)
    log = logs.Combined((data[i : i + size] for i in range(0, len(data), size)), "x")
    labels, times = log.count("path")
    assert dict(zip(labels.to_pylist(), times, strict=True)) == Counter(
        one for one in [*lines, "/z"] if isinstance(one, str) and one
    )
    assert log.skipped == sum(isinstance(one, bytes) and bool(one.replace(b"\n", b"").strip()) for one in lines)


def test_long_lines_are_dropped_in_pieces_of_any_size(monkeypatch):
    monkeypatch.setattr(logs, "_LONGEST", 300)
    data = line("/a") + b"y" * 999 + b"\n" + line("/b") + b"y" * 301 + b"\n" + line("/a") + b"y" * 999
    for size in (1, 7, 100, 450, 1000, 5000):
        log = logs.Combined((data[i : i + size] for i in range(0, len(data), size)), "x")
        labels, times = log.count("path")
        assert dict(zip(labels.to_pylist(), times, strict=True)) == {"/a": 2, "/b": 1}, size
        assert log.skipped == 3


@pytest.mark.parametrize("kind", ["Combined", "Jsonl"])
def test_a_record_that_is_too_long_is_none_wherever_pieces_end(kind, monkeypatch):
    """It was counted where one piece held all of it."""
    monkeypatch.setattr(logs, "_LONGEST", 300)
    make = line if kind == "Combined" else '{{"path": "{}"}}\n'.format
    parts = [make("/a"), make("/" + "y" * 400), make("/b")]
    data = b"".join(part if isinstance(part, bytes) else part.encode() for part in parts)
    for size in (1, 7, 100, 450, 1000, 5000):
        log = getattr(logs, kind)((data[i : i + size] for i in range(0, len(data), size)), "x")
        assert log.count("path")[0].to_pylist() == ["/a", "/b"], size
        assert log.skipped == 1


def test_compressed_and_rotated(tmp_path):
    path = tmp_path / "access.log.2.gz"
    path.write_bytes(gzip.compress(line("/a") * 3))
    assert ml.read_prior(path, field="path").weights.tolist() == [3]
    path.write_bytes(gzip.compress(line("/a") * 3)[:-9])
    with pytest.raises(UnreadableFile, match="not a whole gzip file"):
        ml.read_prior(path, field="path", format="combined")


def test_an_audit_reads_the_fields_of_a_log():
    log = b"".join(line(f"/{i % 2}").replace(b"512", b"%d" % (100 + i % 2)) for i in range(400))
    found = ml.audit(io.BytesIO(log), secret="path", observable="bytes", format="combined", permutations=99)
    assert found.success.estimate > 0.9


def test_a_byte_order_mark_is_no_part_of_the_first_record():
    assert read(b"\xef\xbb\xbf" + line("/a"), field="host") == ({"10.0.0.1": 1}, [])
    assert read(b'\xef\xbb\xbf{"a": "x"}\n{"a": "y"}\n', "jsonl", field="a") == ({"x": 1, "y": 1}, [])


@pytest.mark.parametrize("host", ["::1", "2001:db8::12", "fe80::1:22"])
@pytest.mark.parametrize("server", ["", "example.org:443 ", "[::1]:80 "])
def test_an_ipv6_address_is_no_server_where_the_user_has_a_blank(host, server):
    record = server.encode() + line(host=host).replace(b"alice", b"alice b")
    for format in ("combined", "common"):
        assert read(record, format, field="host")[0] == {host: 1}
        assert read(record, format, field="user")[0] == {"alice b": 1}


def test_a_pipe_whose_format_is_recognised_is_read_once():
    many = 3 * logs._LOOKED_AT * 100
    ours, theirs = os.pipe()
    with open(theirs, "wb") as file:
        writer = threading.Thread(target=lambda: (file.write(line("/a") * many), file.close()))
        writer.start()
        prior = ml.read_prior(f"/dev/fd/{ours}", field="path")
        os.close(ours)
        writer.join()
    assert prior.weights.tolist() == [many]


def test_names_of_nested_fields_stay_short():
    """Each name has those above it: without a bound 1 MB of them would be 500 MB."""
    deep = "".join(f'{{"v": "x", "{"k" * 500}{i}": ' for i in range(900)) + '"end"' + "}" * 900
    header = logs.Jsonl([deep.encode() + b"\n"], "x").header
    assert len(header) == 16
    assert sum(map(len, header)) < 1 << 17
    assert read(b'{"a": {"b": {"c": "x"}}}\n', "jsonl", field="a.b.c")[0] == {"x": 1}


def nasty_line(rng):
    """A record, or nearly one: quotes, brackets and backslashes where they can mislead a reader."""

    def one(usual, letters, chance=0.2):
        return "".join(rng.choices(letters, k=rng.randint(1, 4))) if rng.random() < chance else usual

    host, ident, user = one("10.0.0.1", 'ab."[]:1'), one("-", '-"[x]\\'), one("bob", 'ab c"[')
    time, server = one("18/Nov/2026:04:00:00 +0000", '1/:"] '), rng.choice(["", "", "example.org:80 ", "[::1]:443 "])
    requests = ["GET /a HTTP/1.1", "GET /a?x=1#y HTTP/1.1", "-", "GET /b", "\\x16", '\\" /q', '" x', "G  /é"]
    request = rng.choice([*requests, 'GET /a\\" 200 5 z', 'GET /a\\" 200 5 "-" "-" z'])
    tail = rng.choice(["", ' "-" "curl"', ' "-" "a\\"b" more', ' "-"', ' "a" "c"\r', " extra"])
    status, size = rng.choice(["200", "404", "099", "2000"]), rng.choice(["12", "-", "x"])
    found = f'{server}{host} {ident} {user} [{time}] "{request}" {status} {size}{tail}'
    return found if rng.random() < 0.95 else rng.choice(["", "  ", "no record", "\0"])


@pytest.mark.parametrize("made", [logs.Combined, logs.Common])
def test_plain_lines_are_read_as_all_lines_are(made):
    """Splitting at quotes finds what the whole expression does, in its order, and skips what it skips."""
    rng = random.Random(5)
    for some in (["path"], ["query", "status"], ["method", "protocol", "path"]):
        for _ in range(300):
            piece = "\n".join(nasty_line(rng) for _ in range(rng.randint(1, 8))).encode()
            ours, plain = made([], "x"), made([], "x")
            read = ours._records(piece, some).to_pylist()
            assert read == plain._matching(plain._lines(piece), some).to_pylist()
            assert ours.skipped == plain.skipped
    piece = b"\n".join([line("/a", tail='"-" "x"')[:-1]] * 3)
    assert isinstance(made([], "x")._records(piece, ["path"])["path"].chunk(0), pa.DictionaryArray)
