"""Does this tree answer as an older commit did?

python -m benchmarks same OLD_COMMIT [NEW_COMMIT] [--without digests files]

The cases (benchmarks/same_cases.py) and the addresses of what they call (tests/abilities/names.py) are those of this
tree for both sides; NEW_COMMIT is this tree unless it is given. Ends with 1 where an answer differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
TOLERANCE = {"number": 1e-9, "solved": 1e-6}
SHOWN = 20


def leaves(value: Any) -> Iterator[tuple[str, str]]:
    """The kind and the text of every single fact in an answer."""
    from benchmarks.same_cases import Digest, File, Solved

    if isinstance(value, File):
        yield "files", hashlib.sha256(value).hexdigest()
    elif isinstance(value, Digest):
        yield "digests", value
    elif isinstance(value, float | np.floating):
        yield "solved" if isinstance(value, Solved) else "number", repr(float(value))
    elif isinstance(value, np.ndarray):
        yield from leaves(value.tolist())
    elif isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    else:
        yield "letter", str(value)


def run_cases() -> dict[str, Any]:
    """The facts of every case by its name and number; None for a case whose names this tree does not have."""
    from tests.abilities.names import Absent

    from benchmarks.same_cases import CASES

    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    for name, (times, case) in CASES.items():
        for i in range(times):
            rng = np.random.default_rng([i, zlib.crc32(name.encode())])
            try:
                found[f"{name} {i}"] = [fact for value in case(rng) for fact in leaves(value)]
            except Absent:
                found[f"{name} {i}"] = None
            except Exception as error:
                found[f"{name} {i}"] = [("letter", f"the case fails: {type(error).__name__}: {error}")]
    return found


def start(tree: Path, out: Path) -> subprocess.Popen[bytes]:
    """A process that runs the cases of this tree on the package of another."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tree / "src"), str(ROOT)]), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, "-m", "benchmarks.same", str(out)], cwd=ROOT, env=environment)


def unpack(commit: str, folder: Path) -> Path:
    """The files of a commit, in a folder."""
    folder.mkdir()
    files = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=files, check=True)
    return folder


def agree(old: list[str], new: list[str]) -> bool:
    """Whether two facts are the same."""
    if old[0] != new[0] or old[0] not in TOLERANCE:
        return old == new
    a, b = float(old[1]), float(new[1])
    close = math.isclose(a, b, rel_tol=TOLERANCE[old[0]], abs_tol=TOLERANCE[old[0]])
    return close or (math.isnan(a) and math.isnan(b))


def compare(old: dict[str, Any], new: dict[str, Any], without: list[str]) -> tuple[Counter[str], list[str]]:
    """How many facts are equal and different, by kind, and what each difference is."""
    counted: Counter[str] = Counter()
    differences = []
    for name in new:
        if old[name] is None or new[name] is None:
            counted["absent"] += 1
            continue
        first, second = ([fact for fact in facts if fact[0] not in without] for facts in (old[name], new[name]))
        if len(first) != len(second):
            counted["different"] += 1
            differences.append(f"{name}: {len(first)} facts were {len(second)}; {first[:1]} {second[:1]}")
            continue
        for i, (a, b) in enumerate(zip(first, second, strict=True)):
            counted["equal" if agree(a, b) else "different"] += 1
            counted[b[0]] += 1
            if not agree(a, b):
                differences.append(f"{name}, fact {i}: {a[1][:80]} was, {b[1][:80]} is")
    return counted, differences


def main(arguments: list[str]) -> None:
    """Run the cases on both trees, compare, and say what differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks same", description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--without", nargs="+", choices=["digests", "files"], default=[])
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        trees = [unpack(given.old, folder / "old"), unpack(given.new, folder / "new") if given.new else ROOT]
        outs = [folder / "old.json", folder / "new.json"]
        running = [start(tree, out) for tree, out in zip(trees, outs, strict=True)]
        codes = [process.wait() for process in running]
        if any(codes):
            sys.exit("the cases do not run on both trees")
        old, new = (json.loads(out.read_text()) for out in outs)
    counted, differences = compare(old, new, given.without)
    kinds = ", ".join(f"{counted[kind]:,} {kind}" for kind in ("number", "solved", "letter", "digests", "files"))
    print(f"{counted['equal']:,} facts equal, {counted['different']:,} different ({kinds})")
    if counted["absent"]:
        print(f"{counted['absent']} cases are not in both trees")
    firsts = {text.split()[0]: text for text in reversed(differences)}  # the first of each case
    print(*list(firsts.values())[::-1][:SHOWN], sep="\n")
    if len(differences) > len(firsts):
        print(f"... and {len(differences) - len(firsts):,} more of these cases")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":  # a process of `start`
    Path(sys.argv[1]).write_text(json.dumps(run_cases()))
