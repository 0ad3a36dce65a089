"""What `show` and `design` say of blocks."""

from __future__ import annotations

from typing import Any

from minleak._cli.output import table
from minleak._design.blocks.plan import Blocks
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import STANDARD


def summary(blocks: Blocks, entropies: list[str] | None) -> dict[str, Any]:
    """Blocks in numbers."""
    leakages = {}
    for name in entropies or STANDARD:
        H = as_entropy(name)
        after, leaked = blocks.entropy(H), blocks.leakage(H)
        leakages[name] = {"before": after + leaked, "after": after, "leakage": leaked, "loss": blocks.loss(H)}
    return {
        "secrets": len(blocks.prior),
        "k": blocks.k,
        "layout": blocks.layout,
        "blocks": len(blocks.partition.begins) - 1,
        "smallest": int(blocks.partition.sizes.min()),
        "success_blind": float(blocks.prior.p.max()),
        "success": blocks.success,
        "leakage": leakages,
    }


def rendered(data: dict[str, Any]) -> list[str]:
    """The same for people."""
    smallest = f", the smallest of {data['smallest']}" if data["smallest"] < data["k"] else ""
    lines = [
        f"{data['secrets']:,} secrets in {data['blocks']:,} blocks of {data['k']}{smallest}: sets that never change",
        f"a guess is right with probability {data['success']:.6g} seeing a block, {data['success_blind']:.6g} without, "
        "1 seeing the secret itself",
    ]
    columns = ["before", "after", "leakage", "loss"]
    rows = [[name, *(row[column] for column in columns)] for name, row in data["leakage"].items()]
    title = "leakage, and how much of it a plan that draws its sets would not leak (loss)"
    return ["\n".join(lines), "", table(title, ["entropy", *columns], rows)]
