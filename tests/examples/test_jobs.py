"""The first jobs run in their short form, say something, and have a page that leads to them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
JOBS = sorted((ROOT / "examples" / "jobs").glob("*.py"))
LONGEST = 300  # seconds: far more than any takes, so that one that hangs is ended


def test_there_are_twelve():
    assert len(JOBS) == 12


@pytest.mark.parametrize("job", JOBS, ids=lambda path: path.stem)
def test_the_job_runs(job, tmp_path):
    """It ends well, prints what it found, and complains of nothing."""
    command = [sys.executable, str(job), "--short"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert done.stderr == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("job", JOBS, ids=lambda path: path.stem)
def test_a_page_leads_to_it(job):
    """The page that its docstring names is there, and the documentation names the job."""
    [page] = re.findall(r"What leads here: (docs/\S+\.md)", job.read_text())
    assert (ROOT / page).exists()
    assert f"examples/jobs/{job.name}" in (ROOT / "docs" / "howto" / "choose.md").read_text()
