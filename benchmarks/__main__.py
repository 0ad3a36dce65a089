"""Run the benchmarks: all of them, or those named on the command line."""

from __future__ import annotations

import sys
from importlib import import_module

ALL = (
    "measuring",
    "qif",
    "qif_pairs",
    "designing",
    "groups",
    "pricing",
    "constraining",
    "padding",
    "running",
    "runtimes",
    "serving",
    "kernels",
    "using",
    "warehousing",
    "world",
    "unlisted",
    "prefixes",
    "beacons",
    "lookups",
    "lasting",
    "samples",
    "auditing",
    "sequences",
    "matroids",
    "theorems",
    "streams",
    "light",
)

# Programs with arguments of their own, which run only when they are named.
TOOLS = ("same", "mutants")

if sys.argv[1:2] and sys.argv[1] in TOOLS:
    import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:])
    sys.exit()
for name in sys.argv[1:] or ALL:
    if name not in ALL:
        sys.exit(f"no benchmark {name!r}: one of {', '.join(ALL + TOOLS)}")
    import_module(f"benchmarks.{name}").main()
