"""Honeywords: store k passwords for each account, of which only one is right, so that a thief of the list is found out.

Juels and Rivest's honeywords are flat when the thief, who knows how popular passwords are, finds all k equally likely.
That is the uniform posterior of an optimal plan. Packages for Django take a generator with the method
`honeywords(real, k) -> list`; this one can be handed to them.
"""

import secrets
from pathlib import Path

import minleak as ml

# Word frequencies stand in for password frequencies here: use the counts of your own site's policy.
DATA = Path(__file__).parent / "data" / "words.csv"


class Honeywords:
    """Sweetwords for known passwords by the optimal plan, and for unknown ones by tweaking, which is weaker.

    A password outside the vocabulary is not hidden by any plan: popular ones beside it would betray it. Half of real
    passwords are like that, so they need a rule: here each letter, digit and sign is replaced by a random one of its
    kind, in the last `tweaked` places. `flat` tells how an account was served, so that the share of weak ones is known.
    """

    def __init__(self, prior: ml.Prior, *, tweaked: int = 4) -> None:
        self._prior, self._tweaked = prior, tweaked
        self._cloaks: dict[int, ml.Cloak] = {}
        self.flat = 0
        self.weak = 0

    def honeywords(self, real: str, k: int) -> list[str]:
        """k passwords, the real one among them, in an order that does not depend on which it is."""
        if k not in self._cloaks:
            self._cloaks[k] = ml.Cloak(ml.design(self._prior, k))
        try:
            # An account's list is made once, so a fresh draw is a single draw.
            words = list(self._cloaks[k].draw_fresh(real))
            self.flat += 1
        except ml.UnknownSecret:
            words = self._tweaks(real, k)
            self.weak += 1
        return sorted(words)

    def _tweaks(self, real: str, k: int) -> list[str]:
        words = {real}
        for _ in range(1000 * k):
            if len(words) == k:
                break
            head, tail = real[: -self._tweaked], real[-self._tweaked :]
            words.add(head + "".join(_alike(character) for character in tail))
        return list(words)


def _alike(character: str) -> str:
    for kind in ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "!?.-_#*+"):
        if character in kind:
            return secrets.choice(kind)
    return character


def main() -> None:
    prior = ml.read_prior(DATA)
    generator = Honeywords(prior)
    print(
        "sweetwords of an account:", generator.honeywords("monkey" if prior.labels.position("monkey") else "water", 8)
    )
    print("of one outside the vocabulary:", generator.honeywords("Tr0ub4dor&3", 8))
    print(f"flat: {generator.flat}, weak: {generator.weak}")
    plan = ml.design(prior, 8)
    print(f"a thief who picks the likeliest is right with probability {max(plan.target):.4f} where the plan served")


if __name__ == "__main__":
    main()
