"""How kernels are compiled, and where the compiled code is kept: in no folder that somebody else can write to.

numba stores compiled code as pickles, so whoever can write to that folder can run code in this process. The folder is
therefore chosen here and not by numba: the one that the environment variable NUMBA_CACHE_DIR names, else the one beside
the sources, which is trusted as they are, else the user's own cache. If none of them can be used, each process compiles
its kernels anew.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def _import_numba() -> Any:
    """Import numba without .numba_config.yaml of the current folder: it could name a folder of pickles to load and a
    file to overwrite. If numba is loaded already, its settings are those of the program that loaded it.
    """
    modules: dict[str, Any] = sys.modules
    if "numba" not in modules:
        yaml = {"yaml": modules.pop("yaml")} if "yaml" in modules else {}
        modules["yaml"] = None  # numba reads the file only if it can import this
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # numba's, that the file needs a package
                import numba.core.config
        finally:
            del modules["yaml"]
            modules.update(yaml)
        numba.core.config._config_fname = ""  # it is looked for again before each compilation
    import numba

    return numba


def _cache_folder() -> str | None:
    """The folder to keep compiled kernels in, or None if there is none that can be written to and trusted."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named and _is_writable(named):
        return named
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__")
    if _is_writable(beside):
        return beside
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    own = os.path.join(caches, "minleak")
    # a user without a home has ~/.cache in the current folder; the second look is at what may have been made here
    usable = os.path.isabs(own) and _is_private(own) and _is_writable(own) and _is_private(own)
    return own if usable else None


def _is_writable(folder: str) -> bool:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _is_private(folder: str) -> bool:
    """Whether nobody but root and this user can write to the folder, or put another one in its place. It and the
    folders above it need not exist yet.
    """
    if not hasattr(os, "geteuid"):
        return True
    own, me = Path(os.path.realpath(folder)), os.geteuid()
    for place in (own, *own.parents):
        try:
            found = place.stat()
        except FileNotFoundError:
            continue
        except OSError:
            return False
        shared = found.st_mode & 0o022 and (place == own or not found.st_mode & stat.S_ISVTX)
        if shared or found.st_uid not in ((me,) if place == own else (0, me)):
            return False
    return True


nb = _import_numba()
_FOLDER = _cache_folder()


@contextlib.contextmanager
def _our_cache() -> Iterator[None]:
    """While a function is declared, when numba chooses the folder of its cache, it is ours."""
    config = nb.config
    before = {name: getattr(config, name, "") for name in ("CACHE_DIR", "CACHE_LOCATOR_CLASSES")}
    config.CACHE_DIR = _FOLDER
    config.CACHE_LOCATOR_CLASSES = os.environ.get("NUMBA_CACHE_LOCATOR_CLASSES", "")
    try:
        yield
    finally:
        vars(config).update(before)


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: the function is compiled by numba when it is first called, and the result is cached."""

    def declare(function: Callable[..., Any]) -> Any:
        with _our_cache():
            return nb.njit(cache=_FOLDER is not None, **options)(function)

    return declare
