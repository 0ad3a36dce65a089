"""A login with honeywords: the site stores k hashes for each account, and a honeychecker alone knows which is right.

Two servers, so that a thief of one has nothing: the site holds salted hashes in an order that says nothing, the
honeychecker a number for each user. A right password logs in, a honeyword raises the alarm, anything else is wrong.
"""

import hashlib
import hmac
import secrets
from pathlib import Path

import minleak as ml
from honeywords import DATA, Honeywords

K = 8


class Honeychecker:
    """On another machine: which of a user's hashes is the right one. It answers yes or raises the alarm."""

    def __init__(self) -> None:
        self._right, self.alarms = {}, []

    def set(self, user: str, place: int) -> None:
        self._right[user] = place

    def check(self, user: str, place: int) -> bool:
        if self._right.get(user) == place:
            return True
        self.alarms.append(user)
        return False


class Login:
    """The site: salted hashes of k words for each user, and no sign of which is the password."""

    def __init__(self, generator: Honeywords, checker: Honeychecker) -> None:
        self._generator, self._checker, self.stored = generator, checker, {}

    def register(self, user: str, password: str) -> None:
        words = self._generator.honeywords(password, K)  # drawn once, when the password is set
        salt = secrets.token_bytes(16)
        self.stored[user] = salt, [_hash(word, salt) for word in words]
        self._checker.set(user, words.index(password))

    def login(self, user: str, password: str) -> bool:
        salt, hashes = self.stored.get(user, (b"no such user.....", []))
        found = _hash(password, salt)
        places = [place for place, one in enumerate(hashes) if hmac.compare_digest(one, found)]
        return bool(places) and self._checker.check(user, places[0])


def _hash(word: str, salt: bytes) -> bytes:
    return hashlib.scrypt(word.encode(), salt=salt, n=2**14, r=8, p=1)


def main() -> None:
    checker = Honeychecker()
    site = Login(Honeywords(ml.read_prior(Path(DATA)), unknown_share=0.4), checker)
    site.register("ann", "waterfall")
    print("the password:", site.login("ann", "waterfall"))
    print("another word:", site.login("ann", "water"), "alarms:", checker.alarms)


if __name__ == "__main__":
    main()
