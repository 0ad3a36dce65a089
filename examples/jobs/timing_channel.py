"""A timing channel found, repaired and audited again: a comparison that stops at the first wrong character.

What leads here: docs/howto/side_channels.md. `--short` takes 2,000 timings instead of 12,000.
"""

import gc
import hmac
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import minleak as ml

SECRET = b"correct horse battery staple"
RIGHT = (0, 8, 16, 24)  # how many characters of the guess are right: what the time must not tell


def naive(secret: bytes, guess: bytes) -> bool:
    return len(secret) == len(guess) and all(a == b for a, b in zip(secret, guess, strict=True))


def collect(check: Callable[[bytes, bytes], bool], events: int) -> tuple[np.ndarray, np.ndarray]:
    """How many characters were right, and the nanoseconds it took; in random order, so that drift is no leak."""
    guesses = {n: SECRET[:n] + bytes([SECRET[n] ^ 1]) + SECRET[n + 1 :] for n in RIGHT}
    order = random.choices(RIGHT, k=events)
    times = np.empty(events)
    gc.disable()
    for i, n in enumerate(order):
        guess = guesses[n]
        start = time.perf_counter_ns()
        check(SECRET, guess)
        times[i] = time.perf_counter_ns() - start
    gc.enable()
    return np.array(order), times


def main(*, short: bool) -> None:
    events = 2_000 if short else 12_000
    audits = []
    for name, check in (("stops early", naive), ("hmac.compare_digest", hmac.compare_digest)):
        found = ml.audit(*collect(check, events), measures=["shannon"])
        print(f"{name}: {found.headline}\n  {found.verdict}\n  {found.looks(0.9)}")
        audits.append(found)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "repair.html"
        ml.report.write(audits, page)
        print(f"{page.name}: before and after, {page.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(short="--short" in sys.argv)
