"""Hide which package is looked up: each request asks for ten packages, and the observer cannot tell which is meant."""

import tempfile
from pathlib import Path

import minleak as ml
from minleak.errors import UnknownSecret

DATA = Path(__file__).parent / "data" / "npm_downloads.csv"


def main() -> None:
    downloads = ml.read_prior(DATA)
    plan = ml.design(downloads, k=10)
    blind = ml.lab.vulnerability(downloads)
    print(f"{len(downloads):,} packages; a blind guess is right with probability {blind:.4f},")
    print(f"seeing the request as it is always, seeing a set of {plan.k} with probability {max(plan.target):.4f}.")
    print(f"No sets of {plan.k} leak less: certified {ml.certify(plan, downloads).ok}.\n")

    with tempfile.TemporaryDirectory() as folder:
        file, secret = Path(folder) / "packages.cloak", Path(folder) / "lookups.key"
        plan.save(file)
        ml.Key.new().save(secret)

        # A service opens the two files. The same client asking for the same package always shows the same set.
        cloak = ml.Cloak(file, key=secret)
        shown = cloak.draw("openai", scope="client-17")
        print("client-17 asks for one of:", ", ".join(shown))
        print("again the same set:", shown == cloak.draw("openai", scope="client-17"))

        # Packages outside the list are refused, unless one of the list stands in for all of them.
        try:
            cloak.draw("my-company-internal", scope="client-17")
        except UnknownSecret as refusal:
            print("an unknown package:", refusal)

    print("\nIf look-ups were drawn afresh and linked to one package, an attacker would be right with probability")
    print(ml.repeated(plan, [1, 2, 5, 20]))


if __name__ == "__main__":
    main()
