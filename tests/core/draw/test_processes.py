"""Threads, forks and other processes: sticky draws are the same everywhere, fresh ones are nobody else's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare
from tests.cases import LAYOUTS
from tests.plans import DISEASES, EIGHT, ERROR_RATE, KEY, diseases, row_of, zipf

import minleak as ml


def run(script, *arguments, **environment):
    """What a script prints as JSON, in a process of its own in which a warning is an error."""
    command = [sys.executable, "-W", "error", "-c", script, *map(os.fspath, arguments)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    assert (shown.returncode, shown.stderr) == (0, "")
    return json.loads(shown.stdout)


ELSEWHERE = """
import json, sys
import minleak as ml
layout, path, key = sys.argv[1:]
names = ["flu", "cold", "gout", "mumps", "rabies"]
plan = ml.design(ml.Prior([5, 3, 2, 2, 0], labels=names), 2, layout=layout)
cloaks = [ml.Cloak(plan, key=key), ml.Cloak(path, key=key)]
print(json.dumps([[[c.draw(name, scope=f"user-{i}") for name in names] for i in range(50)] for c in cloaks]))
"""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sticky_draws_in_another_process(tmp_path, layout):
    """The same, whether it loads the file or designs the plan anew, whatever its hashes begin with."""
    diseases(layout).save(tmp_path / "plan.cloak")
    KEY.save(tmp_path / "key")
    cloak = ml.Cloak(diseases(layout), key=KEY)
    expected = [[list(cloak.draw(name, scope=f"user-{i}")) for name in DISEASES] for i in range(50)]
    seed = {"circle": "1", "stable": "2"}[layout]
    shown = run(ELSEWHERE, layout, tmp_path / "plan.cloak", tmp_path / "key", PYTHONHASHSEED=seed)
    assert shown == [expected, expected]


@pytest.mark.parametrize("size", [1, 100, 20_000])
def test_sticky_draws_from_many_threads(size):
    """Are those drawn one after the other, be they few or so many that each call has threads of its own."""
    cloak = ml.Cloak(zipf(), key=KEY)
    batches = [(np.arange(i, i + size) % 2000, [f"user-{i}"] * size) for i in range(16)]
    expected = [cloak.draw_many(secrets, scopes=scopes) for secrets, scopes in batches]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda batch: cloak.draw_many(batch[0], scopes=batch[1]), batches * 3))
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(found, expected * 3, strict=True))


def assert_independent(first, second, row):
    """Pairs of draws of one secret come as often as the square of its row of the channel says."""
    seen = Counter(zip(map(tuple, first), map(tuple, second), strict=True))
    expected = {(a, b): len(first) * float(p * q) for a, p in row.items() for b, q in row.items()}
    assert seen.keys() <= expected.keys()
    assert chisquare([seen[pair] for pair in expected], list(expected.values())).pvalue > ERROR_RATE


def test_fresh_draws_from_many_threads():
    """No thread repeats another's draws; independent threads fail with probability 1e-6 for each pair."""
    cloak = ml.Cloak(EIGHT)
    row = row_of(EIGHT.channel(exact=True), 7)
    with ThreadPoolExecutor(4) as pool:
        batches = list(pool.map(lambda _: cloak.draw_many([7] * 10_000, fresh=True).tolist(), range(4)))
    for i, first in enumerate(batches):
        for second in batches[:i]:
            assert_independent(first, second, row)


# The parent has drawn, with threads, before it forks; the children draw, index labels and save.
FORKING = """
import json, os, sys
import numpy as np
import minleak as ml
path, key = sys.argv[1:]
plan = ml.load(path)
cloak = ml.Cloak(plan, key=key)
secrets, scopes = np.full(20_000, 7), [f"user-{i}" for i in range(20_000)]
named = ml.design(ml.Prior(range(1, 9), labels=list("abcdefgh")), 3, layout="circle")
before = cloak.draw_many(secrets, scopes=scopes)
cloak.draw_many(secrets, fresh=True)
ml.Cloak(named)

def drawn():
    few = [list(cloak.draw_fresh(7)) for _ in range(100)]
    many = cloak.draw_many(secrets, fresh=True).tolist()
    same = bool(np.array_equal(before, cloak.draw_many(secrets, scopes=scopes)))
    found = ml.Cloak(named).positions(list("abcdefgh")).tolist()
    named.save(f"{path}-{os.getpid()}")
    return [few, many, same, found, ml.load(f"{path}-{os.getpid()}").digest.hex()]

children = []
for _ in range(2):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        with open(writing, "w") as file:
            json.dump(drawn(), file)
        os._exit(0)
    os.close(writing)
    children.append((pid, open(reading)))
results = [drawn()]
for pid, file in children:
    results.append(json.load(file))
    file.close()
    os.waitpid(pid, 0)
print(json.dumps(results))
"""


def test_forks(tmp_path):
    """Two children and their parent: fresh draws are independent (a right cloak fails with probability 1e-6 for each
    pair), sticky ones the same, and labels are indexed and files saved as ever.
    """
    EIGHT.save(tmp_path / "plan.cloak")
    KEY.save(tmp_path / "key")
    results = run(FORKING, tmp_path / "plan.cloak", tmp_path / "key")
    row = row_of(EIGHT.channel(exact=True), 7)
    for i, (few, many, same, found, _) in enumerate(results):
        assert same
        assert found == list(range(8))
        for other_few, other_many, *_ in results[:i]:
            assert few != other_few
            assert_independent(many, other_many, row)
    assert len({digest for *_, digest in results}) == 1


# One process saves two plans in turn, the other loads whatever is there, and recomputes its digest from its parts.
REPLACING = """
import json, os, sys
from dataclasses import fields
import minleak as ml
from minleak.errors import InvalidCloak

path, first, second = sys.argv[1:]
plans = [ml.load(first), ml.load(second)]
plans[0].save(path)
pid = os.fork()
if pid == 0:
    for _ in range(150):
        for plan in plans:
            plan.save(path)
    os._exit(0)
seen, running = {}, True
while running:
    running = os.waitpid(pid, os.WNOHANG) == (0, 0)
    try:
        loaded = ml.load(path, mapped=len(seen) % 2 == 0)
        plan = ml.Plan(**{field.name: getattr(loaded, field.name) for field in fields(ml.Plan)})
        outcome = [p.digest for p in plans].index(plan.digest)
    except InvalidCloak as error:
        outcome = str(error).replace(path, "it")
    seen[str(outcome)] = seen.get(str(outcome), 0) + 1
print(json.dumps(seen))
"""


def test_loading_while_another_process_replaces_the_file(tmp_path):
    """Gives the old plan, the new one, or an error that says so; never a mixture."""
    ml.design(ml.Prior(range(1, 500), labels=pa.array([f"a{i}" for i in range(1, 500)])), 4).save(tmp_path / "first")
    ml.design(ml.Prior(range(2, 501), labels=pa.array([f"b{i}" for i in range(1, 500)])), 4).save(tmp_path / "second")
    seen = run(REPLACING, tmp_path / "plan.cloak", tmp_path / "first", tmp_path / "second")
    assert seen.keys() <= {"0", "1", "it was replaced while it was read: load it again"}
    assert seen.get("0", 0) + seen.get("1", 0) > 0
