"""The picture of the page on padding: leakage against the mean growth of an object, for 53 of the packages, beside the
policies that are made to limit growth. Needs the extra `report`: python docs/pictures/padding.py.
"""

from __future__ import annotations

from pathlib import Path

import minleak as ml
from minleak.padding._policies import policies_of_axis

ROOT = Path(__file__).parents[2]
PICTURE = Path(__file__).parent / "padding.png"


def main() -> None:
    """Draw it."""
    sizes = ml.read_prior(ROOT / "examples" / "data" / "package_sizes.csv", weight="size").weights[::60]
    policies = policies_of_axis(relative=True)
    found = ml.padding.frontier(sizes, points=72, relative=True, randomised=True, policies=policies)
    ml.report.save_chart(found.chart(), PICTURE, title="Leakage against mean growth")


if __name__ == "__main__":
    main()
