"""Places with at most two of a country in a set, so that a set does not tell the country either.

What leads here: docs/howto/hide.md. `--short` takes 400 cities.
"""

import sys
from pathlib import Path

import minleak as ml

DATA = Path(__file__).parents[1] / "data" / "cities.csv"
K = 8


def main(*, short: bool) -> None:
    whole = ml.read_prior(DATA)
    n = 400 if short else len(whole)
    people = ml.Prior(whole.weights[:n], labels=whole.labels[:n])
    country = {city: city.rstrip(" 0123456789")[-2:] for city in people.labels}

    plain = ml.design(people, K)
    capped = ml.design(people, K, groups=ml.Groups(country, at_most=2))
    print(f"{n:,} cities in sets of {K}: how often a guess is right")
    print(f"                         city    country  (blind {plain.property_leakage(country).blind:.1%})")
    for name, plan in (("no cap", plain), ("at most two of a country", capped)):
        print(f"{name:<24} {plan.success:5.1%}   {plan.success_of(country):5.1%}")
    print("certified:", ml.certify(capped, people).ok)

    cloak = ml.Cloak(capped, key=ml.Key.new())
    print("shown for Lima PE:", ", ".join(cloak.draw("Lima PE", scope="phone-4711")))


if __name__ == "__main__":
    main(short="--short" in sys.argv)
