"""design: from counts to the plan that leaks least, as a .cloak file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import minleak as ml
from minleak._cli.engines import design_inside, engine_option, parse_engine
from minleak._cli.inputs import Grouping, PriorSource, Reading
from minleak._cli.options import Entropies, PriorFile, option, share, split_names, whole
from minleak._cli.output import Outcome, note, progressing, remark, working
from minleak._cli.show import summarize
from minleak._cli.sweep import SuccessRequirement, why_untold
from minleak._data.progress import Progress
from minleak._layouts import LAYOUTS
from minleak._plan.summaries import BlockSummary, PlanSummary, StringSummary
from minleak.errors import InvalidParameter

_NOT_SAVED = "nothing was written: add -o plan.cloak to save the plan"


@dataclass(frozen=True)
class Variant:
    """What kind of plan is to be made."""

    layout: str | None = option(
        "stable (resists repeated draws, the default), circle (quickest) or blocks (no key, sets that never "
        "change, a little more leakage); see --near for a fourth."
    )
    mean_rows: float | None = option(
        "With --layout blocks: how many rows of a table a query for a block may read on the mean, PRIOR being the "
        "rows of "
        "each secret; -k may be left out."
    )
    worst_rows: float | None = option("With --layout blocks: how many rows any query may read.")
    gains: str | None = option("A column of what each secret is worth to the attacker, for gain-based leakage.")
    near: str | None = option(
        "Columns of coordinates, such as lat,lon: decoys will be close, at no more leakage. Distances are in "
        "kilometres for columns that begin with lat and lon, else in the plane; haversine:y,x or "
        "euclidean:lat,lon decides."
    )
    stability: float = option(
        "With --near, from 0 (as close as possible) to 1 (resists repeated draws).", default=0.0, parser=share
    )
    unknown: str | None = option(
        "A file of a model of strings, so that secrets that PRIOR does not list get sets too. If there is no such "
        "file, a model is fitted to the secrets of PRIOR and written there."
    )
    policy: str | None = option(
        "With --unknown, where a model is fitted: the strings that can be secrets, such as "
        "min=8,max=64,digit,upper,matching=REGEX (at the end; classes are lower, upper, letter, digit, symbol)."
    )
    unknown_share: float | None = option(
        "With --unknown, how often a secret is not listed; estimated from the counts if not given.", parser=share
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
            layout = ml.Blocks(mean_rows=self.mean_rows, worst_rows=self.worst_rows)
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
            raise InvalidParameter("--mean-rows and --worst-rows are for --layout blocks, without --max-success")
        if self.gains is not None and required:
            raise InvalidParameter(
                "--max-success is about how often a guess is right, and --gains about its worth: give -k"
            )
        if self.near is not None and self.layout is not None:
            raise InvalidParameter("--layout and --near are two ways to say the layout: give one of them")
        if self.near is None and self.layout == ml.Near.name:
            raise InvalidParameter("--layout near needs --near, the columns of coordinates: give --near alone")
        if self.near is None and self.stability:
            raise InvalidParameter("--stability moves from near to stable plans, so it needs --near")
        if self.unknown is None and (self.unknown_share is not None or self.policy is not None):
            raise InvalidParameter("--unknown-share and --policy are about --unknown, a model of strings: give it too")
        another = self.layout not in (None, "stable") or self.near is not None or self.gains is not None
        if self.unknown is not None and (another or required):
            raise InvalidParameter("--unknown goes with -k alone, without a layout, --gains or --max-success")
        if self.near is not None:
            parse_near(self.near)

    def _load(self, path: str) -> ml.strings.NGram:
        if self.policy is not None:
            raise InvalidParameter(f"{path} holds a model, which has its policy: leave out --policy")
        return ml.strings.NGram.load(path)

    def _fit(self, counts: ml.Prior) -> ml.strings.NGram:
        """A model fitted to the secrets; `design` refuses those that have no place in it."""
        policy = None if self.policy is None else parse_policy(self.policy)
        return ml.strings.NGram.fit(list(counts.labels), accept=policy, leave_out=True)


def design(
    prior: PriorFile,
    *,
    k: int | None = option("How many secrets a set has at most, from 1 on; or give --max-success.", "-k"),
    requirement: SuccessRequirement,
    output: str | None = option("The .cloak file to write; with --engine also a new folder.", "-o", "--output"),
    entropy: Entropies = None,
    variant: Variant,
    grouping: Grouping,
    reading: Reading,
    engine: str | None = engine_option(),
) -> Outcome[PlanSummary | BlockSummary | StringSummary]:
    """Design the sets of at most K secrets that leak least (a plan), and write them to a .cloak file.

    Example: minleak design queries.csv -k 10 -o queries.cloak
    """
    most = requirement.max_success
    if (k is None) == (most is None) and not variant.rows_budget:
        raise InvalidParameter("say either -k, the size of the sets, or --max-success for the least that does")
    if requirement.as_counted and most is None:
        raise InvalidParameter("--events all says how --max-success is meant: give that too")
    variant.check(required=most is not None)
    grouping.check()
    if grouping.group and variant.unknown is not None:
        raise InvalidParameter("--unknown makes sets of strings that are in no group: leave out --group")
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
    counts = source.prior(events=requirement.sampled)
    groups = grouping.read(source)
    if most is not None:
        with working("looking for the least k"):
            world = not requirement.as_counted and why_untold(counts) is None
            k, said = requirement.least_k(counts, most, world=world, groups=groups)
        note(said)
    if k is not None and k > len(counts) and variant.unknown is None:
        note(f"there are {len(counts):,} secrets, and no set is larger: k = {len(counts):,}")
    with progressing(f"designing for {len(counts):,} secrets") as progress:
        k = len(counts) if k is None and variant.rows_budget else k
        plan = variant.design(counts, k or 0, groups, source, progress)
    if groups is not None and plan.k < min(k or 0, len(counts)):
        note(f"the caps of the groups allow no larger sets: k = {plan.k:,}")
    summary = summarize(plan, entropy)
    if most is not None:
        _warn_if_missed(summary, most, as_counted=requirement.as_counted)
    about: dict[str, Any] = {"about": plan, "most": most}
    if output is None:
        remark(_NOT_SAVED)
        return Outcome(summary, **about)
    with working(f"writing {output}"):
        plan.save(output)
    asked = "" if most is None else f" --max-success {100 * most:.4g}%"
    following = f"report {output} -o report.html{asked}" if plan.randomised else f"export {output} -o table.csv"
    return Outcome(summary, (output,), then=f"{following}, or minleak draw --help", **about)


def _refuse_inside(variant: Variant, grouping: Grouping, reading: Reading) -> None:
    """Refuse what can be done in memory only."""
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
        raise InvalidParameter(f"{' and '.join(given)}: only for a design in memory, so leave out --engine")


def _warn_if_missed(summary: Any, most: float, *, as_counted: bool) -> None:
    """A note where the layout leaks more than the stable one that k was found for."""
    world = None if as_counted else summary.in_the_world
    success = summary.success if world is None else world.success
    if success > most * (1 + 1e-12):
        note(f"in this layout it is more, {100 * success:.4g}%: give a larger -k, or take the layout stable")


def parse_near(text: str) -> tuple[str, str]:
    """The metric and the columns of --near: lat,lon is haversine, and a metric may stand before the columns."""
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
            f"give latitude first, --near {first},{then}, for distances in kilometres, or say --near euclidean:{text}"
        )
    return "euclidean", text


def parse_policy(text: str) -> ml.strings.Policy:
    """The policy that --policy describes: min=8,max=64,digit,upper,matching=REGEX, of which each part may be left out
    and the regular expression is the rest of the text.
    """
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
