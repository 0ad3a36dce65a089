"""File sizes with at most 5% more in all and at most 12% more for each file: the padding that leaks least.

What leads here: docs/howto/padding.md. `--short` takes 300 files.
"""

import csv
import sys
import tempfile
from pathlib import Path

import minleak as ml

DATA = Path(__file__).parents[1] / "data" / "package_sizes.csv"


def main(*, short: bool) -> None:
    with DATA.open() as file:
        sizes = {row["secret"]: int(row["size"]) for row in csv.DictReader(file)}
    if short:
        sizes = dict(list(sizes.items())[:300])
    print(f"{len(sizes):,} Debian packages, of which an observer sees the size:")
    for name, padding in (
        ("as they are", ml.padding.design(sizes, budget=0)),
        ("5% and 12%", ml.padding.design(sizes, overhead=0.05, most=0.12)),
    ):
        print(
            f"  {name:<12} {len(padding.observables):5,} sizes, which tell {padding.leakage_in('shannon'):.2f} bits; "
            f"{padding.overheads.share:.1%} more in all, {padding.overheads.worst:.1%} for the worst file"
        )
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.json"
        padding.save(table)
        size = next(iter(sizes.values()))
        print(f"A file of {size:,} bytes is sent as {padding.pad(size):,} bytes; {table.name} has the table.")


if __name__ == "__main__":
    main(short="--short" in sys.argv)
