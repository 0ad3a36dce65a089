"""Where compiled kernels are kept: in no folder that the current folder or somebody else decides about."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import minleak
from minleak.core import _compiling as compiling

CALL = """
import numpy as np
from minleak.groups import _grouping as grouping
print(grouping.sum_groups(np.array([3, 1]), np.array([0, 1]), 2)[0][1])
"""
CACHES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME")


def call(folder, source=None, **environment):
    """What a new process in that folder answers that calls a kernel, with these variables and no other folders."""
    known = {name: value for name, value in os.environ.items() if name not in CACHES}
    known |= {"PYTHONPATH": os.fspath(source or Path(minleak.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", CALL]
    return subprocess.run(command, cwd=folder, env=known | environment, capture_output=True, text=True, check=False)


@pytest.fixture
def sealed(tmp_path):
    """The package where no cache can be written beside the sources, whoever runs it."""
    copy = tmp_path / "sealed" / "minleak"
    shutil.copytree(Path(minleak.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in {path.parent for path in copy.rglob("*.py")}:
        (folder / "__pycache__").touch()
    return copy.parent


class _Runs:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_settings_and_a_cache_planted_in_the_current_folder_are_not_used(tmp_path, sealed):
    """A pickle there would run what its author likes, and a trace would overwrite any file."""
    pytest.importorskip("yaml")
    planted, mine = tmp_path / "planted", tmp_path / "mine"
    mine.mkdir(mode=0o700)
    assert call(tmp_path, sealed, NUMBA_CACHE_DIR=os.fspath(planted)).stdout == "1\n"
    indexes = list(planted.rglob("*.nbi"))
    assert indexes
    for index in indexes:
        index.write_bytes(pickle.dumps(_Runs(os.fspath(tmp_path / "ran"))))
    trace = tmp_path / "trace.json"
    (tmp_path / ".numba_config.yaml").write_text(f"cache_dir: {planted}\nchrome_trace: {trace}\n")
    found = call(tmp_path, sealed, XDG_CACHE_HOME=os.fspath(mine))
    assert (found.stdout, found.stderr) == ("1\n", "")
    assert not (tmp_path / "ran").exists()
    assert not trace.exists()
    assert list(mine.rglob("*.nbi"))


def test_where_no_cache_can_be_written_kernels_are_compiled_anew(tmp_path, sealed):
    """A service that may write neither to its installation nor to a home."""
    found = call(tmp_path, sealed, HOME="/dev/null", NUMBA_CACHE_DIR="/dev/null/cache")
    assert (found.stdout, found.stderr, found.returncode) == ("1\n", "", 0)
    assert [path.name for path in tmp_path.iterdir()] == ["sealed"]


def test_a_cache_folder_that_the_environment_names_is_used(tmp_path, sealed):
    cache = tmp_path / "cache"
    assert call(tmp_path, sealed, HOME="/dev/null", NUMBA_CACHE_DIR=os.fspath(cache)).stdout == "1\n"
    assert list(cache.rglob("*grouping*.nbi"))


def test_a_cache_of_the_user_is_used_only_if_nobody_else_can_write_there(tmp_path, monkeypatch):
    monkeypatch.setattr(compiling, "__file__", "/dev/null/compiling.py")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    caches = tmp_path / "caches"
    caches.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(caches))
    own = os.fspath(caches / "minleak")
    assert compiling._cache_folder() == own
    assert os.stat(own).st_mode & 0o777 == 0o700
    os.chmod(own, 0o770)
    assert compiling._cache_folder() is None
    os.chmod(own, 0o700)
    os.chmod(caches, 0o777)
    assert compiling._cache_folder() is None
    os.chmod(caches, 0o1777)
    assert compiling._cache_folder() == own
    if os.geteuid() == 0:
        os.chown(own, 12345, 12345)
        assert compiling._cache_folder() is None
        os.chown(own, 0, 0)
        os.chmod(caches, 0o700)
        os.rmdir(own)
        os.chown(caches, 12345, 12345)  # as for root with the home of a user
        assert compiling._cache_folder() is None
        assert not os.path.exists(own)


def test_a_user_without_a_home_has_no_cache_in_the_current_folder(tmp_path, monkeypatch):
    """~ stays as it is for a user id that the system does not know, and would name a folder here."""
    monkeypatch.setattr(compiling, "__file__", "/dev/null/compiling.py")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    assert compiling._cache_folder() is None
    assert list(tmp_path.iterdir()) == []
