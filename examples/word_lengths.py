"""What does the length of an encrypted word give away, and what hides the word best? On 2,000 real word counts."""

from pathlib import Path

import minleak as ml

DATA = Path(__file__).parent / "data" / "words.csv"


def main() -> None:
    prior = ml.read_prior(DATA)
    lengths = [len(word) for word in prior.labels]
    channels = {
        "nothing hidden but the word": ml.Channel.deterministic(lengths),
        "padded to multiples of 4": ml.Channel.deterministic([-(-length // 4) * 4 for length in lengths]),
    }
    print(f"{len(prior):,} English words, each encrypted; the observer sees only how long it is.")
    print(f"A blind guess names the word with probability {ml.lab.vulnerability(prior):.4f}.\n")
    for name, channel in channels.items():
        print(f"-- {name}: {channel.shape[1]} different lengths")
        print(ml.leakage_table(prior, channel))
        print(f"a guess is now right with probability {ml.lab.posterior_vulnerability(prior, channel):.4f}")
        worst = ml.capacity(channel)
        print(f"at worst, over all word frequencies: {worst.value:.4f} bits ({worst.status})\n")
    plan = ml.design(prior, k=20)
    print("-- a look-up that must name the word: send 20 words, one of them the real one")
    certified = ml.certify(plan, prior).ok
    print(f"the least that sets of 20 can leak: {plan.leakage('shannon'):.4f} bits; certified: {certified}")
    print(f"a guess is right with probability {max(plan.target):.4f}, no more than a blind one")
    cloak = ml.Cloak(plan, key=ml.Key.new())
    print("for 'house' a subject shows, now and always:", ", ".join(cloak.draw("house", scope="subject-1")))
    print("\nNext: README.md, the other examples/, or your own counts with ml.read_prior and ml.design.")


if __name__ == "__main__":
    main()
