"""Runtimes: sticky draws a second, start-up and memory in Python, Node and Go beside `Cloak`; the time of an export.

Each draws for the same secrets and scopes, one after the other, in a process of its own; values are a hash of all sets,
which must agree. Seconds of drawing are those of the processor; memory is what is resident after a tenth of the draws
and after all of them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa

import minleak as ml
from benchmarks.designing import weights_of

ROOT = Path(__file__).parents[1] / "runtimes"
BAR = 10_000

# Each prints the seconds to open, to draw, the memory in kB after a tenth and after all, and a hash of what was drawn.
_PYTHON = """
import hashlib, sys, time
path, begin, n, draws = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
{opening}
seen, memory = hashlib.sha256(), []
opened = time.time() - begin
start = time.process_time()
for i in range(draws):
    shown = draw(f"item-{{i * 7919 % n}}", f"user-{{i % 500}}")
    seen.update("\\t".join(shown).encode() + b"\\n")
    for _ in range((i == draws // 10) + (i == draws - 1)):
        memory.append(int(open("/proc/self/statm").read().split()[1]) * 4)
print(opened, time.process_time() - start, *memory, seen.hexdigest()[:8])
"""
_CLOAK = """
import minleak as ml
cloak = ml.Cloak(path, key=bytes(32))
draw = lambda secret, scope: cloak.draw(secret, scope=scope)
draw("item-0", "u")"""
_TABLE = f"""
sys.path.insert(0, {str(ROOT / "python")!r})
from minleak_draw import Table
table = Table(path)
draw = lambda secret, scope: table.draw(secret, scope=scope, key=bytes(32))
draw("item-0", "u")"""
_NODE = f"""
import {{ createHash }} from "node:crypto";
import {{ Table }} from {json.dumps((ROOT / "javascript" / "minleak-draw.js").as_uri())};
const [path, begin, n, draws] = process.argv.slice(-4).map((one, i) => (i ? Number(one) : one));
const key = new Uint8Array(32), seen = createHash("sha256"), memory = [];
const table = await Table.open(path);
await table.draw("item-0", "u", key);
const busy = () => Object.values(process.cpuUsage()).reduce((sum, one) => sum + one) / 1e6;
const opened = Date.now() / 1000 - begin, start = busy();
for (let i = 0; i < draws; i++) {{
  seen.update((await table.draw(`item-${{(i * 7919) % n}}`, `user-${{i % 500}}`, key)).join("\\t") + "\\n");
  if (i === Math.floor(draws / 10) || i === draws - 1) memory.push(process.memoryUsage.rss() / 1024);
}}
console.log(opened, busy() - start, ...memory, seen.digest("hex").slice(0, 8));
"""
_GO = """package main

import (
	"crypto/sha256"
	"fmt"
	"minleakdraw"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func busy() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func main() {
	begin, _ := strconv.ParseFloat(os.Args[2], 64)
	n, _ := strconv.Atoi(os.Args[3])
	draws, _ := strconv.Atoi(os.Args[4])
	key, seen, memory := make([]byte, 32), sha256.New(), []int{}
	table, err := minleakdraw.Open(os.Args[1], minleakdraw.Options{})
	if err != nil {
		panic(err)
	}
	table.Draw("item-0", "u", key)
	opened, start := float64(time.Now().UnixMicro())/1e6-begin, busy()
	for i := 0; i < draws; i++ {
		shown, _ := table.Draw(fmt.Sprintf("item-%d", i*7919%n), fmt.Sprintf("user-%d", i%500), key)
		seen.Write([]byte(strings.Join(shown, "\\t") + "\\n"))
		if i == draws/10 || i == draws-1 {
			statm, _ := os.ReadFile("/proc/self/statm")
			pages, _ := strconv.Atoi(strings.Fields(string(statm))[1])
			memory = append(memory, 4*pages)
		}
	}
	fmt.Println(opened, busy()-start, memory[0], memory[1], fmt.Sprintf("%x", seen.Sum(nil))[:8])
}
"""


def main(n: int = 100_000, k: int = 10, draws: int = 20_000, large: int = 1_000_000) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = ml.design(ml.Prior(weights_of(n), labels=pa.array([f"item-{i}" for i in range(n)])), k)
        plan.save(folder / "t.cloak")
        ml.export(plan, folder / "t.json")
        ml.export(plan, folder / "t.sqlite")
        print(f"\n{draws:,} sticky draws of n = {n:,}, k = {k}, in a new process. Values: a hash of all sets.")
        values = [_measured(what, command, draws, n) for what, command in _commands(folder).items()]
        print(f"{'all sets agree' if len(set(values)) == 1 else 'THE SETS DIFFER'}")
        exporting(large, k, folder)


def _commands(folder: Path) -> dict[str, list[str]]:
    """What each runtime is started by; one that is not here is said to be missing."""
    python = [sys.executable, "-c"]
    table = _PYTHON.format(opening=_TABLE)
    found = {
        "Cloak": [*python, _PYTHON.format(opening=_CLOAK), str(folder / "t.cloak")],
        "minleak_draw, .sqlite": [*python, table, str(folder / "t.sqlite")],
        "minleak_draw, .json": [*python, table, str(folder / "t.json")],
    }
    if shutil.which("node"):
        (folder / "run.mjs").write_text(_NODE)
        found["Node"] = ["node", str(folder / "run.mjs"), str(folder / "t.json")]
    if shutil.which("go"):
        (folder / "go").mkdir()
        (folder / "go" / "main.go").write_text(_GO)
        module = f"module run\n\ngo 1.19\n\nrequire minleakdraw v0.0.0\n\nreplace minleakdraw => {ROOT / 'go'}\n"
        (folder / "go" / "go.mod").write_text(module)
        env = os.environ | {"GOPROXY": "off", "GOFLAGS": "-mod=mod"}
        subprocess.run(["go", "build", "-o", "run", "."], cwd=folder / "go", env=env, check=True)
        found["Go"] = [str(folder / "go" / "run"), str(folder / "t.json")]
    for name in {"Node", "Go"} - set(found):
        print(f"no {name} here: left out")
    return found


def _measured(what: str, command: list[str], draws: int, n: int) -> str:
    """The best of three processes."""
    runs = []
    for _ in range(3):
        given = [*command, str(time.time()), str(n), str(draws)]
        runs.append(subprocess.run(given, capture_output=True, text=True, check=True).stdout.split())
    opened, taken = (min(float(run[i]) for run in runs) for i in (0, 1))
    early, late, value = float(runs[-1][2]), float(runs[-1][3]), runs[-1][4]
    print(
        f"{what:<24} {draws / taken:>9,.0f} draws a second (bar {BAR:,})  first draw after {1e3 * opened:>7.0f} ms  "
        f"{early / 1e3:>5.0f} MB, in the end {late / 1e3:>5.0f} MB  value {value}",
        flush=True,
    )
    return value


def exporting(n: int, k: int, folder: Path) -> None:
    """A large plan in every format, and how long the runtime takes to open it and draw once."""
    plan = ml.design(ml.Prior(weights_of(n), labels=pa.array([f"item-{i}" for i in range(n)])), k)
    _ = plan.lineage
    print(f"\nA plan of n = {n:,}, k = {k}, exported (bar 10 s).")
    for ending in ("sqlite", "json", "csv", "parquet"):
        start, busy = time.perf_counter(), time.process_time()
        told = ml.export(plan, folder / f"large.{ending}")
        taken, busy = time.perf_counter() - start, time.process_time() - busy
        size = os.path.getsize(folder / f"large.{ending}") / 1e6
        print(f".{ending:<10} {taken:>6.1f} s ({busy:.1f} of the processor)  {size:>5.0f} MB  value {told.digest[:8]}")
    command = [sys.executable, "-c", _PYTHON.format(opening=_TABLE), str(folder / "large.sqlite")]
    _measured("opened by its index", command, 1, n)


if __name__ == "__main__":
    main()
