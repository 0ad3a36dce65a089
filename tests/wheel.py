"""Build the sdist, the wheel from it, and run tests of the sdist against the wheel in clean environments.

One environment for each Python from 3.11 on that is found here, with the wheel's own dependencies and the test tools,
but none of the extras: what is tested is that the package is whole and that nothing of it needs more than it says. The
newest Python, which differs most from the one of the other tests, runs all tests of several rooms; the others a few.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "wheel"
VERSIONS = ("3.11", "3.12", "3.13")
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "mpmath")
ROOMS = ("tests/data", "tests/run")
FEW = ("tests/data/test_reading.py", "tests/run/test_cloak.py", "tests/run/test_sticky.py")


def pythons() -> dict[str, str]:
    """The interpreters of these versions: this one, those on the path, and pyenv's."""
    found = {".".join(map(str, sys.version_info[:2])): sys.executable}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in VERSIONS:
        on_path = shutil.which(f"python{version}")
        for candidate in (*([on_path] if on_path else []), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))):
            shown = subprocess.run([candidate, "--version"], capture_output=True, text=True)
            if shown.returncode == 0 and shown.stdout.startswith(f"Python {version}."):
                found.setdefault(version, candidate)
    return {version: found[version] for version in VERSIONS if version in found}


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    subprocess.run([str(part) for part in command], cwd=cwd, check=True)


def main() -> None:
    shutil.rmtree(BUILD, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", BUILD, ".")  # the wheel is built from the sdist
    [wheel], [sdist] = BUILD.glob("*.whl"), BUILD.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(BUILD / "sdist", filter="data")
    [source] = (BUILD / "sdist").iterdir()
    shutil.rmtree(source / "src")  # or the tests would find the package there
    found = pythons()
    for version, python in found.items():
        environment = BUILD / f"python{version}"
        run(python, "-m", "venv", environment)
        inside = environment / "bin" / "python"
        run(inside, "-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel, *TOOLS)
        print(f"the wheel on Python {version}", flush=True)
        rooms = ROOMS if version == max(found) else FEW
        run(inside, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *rooms, cwd=source)
        run(environment / "bin" / "minleak", "--version")


if __name__ == "__main__":
    main()
