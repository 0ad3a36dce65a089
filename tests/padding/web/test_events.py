"""Events as frames: every byte of every event arrives in its order, every frame has its size, whatever the pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minleak.errors import InvalidParameter
from minleak.padding._events import EventFrames

ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
VALUES = st.binary(max_size=30).map(lambda value: value.translate(None, b"\r\n\0"))


def dispatched(body: bytes) -> list[list[bytes]]:
    """The events of a body as the HTML standard parses them, fields as lines: written from its text."""
    lines = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    events: list[list[bytes]] = []
    fields: list[bytes] = []
    for line in lines[:-1]:
        if not line:
            if any(field.startswith(b"data") for field in fields):
                events.append(fields)
            fields = []
        elif not line.startswith(b":"):
            fields.append(line)
    return events


@st.composite
def streams(draw):
    """A body of events with all ends of lines, comments and several fields, and where it is cut into pieces."""
    body = b""
    for _ in range(draw(st.integers(0, 8))):
        end = draw(ENDS)
        fields = draw(st.lists(st.sampled_from([b"data: ", b"data", b"id: ", b": "]), min_size=1, max_size=3))
        body += b"".join(field + draw(VALUES) + end for field in fields) + end
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=10)))
    return body, [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]


@given(streams(), st.integers(16, 80), st.lists(st.booleans(), max_size=20))
def test_a_client_gets_every_event(stream, frame, ticks):
    """Frames between any two pieces change nothing of what a client dispatches, and all have one size."""
    body, pieces = stream
    events, sent = EventFrames(frame, 10_000), []
    for i, piece in enumerate(pieces):
        assert events.write(piece) == len(piece)
        if i < len(ticks) and ticks[i]:
            sent.append(events.next())
    events.close(whole=True)
    while not events.empty:
        sent.append(events.next())
    sent.append(events.next())
    assert {len(one) for one in sent} == {frame}
    assert dispatched(b"".join(sent)) == dispatched(body + b"\n\n" if pieces else body)


def test_a_mark_at_the_beginning_does_not_spoil_the_first_event():
    """After a comment a byte order mark would be part of the first field."""
    events = EventFrames(16, 1000)
    first = events.next()
    events.write(b"\xef\xbb\xbfdata: 1\n\n")
    assert dispatched(first + events.next()) == [[b"data: 1"]]


def test_a_line_of_two_bytes_is_one_end():
    """Only whole events are released: an empty line as filler of one byte would end an event in its middle."""
    events = EventFrames(16, 1000)
    events.write(b"data: 1234567\r\n")
    first = events.next()
    events.write(b"data: 2\r\n\r\n")
    sent = first + events.next() + events.next()
    assert dispatched(sent) == [[b"data: 1234567", b"data: 2"]]


def test_memory_is_bounded():
    """A writer is told how much has room; an event without any is refused."""
    events = EventFrames(16, 100)
    assert events.write(b"data: " + b"x" * 50 + b"\n\n" + b"y" * 500) == 100
    assert events.held == 100
    assert events.write(b"more") == 0
    events.next()
    assert events.write(b"more") == 4
    stuck = EventFrames(16, 100)
    assert stuck.write(b"x" * 500) == 100
    with pytest.raises(InvalidParameter, match="an event is larger than the 100 bytes"):
        stuck.write(b"x")


def test_a_failure_drops_half_an_event():
    events = EventFrames(32, 100)
    events.write(b"data: 1\n\ndata: hal")
    events.close(whole=False)
    assert dispatched(events.next()) == [[b"data: 1"]]
    assert events.empty
