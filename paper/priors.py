"""The paper's priors and what it prints of them."""

from __future__ import annotations

# The prior of the figures: 30/465, 29/465, ..., 1/465.
FIGURES = tuple(range(30, 0, -1))

# The three toy priors in hundredths. For each the cap is 3.
TOYS = ((30, 28, 22, 20), (36, 30, 20, 14), (40, 35, 15, 10))
TOY_CAP = 3
