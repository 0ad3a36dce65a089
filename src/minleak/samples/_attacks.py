"""Attacks guess secrets from observables after training; any classifier with fit and predict_proba is one."""

from __future__ import annotations

import contextlib
import copy
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import numpy as np

from minleak.core._arrays import Array, Indices, find_run
from minleak.core._simulating import generator
from minleak.errors import InvalidParameter, MissingExtra, quote
from minleak.samples._sample import Sample

# Entries of a table of beliefs handled at a time.
_CHUNK = 4_000_000
# Vectors with more columns are attacked by a forest too.
FEW_COLUMNS = 3


class Beliefs(NamedTuple):
    """The beliefs of an attack: rows[r, x] > 0 is the probability of secret x. `times[i]` tests have secret x[i] and
    the beliefs of row r[i]; if tests are single events, `event[i]` is which. `of` is the number of the attack in its
    family.
    """

    of: int
    rows: Array
    x: Indices
    r: Indices
    times: Indices
    event: Indices | None


class Attack(ABC):
    """A family of attacks that share their work, with one of `names` for each."""

    names: tuple[str, ...]
    #: Whether observables must be numbers.
    needs_points: ClassVar[bool] = True
    #: Whether it looks at how often secrets are seen in a neighbourhood, as the test over all events does.
    counts_near: ClassVar[bool] = False

    @abstractmethod
    def run(self, sample: Sample, part: int) -> Iterator[Beliefs]:
        """Train on the parts before, and give the beliefs for this one without looking at its secrets."""


def prior_before(sample: Sample, part: int) -> Array:
    """The smoothed prior of the parts before: the belief where nothing else is known."""
    counts = sample.secrets_in(sample.before(part)) + 0.5
    return np.asarray(counts / counts.sum())


def prior_share(sample: Sample, part: int) -> float:
    """The share of the prior in every belief, which bounds the logarithmic loss."""
    return 1.0 / (1.0 + math.pow(float(sample.counts[:part].sum()), 2 / 3))


