"""The set to show for a secret, with Python's standard library: client.py URL TOKEN_FILE < request.json

An answer is checked before it is shown: whatever goes wrong, the secret itself is never the answer.
"""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from pathlib import Path


class Refused(Exception):
    """The service refuses a request: `code` says why, and the secret must not be shown."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def draw(url: str, token: str, secret: str | int, scope: str) -> list[str | int]:
    """The members of the set to show."""
    body = json.dumps({"secret": secret, "scope": scope}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}/draw", body, headers), timeout=10) as answer:
            return list(json.load(answer)["members"])
    except urllib.error.HTTPError as error:
        raise Refused(json.load(error)["error"]["code"]) from None


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps(draw(sys.argv[1], Path(sys.argv[2]).read_text().strip(), asked["secret"], asked["scope"])))
