"""From a raw web log to draws: an access log as a server writes it, a plan for its pages, and sets to show.

What leads here: docs/howto/logs.md. `--short` writes 5,000 lines instead of 100,000.
"""

import random
import subprocess
import sys
import tempfile
from itertools import accumulate
from pathlib import Path

MINLEAK = Path(sys.executable).with_name("minleak")
LINE = '{host} - - [18/Nov/2026:04:{minute:02}:00 +0000] "GET /{page}?s={i} HTTP/1.1" {status} 512 "-" "curl/8.5"\n'


def write_log(path: Path, lines: int) -> None:
    """One request a visitor and page, pages by Zipf's law; one in twenty is not found."""
    words = (Path(__file__).parents[1] / "data" / "words.csv").read_text().splitlines()[1:501]
    pages = [line.split(",")[0] for line in words]
    shares = list(accumulate(1 / (rank + 5) for rank in range(len(pages))))
    chance = random.Random(1)
    with path.open("w") as file:
        for i, page in enumerate(chance.choices(pages, cum_weights=shares, k=lines)):
            status = 404 if i % 20 == 0 else 200
            file.write(
                LINE.format(host=f"10.0.{i % 256}.{i // 256 % 256}", minute=i % 60, page=page, i=i, status=status)
            )


def minleak(*arguments: str | Path, said: str = "") -> str:
    done = subprocess.run([MINLEAK, *arguments], input=said, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def main(*, short: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log, plan, key = (Path(folder) / name for name in ("access.log", "pages.cloak", "pages.key"))
        write_log(log, 5_000 if short else 100_000)
        chosen = ("--field", "path", "--no-query", "--status", "2xx")
        print(minleak("design", log, *chosen, "--max-success", "5%", "-o", plan))
        minleak("keygen", key)
        shown = minleak("draw", plan, "-", "--key", key, "--scope", "user-17", said="/house\n")
        print("shown for /house:", ", ".join(shown.split()[:5]), "...")


if __name__ == "__main__":
    main(short="--short" in sys.argv)
