"""What is refused: by code, before the body is read where that is possible, and without a word of the request."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.serve.conftest import older_plan
from tests.serve.running import call

from minleak.serve._guard import RequestLimits, hash_token
from minleak.serve._messages import BATCH, STEPS
from minleak.serve._problems import CODES

LINEAGE = older_plan().lineage.hex()
GOOD = {"secret": "hush-flu", "scope": "u", "lineage": LINEAGE}
TYPED = (b"content-type", b"application/json")
DEEP = b"[" * 200_000


def refused(guard, code, target, body=None, **given):
    """The error of an answer, which has the code and says nothing that was sent."""
    status, headers, text = call(guard, target, body, **given)
    error = json.loads(text)["error"]
    assert (status, error["code"]) == (CODES[code][0], code), text
    assert b"hush" not in text
    assert headers[b"content-type"] == b"application/json"
    return error, headers


# Bodies, and what is wrong with them.
BODIES = {
    "nothing": (b"", "bad_json"),
    "no JSON": (b"hush", "bad_json"),
    "two values": (b'{"secret":"hush","scope":"u"}{}', "bad_json"),
    "UTF-16": ('{"secret":"hush","scope":"u"}'.encode("utf-16"), "bad_json"),
    "a byte order mark": (b'\xef\xbb\xbf{"secret":"hush","scope":"u"}', "bad_json"),
    "Latin-1": ('{"secret":"hush\xe9","scope":"u"}'.encode("latin-1"), "bad_json"),
    "half of a pair as UTF-8": (b'{"secret":"hush\xed\xa0\x80","scope":"u"}', "bad_json"),
    "NaN": (b'{"secret":NaN,"scope":"hush"}', "bad_json"),
    "a name twice": (b'{"secret":"hush","secret":"hush-flu","scope":"u"}', "bad_json"),
    "deep": (DEEP, "bad_json"),
    "deep within": (b'{"secret":' + DEEP, "bad_json"),
    "a huge number": (b'{"secret":' + b"9" * 10_000 + b',"scope":"hush"}', "bad_json"),
    "a list": ([GOOD], "bad_request"),
    "no scope": ({"secret": "hush"}, "bad_request"),
    "another field": ({**GOOD, "hush": 1}, "bad_request"),
    "true": ({**GOOD, "secret": True}, "bad_request"),
    "a fraction": ({**GOOD, "secret": 1.0}, "bad_request"),
    "null": ({**GOOD, "secret": None}, "bad_request"),
    "a list of secrets": ({**GOOD, "secret": ["hush"]}, "bad_request"),
    "a scope that is a number": ({**GOOD, "scope": 17}, "bad_request"),
    "an empty scope": ({**GOOD, "scope": ""}, "bad_scope"),
    "a blank scope": ({**GOOD, "scope": "\u200b "}, "bad_scope"),
    "a scope of half a pair": ({**GOOD, "scope": "hush\ud800"}, "bad_scope"),
    "an unknown secret": ({**GOOD, "secret": "hush"}, "unknown_secret"),
    "half of a pair": ({**GOOD, "secret": "hush\ud800"}, "unknown_secret"),
    "a number that is too large": ({**GOOD, "secret": 2**70}, "unknown_secret"),
    "a pending secret": ({**GOOD, "secret": "hush-new"}, "pending_secret"),
    "an unknown lineage": ({**GOOD, "lineage": "hush"}, "unknown_lineage"),
}


@pytest.mark.parametrize(("body", "code"), BODIES.values(), ids=BODIES)
def test_bodies(guarded, body, code):
    refused(guarded(), code, "/draw", body)


@pytest.mark.parametrize(("body", "code"), list(BODIES.values())[12:], ids=list(BODIES)[12:])
def test_batches(guarded, body, code):
    """All or nothing, and the error says which one it is."""
    error, _ = refused(guarded(), code, "/draws", {"draws": [GOOD, body]})
    assert error["at"] == 1


def test_large_things(guarded):
    guard = guarded(limits=RequestLimits(body=1 << 17))
    refused(guard, "too_large", "/draws", {"draws": [GOOD] * (BATCH + 1)})
    refused(guard, "too_large", "/walks", {"states": ["home"] * (STEPS + 1), "scope": "u"})
    refused(guard, "too_large", "/walks", {"states": [], "scope": "u"})
    _, headers = refused(guard, "too_large", "/draw", b"x" * (1 << 18))
    assert headers[b"connection"] == b"close"
    length = (b"content-length", b"10")  # which is not true
    refused(guard, "too_large", "/draw", b"", headers=[TYPED, length], pieces=[b"x" * 70_000] * 2)


REQUESTS = {
    "another path": ("/hush", None, {}, "not_found"),
    "a path with dots": ("/../plan", None, {}, "not_found"),
    "two slashes": ("//plan", None, {}, "not_found"),
    "a slash at the end": ("/plan/", None, {}, "not_found"),
    "the whole address": ("http://localhost/plan", None, {}, "not_found"),
    "another method": ("/draw", None, {}, "method_not_allowed"),
    "HEAD": ("/plan", None, {"method": "HEAD"}, "method_not_allowed"),
    "a query": ("/plan?secret=hush", None, {}, "bad_request"),
    "a body for GET": ("/plan", b"hush", {"method": "GET"}, "too_large"),
    "no type": ("/draw", GOOD, {"headers": [(b"content-length", b"9")]}, "not_json"),
    "a form": ("/draw", GOOD, {"headers": [(b"content-type", b"text/plain"), (b"content-length", b"9")]}, "not_json"),
    "no length": ("/draw", GOOD, {"headers": [TYPED]}, "length_required"),
    "chunks": ("/draw", GOOD, {"headers": [TYPED, (b"transfer-encoding", b"chunked")]}, "length_required"),
    "chunks and a length": (
        "/draw",
        GOOD,
        {"headers": [TYPED, (b"transfer-encoding", b"chunked"), (b"content-length", b"4")]},
        "length_required",
    ),
    "two lengths": (
        "/draw",
        GOOD,
        {"headers": [TYPED, (b"content-length", b"4"), (b"content-length", b"5")]},
        "bad_request",
    ),
}


@pytest.mark.parametrize(("target", "body", "more", "code"), REQUESTS.values(), ids=REQUESTS)
def test_requests(guarded, target, body, more, code):
    """Refused before the body is read, so that the connection ends."""
    _, headers = refused(guarded(), code, target, body, **more)
    assert headers[b"connection"] == b"close"


def test_tokens(guarded):
    """The right one, once, and nothing near it; health needs none."""
    token = b"hush" * 8
    guard = guarded(token=hash_token(token))
    given = {"headers": [(b"authorization", b"Bearer " + token)]}
    assert call(guard, "/plan", **given)[0] == 200
    assert call(guard, "/healthz")[0] == 200
    for value in (b"", token, b"Basic " + token, b"Bearer", b"Bearer " + token[:-1], b"Bearer " + token + b"h"):
        _, headers = refused(guard, "unauthorized", "/plan", headers=[(b"authorization", value)])
        assert headers[b"www-authenticate"] == b"Bearer"
    refused(guard, "unauthorized", "/plan")
    refused(guard, "unauthorized", "/nothing")
    refused(guard, "bad_request", "/plan", headers=given["headers"] * 2)


def test_hosts(guarded):
    """A page whose name leads to this machine is another host."""
    guard = guarded(hosts=frozenset([b"localhost:1"]))
    refused(guard, "wrong_host", "/plan")
    guard = guarded(hosts=frozenset([b"localhost"]))
    assert call(guard, "/plan")[0] == 200
    refused(guard, "bad_request", "/plan", headers=[(b"host", b"hush.example")])


def test_an_error_of_ours_is_counted_and_not_told(guarded, table, capfd):
    """Whatever it says may be a secret."""
    guard = guarded()

    async def broken(*_):
        raise RuntimeError("hush")

    guard.application.draw = broken
    refused(guard, "internal", "/draw", GOOD)
    assert table.total("internal_errors") == 1
    assert capfd.readouterr() == ("", "")


def test_too_many_at_a_time(guarded):
    """So many wait for a tick, one more is told when to come again."""
    guard = guarded(every=0.02, limits=RequestLimits(requests=3))

    async def together():
        return await asyncio.gather(*(asyncio.to_thread(lambda: None), *(_one(guard) for _ in range(5))))

    statuses = [sent[0]["status"] for sent in asyncio.run(together())[1:]]
    assert sorted(statuses) == [200, 200, 200, 503, 503]
    assert guard._asked == 0


async def _one(guard):
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/plan", "raw_path": b"/plan", "query_string": b""}
    await guard({**scope, "headers": [(b"host", b"localhost")]}, receive, send)
    if sent[0]["status"] == 503:
        assert (b"retry-after", b"1") in sent[0]["headers"]
    return sent


def test_answers_leave_at_ticks(guarded):
    """However long they took: the loop's clock is at a multiple, and a little more, when they are sent."""
    every = 0.02
    guard = guarded(every=every)
    left = []

    async def timed():
        loop = asyncio.get_running_loop()

        async def send(_):
            left.append(loop.time() % every)

        for _ in range(5):
            await asyncio.sleep(0.007)
            sent = await _one_by(guard, send)
        return sent

    asyncio.run(timed())
    assert sorted(left)[len(left) // 2] < every / 2


async def _one_by(guard, send):
    scope = {"type": "http", "method": "GET", "path": "/plan", "raw_path": b"/plan", "query_string": b""}

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    await guard({**scope, "headers": [(b"host", b"localhost")]}, receive, send)


def test_the_log_holds_no_word_of_a_request(guarded, capfd):
    """Time, method, path, status and duration of known paths."""
    guard = guarded(access_log=True)
    call(guard, "/draw", GOOD)
    call(guard, "/hush?secret=hush", {"secret": "hush"}, method="HUSH")
    out, err = capfd.readouterr()
    assert out == ""
    first, second = err.splitlines()
    assert first.split()[1:4] == ["POST", "/draw", "200"]
    assert second.split()[1:4] == ["-", "other", "404"]
    assert "hush" not in err


JUNK = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(["/draw", "/draws", "/walks", "/pad"]), JUNK | st.binary(max_size=40))
def test_nothing_breaks_it(shared, target, body):
    """Whatever is sent is an answer, or refused with a code that is not ours to answer for."""
    status, _, text = call(shared, target, body if isinstance(body, bytes) else json.dumps(body).encode())
    assert status in (200, 400, 413, 422)
    assert status == 200 or json.loads(text)["error"]["code"] in CODES
