"""Do the tests notice when the core is wrong? A sample of small mistakes, each made in a copy of the tree.

python -m benchmarks mutants [--mutants 200] [--seconds 14400] [--list FILE]

A mutant is one changed operator or constant of a function in `ROOMS`; the tests of its room and tests/abilities run on
it until one fails. The sample has a fixed seed. What is found is added to the list (build/mutants.jsonl), and a mutant
that the list has for the same source is not run again, so a run that was interrupted goes on where it was. Survivors
are printed: each is a missing test, or a change that means the same.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parents[1]
SRC = Path("src/minleak")
SEED = 20_261
#: The rooms and files of the core, and the tests that are theirs.
ROOMS = {
    "core/_plan": ["tests/core/plan"],
    "core/_design.py": ["tests/core/plan"],
    "core/_layouts": ["tests/core/layouts"],
    "core/_certify": ["tests/core/certify"],
    "core/_cloak.py": ["tests/core/draw"],
    "core/_keys.py": ["tests/core/draw"],
    "core/_entropy": ["tests/core/entropy"],
    "core/_leakage.py": ["tests/core/test_leakages.py"],
    "core/_capacity.py": ["tests/core/test_capacities.py"],
    "core/_small_leakages.py": ["tests/core/test_small_leakages.py", "tests/core/test_orders.py"],
    "core/_file": ["tests/core/file"],
    "core/_prior.py": ["tests/core/test_prior.py"],
    "core/_channel.py": ["tests/core/test_channel.py"],
    "core/_joint.py": ["tests/core/test_joint.py"],
    "core/_columns.py": ["tests/core/test_columns.py"],
    "core/_labels.py": ["tests/core/test_labels.py"],
    "core/_numbers.py": ["tests/core/test_prior.py"],
    "lineage": ["tests/lineage"],
}
ALWAYS = "tests/abilities"

COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
Change = Callable[[], object]


@dataclass(frozen=True)
class Mutant:
    """One change: the file, the number of the change in it, where it is, and what it does."""

    room: str
    file: str
    number: int
    line: int
    what: str
    source: str


def changes(tree: ast.Module) -> Iterator[tuple[int, str, Change]]:
    """Every change of a file's functions, in order: its line, what it was, and what makes it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "__repr__":
            for statement in node.body:
                yield from changes_in(statement)


