"""Draw unknown.svg: what knowing the prior is worth. Run python docs/pictures/unknown.py; a test makes it again."""

from __future__ import annotations

import random
from pathlib import Path

import minleak as ml

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "examples" / "data" / "npm_downloads.csv"
SIZES = (2, 4, 8, 12, 16, 24, 32, 48, 64)
LINES = (
    ("nothing known: uniform sets, or buckets by arrival", "bad"),
    ("weights known on arrival: a bucket for each class", "mid"),
    ("all counts: sorted blocks", "good"),
    ("all counts: an optimal plan", "best"),
)
STYLE = """<style>
.page { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e } .axis { stroke: #afb8c1; fill: none }
.bad { stroke: #bc4c00 } .mid { stroke: #9a6700 } .good { stroke: #1a7f37 } .best { stroke: #0969da }
polyline { fill: none; stroke-width: 3 }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117 } .ink { fill: #f0f6fc } .soft { fill: #9198a1 } .axis { stroke: #656c76 }
  .bad { stroke: #f0883e } .mid { stroke: #d29922 } .good { stroke: #3fb950 } .best { stroke: #58a6ff }
}
</style>"""


def figures() -> list[list[float]]:
    """For each k the attacker's success under each of the four, secrets arriving in a random order."""
    counts = ml.read_prior(DATA)
    arriving = counts.weights.tolist()
    random.Random(0).shuffle(arriving)
    rows = []
    for k in SIZES:
        (uniform,) = (one for one in ml.lab.baselines(counts, k) if one.name == "uniform randomisation")
        blocks = ml.design(counts, k, layout="blocks").success
        online = ml.lab.online_buckets(arriving, k).success
        rows.append([1 - uniform.entropy("guess-error:1").value, online, blocks, ml.design(counts, k).success])
    return rows


def draw() -> str:
    """The four lines over k."""
    rows = figures()
    left, top, wide, high = 70, 84, 640, 300

    def at(i: int, success: float) -> str:
        return f"{left + wide * i / (len(SIZES) - 1):.1f},{top + high * (1 - success / 0.8):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {top + high + 150}" font-family="sans-serif" '
        'role="img">',
        "<title>What knowing the prior is worth</title>",
        STYLE,
        f'<rect class="page" width="760" height="{top + high + 150}" rx="8"/>',
        '<text class="ink" x="24" y="36" font-size="19">What knowing the prior is worth</text>',
        '<text class="soft" x="24" y="62" font-size="15">'
        "how often one guess is right that sees a set of k of 3,000 npm packages; lower is better</text>",
    ]
    for tenths in (0, 2, 4, 6, 8):
        y = top + high * (1 - tenths / 8)
        parts.append(f'<line class="axis" x1="{left}" y1="{y:.1f}" x2="{left + wide}" y2="{y:.1f}"/>')
        said = f"{tenths / 10:.0%}"
        parts.append(
            f'<text class="soft" x="{left - 10}" y="{y + 5:.1f}" font-size="14" text-anchor="end">{said}</text>'
        )
    for i, k in enumerate(SIZES):
        x = at(i, 0).split(",")[0]
        label = f"k = {k}" if not i else str(k)
        parts.append(
            f'<text class="soft" x="{x}" y="{top + high + 22}" font-size="14" text-anchor="middle">{label}</text>'
        )
    for number, (name, kind) in enumerate(LINES):
        points = " ".join(at(i, row[number]) for i, row in enumerate(rows))
        y = top + high + 52 + 22 * number
        parts += [
            f'<polyline class="{kind}" points="{points}"/>',
            f'<polyline class="{kind}" points="{left},{y - 5} {left + 30},{y - 5}"/>',
            f'<text class="ink" x="{left + 40}" y="{y}" font-size="15">{name}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    (HERE / "unknown.svg").write_text(draw())
