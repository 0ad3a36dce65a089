"""The page "from another language": its programs run as they stand, and print the set that `minleak draw` prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.report.browser import Browser, find_chromium
from tests.runtimes.test_runtimes import ROOT, Quiet

import minleak as ml

PAGE = (ROOT.parent / "docs" / "howto" / "other_languages.md").read_text()
KEY = bytes(range(32))  # that of the page in a browser


def program(language):
    """The one program in this language."""
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables, a key, and what must be shown."""
    folder = tmp_path_factory.mktemp("words")
    plan = ml.design(ml.read_prior(ROOT.parent / "examples" / "data" / "words.csv"), 8)
    ml.Key(KEY).save(folder / "words.key")
    ml.export(plan, folder / "words.json")
    ml.export(plan, folder / "words.sqlite")
    (folder / "expected").write_text("\t".join(ml.Cloak(plan, key=KEY).draw("river", scope="user-17")))
    return folder


def check(folder, *command, **env):
    done = subprocess.run(command, cwd=folder, env=os.environ | env, capture_output=True, text=True)
    assert done.stdout.strip() == (folder / "expected").read_text(), done.stderr


def test_python(folder):
    (folder / "draw.py").write_text(program("python"))
    check(folder, sys.executable, "-S", "draw.py", PYTHONPATH=str(ROOT / "python"), PYTHONDONTWRITEBYTECODE="1")


@pytest.mark.skipif(not shutil.which("node"), reason="node is not on the path")
def test_node(folder):
    (folder / "draw.mjs").write_text(program("js"))
    shutil.copytree(ROOT / "javascript", folder / "node_modules" / "minleak-draw")  # as npm install does
    check(folder, "node", "draw.mjs")


@pytest.mark.skipif(not shutil.which("go"), reason="go is not on the path")
def test_go(folder):
    (folder / "main.go").write_text(program("go"))
    (folder / "go.mod").write_text("module words\n\ngo 1.19\n")
    edit = re.search(r"`(go mod edit [^`]*)`", PAGE)[1].replace("../runtimes/go", str(ROOT / "go"))
    subprocess.run(edit.split(), cwd=folder, check=True)
    check(folder, "go", "run", "main.go", GOPROXY="off", GOFLAGS="-mod=mod")


@pytest.mark.skipif(not find_chromium(), reason="no browser is on the path")
def test_browser(folder, tmp_path):
    (folder / "page.html").write_text(f"<!doctype html><meta charset=utf-8><body>{program('html')}")
    shutil.copy(ROOT / "javascript" / "minleak-draw.js", folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Browser(str(find_chromium()), Path(tmp_path)) as browser:
            browser.call("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/page.html")
            wait = "new Promise(done => { const look = () => document.body?.textContent.includes('\\t') ? "
            wait += "done(document.body.textContent) : setTimeout(look, 50); look(); })"
            found = browser.call("Runtime.evaluate", expression=wait, awaitPromise=True, returnByValue=True)
        server.shutdown()
    assert found["result"]["value"] == (folder / "expected").read_text()
