"""Encrypted downloads show their sizes: what that gives away of 3,172 Debian packages, and what padding hides best."""

import csv
from pathlib import Path

import minleak as ml

DATA = Path(__file__).parent / "data" / "package_sizes.csv"


def main() -> None:
    with DATA.open() as file:
        sizes = {row["secret"]: int(row["size"]) for row in csv.DictReader(file)}
    bare = ml.padding.design(sizes, budget=0)
    alone = sum(bucket.secrets == 1 for bucket in bare.buckets())
    print(f"{len(sizes):,} packages; the size alone names {alone / len(sizes):.0%} of them.\n")

    print("What others pad to, and the buckets that leak least at the same mean overhead:")
    print(ml.padding.compare(sizes, entropies=["shannon", "min-entropy"], policies=POLICIES))

    names = list(sizes)[::60]
    few = {name: sizes[name] for name in names}
    print(f"\nFor {len(few)} of them, what leaks at the cost of each policy, also where sizes are drawn at random:")
    for rival in ml.padding.compare(few, entropies=["shannon", "min-entropy"], policies=POLICIES).rivals:
        mean = rival.policy.overheads.relative if rival.cost == "relative" else rival.policy.overheads.mean
        for ours, theirs in zip(rival.best, rival.policy.leakage, strict=True):
            drawn = ml.lab.padding_channel(few, **{rival.cost: mean}, entropy=ours.entropy).leakage
            leaks = f"{theirs:.4f}, buckets {ours.leakage:.4f}, at random {drawn:.4f}"
            print(f"{rival.policy.name:<19} {ours.entropy.name:<12} {leaks}")

    mean = sum(sizes.values()) / len(sizes)
    padding = ml.padding.design(sizes, budget=0.1 * mean)
    print(f"\nWith 10% more to send: {padding}")
    print(
        f"A package of 50,000 bytes is sent as {padding.pad(50_000):,}, one of 2,000,000 as {padding.pad(2_000_000):,}."
    )
    largest = max(padding.buckets(), key=lambda bucket: bucket.secrets)
    print(f"{largest.secrets:,} packages look alike at {largest.padded:,} bytes.")
    pairs = ml.padding.design(sizes, budget=0.1 * mean, floor=2)
    print(f"With no package alone in its bucket (floor=2) as much hides less: {pairs.leakage:.4f} bits leak.")


POLICIES = {
    "multiples of 4096": lambda sizes: ml.padding.to_multiple(sizes, 4096),
    "multiples of 65536": lambda sizes: ml.padding.to_multiple(sizes, 65536),
    "Padmé": ml.padding.padme,
    "powers of two": ml.padding.to_power_of_two,
}

if __name__ == "__main__":
    main()
