"""load: the plan in a .cloak file, of whatever kind it is."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from minleak.core._file.format import UNFIT, file_name, read
from minleak.core._parameters import truth
from minleak.core._plan.drawable import Drawable
from minleak.errors import InvalidCloak, quote

#: Where each kind that a file names is; modules are loaded when a file of theirs is.
KINDS = {
    "plan": ("minleak.core._plan.plan", "Plan"),
    "channel": ("minleak.core._plan.channel_plan", "ChannelPlan"),
    "strings": ("minleak.strings._plan", "UnlistedPlan"),
    "lineage": ("minleak.lineage._lineage", "Lineage"),
}
#: What else `load` opens, by how the file begins.
OTHERS = {b"selector": ("minleak.lookups._selector", "Selector")}
_BEGINNING = 8


def load(path: str | os.PathLike[str], *, mapped: bool = True) -> Drawable:
    """The plan in a file, mapped into memory: processes that load the same file share its pages. Or the selector in a
    file, which is read.

    All of it is checked first, against its hashes and for what it says: a file that is cut, changed, foreign, of
    another version or no plan is refused with a clear error. A file that is replaced (as `save` does it) stays valid
    for those that have loaded it; to be safe from a file that somebody writes to in place, use `mapped=False`, which
    reads it into memory. That it holds the optimal plan for a prior is what `certify(path, prior)` says.
    """
    begins = _beginning(path)
    if begins in OTHERS:
        module, name = OTHERS[begins]
        opened: Drawable = getattr(import_module(module), name).load(path)
        return opened
    contents = read(path, mapped=truth(mapped, "mapped"))
    kind: Any = contents.numbers.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidCloak(
            f"{path!s} holds a plan of the kind {quote(kind)}, which this minleak does not know: upgrade it"
        )
    module, name = KINDS[kind]
    try:
        plan: Drawable = getattr(import_module(module), name).from_contents(contents)
    except UNFIT as error:
        raise InvalidCloak(f"{path!s} does not hold a plan of this format ({type(error).__name__})") from None
    vars(plan)["hashes"] = contents.hashes
    contents.release()
    return plan


def _beginning(path: str | os.PathLike[str]) -> bytes:
    """How a file begins; nothing for what is no file or cannot be read, of which `read` says so."""
    name = file_name(path)
    if not os.path.isfile(name):  # opening a pipe would wait for a writer
        return b""
    try:
        with open(name, "rb") as file:
            return file.read(_BEGINNING)
    except OSError:
        return b""
