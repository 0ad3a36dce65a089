"""profiles: what is ready to use: tables for backups, messages and DNS, frames for answers of language models.

>>> from minleak.padding import profiles
>>> profiles.backup().table.pad(1_000_000)
1023079
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from minleak.core._result import Result
from minleak.padding._frames import Frames
from minleak.padding._size_table import SizeTable, universal

__all__ = ["Profile", "backup", "dns", "llm_sse", "messages"]

# The largest DNS message over UDP or TCP, rounded up to a block.
_DNS = 65_536


@dataclass(frozen=True)
class Profile(Result):
    """A ready-made `table`, its `name`, and how it was `made`. On the held-out data `judged_on` it leaks `leakage` bits
    of Shannon entropy about the object, against `unpadded` bits without padding, and the traffic grows by the share
    `overhead`.
    """

    name: str
    table: SizeTable
    made: str
    judged_on: str
    unpadded: float
    leakage: float
    overhead: float


@cache
def backup() -> Profile:
    """Files and archives: at most 12% more for each, whatever their sizes are."""
    return Profile(
        name="backup",
        table=universal(1, 2**40, most=0.12),
        made="the universal table with a cap of 12%, from 1 byte to 1 TiB: made from no data",
        judged_on="3,172 packages of Debian 12 (package_sizes.csv)",
        unpadded=11.5501,
        leakage=6.1085,
        overhead=0.0494,
    )


@cache
def messages() -> Profile:
    """Short texts: a quarter more to send in all."""
    values = (124, 180, 263, 386, 509, 575, 715, 829, 913, 1063, 1219, 1322, 1472, 1540)
    return Profile(
        name="messages",
        table=SizeTable(values, beyond=0.25),
        made="padding.design with overhead=0.25 for every other of 2,441 short texts of Debian's fortunes 1:1.99.1-7.3",
        judged_on="the other half of them (answer_sizes.csv)",
        unpadded=8.0451,
        leakage=2.0232,
        overhead=0.2815,
    )


@cache
def dns() -> Profile:
    """DNS queries: blocks of 128 bytes, as RFC 8467 recommends for queries."""
    return Profile(
        name="dns",
        table=SizeTable(tuple(range(128, _DNS + 1, 128))),
        made="multiples of 128 bytes (RFC 8467, section 4.1): nearly all names fit into one block",
        judged_on="queries for the 6,839 hosts of the home pages in Debian 12 (dns_query_sizes.csv)",
        unpadded=4.3607,
        leakage=0.0,
        overhead=1.7892,
    )


def llm_sse() -> Frames:
    """Frames for answers of a language model as server-sent events.

    They are frames(half, budget=a quarter of the plain bytes, delay=300, totals=2) on half of 1,584 answers in nine
    topics, of some 170 tokens each at 50 tokens a second, `measured` on the other half. `python -m benchmarks streams`
    makes them again.

    >>> frames = llm_sse()
    >>> frames.frame, frames.tick_ms, frames.totals, frames.total(83)
    (128, 200, (54, 82), 164)
    >>> round(frames.measured.blind, 3), round(frames.measured.success, 3), round(frames.measured.leakage, 3)
    (0.216, 0.221, 0.018)
    """
    return Frames.load(Path(__file__).parent / "_llm_sse.json")
