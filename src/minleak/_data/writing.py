"""Writing whole or not at all: under a temporary name beside the path, which then takes the path's name."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[str]:
    """A name to write a file or folder under. If the block ends well it becomes `path`; else nothing is left of it.

    A link stays one, and what it leads to is replaced. Devices and pipes are refused, by an OSError.
    """
    name = os.path.realpath(os.fspath(path))
    if os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name):
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a file", name)
    temporary = os.path.join(os.path.dirname(name), f".{os.path.basename(name)}.{secrets.token_hex(6)}.part")
    try:
        yield temporary
        os.replace(temporary, name)
    finally:
        if os.path.isdir(temporary):
            shutil.rmtree(temporary, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.unlink(temporary)