class Histogram(Attack):
    """Frequencies of secrets for each observable; for one number, in windows of several widths around its cell."""

    needs_points = False
    counts_near = True

    def __init__(self, sample: Sample) -> None:
        self._halves = [0]
        if sample.ordered and sample.cells > 2:
            self._halves += [h for h in (2**e for e in range(12)) if h <= sample.cells // 8]
        self.names = tuple(f"histogram, {2 * h + 1} cells" if h else "histogram" for h in self._halves)

    def run(self, sample: Sample, part: int) -> Iterator[Beliefs]:
        prior, train = prior_before(sample, part), sample.before(part)
        if len(self._halves) == 1:
            for cells in sample.slices():
                yield self._beliefs(0, sample.dense(train, cells), prior, sample, part, cells)
            return
        whole = slice(0, sample.cells)
        sums = np.concatenate([np.zeros((1, sample.n)), np.cumsum(sample.dense(train, whole), axis=0)])
        at = np.arange(sample.cells)
        for i, h in enumerate(self._halves):
            window = sums[np.minimum(at + h + 1, sample.cells)] - sums[np.maximum(at - h, 0)]
            yield self._beliefs(i, window, prior, sample, part, whole)

    @staticmethod
    def _beliefs(of: int, table: Array, prior: Array, sample: Sample, part: int, cells: slice) -> Beliefs:
        rows = _mix_with_prior((table + prior) / (table.sum(axis=1, keepdims=True) + 1.0), prior, sample, part)
        if sample.rows is not None and sample.rows.blocks is not None:
            x, cell = sample.rows.x, sample.rows.cell
            event = np.flatnonzero((sample.rows.part == part) & (cell >= cells.start) & (cell < cells.stop))
            return Beliefs(of, rows, x[event], cell[event] - cells.start, np.ones(len(event), int), event)
        test = sample.counts[part]
        begin, end = find_run(sample.pairs_y, cells.start, cells.stop)
        seen = begin + np.flatnonzero(test[begin:end])
        return Beliefs(of, rows, sample.pairs_x[seen], sample.pairs_y[seen] - cells.start, test[seen], None)


class Nearest(Attack):
    """k nearest neighbours, for k = ln n and 4 ln n.

    Columns are scaled in two ways: by their interquartile range, which outliers do not move; and to ranks, which are
    invariant under increasing functions and see heavy tails and distant clusters. Units and ranks come from the
    training events alone, so that each test succeeds with probability at most V given what came before. Ties in
    distance are broken at random, since the order of the events may be that of the secrets.
    """

    counts_near = True
    names = tuple(f"nearest{by}, k = {k} n" for by in ("", " by rank") for k in ("ln", "4 ln"))

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def run(self, sample: Sample, part: int) -> Iterator[Beliefs]:
        x, points, at, cells = _rows(sample)
        train, test = np.flatnonzero(at < part), np.flatnonzero(at == part)
        if not len(train):
            prior = prior_before(sample, part)
            yield from (_test_singly(i, np.tile(prior, (len(test), 1)), x, test) for i in range(len(self.names)))
            return
        train = generator(self._seed).permutation(train)
        test = test[np.argsort(cells[test], kind="stable")]  # look equal observables up once
        for way, compared in enumerate((in_units, by_rank)):
            yield from self._vote(sample, part, 2 * way, compared(points[train], points), train, test)

    @staticmethod
    def _vote(sample: Sample, part: int, of: int, points: Array, train: Indices, test: Indices) -> Iterator[Beliefs]:
        from scipy.spatial import cKDTree

        x, _, _, cells = _rows(sample)
        prior = prior_before(sample, part)
        ks = [min(len(train), max(1, round(f * math.log(len(train) + 1)))) for f in (1, 4)]
        tree = cKDTree(points[train], balanced_tree=False, compact_nodes=False)
        first = np.arange(len(test)) if sample.ordered else np.flatnonzero(np.diff(cells[test], prepend=-1))
        width = max(1, _CHUNK // max(sample.n, ks[-1]))
        for begin in range(0, len(first), width):
            some = first[begin : begin + width]
            end = first[begin + width] if begin + width < len(first) else len(test)
            event = test[some[0] : end]
            r = np.searchsorted(some, np.arange(some[0], end), side="right") - 1
            near = tree.query(points[test[some]], k=np.arange(1, ks[-1] + 1))[1]
            votes = np.arange(len(some))[:, None] * sample.n + x[train][near]
            for i, k in enumerate(ks):
                table = np.bincount(votes[:, :k].ravel(), minlength=len(some) * sample.n).reshape(len(some), sample.n)
                rows = _mix_with_prior((table + prior) / (k + 1.0), prior, sample, part)
                yield Beliefs(of + i, rows, x[event], r, np.ones(len(event), dtype=np.int64), event)


def in_units(train: Array, points: Array) -> Array:
    """Columns divided by their interquartile range in training; where that is 0, by that of their distinct values, and
    constant columns not at all.
    """
    units = np.ones(points.shape[1])
    for j, column in enumerate(train.T):
        spreads = (float(np.ptp(np.quantile(v, [0.25, 0.75]))) for v in (column, np.unique(column)))
        units[j] = next((spread for spread in spreads if spread > 0), 1.0)
    return np.asarray(points / units)


def by_rank(train: Array, points: Array) -> Array:
    """Columns as ranks: the share of training values below, equal ones by half."""
    columns = zip(np.sort(train, axis=0).T, points.T, strict=True)
    sides = [[np.searchsorted(known, column, side=side) for side in ("left", "right")] for known, column in columns]
    return np.asarray(np.array(sides).sum(axis=1).T / (2 * len(train)))


class Classifier(Attack):
    """A classifier with `fit(points, codes)` and `predict_proba(points)`, as in scikit-learn; each training uses a
    fresh copy.
    """

    def __init__(self, made: Any, name: str) -> None:
        self._made, self.names = made, (name,)

    def run(self, sample: Sample, part: int) -> Iterator[Beliefs]:
        x, points, at, _ = _rows(sample)
        train, test = np.flatnonzero(at < part), np.flatnonzero(at == part)
        prior = prior_before(sample, part)
        taught = np.unique(x[train])
        if len(taught) < 2:  # nothing to distinguish yet
            yield _test_singly(0, np.tile(prior, (len(test), 1)), x, test)
            return
        model = copy.deepcopy(self._made)
        with warnings.catch_warnings():  # many secrets are intended
            warnings.filterwarnings("ignore", message="The number of unique classes", category=UserWarning)
            model.fit(points[train], x[train])
        classes = np.asarray(getattr(model, "classes_", taught))
        if not np.isin(classes, taught).all():
            raise InvalidParameter(
                f"attack: {self.names[0]} predicts classes that it was not trained on: a guess is a secret"
            )
        width = max(1, _CHUNK // sample.n)
        for begin in range(0, len(test), width):
            rows = test[begin : begin + width]
            found = self._probabilities(model, points[rows], len(classes))
            table = np.zeros((len(rows), sample.n))
            table[:, classes.astype(np.int64)] = found
            yield _test_singly(0, _mix_with_prior(table, prior, sample, part), x, rows)

    def _probabilities(self, model: Any, points: Array, classes: int) -> Array:
        found = np.asarray(model.predict_proba(points))
        good = found.dtype.kind in "iuf" and found.shape == (len(points), classes) and bool((found >= 0).all())
        if not (good and bool((np.abs(found.sum(axis=1) - 1) <= 1e-3).all())):
            raise InvalidParameter(
                f"attack: predict_proba of {self.names[0]} must give {classes} probabilities for each event, one for "
                "each class of classes_, that sum to one"
            )
        return np.asarray(found / found.sum(axis=1, keepdims=True), dtype=np.float64)


def _mix_with_prior(rows: Array, prior: Array, sample: Sample, part: int) -> Array:
    share = prior_share(sample, part)
    rows *= 1 - share
    rows += share * prior
    return rows


def _rows(sample: Sample) -> tuple[Indices, Array, Indices, Indices]:
    """Secrets, points, parts and cells of single events."""
    if sample.rows is None or sample.rows.points is None:
        raise InvalidParameter(
            "this attack needs observables that are numbers, and at most 5 million events: give numbers, or "
            "attack='histogram'"
        )
    return sample.rows.x, sample.rows.points, sample.rows.part, sample.rows.cell


def _test_singly(of: int, rows: Array, x: Indices, event: Indices) -> Beliefs:
    return Beliefs(of, rows, x[event], np.arange(len(event)), np.ones(len(event), dtype=np.int64), event)


def _of_scikit_learn(name: str, make: Callable[[Callable[[str], Any], int], Any]) -> Callable[[Sample, int], Attack]:
    """A classifier made from scikit-learn's modules and a seed."""

    def made(_sample: Sample, seed: int) -> Attack:
        try:
            return Classifier(make(lambda module: import_module(f"sklearn.{module}"), seed), name)
        except ImportError:
            raise MissingExtra.of("samples", f"the attack {name} needs the package scikit-learn") from None

    return made


def _trees(name: str, kind: str, **settings: Any) -> Callable[[Sample, int], Attack]:
    return _of_scikit_learn(name, lambda module, seed: getattr(module("ensemble"), kind)(random_state=seed, **settings))


def _linear(module: Callable[[str], Any], _seed: int) -> Any:
    scaled = module("preprocessing").StandardScaler()
    return module("pipeline").make_pipeline(scaled, module("linear_model").LogisticRegression(C=0.01, max_iter=500))


# Attacks by name, made for a sample and a seed. To add one, add its line, and its name to the words of `audit`.
ATTACKS: dict[str, Callable[[Sample, int], Attack]] = {
    "histogram": lambda sample, _seed: Histogram(sample),
    "nearest": lambda _sample, seed: Nearest(seed),
    "forest": _trees("forest", "RandomForestClassifier", n_estimators=100, min_samples_leaf=5),
    "boosted": _trees("boosted", "HistGradientBoostingClassifier", early_stopping=False),
    "linear": _of_scikit_learn("linear", _linear),
}


def attacks_of(attack: Any, sample: Sample, seed: int) -> list[Attack]:
    """The attacks asked for, by name or as classifiers; by default those that suit the observables."""
    if attack is None:
        points = None if sample.rows is None else sample.rows.points
        if sample.ordered or points is None:
            return [Histogram(sample)]
        suited: list[Attack] = [Histogram(sample), Nearest(seed)]
        if points.shape[1] > FEW_COLUMNS:  # in many dimensions nearness says little
            with contextlib.suppress(MissingExtra):
                names = ("forest", "linear") if sample.sequences else ("forest",)
                suited += [ATTACKS[name](sample, seed) for name in names]
        return suited
    asked: Sequence[Any] = attack if isinstance(attack, list | tuple) else [attack]
    found: list[Attack] = []
    for one in asked:
        if isinstance(one, str) and one in ATTACKS:
            found.append(ATTACKS[one](sample, seed))
        elif not isinstance(one, str | type) and all(hasattr(type(one), m) for m in ("fit", "predict_proba")):
            found.append(Classifier(one, type(one).__name__))
        else:
            raise InvalidParameter(
                f"attack is {', '.join(ATTACKS)}, a classifier with fit and predict_proba, or a list of them, not "
                f"{quote(one)}"
            )
    if not found:
        raise InvalidParameter("attack is an empty list: name one, or leave it out")
    if any(one.needs_points for one in found):
        _rows(sample)  # raises before any is tried
    return found
