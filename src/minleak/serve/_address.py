"""Address: where a service listens: a Unix socket, this machine, or everywhere with a token and TLS."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import stat
from dataclasses import dataclass

from minleak.errors import InvalidParameter

# The mode of a Unix socket, less the umask: never for everybody.
_MODE = 0o660


@dataclass(frozen=True)
class Address:
    """A host and a port, or the path of a Unix socket."""

    host: str = "127.0.0.1"
    port: int = 0
    path: str | None = None

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach it."""
        if self.path is not None or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def hosts(self, port: int) -> frozenset[bytes] | None:
        """The accepted values of a request's Host if only this machine can reach the address; None accepts any. A web
        page whose name was pointed at this machine (DNS rebinding) has another Host.
        """
        if self.path is not None or not self.is_private:
            return None
        names = {"localhost", "127.0.0.1", "[::1]", self._host}
        return frozenset(text.encode() for name in names for text in (name, f"{name}:{port}"))

    @property
    def _host(self) -> str:
        """The host as it stands in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def listen(self) -> socket.socket:
        """A bound, listening socket."""
        if self.path is not None:
            return _listen_at(self.path)
        try:
            family, *_, where = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            return socket.create_server(where[:2], family=family)
        except (OSError, OverflowError) as error:
            raise InvalidParameter(f"cannot listen at {self.host}, port {self.port}: {_why(error)}") from None

    def name(self, listener: socket.socket, *, tls: bool) -> str:
        """The address as clients write it."""
        if self.path is not None:
            return f"unix:{self.path}"
        return f"{'https' if tls else 'http'}://{self._host}:{listener.getsockname()[1]}"

    def remove(self, listener: socket.socket) -> None:
        """Remove the file of a Unix socket, if it is still one."""
        if self.path is not None:
            listener.close()
            with contextlib.suppress(OSError):
                if stat.S_ISSOCK(os.lstat(self.path).st_mode):
                    os.unlink(self.path)


def _listen_at(path: str) -> socket.socket:
    _clear(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)  # nobody else connects before the mode is set
    try:
        listener.bind(path)
    except (OSError, ValueError) as error:
        listener.close()
        raise InvalidParameter(f"cannot listen at the socket {path}: {_why(error)}") from None
    finally:
        os.umask(mask)
    os.chmod(path, _MODE & ~mask)
    listener.listen()
    return listener


def _clear(path: str) -> None:
    """Remove the socket that a killed service left behind."""
    try:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise InvalidParameter(f"{path} exists and is no socket: choose another name")
    except OSError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        try:
            trial.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
        except OSError as error:
            raise InvalidParameter(f"cannot use the socket {path}: {_why(error)}") from None
        else:
            raise InvalidParameter(f"another process answers at the socket {path}: stop it, or choose another name")


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or "no such address"
