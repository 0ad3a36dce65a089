"""Service: everything that a service needs to start, read and checked."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from minleak.core._keys import Key, read_private
from minleak.core._load import load
from minleak.core._parameters import whole
from minleak.errors import InvalidKey, InvalidParameter
from minleak.lab.sequences._chain import Chain
from minleak.lab.sequences._tracks import Tracks
from minleak.padding._size_table import SizeTable
from minleak.serve._address import Address
from minleak.serve._guard import Terms, hash_token
from minleak.serve._worker import Tls

# The length of a token.
_SHORTEST, _LONGEST = 32, 200
_NEW_TOKEN = "make one with `openssl rand -hex 32`"


@dataclass(frozen=True)
class Service:
    """A service that can be started. `read_token` reads the token again when a signal asks for it."""

    plans: Sequence[str]
    address: Address
    terms: Terms
    key: Key | None
    tls: Tls | None
    workers: int
    tracks: Tracks | None
    padding: SizeTable | None
    read_token: Callable[[], bytes | None]


def make_service(
    plans: Sequence[str],
    address: Address,
    *,
    key: str | None = None,
    token: str | None = None,
    tls_cert: str | None = None,
    tls_key: str | None = None,
    workers: int = 1,
    every: float = 0.0,
    chain: str | None = None,
    k: int | None = None,
    padding: str | None = None,
    access_log: bool = False,
) -> Service:
    """A service of these files; the supervisor opens the plans.

    An address that other machines can reach needs a token and TLS: requests hold secrets, and anyone who can send them
    can find out which secrets draw a given set.
    """
    if (tls_cert is None) != (tls_key is None):
        raise InvalidParameter("TLS needs both tls_cert= and tls_key=")
    if not address.is_private and (token is None or tls_cert is None):
        raise InvalidParameter(
            f"{address.host} can be reached by others: give token=, tls_cert= and tls_key=, or listen at 127.0.0.1 or "
            "a socket="
        )
    if not 0 <= every <= 1:  # NaN fails
        raise InvalidParameter("every= is a time between 1ms and 1s, such as 5ms")
    secret = None if key is None else Key.load(key)
    reread = partial(_read_token, token)
    return Service(
        plans=plans,
        address=address,
        terms=Terms(token=reread(), every=every, access_log=access_log),
        key=secret,
        tls=None if tls_cert is None or tls_key is None else _check_tls(Tls(tls_cert, tls_key)),
        workers=whole(workers, "workers", most=256),
        tracks=None if chain is None else _tracks(chain, k, plans, secret),
        padding=None if padding is None else SizeTable.load(padding),
        read_token=reread,
    )


def _tracks(chain: str, k: int | None, plans: Sequence[str], key: Key | None) -> Tracks:
    """Tracks of a chain; as many as k of the newest plan, if not given."""
    if key is None:
        raise InvalidParameter("drawing tracks needs a key: give key=, made by `minleak keygen`")
    newest: Any = load(plans[-1])
    return Tracks(Chain.load(chain), newest.k if k is None else k, key=key)


def _read_token(path: str | None) -> bytes | None:
    """The hash of the token in a file."""
    if path is None:
        return None
    name, text = read_private(path, "token", _NEW_TOKEN)
    token = text.strip()
    if not _SHORTEST <= len(token) <= _LONGEST or not token.isascii() or not token.decode().isprintable():
        raise InvalidKey(f"{name} holds no token of {_SHORTEST} to {_LONGEST} visible characters: {_NEW_TOKEN}")
    return hash_token(token)


def _check_tls(tls: Tls) -> Tls:
    """Refuse files that do not hold a certificate and its key."""
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(tls.certificate, tls.key, password="")
    except (OSError, ValueError):
        raise InvalidParameter(
            f"cannot use {tls.certificate} and {tls.key} for TLS: give a certificate and its key in PEM, without a "
            "passphrase"
        ) from None
    return tls
