"""chain: secrets that come in sequences: fit a chain to walks, measure what they give away, draw tracks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from minleak._cli.charts import add_chart, chart_of
from minleak._cli.draw import as_label
from minleak._cli.engines import EngineOptions
from minleak._cli.inputs import as_file, check_shown, rows_of, stdin_lines
from minleak._cli.options import Format, argument, option, times, whole
from minleak._cli.output import Answer, progressing, record, table, working
from minleak._data.extras import chart_package
from minleak._data.writing import expecting, state_of
from minleak._report.saving import write_whole
from minleak._report.walks import check_page, write_walks
from minleak._sequences.chain import Chain
from minleak._sequences.measuring import sequence_baselines
from minleak._sequences.reading import read_chain, read_walks
from minleak._sequences.results import fallen
from minleak._sequences.tracks import Tracks
from minleak.errors import InvalidParameter, UnknownSecret

ChainFile = Annotated[
    str, typer.Argument(metavar="CHAIN", help="A .chain file made by `minleak chain fit`; - is stdin, but for `draw`.")
]
Tracked = Annotated[int, typer.Option("-k", parser=whole, help="How many states each step shows.")]


@dataclass(frozen=True)
class Columns:
    """The columns of a log of walks."""

    subject: str = option("The column that names who walks.", default="subject")
    time: str = option("The column of times: numbers, or dates such as 2026-07-11T08:30.", default="time")
    state: str = option("The column of states.", default="state")


def fit(
    log: str = argument("LOG", "Who was where and when: csv(.gz), tsv, parquet; - is stdin."),
    *,
    output: str | None = option("The .chain file to write.", "-o", "--output"),
    columns: Columns,
    order: int = option("How many steps a state remembers.", default=1),
    smoothing: str = option(
        "Back-off to the marginal: witten-bell, or a number of transitions for each state.", default="witten-bell"
    ),
    clock: int | None = option("24 for states by the hour of the day, which everybody sees."),
    format: Format = None,
    engine: EngineOptions,
) -> Answer:
    """Fit a Markov chain to walks: the rows of each subject, sorted by time.

    Example: minleak chain fit visits.csv -o visits.chain
    """
    how = smoothing if smoothing == "witten-bell" else _number(smoothing)
    engine.refuse_without()
    if engine.engine is not None and (order != 1 or clock is not None):
        raise InvalidParameter("inside an engine chains are of order 1 and without a clock: leave out --engine")
    with working(f"fitting {log}"):
        if engine.engine is not None:
            from minleak import warehouse

            with engine.opened(log) as rows:
                fitted = warehouse.chain(rows, **vars(columns), smoothing=how)
        else:
            fitted = read_chain(**rows_of(log, format), **vars(columns), order=order, smoothing=how, clock=clock)
        rate = fitted.entropy_rate()
        data: dict[str, Any] = {
            "states": len(fitted),
            "transitions": len(fitted.indices),
            "order": fitted.order,
            "clock": fitted.clock,
            "backoff": float((fitted.stationary() * fitted.levels).sum()),
            "entropy_rate": rate,
            "distance": fitted.distance,
        }
    measures = [
        ["states", f"{len(fitted):,}"],
        ["different transitions seen", f"{len(fitted.indices):,}"],
        ["moves by back-off", f"{data['backoff']:.2%}"],
        ["entropy rate", f"{rate:.4f} bits a step"],
    ]
    answer = Answer(data, [table(f"a chain of order {fitted.order}", ["measure", "value"], measures)])
    if output is not None:
        fitted.save(output)
        answer.wrote(output, f"written to {output}; next: minleak chain leakage {output} -k 3")
    return answer


def leakage(
    file: ChainFile,
    k: Tracked,
    *,
    steps: int = option("How many states a walk has.", default=20, parser=times),
    trials: int = option("Simulated walks.", default=200, parser=times),
    truth: str | None = option("How walks really go: another .chain file, or a log that the chain was not fitted on."),
    report: str | None = option("Write a page about it: an .html file."),
    chart: str | None = chart_of("success against step"),
    seed: int = option("Another seed gives other walks.", default=0),
    columns: Columns,
) -> Answer:
    """Measure how often attackers are right about each step of a walk: tracks, and what else could be shown.

    Filtering attackers know what was shown up to a step, smoothing ones what came after as well.

    Example: minleak chain leakage visits.chain -k 3 --steps 6 --trials 50 --report walks.html
    """
    if chart is not None:
        chart_package("altair")
    if report is not None:
        check_page(report)
    fitted = _opened(file)
    known: Any = None
    if truth is not None:
        known = Chain.load(truth) if truth.endswith(".chain") else _pieces(fitted, truth, columns, steps)
    with progressing("measuring") as progress:
        given: dict[str, Any] = {"steps": steps, "trials": trials, "seed": seed, "progress": progress}
        # the truth first, since it may be refused
        real = None if known is None else sequence_baselines(fitted, k, truth=known, **given)
        expected = sequence_baselines(fitted, k, **given)
    data: dict[str, Any] = {"states": len(fitted), "k": k, "steps": steps, "methods": expected.to_dict()["rows"]}
    parts = [f"{steps} steps of {len(fitted):,} states, k = {k}, walks by the chain\n{expected}"]
    if real is not None:
        data["truth"] = real.to_dict()["rows"]
        parts += ["", f"walks by the truth, {real.rows[0].trials:,} of them\n{real}", f"tracks: {fallen(real.rows[0])}"]
    answer = Answer(data, parts)
    if chart is not None:
        add_chart(answer, (real or expected).chart(), chart, title="Success against step")
    if report is not None:
        write_walks(fitted, expected, report, real=real)
        answer.wrote(report, f"report written to {report}", key="report")
    return answer


def draw(
    file: ChainFile,
    k: Tracked,
    key: str = option("The key file, made by `minleak key new`.", default=...),
    scope: str = option("Who walks: the same scope and walk always show the same tracks.", default=...),
    walk: str | None = option("Where the walk is kept between calls: made by the first, gone on with by the next."),
    restart: bool = option("Begin new tracks where the chain holds a move impossible.", default=False),
) -> Answer:
    """Draw the tracks to show for a walk, whose states are read from stdin, one a line. States of a chain with a clock
    are written hour/state, those of order 2 state/state.

    Each step is a line of k states with a tab between them; the same track is always at the same place.

    Example: minleak chain draw visits.chain -k 3 --key queries.key --scope user-17
    """
    if file == "-":
        raise InvalidParameter("stdin holds the states: give CHAIN as a file")
    check_shown(file, "CHAIN", "minleak chain draw CHAIN, with the states on stdin")
    fitted = _opened(file)
    tracks = Tracks(fitted, k, key=key, on_impossible="restart" if restart else "refuse")
    states = [_state(text, fitted) for text in stdin_lines()]
    if not states:
        raise InvalidParameter("no states came by stdin: give one a line")
    for at, state in enumerate(states):
        if fitted.position(state) is None:
            form = f": its states are written {_form(fitted)}" if _form(fitted) else ""
            raise UnknownSecret(f"line {at + 1} of stdin: the chain does not know this state{form}")
    before = None if walk is None else state_of(walk)
    resumed = walk is not None and os.path.exists(walk)
    if resumed:
        with open(str(walk), encoding="utf-8", errors="replace") as saved:
            going = tracks.resume(saved.read(), scope=scope)
        steps = [going.move(state) for state in states]
    else:
        going = tracks.start(states[0], scope=scope)
        steps = [going.shown, *(going.move(state) for state in states[1:])]
    if walk is not None:
        with expecting(walk, before):
            write_whole(walk, going.saved(), private=True)
    lines = [
        record(["/".join(map(str, label)) if isinstance(label, tuple) else label for label in step]) for step in steps
    ]
    cuts = [cut for cut in going.cuts if cut > going.step - len(steps)]
    return Answer({"steps": [list(step) for step in steps], "step": going.step, "cuts": cuts}, lines)


def _opened(path: str) -> Chain:
    with working(f"opening {path}"), as_file(path, ".chain") as file:
        return Chain.load(file)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidParameter(f"smoothing is witten-bell or a number of transitions from 0 on, not {text!r}") from None


def _pieces(fitted: Chain, log: str, columns: Columns, steps: int) -> list[list[Any]]:
    """The walks of a log, cut into pieces of so many steps; those with states that the chain does not know are left."""
    found = read_walks(**rows_of(log), **vars(columns), clock=fitted.clock)
    if fitted.order > 1:
        n = fitted.order
        found = [[tuple(walk[i : i + n]) for i in range(len(walk) - n + 1)] for walk in found]
    known = set(fitted.labels)
    pieces = [walk[i : i + steps] for walk in found for i in range(0, len(walk) - steps + 1, steps)]
    return [piece for piece in pieces if known.issuperset(piece)]


def _form(fitted: Chain) -> str:
    """How a state is written that has several parts, empty for one that has not."""
    if fitted.clock is not None:
        return "hour/state"
    return "/".join(["state"] * fitted.order) if fitted.order > 1 else ""


def _state(text: str, fitted: Chain) -> Any:
    """The state that a line stands for; parts of a pair or a longer state are written with slashes."""
    first = fitted.labels[0]
    if not isinstance(first, tuple):
        return as_label(text, fitted.labels)
    parts = text.split("/", len(first) - 1)
    kinds = [int if isinstance(part, int) else str for part in first]
    return tuple(
        int(part) if kind is int and part.lstrip("-").isdigit() else part
        for part, kind in zip(parts, kinds, strict=False)
    )
