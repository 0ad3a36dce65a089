"""The report of a plan: one page that opens without network, or the same charts as pictures in a folder."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

from minleak.design.plan import Plan
from minleak.errors import InvalidParameter, MinleakError
from minleak.report import charts, maps
from minleak.report.facts import STEPS, Facts, gather
from minleak.report.look import LIGHT, STYLE
from minleak.report.saving import PICTURES, altair, page, picture, write_whole
from minleak.report.words import ATTACKERS, LIMITS, amount, meaning, number, percent, resistance, verdict


@dataclass(frozen=True)
class Figure:
    """A chart with a name for its file, a title and a sentence on how to read it."""

    name: str
    title: str
    note: str
    chart: Any


def write_report(
    plan: Plan,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    trials: int = 20_000,
    seed: int = 0,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[str]:
    """Write the report of a plan and return the files written.

    The ending .html (or format="html") gives one page with everything inside; format="png" or "svg" the charts as
    pictures into the folder `path`. `trials` and `seed` are those of the simulations; `progress` is told the steps
    done, their number and the next one's name.
    """
    name, kind = os.fspath(path), _format(os.fspath(path), format)
    altair()  # if it is missing, say so before the work
    facts = gather(plan, trials=trials, seed=seed, progress=progress)
    if progress is not None:
        progress(STEPS - 1, STEPS, "drawing")
    if kind == "html":
        write_whole(name, render(facts))
        return [name]
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        raise MinleakError(f"cannot make the folder {name}: {error.strerror or 'the file system refused'}") from None
    written = []
    for figure in figures(facts):
        file = os.path.join(name, f"{figure.name}.{kind}")
        write_whole(file, picture(_framed(figure), kind))
        written.append(file)
    return written


def _format(name: str, format: str | None) -> str:
    if format is None and name.lower().endswith((".html", ".htm")):
        return "html"
    if format is None:
        raise InvalidParameter(
            f"what to write to {name}? End it with .html for a page, or ask for format='png' or 'svg' to have the "
            "charts in a folder of that name"
        )
    if format not in ("html", *PICTURES):
        raise InvalidParameter(f"unknown format {format!r}: one of html, {', '.join(PICTURES)}")
    return format


def _framed(figure: Figure) -> Any:
    """The chart of a figure as it stands alone: of fixed width, with its title, on white."""
    own = figure.chart.to_dict().get("title", {}).get("text", [])
    title = {"text": figure.title, "subtitle": [*textwrap.wrap(figure.note, 95), *own], "offset": 12}
    return figure.chart.properties(width=640, title=title, padding=16).configure(**{**LIGHT, "background": "white"})


def figures(facts: Facts) -> list[Figure]:
    """All charts, in the order of the page."""
    sure = "exact" if all(r.exact for _, r in facts.repeated) else f"simulated on {facts.trials:,} secrets, bars 99%"
    prior = "popularity times worth" if facts.gains else "prior"
    drifts = [
        Figure(
            f"wrong_prior_{drift.entropy.replace('-', '_')}",
            f"If popularity is not as assumed: {ATTACKERS[drift.entropy][1]}",
            "True popularity p^theta in place of p: below 1 it is flatter than designed for, above 1 steeper. The gap "
            "between the lines is what the wrong assumption costs.",
            charts.wrong_prior(drift),
        )
        for drift in facts.drift
    ]
    return [
        Figure(
            "comparison",
            "What leaks, against other countermeasures",
            f"All with sets of {facts.k:,}. Shorter is better; 100% is showing the secret itself.",
            charts.comparison(facts.comparisons),
        ),
        Figure(
            "leakage_by_k",
            "Larger sets leak less",
            f"The least possible leakage for each size of sets; this plan has k = {facts.k:,}.",
            charts.leakage_by_k(facts.by_k, facts.k),
        ),
        Figure(
            "prior_and_target",
            "What the attacker believes, before and after",
            f"The {prior} of each secret by rank, and pi, his belief on the members of whichever set he sees. "
            + _binning(facts),
            charts.prior_and_target(facts.prior, facts.target, facts.giants, facts.n - facts.possible),
        ),
        Figure(
            "lorenz",
            "How many guesses it takes",
            "The Lorenz curves: the chance that the secret is among the j likeliest. Where the two meet, seeing a set "
            "is of no help.",
            charts.lorenz(facts.prior_lorenz, facts.target_lorenz),
        ),
        Figure(
            "repeated",
            "If one secret is drawn again and again",
            f"The best attacker's chance of naming the secret after several fresh draws ({sure}). Sticky draws "
            "count as one.",
            charts.repeated(facts.repeated),
        ),
        *_near(facts),
        *drifts,
    ]


def _near(facts: Facts) -> list[Figure]:
    """The charts of a plan whose decoys are near."""
    near = facts.nearness
    if near is None:
        return []
    bound = (
        "" if near.bound is None else f" No plan that leaks as little has less than {number(near.bound)}{near.unit}."
    )
    return [
        Figure(
            "near_sets",
            "Decoys that are close",
            f"{len(near.sets)} of the sets, every member joined to the central one. On average a member is "
            f"{number(near.cost)}{near.unit} from the centre of its set, at the least leakage possible.{bound}",
            maps.sets_on_a_map(near),
        ),
        Figure(
            "decoy_distances",
            "How far decoys are from the secret",
            "All of these plans leak the same. The mean distance of the other members of a set: lines hold 80% of "
            "draws, bars 50%, the tick is the median.",
            maps.decoy_distances(near.spreads, near.unit),
        ),
        Figure(
            "price_of_stability",
            "What closeness costs if a secret is drawn again and again",
            "From near to stable decoys, all at the same leakage of a single draw. Sticky draws count as one.",
            maps.price_of_stability(near.mixtures, near.unit),
        ),
    ]


def _binning(facts: Facts) -> str:
    if facts.possible == len(facts.prior) and facts.target[-1].last == len(facts.target):
        return "Every secret is a point."
    alone = next((b.first - 1 for b in facts.prior if b.last > b.first), facts.possible)
    return (
        f"All {facts.possible:,} possible secrets are shown: ranks up to {alone} one by one, the others in bins, as "
        "the bin's mean in a band from its least to its largest."
    )


def render(facts: Facts) -> str:
    """The page."""
    drawn = figures(facts)
    by_name = {figure.name: _figure(figure) for figure in drawn}
    drifts = "".join(html for name, html in by_name.items() if name.startswith("wrong_prior"))
    near = "".join(by_name.get(name, "") for name in ("near_sets", "decoy_distances", "price_of_stability"))
    body = f"""<main>
{_first_screen(facts)}
{_comparison_table(facts)}
{by_name["comparison"]}
{by_name["leakage_by_k"]}
{by_name["prior_and_target"]}
{_giants(facts)}
{by_name["lorenz"]}
{by_name["repeated"]}
<p class="quiet">{escape(resistance(facts))}</p>
{near}
{drifts}
{_certificate(facts)}
{_limits()}
</main>"""
    sized = [(figure.name, figure.chart.properties(width="container")) for figure in drawn]
    return page("minleak: what this plan leaks", body, sized, style=STYLE)


def _figure(figure: Figure) -> str:
    return (
        f"<figure><h2>{escape(figure.title)}</h2><figcaption>{escape(figure.note)}</figcaption>"
        f'<div class="chart" id="{figure.name}" role="img" aria-label="{escape(figure.title)}"></div></figure>'
    )


def _first_screen(facts: Facts) -> str:
    chance, show = facts.chance, number if facts.gains else percent
    tiles = [
        ("", "Blind guess", chance.blind, "knowing nothing but popularity"),
        ("", "No cloak", chance.bare, "the secret is shown as it is"),
        (" ours", "With this plan", chance.plan, f"a set of {facts.k:,} is shown in its place"),
    ]
    what = "gain from one guess" if facts.gains else "chance of guessing right"
    cells = "".join(
        f'<div class="tile{kind}">{name}<b>{escape(show(value))}</b><span class="quiet">{text}</span></div>'
        for kind, name, value, text in tiles
    )
    ok = facts.certificate.ok
    badge = f'<span class="badge{"" if ok else " bad"}">{"✓ certified optimal" if ok else "✗ NOT certified"}</span>'
    zeros = f", {facts.n - facts.possible:,} of them of weight zero" if facts.n > facts.possible else ""
    remarks = []
    if facts.gains:
        remarks.append(
            "This plan was made with gains: secrets count by popularity times what they are worth to the attacker. "
            "Leakages are gain-based, and so are the other countermeasures, whose decoys follow popularity times worth."
        )
    if facts.distance > 0:
        remarks.append(
            "The weights were put on a grid of integers. The plan is exactly optimal for the weights on the grid, at a "
            f"total variation of {facts.distance:.2g} from those given."
        )
    return (
        f"<h1>What this plan leaks</h1><p>{escape(verdict(facts))}</p>"
        f'<p class="quiet">{facts.n:,} secrets{zeros} · sets of {facts.k:,} · layout {escape(facts.layout)} · '
        f"{facts.n_giants:,} in every set · {badge}</p>"
        f"<h2>The attacker's {what}</h2>"
        f'<div class="tiles">{cells}</div>' + "".join(f"<p>{escape(remark)}</p>" for remark in remarks)
    )


def _comparison_table(facts: Facts) -> str:
    names = ["this plan", *(rival.name for rival in facts.comparisons[0].rivals)]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ["an attacker who…", *names])
    rows = []
    for row in facts.comparisons:
        who, called, unit = ATTACKERS[row.entropy]
        cells = [f'<td class="ours" data-label="this plan"><span>{number(row.plan)}</span></td>']
        for rival in row.rivals:
            value, margin = amount(rival.leakage)
            small = f"<small>{escape(margin)}</small>" if margin else ""
            cells.append(f'<td data-label="{escape(rival.name)}"><span>{value}{small}</span></td>')
        rows.append(
            f'<tr><th scope="row"><b>{escape(who)}</b><small>{escape(called)}, {escape(unit)}. '
            f"{escape(meaning(row, gains=facts.gains))}</small></th>{''.join(cells)}</tr>"
        )
    return (
        "<h2>What leaks to each kind of attacker</h2><p>How much seeing takes from his uncertainty. With sets of "
        f"{facts.k:,} nothing can leak less than this plan, to any of them. Simulated values have a 99% margin.</p>"
        f'<table class="cards"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def _giants(facts: Facts) -> str:
    if not facts.n_giants:
        return '<p class="quiet">No secret is so popular that it has to be in every set.</p>'
    names = ", ".join(f"{escape(giant.label)} ({percent(giant.probability)})" for giant in facts.giants)
    more = f", and {facts.n_giants - len(facts.giants):,} more" if facts.n_giants > len(facts.giants) else ""
    return f"<p><b>In every set</b>, because they are too popular to hide otherwise: {names}{more}.</p>"


def _certificate(facts: Facts) -> str:
    certificate = facts.certificate
    checks = "".join(
        f'<li><span class="{"yes" if check.ok else "no"}">{"✓" if check.ok else "✗"}</span>{escape(check.what)}'
        f"{f' <small>{escape(check.detail)}</small>' if check.detail else ''}</li>"
        for check in certificate.checks
    )
    said = "Every check holds" if certificate.ok else "NOT certified: a check fails"
    return (
        f"<h2>Certificate</h2><p>{said}{', in exact integers' if certificate.exact else ''}, by code that shares "
        "nothing with the making of the plan. From these checks it follows that the attacker's belief is pi "
        f'whichever set he sees, and that no sets of {facts.k:,} leak less.</p><ul class="checks">{checks}</ul>'
    )


def _limits() -> str:
    items = "".join(f"<li><b>{escape(title)}.</b> {escape(text)}</li>" for title, text in LIMITS)
    return f"<h2>What the guarantee does not cover</h2><ul>{items}</ul>"
