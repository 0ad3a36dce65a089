"""From hash prefixes to a better table, used from sqlite in Python and from JSON in Node.

What leads here: docs/howto/prefixes.md. `--short` takes 600 names.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import minleak as ml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "runtimes" / "python"))
from minleak_draw import Table  # noqa: E402  (one file without dependencies: copy it into your client)

NODE = """
import { Table } from "%s";
const table = await Table.open("%s");
console.log((await table.draw("%s")).join(" "));
"""


def main(*, short: bool) -> None:
    whole = ml.read_prior(ROOT / "examples" / "data" / "npm_downloads.csv")
    n = 600 if short else len(whole)
    names = ml.Prior(whole.weights[:n], labels=whole.labels[:n])

    today = [hashlib.sha256(name.encode()).digest()[0] for name in names.labels]
    found = ml.compare(names, today, entropies=["shannon"])
    print(f"{n:,} names. {found}\n")

    blocks = ml.design(names, k=found.largest, layout="blocks")
    with tempfile.TemporaryDirectory() as folder:
        sqlite, json = Path(folder) / "names.sqlite", Path(folder) / "names.json"
        ml.export(blocks, sqlite)
        ml.export(blocks, json)
        shown = Table(str(sqlite)).draw("react")
        print("Python, sqlite:", " ".join(shown))
        if shutil.which("node"):
            module = ROOT / "runtimes" / "javascript" / "minleak-draw.js"
            command = ["node", "--input-type=module", "-e", NODE % (module.as_uri(), json, "react")]
            node = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
            print("Node, JSON:    ", " ".join(node))
            if node != list(shown):
                raise SystemExit("the two runtimes differ")
        else:
            print("no node here: that part was left out")


if __name__ == "__main__":
    main(short="--short" in sys.argv)
