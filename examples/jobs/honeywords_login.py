"""Honeywords and a login: the right password opens, a wrong one does not, and a decoy raises the alarm.

What leads here: docs/howto/honeywords.md; the login itself is examples/honeywords_login.py. `--short` registers one
account instead of ten.
"""

import sys
from pathlib import Path

import minleak as ml

EXAMPLES = Path(__file__).parents[1]
sys.path.insert(0, str(EXAMPLES))
from honeywords import Honeywords  # noqa: E402
from honeywords_login import Honeychecker, K, Login  # noqa: E402


class Cracked(Honeywords):
    """Keeps what it made, as a thief has it who cracked all hashes."""

    def honeywords(self, real: str, k: int) -> list[str]:
        self.words = super().honeywords(real, k)
        return self.words


def main(*, short: bool) -> None:
    generator, checker = Cracked(ml.read_prior(EXAMPLES / "data" / "words.csv"), unknown_share=0.4), Honeychecker()
    site = Login(generator, checker)
    for number in range(1 if short else 10):
        user, password = f"user-{number}", f"waterfall{number}"
        site.register(user, password)
        decoy = next(word for word in generator.words if word != password)
        tried = {
            "right": site.login(user, password),
            "wrong": site.login(user, "12345"),
            "decoy": site.login(user, decoy),
        }
        print(f"{user}: {tried}; alarms: {len(checker.alarms)}")
    print(f"A thief who knows the model finds the right one of {K} words 1 time in {K}; every other try is an alarm.")


if __name__ == "__main__":
    main(short="--short" in sys.argv)
