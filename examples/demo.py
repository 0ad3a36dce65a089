"""The main job, from counts to a running cloak and a report, on 2,000 real word counts; files go to demo/."""

import sys
from pathlib import Path

import minleak as ml

DATA = Path(__file__).parent / "data" / "words.csv"


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    file, secret, report = folder / "words.cloak", folder / "words.key", folder / "report.html"

    print("1. Read how often each of 2,000 English words is looked up")
    prior = ml.read_prior(DATA)
    print(f"   {prior}; a blind guess is right with probability {ml.theory.vulnerability(prior):.4f}\n")

    print("2. Design: hide each word in a set of 20, so that the least possible leaks, whoever the attacker is")
    plan = ml.design(prior, k=20)
    plan.save(file)
    for name in ("shannon", "min-entropy", "guesswork"):
        print(f"   {name:<12} {ml.entropy(name)(prior):9.4f} before, {plan.entropy(name):9.4f} seeing a set")
    print(f"   a guess is right with probability {max(plan.target):.4f} seeing a set, 1 seeing the word\n")

    print("3. Certify it in exact integers, with code that shares nothing with the design")
    print(f"   {str(ml.certify(ml.load(file), prior)).splitlines()[0]}\n")

    print("4. Draw: the same subject asking for the same word always shows the same set")
    if not secret.exists():
        ml.Key.new().save(secret)
    print("   " + ", ".join(ml.Cloak(file, key=secret).draw("house", scope="subject-1")) + "\n")

    print("5. Report")
    ml.report.write(plan, report)
    print(f"   {report}: open it in a browser, it needs no network\n")

    print(f"Files: {file}, {secret}, {report}")
    print("Next: .venv/bin/minleak sweep examples/data/words.csv, docs/tutorial.md, or your own counts:")
    print("      .venv/bin/minleak design YOURS.csv --secret COLUMN --weight COLUMN -k 10 -o yours.cloak")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo"))
