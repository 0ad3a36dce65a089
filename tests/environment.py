"""Make a virtual environment and install into it: with uv, or with pip where uv fails.

    python3 tests/environment.py .venv-dev --editable '.[dev]'

uv needs a third of pip's time. Its version stands in constraints.txt, and it is installed by pip into .venv-uv. It does
not read pip's configuration, so it is told what pip is configured with: indexes, links, certificates.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
BIN = ROOT / ".venv-uv" / "bin"


@cache
def uv() -> str | None:
    """The path of uv, installed first if it is not there; None where pip cannot install it."""
    [wanted] = re.findall(r"^uv==.*$", CONSTRAINTS.read_text(), re.MULTILINE)
    path = BIN / "uv"
    try:
        if not path.exists() or _shown(path, "--version").split()[1] != wanted.removeprefix("uv=="):
            _run(sys.executable, "-m", "venv", BIN.parent)
            _run(BIN / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted)
        _shown(path, "--version")
    except (OSError, subprocess.CalledProcessError):
        return None
    return str(path)


# What pip is configured with, the variable that tells uv the same, and what stands between several values in it.
TOLD = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", " "),
}


@cache
def settings() -> dict[str, str]:
    """The variables with which uv is found, and finds what pip finds; what is said to uv itself goes before."""
    configured: dict[str, str] = {}
    lines = _shown(BIN / "python", "-m", "pip", "config", "list").splitlines()
    for scope in ("global.", "install.", ":env:."):  # the later one wins
        given = (line.removeprefix(scope).split("=", 1) for line in lines if line.startswith(scope))
        configured |= {name: ast.literal_eval(value) for name, value in given}
    told = {
        variable: mark.join(configured[name].split()) for name, (variable, mark) in TOLD.items() if name in configured
    }
    told |= {"UV_INDEX_STRATEGY": "unsafe-best-match", **os.environ}  # as pip does, which takes the best of all indexes
    return told | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


def install(environment: Path, *what: str | Path, python: str = sys.executable) -> None:
    """Install these requirements, in the versions of constraints.txt, into an environment of this interpreter."""
    inside, given = environment / "bin" / "python", ("--quiet", "--constraint", CONSTRAINTS, *what)
    if (found := uv()) is not None:
        try:
            _run(python, "-m", "venv", "--without-pip", environment)
            _run(found, "pip", "install", "--python", inside, *given, env=settings())
            return
        except subprocess.CalledProcessError:
            print(f"uv did not install {environment.name}: now pip tries", flush=True)
    else:
        print(f"no uv here: pip installs {environment.name}", flush=True)
    _run(python, "-m", "venv", environment)
    _run(inside, "-m", "pip", "install", "--disable-pip-version-check", *given)


def _run(*command: str | Path, env: dict[str, str] | None = None) -> None:
    subprocess.run([str(part) for part in command], env=env, check=True)


def _shown(*command: str | Path) -> str:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    install(Path(sys.argv[1]), *sys.argv[2:])
