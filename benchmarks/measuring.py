"""Measuring: posterior entropies of a dense 4000 x 4000 channel, capacity, reading, and the time to import."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable

import numpy as np

import minleak as ml
from benchmarks.timing import Timed, interleaved, line
from minleak.core._threads import one_thread


def main() -> None:
    posterior()
    capacity()
    one_blas_thread()
    reading()
    hashing()
    importing()


def posterior(n: int = 4000) -> None:
    import qif

    print(f"\nDense {n} x {n}, float64 in C order. Values: ours | peer.")
    rng = np.random.default_rng(0)
    C = rng.random((n, n))
    C /= C.sum(axis=1, keepdims=True)
    p = rng.random(n)
    p /= p.sum()
    prior, channel = ml.Prior(p), ml.Channel(C)
    identity = np.eye(n)
    pairs = {
        "posterior Bayes vulnerability": (
            lambda: ml.lab.posterior_vulnerability(prior, channel),
            lambda: qif.measure.bayes_vuln.posterior(p, C),
        ),
        "H(X|Y), Shannon": (
            lambda: ml.Shannon().conditional(prior, channel),
            lambda: qif.measure.shannon.posterior(p, C),
        ),
        "posterior guesswork": (
            lambda: ml.Guesswork().conditional(prior, channel),
            lambda: qif.measure.guessing.posterior(p, C),
        ),
    }
    for what, (ours, theirs) in pairs.items():
        timed = interleaved({"ours": ours, "qif": theirs})
        line(what, timed["ours"], "qif", timed["qif"], bar="(bar 4x)")
    timed = interleaved(
        {
            "ours": lambda: ml.lab.posterior_vulnerability(prior, channel, gain=identity),
            "qif": lambda: qif.measure.g_vuln.posterior(identity, p, C),
        },
        runs=1,
    )
    line("g-vulnerability, identity gain", timed["ours"], "qif", timed["qif"], bar="(bar 4x)")
    for what, bar, ours in (
        ("posterior Bayes vulnerability", "(bar 1.5x)", pairs["posterior Bayes vulnerability"][0]),
        ("H(X|Y), Shannon", "(bar 3x)", pairs["H(X|Y), Shannon"][0]),
    ):
        timed = interleaved({"ours": ours, "numpy": lambda: float((p[:, None] * C).sum())}, runs=9)
        line(what, timed["ours"], "one numpy pass", timed["numpy"], bar=bar, slower=True)
    timed = interleaved({"table": lambda: ml.leakage_table(prior, channel), "build": lambda: ml.Channel(C)}, runs=2)
    print(f"{'leakage_table, seven entropies':<44} {1e3 * timed['table'].seconds:>9.1f} ms")
    print(f"{'validating the channel, once':<44} {1e3 * timed['build'].seconds:>9.1f} ms")


def capacity(n: int = 200) -> None:
    from dit.algorithms import channel_capacity

    print(f"\nShannon capacity of a random {n} x {n} channel.")
    C = np.random.default_rng(1).dirichlet(np.ones(n), n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        timed = interleaved(
            {"ours": lambda: ml.capacity(C), "dit": lambda: float(channel_capacity(C)[0])},
            runs=3,
        )
    ours = timed["ours"].value
    line("capacity", Timed(timed["ours"].seconds, ours.value), "dit", timed["dit"], bar="(bar 1x)")
    print(
        f"  certified: [{ours.lower:.12f}, {ours.upper:.12f}] ({ours.status}, gap {ours.gap:.1e}, "
        f"{ours.iterations} steps); dit is off by {abs(timed['dit'].value - ours.value):.1e}"
    )
    for order in (0.5, 2, 100):
        got = interleaved({"ours": lambda order=order: ml.capacity(C, ml.Arimoto(order))}, runs=1)["ours"]
        print(f"  arimoto:{order:<5g} {1e3 * got.seconds:>8.1f} ms  {got.value.value:.12f}  gap {got.value.gap:.1e}")


def one_blas_thread(n: int = 100) -> None:
    """What the limit to one thread buys where systems are small: the mean, since threads wait for long now and then."""
    rng = np.random.default_rng(1)
    A = rng.dirichlet(np.ones(n), n)
    B = A @ rng.dirichlet(np.ones(n), n)

    def mean(solve: Callable[[], object], runs: int = 50) -> float:
        start = time.perf_counter()
        for _ in range(runs):
            solve()
        return (time.perf_counter() - start) / runs

    free, limited = mean(lambda: np.linalg.solve(A, B)), mean(one_thread()(lambda: np.linalg.solve(A, B)))
    print(
        f"\nA system of {n} unknowns, as in `refined_by`: {1e3 * limited:.2f} ms with one thread, "
        f"{1e3 * free:.2f} ms free"
    )


def reading(n: int = 10_000_000) -> None:
    from pyarrow import csv

    print(f"\nA CSV of {n:,} rows.")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts.csv")
        write_counts(path, n)
        timed = interleaved({"ours": lambda: ml.read_prior(path), "pyarrow": lambda: csv.read_csv(path)}, runs=3)
    ours = Timed(timed["ours"].seconds, timed["ours"].value.total)
    theirs = Timed(timed["pyarrow"].seconds, int(np.sum(timed["pyarrow"].value["count"].to_numpy())))
    line("read_prior, duplicates refused", ours, "pyarrow", theirs, bar="(bar 3x)", slower=True)


def hashing(n: int = 10_000_000) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    from minleak.core._label_hashing import fill_slots
    from minleak.core._labels import bytes_of_names

    print(f"\nWhether {n:,} labels repeat; ours leaves the table that a saved plan looks them up in.")
    names = pa.array([f"item-{i * 2654435761 % n:08d}" for i in range(n)])
    timed = interleaved(
        {
            "ours": lambda: fill_slots(*bytes_of_names(names))[1],
            "distinct": lambda: pc.count_distinct(names).as_py() < n,
            "dictionary": lambda: len(names.dictionary_encode().dictionary) < n,
        },
        runs=2,
    )
    line("fill_slots", timed["ours"], "count_distinct", timed["distinct"], bar="(bar 2x)")
    line("fill_slots", timed["ours"], "dictionary_encode", timed["dictionary"], bar="(bar 2x)")


def write_counts(path: str, n: int) -> None:
    """A CSV of n secrets and their heavy-tailed counts."""
    counts = np.random.default_rng(2).zipf(1.5, n).clip(1, 10**9)
    with open(path, "w") as file:
        file.write("secret,count\n")
        for start in range(0, n, 1_000_000):
            stop = min(n, start + 1_000_000)
            file.write("".join(f"item-{i * 2654435761 % n:08d},{counts[i]}\n" for i in range(start, stop)))


def importing() -> None:
    print("\nImport, in a new process, least of 5.")

    def run(code: str) -> None:
        subprocess.run([sys.executable, "-c", code], check=True)

    timed = interleaved({"ours": lambda: run("import minleak"), "python": lambda: run("pass")})
    seconds = timed["ours"].seconds - timed["python"].seconds
    print(f"{'import minleak':<44} {1e3 * seconds:>9.1f} ms beyond starting Python (bar 300 ms)")


if __name__ == "__main__":
    main()
