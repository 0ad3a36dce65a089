"""Ask for the weather of eight cities instead of one: what a weather service learns about where you are."""

from pathlib import Path

import minleak as ml

DATA = Path(__file__).parent / "data" / "cities.csv"


def main() -> None:
    people = ml.read_prior(DATA)
    # A census counts everybody: it is no sample of a population.
    print(ml.sweep(people, ks=[1, 2, 4, 8, 16, 32], on_counts=True))
    k = ml.least_k(people, success=0.125, on_counts=True)
    plan = ml.design(people, k=k)
    print(f"\nTo be right at most one time in eight, the service must see sets of {k}: {plan}")
    for baseline in ml.lab.baselines(people, k):
        leaked = baseline.leakage("shannon")
        print(f"  {baseline.name:<28} leaks {leaked.value:6.3f} bits{'' if leaked.exact else ' (simulated)'}")
    print(f"  {'this plan':<28} leaks {plan.leakage('shannon'):6.3f} bits, the least possible")

    # All optimal plans leak the same, so take one whose cities are close: few servers then have to be asked.
    places = ml.read_places(DATA, columns=["latitude", "longitude"])
    near = ml.design(people, k=k, layout=ml.Near(places, metric="haversine"))
    print(f"  {'a plan of near cities':<28} leaks {near.leakage('shannon'):6.3f} bits as well")
    print("\nkm from a city to its decoys at 10%, 50%, 90% of the draws; the chance to name it after 5 fresh draws:")
    for stability in (0.0, 0.5, 1.0):
        one = ml.design(people, k=k, layout=ml.Near(places, metric="haversine", stability=stability))
        shown = "  ".join(f"{distance:7,.0f}" for distance in ml.decoy_distances(one, [0.1, 0.5, 0.9]))
        print(f"  stability {stability:<4} {shown}   {ml.repeated(one, [5], trials=5000).success[0]:6.1%}")

    # Near sets of a city differ from draw to draw, so draw it once: sticky draws show the same set again.
    cloak = ml.Cloak(near, key=ml.Key.new())
    print("\nA phone in Lima asks for the weather in:", "; ".join(cloak.draw("Lima PE", scope="phone-4711")))

    # People are not spread as the census says at night. What if the true frequencies are the square roots?
    other = people.p**0.5
    print(
        f"Under square-root frequencies the same plan leaks {plan.leakage('shannon', prior=other):.3f} bits, "
        f"a plan made for them {ml.design(other, k=k).leakage('shannon'):.3f}."
    )


if __name__ == "__main__":
    main()
