"""design: from counts to the plan that leaks least, as a .cloak file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from minleak._cli.engines import EngineOptions, design_inside
from minleak._cli.inputs import PriorSource, Reading, names_in
from minleak._cli.options import Entropies, PriorFile, option, share
from minleak._cli.output import Answer, note, progressing, working
from minleak._cli.requirement import Requirement
from minleak._cli.summaries import described
from minleak._data.prior import Prior
from minleak._data.progress import Progress
from minleak._entropy.standard import STANDARD
from minleak._layouts import LAYOUTS
from minleak._layouts.near import Near
from minleak._plan.base import BasePlan
from minleak._plan.rings import cap
from minleak._plans import make
from minleak._strings.ngram import NGram
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class Variant:
    """What kind of plan is to be made."""

    layout: str | None = option(
        "stable (resists repeated draws, the default), circle (quickest) or blocks (no key, sets that never "
        "change, a little more leakage); see --near for a fourth."
    )
    gains: str | None = option("A column of what each secret is worth to the attacker, for gain-based leakage.")
    near: str | None = option("Columns of coordinates, such as lat,lon: decoys will be close, at no more leakage.")
    metric: str | None = option("With --near: euclidean, or haversine (km), the default for columns lat... and lon....")
    stability: float = option(
        "With --near, from 0 (as close as possible) to 1 (resists repeated draws).", default=0.0, parser=share
    )
    unknown: str | None = option("A model of strings by `minleak fit`: secrets that PRIOR does not list get sets.")
    unknown_share: float | None = option(
        "With --unknown, how often a secret is not listed, exactly; estimated from the counts if not given.",
        parser=share,
    )

    def made(self, counts: Prior, k: int, source: PriorSource, progress: Progress) -> BasePlan:
        """The plan; gains and places are other columns of the source."""
        if self.unknown is not None:
            return make.design(counts, k, unknown=NGram.load(self.unknown), unknown_share=self.unknown_share)
        worth = None if self.gains is None else source.other(self.gains, "--gains").weights
        return make.design(counts, k, layout=self._shape(source), gains=worth, progress=progress)

    def check(self, *, required: bool) -> None:
        """Refuse options that do not go together, before a file is read."""
        if self.gains is not None and required:
            raise InvalidParameter(
                "--max-success is about how often a guess is right, and --gains about its worth: give -k"
            )
        if self.near is not None and self.layout is not None:
            raise InvalidParameter("--layout and --near are two ways to say the layout: give one of them")
        if self.near is None and self.layout == Near.name:
            raise InvalidParameter("--layout near needs --near, the columns of coordinates: give --near alone")
        if self.near is None and self.metric is not None:
            raise InvalidParameter("--metric says how far coordinates are apart, so it needs --near")
        if self.near is None and self.stability:
            raise InvalidParameter("--stability moves from near to stable plans, so it needs --near")
        if self.unknown is None and self.unknown_share is not None:
            raise InvalidParameter("--unknown-share is how often a secret comes from --unknown, a model: give both")
        another = self.layout not in (None, "stable") or self.near is not None or self.gains is not None
        if self.unknown is not None and (another or required):
            raise InvalidParameter("--unknown goes with -k alone, without a layout, --gains or --max-success")

    def _shape(self, source: PriorSource) -> Near | str:
        if self.near is None:
            return self.layout or "stable"
        metric = self.metric or _metric(names_in(self.near))  # before the file is read for them
        return Near(source.places(self.near, "--near"), metric=metric, stability=self.stability)


def design(
    prior: PriorFile,
    *,
    k: int | None = option("How many secrets a set has at most, from 1 on; or give --max-success.", "-k"),
    requirement: Requirement,
    output: str | None = option("The .cloak file to write; with --engine also a new folder.", "-o", "--output"),
    entropy: Entropies = None,
    variant: Variant,
    reading: Reading,
    engine: EngineOptions,
) -> Answer:
    """Design the plan that leaks least with sets of K secrets, and write it to a .cloak file.

    Example: minleak design queries.csv -k 10 -o queries.cloak
    """
    most = requirement.max_success
    if (k is None) == (most is None):
        raise InvalidParameter("say either -k, the size of the sets, or --max-success for the least that does")
    if requirement.as_counted and most is None:
        raise InvalidParameter("--as-counted says how --max-success is meant: give that too")
    variant.check(required=most is not None)
    engine.refuse_without()
    if engine.engine is not None:
        _refuse_inside(requirement, variant, reading)
        answer = design_inside(
            engine,
            prior,
            reading,
            cap(k),
            output,
            layout=variant.layout or "stable",
            events=requirement.events,
            entropies=entropy or list(STANDARD),
        )
        if output is not None:
            answer.wrote(output, f"written to {output}")
        return answer
    source = PriorSource(prior, reading)
    counts = source.prior(events=requirement.events)
    said = ""
    if most is not None:
        with working("looking for the least k"):
            world, _ = requirement.in_the_world(counts)
            k, said = requirement.least_k(counts, most, world=world)
    if k is not None and k > len(counts) and variant.unknown is None:
        note(f"there are {len(counts):,} secrets, and no set is larger: k = {len(counts):,}")
    with progressing(f"designing for {len(counts):,} secrets") as progress:
        plan = variant.made(counts, cap(k), source, progress)
    answer = described(plan, entropy)
    if most is not None:
        missed = _missed(answer.data, most, as_counted=requirement.as_counted)
        answer.parts = [said, *missed, *answer.parts]
    if output is not None:
        with working(f"writing {output}"):
            plan.save(output)
        answer.data["bytes"] = os.path.getsize(output)
        asked = "" if most is None else f" --max-success {100 * most:.4g}%"
        following = f"report {output} -o report.html{asked}" if plan.randomised else f"export {output} -o table.csv"
        answer.wrote(output, f"written to {output}; next: minleak {following}, or minleak draw --help")
    return answer


def _refuse_inside(requirement: Requirement, variant: Variant, reading: Reading) -> None:
    """Refuse what can be done in memory only."""
    in_memory = {
        "--max-success": requirement.max_success is not None,
        "--strip": reading.strip,
        "--nfc": reading.nfc,
        "--gains": variant.gains is not None,
        "--near": variant.near is not None,
        "--unknown": variant.unknown is not None,
        f"--layout {variant.layout}": variant.layout in LAYOUTS and LAYOUTS[variant.layout].homes_in_engine is None,
    }
    given = [option for option, is_given in in_memory.items() if is_given]
    if given:
        raise InvalidParameter(f"{' and '.join(given)}: only for a design in memory, so leave out --engine")


def _missed(data: dict[str, Any], most: float, *, as_counted: bool) -> list[str]:
    """A warning where the layout leaks more than the stable one that k was found for."""
    world = None if as_counted else data["in_the_world"]
    success = data["success"] if world is None else world["success"]
    if success <= most * (1 + 1e-12):
        return []
    return [f"in this layout it is more, {100 * success:.4g}%: give a larger -k, or take the layout stable"]


def _metric(columns: list[str]) -> str:
    """haversine where two columns are called latitude and longitude or begin so, in this order; refused in another."""
    starts = [column.lower()[:3].replace("lng", "lon") for column in columns]
    if starts == ["lat", "lon"]:
        return "haversine"
    if {"lat", "lon"} <= set(starts):
        first, then = columns[starts.index("lat")], columns[starts.index("lon")]
        raise InvalidParameter(
            f"give latitude first, --near {first},{then}, for distances in kilometres, or say --metric euclidean"
        )
    return "euclidean"
