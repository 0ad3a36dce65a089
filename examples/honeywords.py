"""Honeywords: store k passwords for each account, of which only one is right, so that a thief of the list is found out.

Juels and Rivest's honeywords are flat when the thief, who knows how popular passwords are, finds all k equally likely.
That is the uniform posterior of an optimal plan; with a model of strings every password has one, listed or not.
Packages for Django take a generator with the method `honeywords(real, k) -> list`; this one can be handed to them.
"""

from pathlib import Path

import minleak as ml

# Word frequencies stand in for password frequencies here: use the counts of your own site's policy.
DATA = Path(__file__).parent / "data" / "words.csv"


class Honeywords:
    """k words for any password: those that were counted are as likely as they were counted, all others by a model of
    how passwords are written. `unknown_share` is how often one was never counted.
    """

    def __init__(self, prior: ml.Prior, *, unknown_share: float | None = None) -> None:
        self._prior, self._share = prior, unknown_share
        self._model = ml.strings.NGram.fit(list(prior.labels))  # each once: what is new looks like what is rare
        self._plans = {}

    def honeywords(self, real: str, k: int) -> list[str]:
        """k different passwords, the real one among them, in an order that says nothing."""
        if k not in self._plans:
            self._plans[k] = ml.design(self._prior, k, unknown=self._model, unknown_share=self._share)
        return ml.strings.honeywords(real, k, model=self._plans[k])


def main() -> None:
    generator = Honeywords(ml.read_prior(DATA), unknown_share=0.4)
    for password in ("water", "waterfall", "Tr0ub4dor&3", "пароль"):
        print(password, "->", "  ".join(generator.honeywords(password, 8)))


if __name__ == "__main__":
    main()
