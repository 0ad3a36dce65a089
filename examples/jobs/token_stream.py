"""A token stream of a language model: frames that hide the sizes of tokens, judged on streams they were not made for.

What leads here: docs/howto/streams.md. `--short` takes a quarter of the streams.
"""

import csv
import gzip
import sys
import tempfile
from pathlib import Path

import minleak as ml

DATA = Path(__file__).parents[1] / "data" / "token_sizes.csv.gz"


def streams(every: int) -> ml.padding.Streams:
    """Answers of four texts, one token each 20 ms."""
    with gzip.open(DATA, "rt") as file:
        texts = [(row["topic"], [int(n) for n in row["sizes"].split()]) for row in csv.DictReader(file)]
    columns: dict[str, list[object]] = {"stream": [], "secret": [], "time": [], "size": []}
    for i in range(0, len(texts) - 4, every):
        sizes = [size for _, text in texts[i : i + 4] for size in text]
        for j, size in enumerate(sizes):
            for name, value in zip(columns, (i, texts[i][0], 300 + 20 * j, size), strict=True):
                columns[name].append(value)
    return ml.padding.read_streams(columns)


def main(*, short: bool) -> None:
    recorded = streams(32 if short else 8)
    made_on, others = recorded.split()
    frames = ml.padding.frames(made_on, budget=2000, delay=300, totals=2, tick=200)
    cost = frames.measure(others)
    print(f"{recorded}")
    print(f"frames of {frames.frame} bytes each {frames.tick_ms} ms, totals {', '.join(map(str, frames.totals))}")
    print(f"{cost.bytes / cost.plain_bytes:.2f} times the bytes, on streams that nothing was chosen for")
    print(f"a guess at the topic is right {cost.success:.1%} of the time, blind {cost.blind:.1%}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "frames.json"
        frames.save(file)
        print(f"{file.name} is for FrameEvents: {len(ml.padding.Frames.load(file).totals)} totals")


if __name__ == "__main__":
    main(short="--short" in sys.argv)
