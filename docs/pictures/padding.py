"""The picture of the page on padding: leakage against the mean growth of an object, for 53 of the packages, beside the
policies that are made to limit growth. Needs the extra `report`: python docs/pictures/padding.py.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import minleak as ml
from minleak.padding._policies import policies_of_axis

ROOT = Path(__file__).parents[2]
PICTURE = Path(__file__).parent / "padding.png"
SIZES = ml.read_prior(ROOT / "examples" / "data" / "package_sizes.csv", weight="size").weights[::60]


class Drawn(ml.padding.PaddingFrontier):
    """The frontier, and what sizes drawn at random leak at least."""

    def rows(self) -> list[dict[str, object]]:
        most = self.buckets[-1].overhead
        budgets = np.append(0.0, np.geomspace(self.buckets[1].overhead, most, 13))
        best = [ml.lab.padding_channel(SIZES, relative=budget) for budget in budgets]
        random = [
            {"series": "best randomised", "overhead": at, "percent": 100 * at, "leakage": one.leakage, "observables": 0}
            for at, one in zip(budgets.tolist(), best, strict=True)
        ]
        return [*super().rows(), *random]


def main() -> None:
    """Draw it."""
    policies = policies_of_axis(relative=True)
    found = ml.padding.frontier(SIZES, points=72, relative=True, policies=policies)
    ml.report.save_chart(Drawn(**vars(found)).chart(), PICTURE, title="Leakage against mean growth")


if __name__ == "__main__":
    main()
