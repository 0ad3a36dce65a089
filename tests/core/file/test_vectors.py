"""Arrow and numpy share memory without pandas."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from minleak.core._file.format import to_arrow


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "uint64", "float64"])
def test_a_vector_becomes_arrows(kind):
    given = np.arange(5, dtype=kind)
    made = to_arrow(given)
    made.validate(full=True)
    assert made.to_pylist() == given.tolist()
    assert np.shares_memory(given, np.frombuffer(made.buffers()[1], dtype=kind))


def test_every_other_entry():
    assert to_arrow(np.arange(6)[::2]).to_pylist() == [0, 2, 4]


def test_a_design_from_file_to_file_leaves_pandas_alone(tmp_path):
    """It takes longer to load than all else together where priors are small."""
    (tmp_path / "x.csv").write_text("secret,count\na,3\nb,2\nc,1\n")
    program = (
        "import sys, minleak as ml\n"
        "ml.design(ml.read_prior('x.csv'), 2).save('x.cloak')\n"
        "ml.Cloak('x.cloak').draw_fresh('a')\n"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False).returncode == 0
