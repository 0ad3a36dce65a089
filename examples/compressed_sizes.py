"""A compressed page that holds a secret and repeats what it was sent shows by its size whether they are alike (CRIME,
BREACH): collected, audited, repaired by padding sizes, by random padding, by compressing apart, and audited again."""

import random
import sys
import zlib

import numpy as np

import minleak as ml

DIGITS = "0123456789abcdef"
KNOWN = "csrf_token=4e07408562bed"  # what the attacker has found out before
EVENTS = 800


def page(secret: str, echo: str, words: random.Random, *, apart: bool = False) -> bytes:
    """A page with the secret, some news, and what was sent; compressed together, or the secret apart."""
    news = " ".join(words.choices(NEWS, k=40))
    hidden = f'<input type="hidden" value="{KNOWN}{secret}">'
    rest = f"<p>You searched for {echo}</p><p>{news}</p>"
    if apart:
        return hidden.encode() + zlib.compress(rest.encode())
    return zlib.compress((hidden + rest).encode())


NEWS = [
    f"{a}{b}" for a in ("rain", "vote", "team", "bank", "star", "road", "song", "film") for b in ("s", "ing", "er", "")
]


def collect(events: int, seed: int, **how: bool) -> tuple[np.ndarray, np.ndarray]:
    """The digit that comes next, and the sizes of 16 answers: one for each guess at it."""
    rng = random.Random(seed)
    digits = [rng.choice(DIGITS) for _ in range(events)]
    sizes = []
    for digit in digits:
        news = rng.getrandbits(32)  # all 16 answers come from the same page
        sizes.append([len(page(digit, f"{KNOWN}{guess}", random.Random(news), **how)) for guess in DIGITS])
    return np.array(digits), np.array(sizes)


def audited(what: str, digits: np.ndarray, sizes: np.ndarray) -> ml.results.Audit:
    # the guess that makes the page smallest stands out from the others, whatever the page
    found = ml.audit(digits, sizes - np.median(sizes, axis=1, keepdims=True), attack="forest", measures=["shannon"])
    print(f"{what}\n  {found.headline}\n  {found.verdict}")
    return found


def main(events: int = EVENTS) -> None:
    digits, sizes = collect(events, seed=1)
    audited("As it is:", digits, sizes)

    # Padding: buckets of sizes, designed on the sizes that were collected and tried on pages that are new.
    seen, times = np.unique(sizes, return_counts=True)
    padding = ml.padding.design(seen, times, budget=4)
    digits, sizes = collect(events, seed=2)
    shown = [[padding.pad(size) if size <= padding.observables[-1] else int(size) for size in row] for row in sizes]
    more = float(np.mean(shown) - sizes.mean())
    audited(f"Padded to {len(padding.observables)} sizes, {more:.1f} bytes more (new pages):", digits, np.array(shown))

    rng = np.random.default_rng(3)
    digits, sizes = collect(events, seed=3)
    audited("With 0 to 99 random bytes more, as Django's gzip:", digits, sizes + rng.integers(0, 100, sizes.shape))

    digits, sizes = collect(events, seed=4, apart=True)
    audited("The secret compressed apart:", digits, sizes)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
