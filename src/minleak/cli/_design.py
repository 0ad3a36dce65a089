"""design: the plan that leaks least for given counts, as a .cloak file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import minleak as ml
from minleak.cli._engines import design_inside, engine_option, parse_engine
from minleak.cli._inputs import Grouping, PriorSource, Reading
from minleak.cli._options import Entropies, PriorFile, option, share, split_names, whole
from minleak.cli._output import Outcome, note, progressing, remark, working
from minleak.cli._show import summarize
from minleak.cli._sweep import SuccessRequirement
from minleak.cli._tables import check_ending
from minleak.core._layouts import LAYOUTS
from minleak.core._progress import Progress
from minleak.errors import InvalidParameter
from minleak.rates._summaries import PlanSummary
from minleak.strings._summary import StringSummary

_NOT_SAVED = "no .cloak file was written: add -o plan.cloak to save the plan"


@dataclass(frozen=True)
class Variant:
    """The kind of plan to design."""

    layout: str | None = option(
        "stable (the default: resists repeated draws), circle (fastest) or blocks (fixed sets without a key, slightly "
        "more leakage); for nearby decoys see --near."
    )
    mean_rows: float | None = option(
        "With --layout blocks: the most table rows that a query may read on average; -k is then optional."
    )
    worst_rows: float | None = option("With --layout blocks: the most table rows that any query may read.")
    rows: str | None = option(
        "With --mean-rows or --worst-rows: column with the number of table rows that hold each secret. Default: the "
        "counts."
    )
    gains: str | None = option("Column with the worth of each secret to the attacker, for gain-based leakage.")
    near: str | None = option(
        "Choose nearby decoys, at no more leakage: columns with coordinates. lat,lon gives kilometres on the globe, "
        "other columns the plane; to override, write haversine:y,x or euclidean:lat,lon."
    )
    stability: float = option(
        "With --near: from 0 (closest decoys) to 1 (resists repeated draws).", default=0.0, parser=share
    )
    unknown: str | None = option(
        "Also cover secrets that PRIOR does not list: a file with a model of strings. If it does not exist, a model is "
        "fitted to the secrets of PRIOR and saved there."
    )
    policy: str | None = option(
        "With --unknown, when fitting: which strings can be secrets, such as min=8,max=64,digit,upper,matching=REGEX. "
        "Classes: lower, upper, letter, digit, symbol; matching= comes last."
    )
    unknown_share: float | None = option(
        "With --unknown: how often a secret is not listed. Default: estimated from the counts.", parser=share
    )

    def design(
        self, counts: ml.Prior, k: int, groups: ml.Groups | None, source: PriorSource, progress: Progress
    ) -> Any:
        """The plan; gains and places are other columns of the source."""
        if self.unknown is not None:
            fitted = not os.path.exists(self.unknown)
            model = self._fit(counts) if fitted else self._load(self.unknown)
            plan = ml.design(counts, k, unknown=model, unknown_share=self.unknown_share)
            if fitted:
                model.save(self.unknown)
                note(f"{self.unknown} is new: a model of strings fitted to the {len(counts):,} secrets of PRIOR")
            return plan
        worth = None if self.gains is None else source.other(self.gains, "--gains").weights
        layout: Any = self.layout or "stable"
        if self.rows_budget:
            held = None if self.rows is None else source.other(self.rows, "--rows").weights
            layout = ml.Blocks(mean_rows=self.mean_rows, worst_rows=self.worst_rows, rows=held)
        if self.near is not None:
            metric, columns = parse_near(self.near)
            layout = ml.Near(source.places(columns, "--near"), metric=metric, stability=self.stability)
        return ml.design(counts, k, layout=layout, groups=groups, gains=worth, progress=progress)

    @property
    def rows_budget(self) -> bool:
        """Whether blocks have a budget in rows."""
        return self.mean_rows is not None or self.worst_rows is not None

    def check(self, *, required: bool) -> None:
        """Refuse options that do not go together, before a file is read."""
        if self.rows_budget and (self.layout != ml.Blocks.name or required):
            raise InvalidParameter("--mean-rows and --worst-rows need --layout blocks and do not go with --max-success")
        if self.rows is not None and not self.rows_budget:
            raise InvalidParameter("--rows needs --mean-rows or --worst-rows")
        if self.gains is not None and required:
            raise InvalidParameter(
                "--max-success does not go with --gains, where guesses have a worth: give -k instead"
            )
        if self.near is not None and self.layout is not None:
            raise InvalidParameter("--near is a layout of its own: leave out --layout")
        if self.near is None and self.layout == ml.Near.name:
            raise InvalidParameter("--layout near needs coordinates: give --near COLUMNS instead")
        if self.near is None and self.stability:
            raise InvalidParameter("--stability needs --near")
        if self.unknown is None and (self.unknown_share is not None or self.policy is not None):
            raise InvalidParameter("--unknown-share and --policy need --unknown")
        another = self.layout not in (None, "stable") or self.near is not None or self.gains is not None
        if self.unknown is not None and (another or required):
            raise InvalidParameter("--unknown goes with -k only: leave out --layout, --near, --gains and --max-success")
        if self.near is not None:
            parse_near(self.near)

    def _load(self, path: str) -> ml.strings.NGram:
        if self.policy is not None:
            raise InvalidParameter(f"{path} holds a model with its own policy: leave out --policy")
        return ml.strings.NGram.load(path)

    def _fit(self, counts: ml.Prior) -> ml.strings.NGram:
        """A model fitted to the secrets; `design` refuses those that have no place in it."""
        policy = None if self.policy is None else parse_policy(self.policy)
        return ml.strings.NGram.fit(list(counts.labels), accept=policy, leave_out=True)


def design(
    prior: PriorFile,
    *,
    k: int | None = option("Size of the sets: at most this many secrets. Or give --max-success.", "-k"),
    requirement: SuccessRequirement,
    output: str | None = option(
        "Write the plan to this .cloak file; with --engine also to a new folder.", "-o", "--output"
    ),
    entropy: Entropies = None,
    variant: Variant,
    grouping: Grouping,
    reading: Reading,
    engine: str | None = engine_option(),
) -> Outcome[PlanSummary | StringSummary]:
    """Design the sets of at most K secrets that leak least (a plan), and save them as a .cloak file.

    Example: minleak design queries.csv -k 10 -o queries.cloak
    """
    most = requirement.max_success
    if (k is None) == (most is None) and not variant.rows_budget:
        raise InvalidParameter(
            "give either -k, the size of the sets, or --max-success, to find the least k that meets it"
        )
    if requirement.on_counts and most is None:
        raise InvalidParameter("--on-counts is about --max-success: give both, or leave it out")
    variant.check(required=most is not None)
    grouping.check()
    if grouping.group and variant.unknown is not None:
        raise InvalidParameter("--unknown does not go with --group: unlisted strings have no group")
    if output is not None and engine is None:
        check_ending(output, "a plan", ["cloak"])
    if engine is not None:
        _refuse_inside(variant, grouping, reading)
        found = design_inside(
            parse_engine(engine),
            prior,
            reading,
            k,
            output,
            layout=variant.layout or "stable",
            requirement=requirement,
            entropies=entropy,
        )
        if output is None:
            remark(_NOT_SAVED)
            return Outcome(found)
        return Outcome(found, (output,))
    source = PriorSource(prior, reading)
    counts = source.prior(events=requirement.events)
    groups = grouping.read(source)
    if most is not None:
        with working("looking for the least k"):
            k, said = requirement.least_k(counts, most, groups=groups)
        note(said)
    if k is not None and k > len(counts) and variant.unknown is None:
        note(f"-k is larger than the number of secrets: k = {len(counts):,}")
    with progressing(f"designing for {len(counts):,} secrets") as progress:
        k = len(counts) if k is None and variant.rows_budget else k
        plan = variant.design(counts, k or 0, groups, source, progress)
    if groups is not None and plan.k < min(k or 0, len(counts)):
        note(f"the caps on groups allow no larger sets: k = {plan.k:,}")
    with working("measuring the plan"):
        summary = summarize(plan, entropy)
    if most is not None:
        _warn_if_missed(summary, most, on_counts=requirement.on_counts)
    about: dict[str, Any] = {"about": plan, "most": most}
    if output is None:
        remark(_NOT_SAVED)
        return Outcome(summary, **about)
    with working(f"writing {output}"):
        plan.save(output)
    asked = [] if most is None else ["--max-success", f"{100 * most:.12g}%"]
    then = ["report", output, "-o", "report.html", *asked] if plan.randomised else ["export", output, "-o", "table.csv"]
    return Outcome(summary, (output,), then=then, **about)


def _refuse_inside(variant: Variant, grouping: Grouping, reading: Reading) -> None:
    """Refuse options that work in memory only."""
    in_memory = {
        "--status": reading.status is not None,
        "--no-query": reading.no_query,
        "--gains": variant.gains is not None,
        "--near": variant.near is not None,
        "--mean-rows and --worst-rows": variant.rows_budget,
        "--group": grouping.group is not None,
        "--unknown": variant.unknown is not None,
        f"--layout {variant.layout}": variant.layout in LAYOUTS and LAYOUTS[variant.layout].homes_in_engine is None,
    }
    given = [option for option, is_given in in_memory.items() if is_given]
    if given:
        raise InvalidParameter(f"{' and '.join(given)} work in memory only: leave out --engine")


def _warn_if_missed(summary: Any, most: float, *, on_counts: bool) -> None:
    """Note that this layout leaks more than the stable one that k was found for."""
    world = None if on_counts else summary.in_the_world
    success = summary.success if world is None else world.success
    if success > most * (1 + 1e-12):
        note(f"this layout does not meet it ({100 * success:.4g}%): give a larger -k, or use --layout stable")


def parse_near(text: str) -> tuple[str, str]:
    """The metric and the columns of --near; lat,lon is haversine, and METRIC: may precede the columns."""
    metric, colon, columns = text.partition(":")
    if colon:
        return metric, columns
    names = split_names(text)
    starts = [name.lower()[:3].replace("lng", "lon") for name in names]
    if starts == ["lat", "lon"]:
        return "haversine", text
    if {"lat", "lon"} <= set(starts):
        first, then = names[starts.index("lat")], names[starts.index("lon")]
        raise InvalidParameter(
            f"give latitude first (--near {first},{then}) for kilometres, or --near euclidean:{text} for the plane"
        )
    return "euclidean", text


def parse_policy(text: str) -> ml.strings.Policy:
    """Parse min=8,max=64,digit,upper,matching=REGEX; every part is optional, and REGEX is the rest of the text."""
    rules, _, pattern = text.partition("matching=")
    lengths: dict[str, int] = {}
    classes = []
    for rule in filter(None, split_names(rules)):
        name, equals, value = rule.partition("=")
        if equals and name in ("min", "max"):
            lengths[f"{name}_length"] = whole(value)
        else:
            classes.append(rule)
    return ml.strings.Policy(**lengths, require=classes, matching=pattern or None)
