"""A paper's matrix, typed as printed: leakage to several attackers, in the worst case, and against another channel.

What leads here: docs/howto/measuring.md. `--short` changes nothing: it is quick. Needs the extra `lab`.
"""

import sys
from fractions import Fraction

import minleak as ml

# Khouzani and Malacaria's counterexample: four secrets, two observables, only the second secret has a choice.
PRIOR = "0.2 0.5 0.15 0.15"
ROWS = """
1    0
2/5  3/5
0    1
0    1
"""


def main(*, short: bool) -> None:
    del short
    prior = ml.Prior([Fraction(p) for p in PRIOR.split()])
    channel = ml.Channel([[Fraction(p) for p in row.split()] for row in ROWS.strip().splitlines()])
    print(ml.leakage_table(prior, channel, ["shannon", "min-entropy", "arimoto:2", "guesswork"]))
    print("\nposteriors, and how often each occurs:")
    print(ml.lab.hyper(prior, channel))
    worst = ml.capacity(channel, "shannon")
    print(f"\nover all priors at most {worst.value:.6f} bits: {worst.status}")
    closed = ml.Channel([[1, 0], [Fraction(1, 2), Fraction(1, 2)], [0, 1], [0, 1]])
    found = ml.lab.refined_by(channel, closed)
    print(f"can it imitate the channel with 1/2 and 1/2? {found.ok}; a witness earns {found.earned}")


if __name__ == "__main__":
    main(short="--short" in sys.argv)
