"""A service asked from Node: `minleak serve` on a free port of this machine, and examples/service/client.mjs.

What leads here: docs/howto/service.md. `--short` takes 400 words.
"""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import minleak as ml

ROOT = Path(__file__).parents[2]
REQUEST = {"secret": "music", "scope": "user-17"}


def wait(url: str, service: subprocess.Popen[bytes]) -> None:
    """Until the service is ready."""
    for _ in range(600):
        if service.poll() is not None:
            raise SystemExit("the service has ended")
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise SystemExit("the service does not answer")


def main(*, short: bool) -> None:
    words = ml.read_prior(ROOT / "examples" / "data" / "words.csv")
    n = 400 if short else len(words)
    plan = ml.design(ml.Prior(words.weights[:n], labels=words.labels[:n]), k=10)
    with tempfile.TemporaryDirectory() as folder:
        file, key, token = (Path(folder) / name for name in ("words.cloak", "words.key", "token"))
        plan.save(file)
        ml.Key.new().save(key)
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        command = [Path(sys.executable).with_name("minleak"), "serve", file, "--key", key, "--token", token]
        service = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.DEVNULL, env=os.environ)
        try:
            wait(url, service)
            expected = list(ml.Cloak(file, key=key).draw(REQUEST["secret"], scope=REQUEST["scope"]))
            print("in this process:", ", ".join(expected))
            if not shutil.which("node"):
                print("no node here: that part was left out")
                return
            client = ["node", ROOT / "examples" / "service" / "client.mjs", url, token]
            asked = subprocess.run(client, input=json.dumps(REQUEST), capture_output=True, text=True, check=True)
            print("from Node:      ", ", ".join(json.loads(asked.stdout)))
            if json.loads(asked.stdout) != expected:
                raise SystemExit("the two differ")
        finally:
            service.terminate()
            service.wait()


if __name__ == "__main__":
    main(short="--short" in sys.argv)
