"""python -m paper -o FOLDER: reproduce the paper; exit code 1 if a claim does not come out, or something is missing."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from minleak.errors import MinleakError
from minleak.report import page


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m paper", description="Every table and figure of the paper again.")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="the folder to write paper.html, pictures and tables to"
    )
    folder = parser.parse_args().output
    try:
        page("", "", [])  # says what is missing before anything is computed or written
        from paper.reproduce import reproduce

        claims = reproduce(folder, tell=lambda step: print(step, file=sys.stderr))
    except MinleakError as error:
        sys.exit(str(error))
    for claim in claims:
        print(f"{claim.what}\n    printed: {claim.printed}\n    ours:    {claim.ours}\n    {claim.verdict}")
    failed = sum(not claim.ok for claim in claims)
    print(f"\n{failed} of {len(claims)} claims do not agree" if failed else f"\n{len(claims)} claims, none fails")
    print(f"written to {folder / 'paper.html'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
