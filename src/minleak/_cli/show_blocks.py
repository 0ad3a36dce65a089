"""What `show` and `design` say of blocks."""

from __future__ import annotations

from typing import Any

from minleak._cli.show import differs, leakage_table, told_of_the_world, world_of
from minleak._design.blocks.plan import Blocks
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import STANDARD
from minleak._measure.leakages import difference


def summary(blocks: Blocks, entropies: list[str] | None) -> dict[str, Any]:
    """Blocks in numbers."""
    measures = {name: as_entropy(name) for name in entropies or STANDARD}
    after = blocks.partition.entropies(blocks.prior, list(measures.values()))
    losses = blocks.losses(list(measures.values()))
    leakages = {}
    for (name, H), left in zip(measures.items(), after, strict=True):
        leaked = difference(H, H(blocks.prior), left)
        leakages[name] = {"before": left + leaked, "after": left, "leakage": leaked, "loss": losses[H.name]}
    return {
        "secrets": len(blocks.prior),
        "k": blocks.k,
        "layout": blocks.layout,
        "blocks": len(blocks.partition.begins) - 1,
        "smallest": int(blocks.partition.sizes.min()),
        "success_blind": float(blocks.prior.p.max()),
        "success": blocks.success,
        **world_of(blocks, measures),
        "leakage": leakages,
    }


def rendered(data: dict[str, Any]) -> list[str]:
    """The same for people."""
    smallest = f", the smallest of {data['smallest']}" if data["smallest"] < data["k"] else ""
    lines = [
        f"{data['secrets']:,} secrets in {data['blocks']:,} blocks of {data['k']}{smallest}: sets that never change",
        f"{'as counted, ' if differs(data) else ''}a guess is right with probability {data['success']:.6g} "
        f"seeing a block, {data['success_blind']:.6g} without, 1 seeing the secret itself",
        *told_of_the_world(data),
    ]
    columns = ["before", "after", "leakage", "loss"]
    title = "leakage, and how much of it a plan that draws its sets would not leak (loss)"
    return ["\n".join(lines), "", leakage_table(title, columns, data)]
