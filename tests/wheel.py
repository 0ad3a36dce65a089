"""Build the sdist, the wheel from it, and try the wheel in clean environments, two at a time.

One environment for each Python from 3.11 on that is found here, with the wheel's own dependencies and none of the
extras: what is tested is that the package is whole and that nothing of it needs more than it says. On every Python all
public names are imported and the README's examples run, from the sdist. The newest one, which differs most from the
Python of the other tests, also runs the tests of a whole room.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import environment

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "wheel"
VERSIONS = ("3.11", "3.12", "3.13")
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "mpmath")
ROOM = "tests/core/draw"
NAMES = """
import importlib, pkgutil, minleak
spaces = [space.name for space in pkgutil.iter_modules(minleak.__path__) if not space.name.startswith("_")]
for space in (minleak, *(importlib.import_module(f"minleak.{name}") for name in spaces if name != "testing")):
    for name in getattr(space, "__all__", ()):
        getattr(space, name)
"""


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


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    subprocess.run([str(part) for part in command], cwd=cwd, env=env, check=True)


def unpack(sdist: Path) -> Path:
    """The folder of an sdist without the package, which would be found there otherwise."""
    with tarfile.open(sdist) as archive:
        archive.extractall(BUILD / "sdist", filter="data")
    [source] = (BUILD / "sdist").iterdir()
    shutil.rmtree(source / "src")
    return source


def main() -> None:
    shutil.rmtree(BUILD, ignore_errors=True)
    given, env = (("--installer", "uv"), environment.settings()) if environment.uv() else ((), None)
    run(sys.executable, "-m", "build", *given, "--outdir", BUILD, ".", env=env)  # the wheel is built from the sdist
    [wheel], [sdist] = BUILD.glob("*.whl"), BUILD.glob("*.tar.gz")
    source, found = unpack(sdist), pythons()
    run(sys.executable, "-m", "build", *given, "--outdir", BUILD / "draw", source / "runtimes" / "python", env=env)
    [runtime] = (BUILD / "draw").glob("*.whl")
    (source / "runtimes" / "python" / "minleak_draw.py").unlink()  # its tests try the wheel

    def trial(version: str) -> None:
        newest = version == max(found)
        made = BUILD / f"python{version}"
        environment.install(made, wheel, runtime, *(TOOLS if newest else ()), python=found[version])
        run(made / "bin" / "python", "-c", NAMES, cwd=source)
        run(made / "bin" / "python", "-m", "doctest", "README.md", cwd=source)
        run(made / "bin" / "minleak", "--version")
        run(made / "bin" / "python", "-m", "unittest", "--quiet", cwd=source / "runtimes" / "python")
        if newest:
            run(made / "bin" / "python", "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", ROOM, cwd=source)
        print(f"the wheel works on Python {version}", flush=True)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(trial, sorted(found, reverse=True)))


if __name__ == "__main__":
    main()
