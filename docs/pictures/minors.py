"""Draw minors.svg: the four families of sets that no family with one optimum for all entropies contains."""

from __future__ import annotations

from pathlib import Path

MINORS = {
    "K1 = {abc, ad}": (["abc"], ["ad"]),
    "K2 = {abc, ad, bd}": (["abc"], ["ad", "bd"]),
    "K3 = {abc, ad, bd, cd}": (["abc"], ["ad", "bd", "cd"]),
    "K4 = {abc, abd, cd}": (["abc", "abd"], ["cd"]),
}
WEIGHTS = {"K1": "2111", "K2": "2212", "K3": "2223", "K4": "2222"}
# Where the secrets stand: d above, so that no line crosses another by chance.
PLACES = {
    "K1": {"a": (95, 70), "b": (35, 140), "c": (155, 140), "d": (95, 20)},
    "K2": {"a": (40, 80), "b": (150, 80), "c": (95, 145), "d": (95, 20)},
    "K3": {"a": (95, 95), "b": (30, 145), "c": (160, 145), "d": (95, 20)},
    "K4": {"a": (35, 80), "b": (155, 80), "c": (95, 145), "d": (95, 20)},
}
STYLE = """
  text { font: 14px sans-serif; fill: #222 }
  .small { font-size: 12px }
  polygon { fill: #3b78b8; fill-opacity: .22; stroke: #3b78b8; stroke-width: 2 }
  line { stroke: #c8641e; stroke-width: 3 }
  circle { fill: #fff; stroke: #222; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } circle { fill: #222; stroke: #ddd } .on { fill: #ddd }
  }
"""


def draw() -> str:
    """The four minors side by side: triples filled, pairs as lines, the weight of the witness at each secret."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 215" role="img" '
        'aria-label="The four excluded minors">',
        f"<style>{STYLE}</style>",
    ]
    for number, (title, (triples, pairs)) in enumerate(MINORS.items()):
        name = title[:2]
        place = {x: (px + 200 * number, py) for x, (px, py) in PLACES[name].items()}
        corners = [" ".join(f"{place[x][0]},{place[x][1]}" for x in triple) for triple in triples]
        parts += [f'<polygon points="{each}"/>' for each in corners]
        for x, y in pairs:
            (x1, y1), (x2, y2) = place[x], place[y]
            parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>')
        for x, weight in zip("abcd", WEIGHTS[name], strict=True):
            px, py = place[x]
            parts.append(f'<circle cx="{px}" cy="{py}" r="15"/>')
            parts.append(f'<text x="{px}" y="{py + 5}" text-anchor="middle">{x} {weight}</text>')
        parts.append(f'<text x="{95 + 200 * number}" y="190" text-anchor="middle">{title}</text>')
    parts.append('<text class="small" x="400" y="210" text-anchor="middle">')
    parts.append("filled: an allowed triple; line: an allowed pair; number: the weight of the witness</text></svg>")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "minors.svg").write_text(draw())
