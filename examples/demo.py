"""From counts to a better table than hash prefixes, a certified plan, a drawn set and a page; files go to demo/."""

import hashlib
import sys
from pathlib import Path

import minleak as ml

DATA = Path(__file__).parent / "data" / "npm_downloads.csv"
NAME, SUBJECT = "react", "user-17"


def first_byte(name: str) -> int:
    """The bucket of a name today: the first 8 bits of its SHA-256."""
    return hashlib.sha256(name.encode()).digest()[0]


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    files = ("blocks.sqlite", "names.cloak", "names.key", "compared.html", "report.html")
    table, file, key, slide, page = (folder / name for name in files)

    names = ml.read_prior(DATA)
    print(f"1. {len(names):,} npm packages and how often each was downloaded: {DATA.name}")
    blind = ml.lab.vulnerability(names)
    print(f"   Without seeing anything, an observer guesses the package {blind:.1%} of the time.\n")

    found = ml.compare(names, list(map(first_byte, names.labels)), entropies=["min-entropy"])
    today, blocks, plan = found.rows[:3]
    print(f"2. Today: clients send the first 8 bits of the name's hash, {plan.k} names to a bucket on average")
    print(f"   An observer guesses the package {today.success:.1%} of the time.\n")

    print(f"3. A better table: blocks of {blocks.k} names of like popularity")
    better = ml.design(names, k=blocks.k, layout="blocks")
    ml.export(better, table)
    print(f"   {blocks.success:.1%}. The table is in {table}; any language can look a name up in it.\n")

    print(f"4. The best there is: sets of {plan.k} that are drawn")
    best = ml.design(names, k=plan.k)
    best.save(file)
    proof = str(ml.certify(file, names)).splitlines()[0]
    print(f"   {best.success:.1%}, the least possible with sets of {plan.k}: {proof}.\n")

    print(f"5. A drawn set: {SUBJECT} asks for {NAME}, today and every other day")
    if not key.exists():
        ml.Key.new().save(key)
    print("   " + ", ".join(ml.Cloak(file, key=key).draw(NAME, scope=SUBJECT)) + "\n")

    ml.report.write(found, slide)
    ml.report.write(best, page)
    print(f"6. Pages that open without network: {slide} compares all three, {page} is about the plan.\n")
    print("Next: docs/tutorial.md, or your own counts:")
    print("      .venv/bin/minleak design YOURS.csv --secret COLUMN --weight COLUMN -k 12 -o yours.cloak")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo"))
