"""What the paths answer: the sets that the library draws, tracks, paddings, facts without labels."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from pathlib import Path

import jsonschema
import pytest
from openapi_spec_validator import validate
from tests.plans import KEY
from tests.serve.conftest import CHAIN, COUNTS, numbered_plan, older_plan
from tests.serve.running import call

import minleak as ml
from minleak.serve import _messages as messages
from minleak.serve._application import ENDPOINTS
from minleak.serve._metrics import COUNTS as COUNTED
from minleak.serve._openapi import describe
from minleak.serve._problems import CODES

OLDER, NUMBERED = older_plan(), numbered_plan()


def said(guard, target, body=None, expected=200):
    status, headers, text = call(guard, target, body)
    assert status == expected, text
    assert headers[b"content-type"] == b"application/json"
    return json.loads(text)


def checked(guard, target, body=None):
    """An answer that is as the description says."""
    one = next(one for one in ENDPOINTS if one.path == target)
    found = said(guard, target, body)
    described = describe(ENDPOINTS, "1")
    schema = {"$ref": f"#/components/schemas/{one.answer.__name__}", "components": described["components"]}
    jsonschema.Draft202012Validator(schema).validate(found)
    if body is not None:
        schema["$ref"] = f"#/components/schemas/{one.request.__name__}"
        jsonschema.Draft202012Validator(schema).validate(body)
    return found


def test_draws_are_the_library_s(guarded):
    """By each lineage, one by one and in a batch in any order."""
    guard, cloak = guarded(), ml.Cloak([OLDER, NUMBERED], key=KEY)
    asked = [{"secret": x, "scope": f"u{i}", "lineage": OLDER.lineage.hex()} for x in COUNTS for i in range(3)]
    asked += [{"secret": x, "scope": f"u{i}"} for x in (7, 8, 9) for i in range(3)]
    drawn = [checked(guard, "/draw", one) for one in asked]
    for one, found in zip(asked, drawn, strict=True):
        lineage = bytes.fromhex(found["lineage"])
        assert lineage == (OLDER.lineage if "lineage" in one else NUMBERED.lineage)
        members = cloak.draw(one["secret"], scope=one["scope"], lineage=lineage)
        assert found["members"] == [str(x) if x == 2**60 else x for x in members]
    for order in (asked, asked[::-1], asked[::2] + asked[1::2]):
        sets = checked(guard, "/draws", {"draws": order})["sets"]
        assert sets == [drawn[asked.index(one)] for one in order]
    assert said(guard, "/draws", {"draws": []}) == {"sets": []}


def test_large_numbers_are_text(guarded):
    """They would be rounded by other languages, and come as text too."""
    guard = guarded()
    found = said(guard, "/draw", {"secret": str(2**60), "scope": "u"})
    assert found == said(guard, "/draw", {"secret": 2**60, "scope": "u"})
    assert str(2**60) in found["members"]
    assert said(guard, "/draw", {"secret": "7", "scope": "u"}) == said(guard, "/draw", {"secret": 7, "scope": "u"})


def test_walks_go_on_where_they_were(guarded):
    """In one request or in several, by what was saved, as the library does."""
    guard, walk = guarded(), ["home", "work", "home", "shop"]
    whole = checked(guard, "/walks", {"states": walk, "scope": "ann"})
    expected = ml.lab.sequences.Tracks(CHAIN, 2, key=KEY).draw(walk, scope="ann")
    assert list(map(tuple, whole["steps"])) == expected
    first = said(guard, "/walks", {"states": walk[:2], "scope": "ann"})
    rest = checked(guard, "/walks", {"states": walk[2:], "scope": "ann", "saved": first["saved"]})
    assert first["steps"] + rest["steps"] == whole["steps"]
    stolen = said(guard, "/walks", {"states": ["home"], "scope": "bob", "saved": first["saved"]}, 422)
    assert stolen["error"]["code"] == "refused"
    unknown = said(guard, "/walks", {"states": ["home", "moon"], "scope": "ann"}, 422)["error"]
    assert (unknown["code"], unknown["at"]) == ("unknown_secret", 1)


def test_sizes_are_padded(guarded):
    guard = guarded()
    assert [checked(guard, "/pad", {"size": size})["padded"] for size in (0, 10, 10.5, 40)] == [10, 10, 21, 40]
    assert said(guard, "/pad", {"size": 41}, 422)["error"]["code"] == "refused"
    assert said(guard, "/pad", {"size": -1}, 422)["error"]["code"] == "refused"


def test_facts_hold_no_label(guarded):
    """/plan tells what the plans are, and /metrics what was counted; neither names a secret, a scope or the key."""
    guard = guarded()
    said(guard, "/draw", {"secret": "hush-none", "scope": "hush-ann", "lineage": OLDER.lineage.hex()}, 422)
    said(guard, "/draw", {"secret": "hush-new", "scope": "hush-ann", "lineage": OLDER.lineage.hex()}, 422)
    found = checked(guard, "/plan")
    older, newer = found["plans"]
    assert (older["k"], older["version"], older["pending"], len(older["parts"])) == (2, 2, 1, 1)
    assert older["leakage"]["min-entropy"] == pytest.approx(OLDER.leakage("min-entropy"))
    assert (older["lineage"], newer["digest"]) == (OLDER.lineage.hex(), NUMBERED.digest.hex())
    _, _, metrics = call(guard, "/metrics")
    for text in (json.dumps(found), metrics.decode()):
        assert "hush" not in text
        assert KEY.reveal().hex() not in text
    lines = metrics.decode().splitlines()
    assert "minleak_unknown_secrets_total 1.0" in lines
    assert "minleak_pending_secrets_total 1.0" in lines
    assert 'minleak_requests_total{path="/draw",status="422"} 2.0' in lines
    assert f'minleak_plan_version{{lineage="{OLDER.lineage.hex()}"}} 2.0' in lines
    assert all(f"minleak_{name}_total" in metrics.decode() for name in COUNTED)


def test_the_description_is_openapi_and_complete(guarded):
    """Valid by the specification, with every path and every message."""
    described = said(guarded(), "/openapi.json")
    validate(described)
    assert set(described["paths"]) == {one.path for one in ENDPOINTS}
    known = {name for name, one in vars(messages).items() if is_dataclass(one) and one.__module__ == messages.__name__}
    assert set(described["components"]["schemas"]) == known | {"Error"}


def test_health(guarded):
    """A process that retires is alive and not ready, and ends its connections."""
    guard = guarded(token=bytes(32))
    assert checked(guard, "/healthz") == checked(guard, "/readyz") == {"status": "ok"}
    guard.application.retiring = True
    assert said(guard, "/healthz") == {"status": "ok"}
    assert said(guard, "/readyz", None, 503)["error"]["code"] == "busy"
    assert call(guard, "/healthz")[1][b"connection"] == b"close"


def test_every_code_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "howto" / "service.md").read_text()
    assert all(f"`{code}`" in page for code in CODES)
