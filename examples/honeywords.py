"""Honeywords: store k passwords for each account, of which only one is right, so that a thief of the list is found out.

Juels and Rivest's honeywords are flat when the thief, who knows how popular passwords are, finds all k equally likely.
That is the uniform posterior of an optimal plan. Packages for Django take a generator with the method
`honeywords(real, k) -> list`; this one can be handed to them.
"""

import secrets
import unicodedata
from math import prod
from pathlib import Path

import minleak as ml
from minleak.errors import InvalidParameter, UnknownSecret

# Word frequencies stand in for password frequencies here: use the counts of your own site's policy.
DATA = Path(__file__).parent / "data" / "words.csv"


class Honeywords:
    """Sweetwords for known passwords by the optimal plan, and for unknown ones by tweaking, which is weaker.

    A password outside the vocabulary is not hidden by any plan: popular ones beside it would betray it. Half of real
    passwords are like that, so they need a rule: here each letter, digit and sign is replaced by a random one of its
    kind, in the last `tweaked` places, or in all if these are too few. `flat` and `weak` count how accounts were
    served, so that the share of weak ones is known.
    """

    def __init__(self, prior: ml.Prior, *, tweaked: int = 4) -> None:
        self._prior, self._tweaked = prior, tweaked
        self._cloaks: dict[int, ml.Cloak] = {}
        self.flat = 0
        self.weak = 0

    def honeywords(self, real: str, k: int) -> list[str]:
        """k different passwords, the real one among them, in an order drawn anew: a sorted list would show which word
        was moved by a package that then swaps the real one to a random place.
        """
        if k not in self._cloaks:
            self._cloaks[k] = ml.Cloak(ml.design(self._prior, k))
        try:
            # An account's list is made once, so a fresh draw is a single draw.
            words = list(self._cloaks[k].draw_fresh(real))
        except UnknownSecret:
            words = []
        flat = len(words) == k  # fewer are shown for words of weight 0, and by a vocabulary of fewer than k
        if not flat:
            words = self._tweaks(real, k)
        self.flat += flat
        self.weak += not flat
        secrets.SystemRandom().shuffle(words)
        return words

    def _tweaks(self, real: str, k: int) -> list[str]:
        kinds = [_alike(character) for character in real]
        fixed = max(0, len(real) - self._tweaked)
        if prod(map(len, kinds[fixed:])) < k:
            fixed = 0
        if prod(map(len, kinds[fixed:])) < k:
            raise InvalidParameter(f"this password has fewer than {k} alike to hide among: ask for a longer one")
        words = {real}
        while len(words) < k:
            words.add(real[:fixed] + "".join(map(secrets.choice, kinds[fixed:])))
        return list(words)


def _alike(character: str) -> str:
    """The letters, digits or signs of the same kind around a character, in Unicode's blocks of 128."""
    begin = ord(character) // 128 * 128
    return "".join(other for other in map(chr, range(begin, begin + 128)) if _kind(other) == _kind(character))


def _kind(character: str) -> str:
    category = unicodedata.category(character)
    return "sign" if category[0] in "PS" else category


def main() -> None:
    prior = ml.read_prior(DATA)
    generator = Honeywords(prior)
    known = "monkey" if prior.labels.position("monkey") is not None else "water"
    print("sweetwords of an account:", generator.honeywords(known, 8))
    print("of one outside the vocabulary:", generator.honeywords("Tr0ub4dor&3", 8))
    print(f"flat: {generator.flat}, weak: {generator.weak}")
    plan = ml.design(prior, 8)
    print(f"a thief who picks the likeliest is right with probability {max(plan.target):.4f} where the plan served")


if __name__ == "__main__":
    main()
