"""Honeywords and a login: a password store, a honeychecker apart from it, and an alarm when a decoy is used.

What leads here: docs/howto/honeywords.md. `--short` uses weaker hashes, so that it is quick.
"""

import hashlib
import hmac
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import minleak as ml

DATA = Path(__file__).parents[1] / "data" / "words.csv"  # stands in for the passwords of your site
K = 10


class Honeychecker:
    """Knows the number of the right word of each account, and nothing else. Run it on another machine."""

    def __init__(self) -> None:
        self._right: dict[str, int] = {}

    def set(self, user: str, number: int) -> None:
        self._right[user] = number

    def check(self, user: str, number: int) -> bool:
        if number != self._right[user]:
            print(f"ALARM: a decoy of {user} was used: the password store has been stolen")
        return number == self._right[user]


@dataclass
class Logins:
    """The password store: for each account a salt and the hashes of k words, one of them right."""

    plan: object
    checker: Honeychecker
    cost: int
    accounts: dict[str, tuple[bytes, list[bytes]]] = field(default_factory=dict)

    def _hash(self, word: str, salt: bytes) -> bytes:
        return hashlib.scrypt(word.encode(), salt=salt, n=self.cost, r=8, p=1)

    def register(self, user: str, password: str) -> list[str]:
        words = ml.strings.honeywords(password, K, model=self.plan)
        salt = os.urandom(16)
        self.accounts[user] = salt, [self._hash(word, salt) for word in words]
        self.checker.set(user, words.index(password))
        return words

    def login(self, user: str, password: str) -> bool:
        salt, hashes = self.accounts[user]
        tried = self._hash(password, salt)
        number = next((i for i, known in enumerate(hashes) if hmac.compare_digest(known, tried)), None)
        return number is not None and self.checker.check(user, number)


def main(*, short: bool) -> None:
    counted = ml.read_prior(DATA)
    model = ml.strings.NGram.fit(list(counted.labels))
    plan = ml.design(counted, K, unknown=model, unknown_share=0.4)
    logins = Logins(plan, Honeychecker(), cost=2**4 if short else 2**14)
    words = logins.register("ann", "waterfall7")
    print(f"{K} words are stored for ann; a thief who knows the model finds the right one 1 time in {K}.")
    print("right password:", logins.login("ann", "waterfall7"))
    print("wrong password:", logins.login("ann", "12345"))
    decoy = next(word for word in words if word != "waterfall7")
    print("a decoy:", logins.login("ann", decoy))


if __name__ == "__main__":
    main(short="--short" in sys.argv)
