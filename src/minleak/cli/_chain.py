"""chain: secrets that come in sequences: fit a Markov chain, measure what walks leak, draw tracks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Any

import typer

import minleak as ml
from minleak.cli._engines import engine_option, parse_engine
from minleak.cli._inputs import as_file, check_first_file, rows_of, stdin_lines
from minleak.cli._options import Format, argument, chart_option, option, split_names, times, whole
from minleak.cli._output import Outcome, progressing, save_chart, working
from minleak.cli._tables import check_ending
from minleak.core._extras import chart_package
from minleak.core._file.replacing import expect_state, file_state
from minleak.core._labels import as_label
from minleak.core._plain import record
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, UnknownSecret
from minleak.lab.sequences._reading import read_walks
from minleak.lab.sequences._results import SequenceTable, describe_fall
from minleak.report._saving import write_whole
from minleak.report._walks import check_page, write_walks

ChainFile = Annotated[
    str,
    typer.Argument(
        metavar="CHAIN", help="A .chain file written by `minleak chain fit`; - for stdin, except with `draw`."
    ),
]
Tracked = Annotated[int, typer.Option("-k", parser=whole, help="Number of states shown at each step.")]

Columns = Annotated[
    str,
    typer.Option(
        "--columns", help="Columns with who, when and where; times are numbers or dates such as 2026-07-11T08:30."
    ),
]


@dataclass(frozen=True)
class ChainSummary(Result):
    """A chain that was fitted."""

    states: int
    """How many states it has."""
    transitions: int
    """How many different transitions were seen."""
    order: int
    """How many steps a state remembers."""
    clock: int | None
    """How many hours a day has, if states go by the hour."""
    backoff: float
    """The share of moves that go by back-off to the marginal."""
    entropy_rate: float
    """Bits of a step, given the one before."""
    distance: float
    """How far the chain is from the one that was given, by the whole numbers it is drawn in."""


@dataclass(frozen=True)
class WalkLeakage(Result):
    """What walks give away: tracks, and what else could be shown."""

    states: int
    """How many states the chain has."""
    k: int
    """How many states each step shows."""
    steps: int
    """How many steps a walk has."""
    expected: SequenceTable
    """Where walks go by the chain: a row for each method."""
    truth: SequenceTable | None
    """Where walks go by --truth."""

    def to_parts(self) -> list[str | Table]:
        parts = [f"{self.steps} steps of {self.states:,} states, k = {self.k}, walks by the chain", str(self.expected)]
        if self.truth is not None:
            parts += [f"\nwalks by the truth, {self.truth.rows[0].trials:,} of them", str(self.truth)]
            parts.append(f"tracks: {describe_fall(self.truth.rows[0])}")
        return [*parts]


@dataclass(frozen=True)
class DrawnTracks(Result):
    """The tracks to show."""

    steps: tuple[tuple[Any, ...], ...]
    """For each state that was given the k states to show."""
    step: int
    """The number of the last step."""
    cuts: tuple[int, ...]
    """The steps at which new tracks began."""

    def to_parts(self) -> list[str | Table]:
        return [
            record("/".join(map(str, label)) if isinstance(label, tuple) else label for label in step)
            for step in self.steps
        ]


def fit(
    log: str = argument("LOG", "Who was where and when: csv, csv.gz, tsv or parquet; - for stdin."),
    *,
    output: str | None = option("Write the chain to this .chain file.", "-o", "--output"),
    columns: Columns = "subject,time,state",
    order: int = option("Order of the chain: how many steps a state remembers.", default=1),
    clock: int | None = option("Period of a public clock: 24 makes states depend on the hour of the day."),
    format: Format = None,
    engine: str | None = engine_option(),
) -> Outcome[ChainSummary]:
    """Fit a Markov chain to walks: the rows of each subject, sorted by time.

    Example: minleak chain fit visits.csv -o visits.chain
    """
    named = _name_columns(columns)
    if output is not None:
        check_ending(output, "a chain", ["chain"])
    if engine is not None and (order != 1 or clock is not None):
        raise InvalidParameter(
            "--engine fits chains of order 1 without a clock: leave out --order and --clock, or --engine"
        )
    with working(f"fitting {log}"):
        if engine is not None:
            with parse_engine(engine).open(log) as rows:
                fitted = ml.scale.chain(rows, **named)
        else:
            fitted = ml.lab.sequences.read_chain(**rows_of(log, format), **named, order=order, clock=clock)
        summary = ChainSummary(
            states=len(fitted),
            transitions=len(fitted.indices),
            order=fitted.order,
            clock=fitted.clock,
            backoff=float((fitted.stationary() * fitted.levels).sum()),
            entropy_rate=fitted.entropy_rate(),
            distance=fitted.distance,
        )
    if output is None:
        return Outcome(summary)
    fitted.save(output)
    return Outcome(summary, (output,), then=["chain", "leakage", output, "-k", "3"])


def leakage(
    file: ChainFile,
    k: Tracked,
    *,
    steps: int = option("Number of states in a walk.", default=20, parser=times),
    trials: int = option("Number of simulated walks.", default=200, parser=times),
    truth: str | None = option("How walks really go: another .chain file, or a log the chain was not fitted to."),
    report: str | None = option("Write a self-contained page to this .html file."),
    chart: str | None = chart_option("success against step"),
    seed: int = option("Seed for the simulated walks.", default=0),
    columns: Columns = "subject,time,state",
) -> Outcome[WalkLeakage]:
    """Measure how often an attacker guesses the steps of a walk right, for tracks and for the alternatives.

    A filtering attacker knows what was shown up to a step; a smoothing one knows what came after it, too.

    Example: minleak chain leakage visits.chain -k 3 --steps 6 --trials 50 --report walks.html
    """
    if chart is not None:
        chart_package("altair")
    if report is not None:
        check_page(report)
    fitted = _open_chain(file)
    known: Any = None
    if truth is not None:
        known = (
            ml.lab.sequences.Chain.load(truth)
            if truth.endswith(".chain")
            else _cut_walks(fitted, truth, _name_columns(columns), steps)
        )
    with progressing("measuring") as progress:
        given: dict[str, Any] = {"steps": steps, "trials": trials, "seed": seed, "progress": progress}
        # the truth first, since it may be refused
        real = None if known is None else ml.lab.sequences.baselines(fitted, k, truth=known, **given)
        expected = ml.lab.sequences.baselines(fitted, k, **given)
    files = save_chart((real or expected).chart, chart, title="Success against step")
    if report is not None:
        write_walks(fitted, expected, report, real=real)
        files += (report,)
    return Outcome(WalkLeakage(len(fitted), k, steps, expected, real), files)


def draw(
    file: ChainFile,
    k: Tracked,
    key: str = option("Key file made by `minleak keygen`.", default=...),
    scope: str = option("Who walks: the same scope and walk always show the same tracks.", default=...),
    walk: str | None = option("File that keeps the state of the walk between calls; created by the first call."),
    restart: bool = option(
        "Start new tracks at a move that the chain considers impossible, instead of refusing it.", default=False
    ),
) -> Outcome[DrawnTracks]:
    """Draw the tracks to show for a walk; reads its states from stdin, one per line.

    Write states as hour/state for a chain with a clock, and as state/state for order 2. Prints one line per step: k
    states separated by tabs, each track always in the same column.

    Example: minleak chain draw visits.chain -k 3 --key queries.key --scope user-17
    """
    if file == "-":
        raise InvalidParameter("stdin holds the states: give CHAIN as a file")
    check_first_file(file, "CHAIN", "minleak chain draw CHAIN, with the states on stdin")
    fitted = _open_chain(file)
    tracks = ml.lab.sequences.Tracks(fitted, k, key=key, on_impossible="restart" if restart else "refuse")
    states = [_state(text, fitted) for text in stdin_lines()]
    if not states:
        raise InvalidParameter("stdin is empty: give one state per line")
    for at, state in enumerate(states):
        if fitted.position(state) is None:
            form = f": its states are written {_form(fitted)}" if _form(fitted) else ""
            raise UnknownSecret(f"line {at + 1} of stdin: the chain does not know this state{form}")
    before = None if walk is None else file_state(walk)
    resumed = walk is not None and os.path.exists(walk)
    if resumed:
        with open(str(walk), encoding="utf-8", errors="replace") as saved:
            going = tracks.resume(saved.read(), scope=scope)
        steps = [going.move(state) for state in states]
    else:
        going = tracks.start(states[0], scope=scope)
        steps = [going.shown, *(going.move(state) for state in states[1:])]
    if walk is not None:
        with expect_state(walk, before):
            write_whole(walk, going.saved(), private=True)
    cuts = tuple(cut for cut in going.cuts if cut > going.step - len(steps))
    return Outcome(DrawnTracks(tuple(steps), going.step, cuts))


def _open_chain(path: str) -> ml.lab.sequences.Chain:
    with working(f"opening {path}"), as_file(path, ".chain") as file:
        return ml.lab.sequences.Chain.load(file)


def _name_columns(columns: str) -> dict[str, str]:
    names = split_names(columns)
    if len(names) != 3:
        raise InvalidParameter("--columns names three columns, who, when and where, such as subject,time,state")
    return dict(zip(("subject", "time", "state"), names, strict=True))


def _cut_walks(fitted: ml.lab.sequences.Chain, log: str, columns: dict[str, str], steps: int) -> list[list[Any]]:
    """The walks of a log in pieces of `steps` steps, without pieces that have states the chain does not know."""
    found = read_walks(**rows_of(log), **columns, clock=fitted.clock)
    if fitted.order > 1:
        n = fitted.order
        found = [[tuple(walk[i : i + n]) for i in range(len(walk) - n + 1)] for walk in found]
    known = set(fitted.labels)
    pieces = [walk[i : i + steps] for walk in found for i in range(0, len(walk) - steps + 1, steps)]
    return [piece for piece in pieces if known.issuperset(piece)]


def _form(fitted: ml.lab.sequences.Chain) -> str:
    """How a state is written that has several parts, empty for one that has not."""
    if fitted.clock is not None:
        return "hour/state"
    return "/".join(["state"] * fitted.order) if fitted.order > 1 else ""


def _state(text: str, fitted: ml.lab.sequences.Chain) -> Any:
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
