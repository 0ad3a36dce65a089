"""design: from counts to the plan that leaks least, as a .cloak file."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from minleak._cli.engines import CountRows, Engine, MemoryLimit, TableName, design_inside, is_log
from minleak._cli.inputs import PriorSource
from minleak._cli.options import AsJson, Entropies, Format, Nfc, PriorFile, Secret, Strip, Weight, share, whole
from minleak._cli.output import emit, progressing, working
from minleak._cli.requirement import AsCounted, Events, MaxSuccess, least, tell_of_the_world
from minleak._cli.show import described, rendered
from minleak._design import make
from minleak._design.layouts.base import Layout
from minleak._design.layouts.near import Near
from minleak._design.rings import cap
from minleak._design.stored.kinds import Stored
from minleak._design.unlisted.ngram import NGram
from minleak._entropy.standard import STANDARD
from minleak.errors import InvalidParameter


def design(
    prior: PriorFile,
    k: Annotated[
        int | None, typer.Option("-k", parser=whole, help="The cap on the size of a set, from 1 on; or --max-success.")
    ] = None,
    max_success: MaxSuccess = None,
    as_counted: AsCounted = False,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="The .cloak file to write; with --engine also a new folder.")
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            help="stable (resists repeated draws, the default), circle (quickest) or blocks (no key, sets that never "
            "change, a little more leakage); see --near for a fourth."
        ),
    ] = None,
    gains: Annotated[
        str | None, typer.Option(help="A column of what each secret is worth to the attacker, for gain-based leakage.")
    ] = None,
    near: Annotated[
        str | None,
        typer.Option(help="Columns of coordinates, such as lat,lon: decoys will be close, at no more leakage."),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="With --near: euclidean, or haversine (km), the default for columns lat... and lon...."),
    ] = None,
    stability: Annotated[
        float,
        typer.Option(parser=share, help="With --near, from 0 (as close as possible) to 1 (resists repeated draws)."),
    ] = 0.0,
    unknown: Annotated[
        str | None, typer.Option(help="A model of strings by `minleak fit`: secrets that PRIOR does not list get sets.")
    ] = None,
    unknown_share: Annotated[
        float | None,
        typer.Option(parser=share, help="With --unknown, how often a secret is not listed; told by the counts if not."),
    ] = None,
    secret: Secret = "secret",
    weight: Weight = "count",
    format: Format = None,
    strip: Strip = False,
    nfc: Nfc = False,
    entropy: Entropies = None,
    engine: Engine = None,
    table: TableName = None,
    memory_limit: MemoryLimit = None,
    count_rows: CountRows = False,
    events: Events = None,
    as_json: AsJson = False,
) -> None:
    """Design the plan that leaks least with sets of K secrets, and write it to a .cloak file.

    Example: minleak design queries.csv -k 10 -o queries.cloak
    """
    if (k is None) == (max_success is None):
        raise InvalidParameter("say either -k, the size of the sets, or --max-success for the least that does")
    if max_success is not None and gains is not None:
        raise InvalidParameter(
            "--max-success is about how often a guess is right, and --gains about its worth: give -k"
        )
    if as_counted and max_success is None:
        raise InvalidParameter("--as-counted says how --max-success is meant: give that too")
    said = ""
    if engine is not None:
        if k is None or strip or nfc or events is not None:
            raise InvalidParameter(
                "--max-success, --strip, --nfc and --events go with a design in memory, without --engine"
            )
        if any(option is not None for option in (gains, near, metric, unknown, unknown_share)) or stability:
            raise InvalidParameter(
                "--gains, --near, --metric, --stability and --unknown go with a design in memory, without --engine"
            )
        source = {"engine": engine, "table": table, "memory_limit": memory_limit, "format": format}
        count_rows |= is_log(prior, format)
        given = {"layout": layout or "stable", "secret": secret, "weight": None if count_rows else weight}
        data = design_inside(prior, k, output, entropy or list(STANDARD), source, **given)
        parts, written = rendered(data), f"written to {output}"
    else:
        if table is not None or memory_limit is not None:
            raise InvalidParameter("--table and --memory-limit go with --engine, such as --engine duckdb")
        if count_rows and (gains is not None or near is not None):
            raise InvalidParameter("--count-rows has a row for each event, and --gains and --near one for each secret")
        counted = PriorSource(prior, secret, format, strip=strip, nfc=nfc)
        counts = counted.prior(None if count_rows else weight, events=events)
        worth = None if gains is None else counted.prior(gains).weights
        shape = _shape(counted, layout, near, metric, stability)
        if max_success is None:
            size = cap(k)
        else:
            with working("looking for the least k"):
                world, _ = tell_of_the_world(counts, as_counted=as_counted)
                size, said = least(counts, max_success, world=world)
        if unknown is None and unknown_share is not None:
            raise InvalidParameter("--unknown-share is how often a secret comes from --unknown, a model: give both")
        with progressing(f"designing for {len(counts):,} secrets") as progress:
            if unknown is None:
                plan: Stored = make.design(counts, size, layout=shape, gains=worth, progress=progress)
            elif shape != "stable" or worth is not None or max_success is not None:
                raise InvalidParameter("--unknown goes with -k alone, without a layout, --gains or --max-success")
            else:
                plan = make.design(counts, size, unknown=NGram.load(unknown), unknown_share=unknown_share)
        data, parts = described(plan, entropy)
        if max_success is not None:
            parts = [said, *_missed(data, max_success, as_counted=as_counted), *parts]
        if output is not None:
            with working(f"writing {output}"):
                plan.save(output)
            data["bytes"] = os.path.getsize(output)
        asked = "" if max_success is None else f" --max-success {100 * max_success:.4g}%"
        following = f"report {output} -o report.html{asked}" if plan.randomised else f"export {output} -o table.csv"
        written = f"written to {output}; next: minleak {following}, or minleak draw --help"
    if output is not None:
        data["file"] = output
        parts += ["", written]
    emit("design", data, parts, as_json=as_json)


def _missed(data: dict[str, Any], most: float, *, as_counted: bool) -> list[str]:
    """A warning where the layout leaks more than the stable one that k was found for."""
    world = None if as_counted else data["in_the_world"]
    success = data["success"] if world is None else world["success"]
    if success <= most * (1 + 1e-12):
        return []
    return [f"in this layout it is more, {100 * success:.4g}%: give a larger -k, or take the layout stable"]


def _shape(
    source: PriorSource, layout: str | None, near: str | None, metric: str | None, stability: float
) -> Layout | str:
    """The layout that the options name."""
    if near is not None and layout is not None:
        raise InvalidParameter("--layout and --near are two ways to say the layout: give one of them")
    if near is not None:
        columns = [column.strip() for column in near.split(",")]
        metric = metric or _metric(columns)  # before the file is read for them
        return Near(source.places(columns), metric=metric, stability=stability)
    if layout == Near.name:
        raise InvalidParameter("--layout near needs --near, the columns of coordinates: give --near alone")
    if metric is not None:
        raise InvalidParameter("--metric says how far coordinates are apart, so it needs --near")
    if stability:
        raise InvalidParameter("--stability moves from near to stable plans, so it needs --near")
    return layout or "stable"


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
