"""What does the length of an encrypted word give away? A first measurement, on 2,000 real word counts."""

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
    print(f"A blind guess names the word with probability {ml.vulnerability(prior):.4f}.\n")
    for name, channel in channels.items():
        print(f"-- {name}: {channel.shape[1]} different lengths")
        print(ml.leakage_table(prior, channel))
        print(f"a guess is now right with probability {ml.posterior_vulnerability(prior, channel):.4f}")
        worst = ml.capacity(channel)
        print(f"at worst, over all word frequencies: {worst.value:.4f} bits ({worst.status})\n")
    print("Next: README.md, or measure your own counts with ml.read_prior and ml.Channel.")


if __name__ == "__main__":
    main()
