"""Chains, walks, models and plans of every kind from anybody: refused in one line, or what they say that they are."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.file_mutants import KINDS

import minleak as ml
from minleak.errors import InvalidCloak, UnreadableFile

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("kind", KINDS)
def test_mutants(kind):
    """Some hundred of each kind, in a process of their own, which a crash would end; thousands were tried."""
    command = [sys.executable, "-m", "tests.file_mutants", kind, "200", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    results = Counter(ast.literal_eval(done.stdout.split(" ", 1)[1]))
    assert results["refused"] > 50
    assert sum(results.values()) == 200


def test_rows_of_a_chain_are_looked_at_before_they_are_followed(tmp_path):
    """Starts that leap beyond the arrays and come back ended the process. It is asked in one of its own."""
    path = tmp_path / "x.chain"
    ml.lab.sequences.Chain([1, 1, 1], np.ones((3, 3), dtype=int)).save(path)
    stored = dict(np.load(path))
    for indptr in ([0, 50_000_000, 3, 0], [0, 50_000_000, 3, 9], [0, 6, 3, 9], [1, 3, 6, 9], [0, 3, 6, 8], [0, 3, 9]):
        with open(path, "wb") as file:
            np.savez(file, **stored | {"indptr": np.array(indptr)})
        code = (
            f"import minleak as ml\ntry: ml.lab.sequences.Chain.load({str(path)!r})\n"
            "except ml.errors.MinleakError as error: print(error)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-500:]
        assert "is no chain file, or damaged" in done.stdout
    stored["indices"][0] = 3
    with open(path, "wb") as file:
        np.savez(file, **stored)
    with pytest.raises(UnreadableFile, match="is no chain file, or damaged"):
        ml.lab.sequences.Chain.load(path)


def test_a_damaged_model_is_refused_in_one_line(tmp_path):
    """A header that is cut, with a right checksum."""
    from tests.core.file.files import PREFIX, sealed

    path = tmp_path / "model"
    ml.strings.NGram.fit(["ab", "ba"]).save(path)
    content = path.read_bytes()
    for cut in range(PREFIX, len(content) // 2, 37):
        path.write_bytes(sealed(content[PREFIX:cut]))
        with pytest.raises(InvalidCloak, match=r"does not hold a|is damaged") as refused:
            ml.strings.NGram.load(path)
        assert "\n" not in str(refused.value)