def changes_in(node: ast.AST) -> Iterator[tuple[int, str, Change]]:
    """The changes of a node, but not of messages, annotations and functions inside it."""
    skipped = ast.Raise | ast.JoinedStr | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assert
    if isinstance(node, skipped) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    what = getattr(node, "lineno", 0), ast.unparse(node)[:100] if isinstance(node, ast.expr | ast.AugAssign) else ""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        yield *what, partial(node.ops.__setitem__, 0, COMPARED[type(node.ops[0])]())
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in COMPUTED:
        yield *what, partial(setattr, node, "op", COMPUTED[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield *what, partial(setattr, node, "op", ast.And() if isinstance(node.op, ast.Or) else ast.Or())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield *what, partial(setattr, node, "operand", ast.UnaryOp(ast.Not(), node.operand))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield *what, partial(setattr, node, "value", not node.value if isinstance(node.value, bool) else node.value + 1)
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list"):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield from changes_in(each)


def mutants() -> list[Mutant]:
    """Every mutant of the core, in order."""
    found = []
    for room in ROOMS:
        path = ROOT / SRC / room
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            text = file.read_text()
            source = hashlib.sha256(text.encode()).hexdigest()[:16]
            found += [
                Mutant(room, str(file.relative_to(ROOT)), number, line, what, source)
                for number, (line, what, _) in enumerate(changes(ast.parse(text)))
            ]
    return found


def mutate(text: str, number: int) -> str:
    """A file with one change."""
    tree = ast.parse(text)
    _, _, make = next(islice(changes(tree), number, None))
    make()
    return ast.unparse(ast.fix_missing_locations(tree))


def copy_tree(folder: Path) -> Path:
    """A tree whose package and tests are copies, and whose other files are those of this one."""
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name in ("src", "tests"):
            shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("*.pyc"))
        elif path.name not in (".git", "build"):
            (folder / path.name).symlink_to(path)
    return folder


def run_tests(tree: Path, tests: list[str], seconds: float, *, keep_bytecode: bool = False) -> str:
    """What tests say: killed, survived or timeout. A mutant's bytecode is not kept: the next might be taken for it."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}
    environment["PYTHONDONTWRITEBYTECODE"] = "" if keep_bytecode else "1"
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=tree, env=environment, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        return "killed" if process.wait(seconds) else "survived"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)  # with what the tests themselves started
        process.wait()
        return "timeout"


def try_mutant(tree: Path, mutant: Mutant, seconds: float) -> str:
    """The outcome of one mutant; the copy is as before afterwards."""
    path = tree / mutant.file
    text = path.read_text()
    try:
        path.write_text(mutate(text, mutant.number))
        return run_tests(tree, [*ROOMS[mutant.room], ALWAYS], seconds)
    finally:
        path.write_text(text)


def main(arguments: list[str]) -> None:
    """Run the sample as far as time allows, and say what survived."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks mutants", description=__doc__)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=14_400)
    parser.add_argument("--list", type=Path, default=ROOT / "build" / "mutants.jsonl")
    given = parser.parse_args(arguments)
    everything = mutants()
    sample = random.Random(SEED).sample(everything, min(given.mutants, len(everything)))
    outcomes = read_list(given.list)
    print(f"{len(sample)} of {len(everything):,} mutants, {sum(m in outcomes for m in sample)} of them known")
    run_sample([mutant for mutant in sample if mutant not in outcomes], given.list, given.seconds, outcomes)
    tell(sample, outcomes)


def read_list(path: Path) -> dict[Mutant, str]:
    """The outcomes that are known."""
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {Mutant(**row["mutant"]): row["outcome"] for row in rows}


def run_sample(waiting: list[Mutant], path: Path, seconds: float, outcomes: dict[Mutant, str]) -> None:
    """Try mutants until the time is over, and write down each outcome."""
    path.parent.mkdir(exist_ok=True)
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_tree(Path(folder) / "tree")
        taken = partial(seconds_of, tree, {})
        for i, mutant in enumerate(waiting):
            limit = 60 + 3 * sum(map(taken, [*ROOMS[mutant.room], ALWAYS]))
            if time.monotonic() >= end:
                print(f"the time is over: {len(waiting) - i} mutants wait")
                return
            outcomes[mutant] = try_mutant(tree, mutant, limit)
            with path.open("a") as file:
                file.write(json.dumps({"mutant": asdict(mutant), "outcome": outcomes[mutant]}) + "\n")


def seconds_of(tree: Path, known: dict[str, float], tests: str) -> float:
    """How long tests take on the tree as it is, where they pass."""
    if tests not in known:
        began = time.monotonic()
        if run_tests(tree, [tests], 1800, keep_bytecode=True) != "survived":
            sys.exit(f"{tests} fails on the tree as it is")
        known[tests] = time.monotonic() - began
    return known[tests]


def tell(sample: list[Mutant], outcomes: dict[Mutant, str]) -> None:
    """How many were killed, by room, and the survivors."""
    counted = Counter((mutant.room, outcomes[mutant]) for mutant in sample if mutant in outcomes)
    print(f"{'room':<18} {'killed':>7} {'survived':>9} {'timeout':>8}")
    for room in [room for room in ROOMS if any(known == room for known, _ in counted)]:
        print(f"{room:<18} {counted[room, 'killed']:>7} {counted[room, 'survived']:>9} {counted[room, 'timeout']:>8}")
    for mutant in sample:
        if outcomes.get(mutant) == "survived":
            print(f"survived: {mutant.file}:{mutant.line}  {mutant.what}")
