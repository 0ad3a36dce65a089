"""replacing: whole or not at all, for files and for folders."""

from __future__ import annotations

import os

import pytest

from minleak._data.writing import replacing


def test_a_file_takes_its_name_at_the_end(tmp_path):
    (tmp_path / "x").write_text("old")
    with replacing(tmp_path / "x") as name:
        with open(name, "x") as file:
            file.write("new")
        assert (tmp_path / "x").read_text() == "old"
    assert os.listdir(tmp_path) == ["x"]
    assert (tmp_path / "x").read_text() == "new"


def fail_midway(path, folder):
    with replacing(path) as name:
        if folder:
            os.mkdir(name)
        with open(os.path.join(name, "part") if folder else name, "x") as file:
            file.write("half")
        raise ValueError("midway")


@pytest.mark.parametrize("folder", [False, True])
def test_nothing_is_left_of_what_failed(tmp_path, folder):
    with pytest.raises(ValueError, match="midway"):
        fail_midway(tmp_path / "x", folder)
    assert os.listdir(tmp_path) == []


def test_a_folder_takes_its_name_at_the_end(tmp_path):
    with replacing(tmp_path / "x") as name:
        os.mkdir(name)
    assert os.listdir(tmp_path) == ["x"]
