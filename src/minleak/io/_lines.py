"""Lines of text: one secret a line, or the output of `sort | uniq -c`. Lines may end in NUL, as with `uniq -cz`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from minleak.errors import UnreadableFile
from minleak.io._sources import BOM, check_utf8
from minleak.io._tables import CountsFile


class Lines(CountsFile):
    """Each line is an event, namely its secret; empty lines are not events."""

    endings = (".log",)

    def counts(self) -> tuple[Any, Any]:
        import pyarrow.compute as pc

        text, separator = _split_off_end(self.data, self.name)
        whole = pa.array([text], pa.large_binary()).cast(pa.large_string())
        lines = pc.split_pattern(whole, separator).values
        if separator == "\n" and b"\r" in text:
            lines = pc.replace_substring_regex(lines, r"\r$", "")
        labels, times = pc.value_counts(lines).flatten()
        empty = pc.equal(labels, "")
        self.blank = pc.sum(times.filter(empty)).as_py() or 0
        there = pc.invert(empty)
        return labels.filter(there), times.filter(there)

    def where(self, i: int) -> str:
        return f"distinct line {i + 1} of {self.name}"


class Uniq(CountsFile):
    """A count, a space and a secret on each line; the secret may hold spaces."""

    endings = (".txt",)
    is_text = True

    def counts(self) -> tuple[list[str], Any]:
        counts, secrets = [], []
        for i, line in enumerate(text_lines(self.data, self.name)):
            count, space, secret = line.lstrip(" ").partition(" ")
            if not (space and count.isascii() and count.isdigit()):
                raise UnreadableFile(
                    f"{self.where(i)} is not a count, a space and a secret, as `sort | uniq -c` prints it"
                )
            if not secret:
                raise UnreadableFile(
                    f"{self.where(i)} counts empty lines, which are no events: take it out, or count without them, "
                    "`grep . | sort | uniq -c`"
                )
            counts.append(count)
            secrets.append(secret)
        return secrets, pa.array(counts, pa.large_string())

    def where(self, i: int) -> str:
        return f"line {i + 1} of {self.name}"


def text_lines(data: bytes, name: str) -> list[str]:
    """The lines, which all end in a line break, or all in NUL."""
    text, separator = _split_off_end(data, name)
    lines = text.decode().split(separator) if data.removeprefix(BOM) else []
    return lines if separator == "\0" else [line.removesuffix("\r") for line in lines]


def _split_off_end(data: bytes, name: str) -> tuple[bytes, str]:
    """The text without the end of its last line, and the separator of lines."""
    check_utf8(data, name)
    data = data.removeprefix(BOM)
    if data.endswith(b"\0"):
        return data[:-1], "\0"
    if b"\0" in data:
        raise UnreadableFile(f"{name} has NUL bytes but does not end in one: are its lines separated by them, or cut?")
    return data.removesuffix(b"\n"), "\n"
