"""The readers in Python, JavaScript and Go: 10,000 hostile names, and damaged files, as the library has them."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from tests.lookups import vectors

import minleak as ml

ROOT = Path(__file__).parents[2] / "runtimes"
UNITTEST = "import sys, unittest; sys.path.insert(0, '.'); unittest.main('test_minleak_selector', argv=['-'])"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Vectors of a file with two layers and of 10,000 names: what is listed, and text of all of Unicode."""
    rng = random.Random(0)

    def odd():
        ranges = rng.choices([(0, 0x80), (0, 0xD800), (0xE000, 0x110000)], k=rng.randrange(10))
        return "".join(chr(rng.randrange(*points)) for points in ranges)

    names = dict.fromkeys([*vectors.ODD, *(odd() for _ in range(4000))])
    names |= dict.fromkeys(f"package-{i}" for i in range(10_000))
    names |= dict.fromkeys(unicodedata.normalize("NFD", name) for name in [*names][:1000])
    asked = [*names][:10_000]
    listed = rng.sample(asked, 6000)
    old = ml.selector(
        {name: 10**7 // (i + 1) for i, name in enumerate(listed[:5000])}, 20, prefix="sha256:9", listed=5000
    )
    made = old.add(dict.fromkeys(listed, 100), listed=1000)
    found = [[name, made.find(name)] for name in asked]
    assert len(asked) == 10_000
    assert 6000 <= sum(block is not None for _, block in found) < 7000
    data, damaged = made.data, []
    for i in range(300):
        at = rng.randrange(len(data))
        flipped = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        changed = [data[:at], flipped, data + data[:at]][i % 3]
        if changed not in (data, old.data):
            damaged.append({"name": f"damage {i}", "file": changed[:20_000].hex()})
    file = tmp_path_factory.mktemp("vectors") / "hostile.json"
    told = {"files": [{"name": "hostile", "file": data.hex(), "find": found}], "refused": damaged}
    file.write_text(json.dumps(told | {"unencodable": vectors.UNENCODABLE, "invalid": vectors.INVALID}))
    return file


def run(*command, folder, told=None):
    env = os.environ | {"GOFLAGS": "-count=1", "GOPROXY": "off", "GOTOOLCHAIN": "local", "NO_COLOR": "1"}
    env |= {} if told is None else {"MINLEAK_VECTORS": str(told)}
    ended = subprocess.run(command, cwd=ROOT / folder, env=env, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_python(hostile):
    for told in (None, hostile):
        run(sys.executable, "-I", "-S", "-B", "-c", UNITTEST, folder="python", told=told)


@pytest.mark.skipif(not shutil.which("node"), reason="node is not on the path")
def test_node(hostile):
    for told in (None, hostile):
        run("node", "--test", "selector.test.js", folder="javascript", told=told)


@pytest.mark.skipif(not shutil.which("go"), reason="go is not on the path")
def test_go(hostile):
    for told in (None, hostile):
        run("go", "test", "-run", "Selectors", ".", folder="go", told=told)


def test_the_readers_are_short():
    for reader in ("python/minleak_selector.py", "javascript/minleak-selector.js"):
        assert len((ROOT / reader).read_text().splitlines()) <= 40
