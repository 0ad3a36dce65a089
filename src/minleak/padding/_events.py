"""EventFrames: server-sent events as frames of one size, filled up with comments, which every client ignores."""

from __future__ import annotations

import re
from functools import lru_cache

from minleak.errors import InvalidParameter

# Two line ends in a row end an event; a line ends with \r\n, \n or \r.
_END = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
_MARK = b"\xef\xbb\xbf"  # a byte order mark, ignored at the very beginning only


@lru_cache(maxsize=1024)
def _comment(size: int) -> bytes:
    """Bytes that clients ignore after an event: an empty line, or a comment."""
    return b"\n" * size if size < 2 else b":" + b" " * (size - 2) + b"\n"


class EventFrames:
    """A buffer of at most `memory` bytes between what an application writes and frames of `frame` bytes.

    Only whole events go out, in their order; a comment fills the rest of a frame.

    >>> events = EventFrames(frame=24, memory=100)
    >>> events.write(b"data: one\\n\\ndata: tw")
    19
    >>> events.next(), events.next()
    (b'data: one\\n\\n:           \\n', b':                      \\n')
    """

    def __init__(self, frame: int, memory: int) -> None:
        self._frame, self._memory = frame, memory
        self._empty_frame = _comment(frame)
        self._ready = bytearray()
        self._part = bytearray()  # the event that is not whole yet
        self._began = False

    @property
    def empty(self) -> bool:
        """Whether there is nothing to send now."""
        return not self._ready

    @property
    def held(self) -> int:
        """How many bytes are waiting."""
        return len(self._ready) + len(self._part)

    def write(self, data: bytes) -> int:
        """Take as many bytes as there is room for, and return how many. An event larger than the buffer is refused."""
        taken = data[: max(0, self._memory - self.held)]
        if not taken and data and not self._ready:
            raise InvalidParameter(f"an event is larger than the {self._memory:,} bytes that a stream may keep")
        start = max(0, len(self._part) - 3)
        self._part += taken if self._began else taken.removeprefix(_MARK)
        self._began = self._began or bool(taken)
        self._release(start)
        return len(taken)

    def close(self, *, whole: bool) -> None:
        """No more will come: an unfinished event is completed if the application ended well, else dropped."""
        if whole and self._part:
            self._ready += self._part + b"\n\n"
        self._part.clear()

    def next(self) -> bytes:
        """The next frame."""
        if not self._ready:
            return self._empty_frame
        content = bytes(self._ready[: self._frame])
        del self._ready[: self._frame]
        return content + _comment(self._frame - len(content))

    def _release(self, start: int) -> None:
        """Move whole events to those that can be sent, looking for their ends from `start` on."""
        end = -1
        for found in _END.finditer(self._part, start):
            end = found.end()
        if end > 0:
            self._ready += self._part[:end]
            del self._part[:end]
