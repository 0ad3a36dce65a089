"""The files that the commands' examples name."""

from __future__ import annotations

from pathlib import Path

import minleak as ml

QUERIES = {f"query-{i}": 1000 // i for i in range(1, 41)}


def write_files():
    """Write them here."""
    table = "".join(f"{secret},{count}\n" for secret, count in QUERIES.items())
    Path("queries.csv").write_text(f"secret,count\n{table}")
    ml.design(ml.Prior.from_counts(QUERIES), k=10).save("queries.cloak")
    tomorrow = "".join(f"{secret},{count + i % 3}\n" for i, (secret, count) in enumerate(QUERIES.items()))
    Path("tomorrow.csv").write_text(f"secret,count\n{tomorrow}a-new-one,30\n")
    ml.Key(bytes(range(32))).save("queries.key")
    shown = ml.Channel([[0.5, 0.5]] * len(QUERIES), inputs=list(QUERIES))
    ml.lab.mechanisms.rounded(shown, ml.Prior.from_counts(QUERIES)).save("channel.cloak")
    kinds = "".join(f"{secret},{count},{'abc'[i % 3]}\n" for i, (secret, count) in enumerate(QUERIES.items()))
    Path("kinds.csv").write_text(f"secret,count,kind\n{kinds}")
    Path("diagnoses.csv").write_text("secret,count\nflu,5\ncold,3\ngout,2\n")
    rows = ["flu,yes,0.9", "flu,no,0.1", "cold,yes,0.9", "cold,no,0.1", "gout,yes,0.2", "gout,no,0.8"]
    Path("test.csv").write_text("\n".join(["secret,observable,probability", *rows]) + "\n")
    pairs = ["flu,hot,0", "flu,mild,1", "cold,hot,1", "cold,mild,0", "cold,none,1", "gout,mild,1", "gout,none,0"]
    Path("pairs.csv").write_text("\n".join(["secret,observable,cost", *pairs]) + "\n")
    sizes = [f"query-{i % 5},{(i % 5) // 2 + (i % 7 == 0)}" for i in range(200)]
    Path("events.csv").write_text("\n".join(["query,size", *sizes]) + "\n")
    visits = [f"user-{i % 4},{i},query-{1 + (i * i + i // 4) % 7}" for i in range(120)]
    Path("visits.csv").write_text("\n".join(["subject,time,state", *visits]) + "\n")
    ml.lab.sequences.read_chain("visits.csv").save("visits.chain")
    passwords = "".join(f"Dragon-{i * i},{1 + 40 // i}\n" for i in range(4, 60))
    Path("passwords.csv").write_text(f"secret,count\n{passwords}")
    files = "".join(f"file-{i},{100 * i + i % 7},{1000 // i}\n" for i in range(1, 41))
    Path("files.csv").write_text(f"secret,size,count\n{files}")
