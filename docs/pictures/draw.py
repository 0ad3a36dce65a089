"""The pictures of the README and the documentation, from real figures: python docs/pictures/draw.py.

A test runs this and fails if what it makes is not what is committed.
"""

from __future__ import annotations

import hashlib
from html import escape
from pathlib import Path

import minleak as ml

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "examples" / "data" / "npm_downloads.csv"

# Colours for a light page and, behind the query, for a dark one. Each picture brings its own background.
STYLE = """<style>
.page { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e } .line { stroke: #59636e; fill: none }
.bad { fill: #bc4c00 } .good { fill: #1a7f37 } .box { fill: #eef1f4; stroke: #afb8c1 }
.mark { fill: #d4a72c } .on { fill: #1f2328 }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117 } .ink { fill: #f0f6fc } .soft { fill: #9198a1 } .line { stroke: #9198a1 }
  .bad { fill: #f0883e } .good { fill: #3fb950 } .box { fill: #21262d; stroke: #656c76 } .mark { fill: #d29922 }
}
</style>"""


def text(x: float, y: float, said: str, kind: str = "ink", size: int = 17, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}">{escape(said)}</text>'


def svg(width: int, height: int, title: str, parts: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" role="img">'
    )
    page = f'<rect class="page" width="{width}" height="{height}" rx="8"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, page, *parts, "</svg>", ""])


def guesses() -> str:
    """How often a guess is right: hash prefixes, blocks and the plan, with as many names to a set on average."""
    names = ml.read_prior(DATA)
    bucket = [hashlib.sha256(name.encode()).digest()[0] for name in names.labels]
    today, blocks, plan = ml.compare(names, bucket, entropies=["min-entropy"]).rows[:3]
    bars = [
        ("8-bit hash prefixes", today.success, "bad"),
        ("minleak: fixed table", blocks.success, "good"),
        ("minleak: drawn sets", plan.success, "good"),
        ("blind guess", float(ml.lab.vulnerability(names)), "soft"),
    ]
    title = f"How often the server guesses which of {len(names):,} npm packages you want"
    parts = [
        text(24, 38, title, size=19),
        text(24, 64, f"it sees a set of {plan.k} names, on average, that holds yours; lower is better", "soft", 15),
    ]
    for i, (name, success, kind) in enumerate(bars):
        y, width = 86 + 40 * i, 1500 * success
        parts += [
            text(196, y + 20, name, size=16, anchor="end"),
            f'<rect class="{kind}" x="210" y="{y}" width="{width:.0f}" height="28" rx="3"/>',
            text(218 + width, y + 20, f"{success:.1%}", kind),
        ]
    return svg(760, 258, title, parts)


def drawing() -> str:
    """How a draw works: a secret owns places on a ring, a key picks one, and the column there is what is shown."""
    plan = ml.design([4, 4, 3, 3, 2, 2], k=3, layout="circle")
    names = ["flu", "cold", "gout", "mumps", "ague", "croup"]
    lengths = [int(plan.u * weight) for weight in plan.prior.weights]
    lane = sum(lengths) // plan.u
    left, top, unit, high = 150, 112, 30, 46
    title = "How a draw works"
    parts = [
        text(24, 36, "Sets of 3 from six diagnoses, counted 4, 4, 3, 3, 2, 2 times", size=19),
        text(24, 62, "Each one owns as many places as its count says, laid end to end over three lanes.", "soft", 15),
    ]
    chosen, place = "mumps", 0
    start = 0
    for name, length in zip(names, lengths, strict=True):
        at, end = start, start + length
        if name == chosen:
            place = start + 7
        while at < end:
            stop = min(end, (at // lane + 1) * lane)
            x, y = left + unit * (at % lane), top + (high + 8) * (at // lane)
            kind, ink = ("mark", "on") if name == chosen else ("box", "ink")
            parts.append(
                f'<rect class="{kind}" x="{x}" y="{y}" width="{unit * (stop - at) - 3}" height="{high}" rx="4"/>'
            )
            parts.append(text(x + unit * (stop - at) / 2 - 1, y + 29, name, ink, 16, "middle"))
            at = stop
        start = end
    rows = enumerate(range(top + 29, top + 29 + plan.u * (high + 8), high + 8), 1)
    parts += [text(left - 14, y, f"lane {i}", "soft", 15, "end") for i, y in rows]
    phase = place % lane
    shown = [names[owner(lengths, phase + lane * i)] for i in range(plan.u)]
    x, bottom = left + unit * phase + unit / 2 - 2, top + 3 * (high + 8)
    said = [
        f"To hide {chosen}: the key, the person and the secret pick one of its places, always the",
        "same one. The column there is the set. Seeing it, all three members are equally likely.",
    ]
    tall = 3 * high + 32
    parts += [
        f'<rect class="line" x="{x - 15:g}" y="{top - 8}" width="30" height="{tall}" rx="5" stroke-width="3"/>',
        text(x, bottom + 30, f"shown: {', '.join(shown)}", size=18, anchor="middle"),
        *(text(24, bottom + 66 + 22 * i, line, "soft", 15) for i, line in enumerate(said)),
    ]
    return svg(760, bottom + 110, title, parts)


def owner(lengths: list[int], place: int) -> int:
    """Whose place this is on the line."""
    for i, length in enumerate(lengths):
        if place < length:
            return i
        place -= length
    raise ValueError("no such place")


PICTURES = {"guesses.svg": guesses, "draw.svg": drawing}

if __name__ == "__main__":
    for name, made in PICTURES.items():
        (HERE / name).write_text(made())
