"""A page for a manager: what hash prefixes leak today, the best table of the same size, and the plan.

What leads here: docs/howto/prefixes.md. `--short` takes 600 names. The page is written to the folder that is named, or
else to a temporary one.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

MINLEAK = Path(sys.executable).with_name("minleak")
DATA = Path(__file__).parents[1] / "data" / "npm_downloads.csv"


def main(folder: Path, *, short: bool) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        names, page = Path(temporary) / "names.csv", folder / "page.html"
        names.write_text("".join(DATA.read_text().splitlines(keepends=True)[: 601 if short else None]))
        command = [MINLEAK, "compare", names, "--prefix", "sha256:8", "-e", "shannon", "--report", page]
        subprocess.run(command, check=True)
        print(f"{page.stat().st_size / 1e6:.1f} MB, opens without network")


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:] if argument != "--short"]
    with tempfile.TemporaryDirectory() as elsewhere:
        main(given[0] if given else Path(elsewhere), short="--short" in sys.argv)
