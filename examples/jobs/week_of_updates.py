"""A week of updates: daily counts of flight routes, one lineage, and what leaks each day.

What leads here: docs/howto/updates.md. `--short` takes three days.
"""

import csv
import gzip
import sys
import tempfile
from pathlib import Path

import minleak as ml

DATA = Path(__file__).parents[1] / "data" / "flight_routes.csv.gz"
K = 8


def days() -> list[dict[str, int]]:
    """How many flights each route had, day by day."""
    with gzip.open(DATA, "rt") as file:
        rows = list(csv.DictReader(file))
    return [{row["route"]: int(row[day]) for row in rows if row[day]} for day in rows[0] if day != "route"]


def main(*, short: bool) -> None:
    series = days()[: 3 if short else 8]
    with tempfile.TemporaryDirectory() as folder:
        file, key = Path(folder) / "routes.cloak", ml.Key.new()
        first = ml.design(ml.Prior.from_counts(series[0]), K)
        first.save(file)
        route = max(series[0], key=series[0].get)
        shown = ml.Cloak(file, key=key).draw(route, scope="user-17")
        for day, counts in enumerate(series[1:], 1):
            plan = ml.update(ml.load(file, mapped=False), counts, day=day)
            plan.save(file)
            same = ml.Cloak(file, key=key).draw(route, scope="user-17") == shown
            today = ml.population(plan)
            print(
                f"day {day}: {len(counts)} routes, {len(plan.parts)} parts, {len(plan.pending)} pending; "
                f"a guess is right {today.success:.1%} ({today.low:.1%} to {today.high:.1%}); same set: {same}"
            )
        print(f"advice: {today.advice}")

        anew = ml.design(ml.Prior.from_counts(series[-1]), K)
        both = ml.exposure([first, anew])
        print(f"Designed anew instead, whoever saw both sets would be right {both.success:.1%} of the time.")


if __name__ == "__main__":
    main(short="--short" in sys.argv)
