"""A page for a manager: what hash prefixes leak today, the best table of the same size, and the plan.

What leads here: docs/howto/prefixes.md. `--short` takes 600 names. The page is written to the folder that is named, or
else to a temporary one.
"""

import hashlib
import sys
import tempfile
from pathlib import Path

import minleak as ml

DATA = Path(__file__).parents[1] / "data" / "npm_downloads.csv"


def main(*, short: bool, folder: Path) -> None:
    whole = ml.read_prior(DATA)
    n = 600 if short else len(whole)
    names = ml.Prior(whole.weights[:n], labels=whole.labels[:n])
    today = [hashlib.sha256(name.encode()).digest()[0] for name in names.labels]
    found = ml.compare(names, today, entropies=["shannon"])
    print(f"{n:,} names: a guess is right {found.success:.1%} today, {found.plan:.1%} with the best sets of that size")
    plan = ml.design(names, k=found.largest)
    page = folder / "report.html"
    ml.report.write(plan, page, success=found.success / 2, title="How well look-ups are hidden")
    print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, opens without network")


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:] if argument != "--short"]
    with tempfile.TemporaryDirectory() as temporary:
        main(short="--short" in sys.argv, folder=given[0] if given else Path(temporary))
