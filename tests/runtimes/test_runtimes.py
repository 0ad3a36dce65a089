"""The runtimes in other languages: each passes the vectors with its own tests, and draws what the library draws."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.core.draw import vectors
from tests.report.browser import NAMES, Browser, find_chromium

import minleak as ml
from minleak.errors import InvalidKey, InvalidParameter

ROOT = Path(__file__).parents[2] / "runtimes"
# Without site-packages: the standard library alone.
UNITTEST = "import sys, unittest; sys.path.insert(0, '.'); unittest.main('test_minleak_draw', argv=['-'])"
CHECK = """(async () => {
  const told = await (await fetch("/vectors.json")).json();
  return (await import("/javascript/vectors.js")).check(told);
})()"""
IN_WORKER = """new Promise((done, failed) => {
  const text = `import { check } from "${location.origin}/javascript/vectors.js";
    const told = await (await fetch("${location.origin}/vectors.json")).json();
    postMessage(await check(told));`;
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), { type: "module" });
  worker.onmessage = (event) => done(event.data);
  worker.onerror = (event) => failed(event.message);
})"""


def run(*command, folder):
    """The tests of a runtime, in its folder, which they leave as it was."""
    env = os.environ | {"GOFLAGS": "-count=1", "GOPROXY": "off", "GOTOOLCHAIN": "local", "NO_COLOR": "1"}
    ended = subprocess.run(command, cwd=ROOT / folder, env=env, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_python():
    run(sys.executable, "-I", "-S", "-B", "-c", UNITTEST, folder="python")


@pytest.mark.skipif(not shutil.which("node"), reason="node is not on the path")
def test_node():
    run("node", "--test", folder="javascript")


@pytest.mark.skipif(not shutil.which("go"), reason="go is not on the path")
def test_go():
    run("go", "vet", ".", folder="go")
    run("go", "test", ".", folder="go")


class Quiet(SimpleHTTPRequestHandler):
    """The files of a folder, on loopback."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript"}

    def log_message(self, *_):
        pass


@pytest.mark.skipif(not find_chromium(), reason=f"no browser: none of {', '.join(NAMES)} is on the path")
def test_browser(tmp_path):
    """On a page, and in a worker."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(ROOT))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Browser(str(find_chromium()), tmp_path) as browser:
            browser.call("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/spec.md")
            for way in (CHECK, IN_WORKER):
                found = browser.call("Runtime.evaluate", expression=way, awaitPromise=True, returnByValue=True)
                assert found["result"].get("value", 0) >= 1000, found
        server.shutdown()


# -- what the library exports ----------------------------------------------------------------------------------------


def load_runtime():
    """The module for Python, which is not installed here."""
    spec = importlib.util.spec_from_file_location("minleak_draw", ROOT / "python" / "minleak_draw.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", vectors.plans())
def test_every_format_is_the_same_table(name, tmp_path):
    """Drawn from .sqlite as by `Cloak`; and the header of every format says the same digest and lineage."""
    plan, draw = vectors.plans()[name][-1], load_runtime().Table
    key = vectors.HASH_KEY if name.startswith("hashed") else None
    told = ml.export(plan, tmp_path / "t.sqlite", hashed=key)
    table = draw(tmp_path / "t.sqlite", digest=told.digest, hash_key=key)
    cloak = ml.Cloak(plan, key=bytes(32))
    for label in plan.prior.labels:
        shown = table.draw(label, scope="u", key=bytes(32))
        assert table.draw(label, scope="u", key=bytes(32)) == shown
        assert key is not None or tuple(shown) == cloak.draw(label, scope="u")
    for ending in ("csv", "parquet", "json"):
        assert ml.export(plan, tmp_path / f"t.{ending}", hashed=key) == told
    metadata = json.loads(pq.read_schema(tmp_path / "t.parquet").metadata[b"minleak"])
    assert metadata["digest"] == told.digest
    assert json.dumps(metadata).replace('"', '""') in (tmp_path / "t.csv").read_text()
    rows = pq.read_table(tmp_path / "t.parquet")
    assert rows.drop(["secret"]) == plan.table().drop(["secret"])
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as database:
        header = dict(database.execute("select name, value from header where name <> 'blocks'"))
    assert header == metadata


def test_versions_agree(tmp_path):
    """What was listed is drawn alike from every later version; another lineage draws otherwise."""
    draw = load_runtime().Table
    versions = vectors.plans()["three versions of three parts"]
    tables = []
    for i, plan in enumerate(versions):
        ml.export(plan, tmp_path / f"{i}.json")
        tables.append(draw(tmp_path / f"{i}.json"))
    assert len({table.lineage for table in tables}) == 1
    assert [table.version for table in tables] == [1, 2, 3]
    for label in versions[0].prior.labels:
        assert len({tuple(table.draw(label, scope="u", key=bytes(32))) for table in tables}) == 1


def test_hashes_tell_no_label(tmp_path):
    """Nothing of a label is in any file; another key, other hashes and another lineage."""
    plan = ml.design({"hidden-a": 5, "hidden-b": 3, "hidden-c": 2}, k=2)
    seen = set()
    for key in (ml.Key(bytes(32)), bytes(range(32))):
        for ending in ("csv", "parquet", "json", "sqlite"):
            seen.add(ml.export(plan, tmp_path / f"t.{ending}", hashed=key).lineage)
            assert b"hidden" not in (tmp_path / f"t.{ending}").read_bytes()
    assert len(seen) == 2
    assert plan.lineage.hex() not in seen


def test_what_is_not_exported(tmp_path):
    plan = ml.design({"=1+1": 5, "b": 3, "c": 2}, k=2)
    with pytest.raises(InvalidParameter, match="a table is written as"):
        ml.export(plan, tmp_path / "t.xml")
    with pytest.raises(InvalidParameter, match="formulas"):
        ml.export(plan, tmp_path / "t.csv")
    ml.export(plan, tmp_path / "t.csv", raw_labels=True)
    with pytest.raises(InvalidKey, match="32 bytes"):
        ml.export(plan, tmp_path / "t.json", hashed=b"short")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t.csv"]
