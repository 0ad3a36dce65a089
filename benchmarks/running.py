"""Running: draws by the million against np.searchsorted and hashlib alone, and the file of ten million secrets."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa

import minleak as ml
from benchmarks.designing import weights_of
from benchmarks.timing import Timed, interleaved, line


def main(n: int = 10_000_000, k: int = 10, draws: int = 1_000_000) -> None:
    few()
    rng = np.random.default_rng(0)
    prior = ml.Prior(weights_of(n), labels=pa.array([f"item-{i}" for i in range(n)]))
    secrets = np.searchsorted(np.cumsum(prior.p), rng.random(draws)).clip(0, n - 1)
    scopes = [f"user-{i % 5000}" for i in range(draws)]
    key = ml.Key.new()
    fresh: dict[str, Timed] = {}
    with tempfile.TemporaryDirectory() as folder:
        for layout in ("circle", "stable"):
            print(f"\n{draws:,} draws, n = {n:,}, k = {k}, layout {layout}. Values: a checksum.")
            plan = ml.design(prior, k, layout=layout)
            cloak = ml.Cloak(plan, key=key)

            def searched(plan=plan) -> int:
                """The same kind of positions on the ring, u for each draw, by binary search."""
                phases = rng.integers(0, plan.length, draws)
                positions = phases[:, None] + np.arange(plan.u) * plan.length
                return int(np.searchsorted(plan.starts, positions, side="right").sum() % 1000)

            timed = interleaved(
                {
                    "ours": lambda cloak=cloak: int(cloak.draw_many(secrets, fresh=True).sum() % 1000),
                    "searchsorted": searched,
                },
                runs=2,
            )
            fresh[layout] = timed["ours"]
            bar = "(bar 8x)" if layout == "circle" else ""
            line("fresh draws", timed["ours"], "np.searchsorted", timed["searchsorted"], bar=bar)

            def hashed() -> str:
                secret = key.reveal()
                message = bytes(48)
                for _ in range(draws):
                    digest = hashlib.blake2b(message, key=secret, digest_size=32).digest()
                return digest.hex()[:4]

            timed = interleaved(
                {
                    "ours": lambda cloak=cloak: int(cloak.draw_many(secrets, scopes=scopes).sum() % 1000),
                    "hashlib": hashed,
                },
                runs=2,
            )
            line("sticky draws", timed["ours"], "hashlib alone", timed["hashlib"], bar="(bar 4x)", slower=True)
            print(f"{'':<44} {draws / timed['ours'].seconds:,.0f} sticky draws a second (bar 200,000)")
            path = os.path.join(folder, f"{layout}.cloak")
            saved = interleaved({"save": lambda plan=plan, path=path: plan.save(path)}, runs=1)["save"]
            print(f"{'save':<44} {1e3 * saved.seconds:>9.1f} ms  {os.path.getsize(path) / 1e6:,.0f} MB")
            opened(path)
            del plan, cloak
    ratio = fresh["circle"].seconds / fresh["stable"].seconds
    print(f"\nFresh draws, layout stable against circle: {ratio:.2f}x faster (bar: faster)")


_OPEN = """
import sys, time
import minleak as ml
def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 / 1e6
before = resident()
start = time.perf_counter()
plan = ml.load(sys.argv[1])
taken = time.perf_counter() - start
print(f"{1e3 * taken:.1f} {resident() - before:.1f}")
"""


def opened(path: str) -> None:
    """Load in a new process, every byte checked."""
    best = min(
        (subprocess.run([sys.executable, "-c", _OPEN, path], capture_output=True, text=True, check=True).stdout.split())
        for _ in range(3)
    )
    print(f"{'load, all bytes checked':<44} {float(best[0]):>9.1f} ms  {float(best[1]):.0f} MB more resident")


_FEW = """
import sys, time
import minleak as ml
path, key, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
cloak = ml.Cloak(path, key=key)
value = int(cloak.draw_many(range(rows), scopes=["u"] * rows).sum() % 1000)
end = time.process_time()
with open("/proc/self/status") as status:
    resident = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(end, resident * 1024 / 1e6, value)
"""


def few(n: int = 100_000, k: int = 10) -> None:
    """A few sticky draws in a new process.

    Processor time, from the start of the interpreter, and the most memory that was resident.
    """
    prior = ml.Prior(weights_of(n), labels=pa.array([f"item-{i}" for i in range(n)]))
    with tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "key")
        ml.Key.new().save(key)
        for layout in ("circle", "stable"):
            print(f"\nSticky draws in a new process, n = {n:,}, k = {k}, layout {layout}. Values: a checksum.")
            path = os.path.join(folder, f"{layout}.cloak")
            ml.design(prior, k, layout=layout).save(path)
            for rows in (1, 1000):
                command = [sys.executable, "-c", _FEW, path, key, str(rows)]
                runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(3)]
                taken, resident, value = min(tuple(map(float, run.stdout.split())) for run in runs)
                bar = "(bar 100 MB)" if rows == 1 else ""
                print(f"{f'{rows} draws':<44} {1e3 * taken:>9.1f} ms  {resident:.0f} MB {bar} value {value:.0f}")


if __name__ == "__main__":
    main()
