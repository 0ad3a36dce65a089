"""A plan made and drawn from in DuckDB, and the same plan in Spark.

What leads here: docs/howto/warehouse.md. `--short` leaves Spark out, which takes a while to start.
"""

import sys
from pathlib import Path

import minleak as ml
from minleak import scale

DATA = Path(__file__).parents[1] / "data" / "npm_downloads.csv"
K = 12


def main(*, short: bool) -> None:
    key, shown = ml.Key.new(), {}
    for engine in ("duckdb",) if short else ("duckdb", "spark"):
        counts = scale.read(DATA, engine=engine)
        plan = scale.design(counts, k=K)
        print(f"{engine}: {plan}; certified: {scale.certify(plan, counts).ok}")
        whole = scale.to_plan(plan)
        shown[engine] = ml.Cloak(whole, key=key).draw("react", scope="user-17")
        print(f"  a guess is right {whole.success:.1%}; shown for react: {', '.join(shown[engine][:3])}, ...")
    if len(set(shown.values())) > 1:
        raise SystemExit("the engines differ")


if __name__ == "__main__":
    main(short="--short" in sys.argv)
