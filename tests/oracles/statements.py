"""What the statements of peers share."""

from __future__ import annotations

import minleak as ml


def refused(call):
    """True where it raises an error of ours."""
    try:
        call()
    except ml.errors.MinleakError:
        return True
    return False
