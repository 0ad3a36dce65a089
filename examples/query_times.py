"""Times of a real query that depend on what is asked for: measured, saved with a row for each, and padded to the clock.

    python examples/query_times.py                 # measures, and says what padding does for the times measured now
    python examples/query_times.py times.csv       # saves the rows too: examples/data/query_times.csv was made so

The query asks SQLite, in memory, for the words that contain a letter, the most frequent first. The secret is the
letter; the time is that of the processor's clock around the query, in whole microseconds.
"""

import csv
import random
import sqlite3
import sys
import time
from pathlib import Path

import minleak as ml

WORDS = Path(__file__).parent / "data" / "words.csv"
LETTERS = "aeknqtwz"
EACH = 250


def measure() -> list[tuple[str, int]]:
    """The letters in random order, so that a machine that gets slower or faster is no leak; and the times."""
    database = sqlite3.connect(":memory:")
    database.execute("create table words (word text, count integer)")
    with WORDS.open() as file:
        rows = [(row["secret"], int(row["count"])) for row in csv.DictReader(file)]
    database.executemany("insert into words values (?, ?)", rows)
    order = list(LETTERS * EACH)
    random.Random(0).shuffle(order)
    times = []
    for letter in [*LETTERS * 5, *order]:
        begun = time.perf_counter_ns()
        database.execute("select word from words where word like ? order by count desc", (f"%{letter}%",)).fetchall()
        times.append((letter, (time.perf_counter_ns() - begun) // 1000))
    return times[-len(order) :]


def main() -> None:
    rows = measure()
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("letter", "us"), *rows])
    letters, times = zip(*rows, strict=True)
    print(ml.audit(letters, times))
    print(ml.padding.from_samples(letters, times, overhead=0.3))


if __name__ == "__main__":
    main()
