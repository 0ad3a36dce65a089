"""selector: hash prefixes as they are, and one static file that puts the popular names into blocks."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._file.replacing import replace_file, replace_folder
from minleak.core._parameters import whole
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, UnreadableFile, quote
from minleak.lookups import _format
from minleak.lookups._buckets import Buckets, Names, Numbers, as_bytes, as_names
from minleak.lookups._figures import Guessed, LookupFigures, PopularityClass, by_class, judge
from minleak.lookups._layers import append_layer, bits_for, head, order_by_popularity, size_for

# Names are listed until what is not listed has at most this share of the success of blocks of k.
_UNLISTED = 0.3
# A class of names loses if a guess is right so much more often, and is looked at if it has such a share of lookups.
_LOSS, _NOTICED = 0.01, 1e-4
# How a cell begins that a spreadsheet runs as a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
# How many bits shorter a prefix is proposed for the names that are not listed.
_SHORTER = 4


@dataclass(frozen=True)
class SelectorReport(Result):
    """What a selector hides of the lookups of `names` names. It lists `listed` names in `blocks` blocks of at least
    `k`; a share of `unlisted` of all lookups is for names that are in none. `before` is one lookup by prefix, `after`
    by the selector, `classes` who gains and who loses, by popularity. No observer is right more often than `bound`,
    whatever the hash (for the counts that the file was made from; else None). The file has `size` bytes and the SHA-256
    `sha256`, in `layers` layers. `shorter` is a prefix that hides the names that are not listed better, where some of
    them lose by the selector, and `shorter_figures` are those of the selector with it.

    All is for an observer who knows how popular every name is, on your counts.
    """

    names: int
    listed: int
    blocks: int
    k: int
    unlisted: float
    before: LookupFigures
    after: LookupFigures
    classes: tuple[PopularityClass, ...]
    bound: float | None
    size: int
    sha256: str
    layers: int
    shorter: str | None
    shorter_figures: LookupFigures | None

    reported = ("verdict", "advice")

    def to_parts(self) -> list[str | Table]:
        rows = [self.before, self.after] + ([self.shorter_figures] if self.shorter_figures else [])
        cells = [
            [one.scheme, *map(_percent, (one.success, one.two_guesses)), *_answer(one), f"{one.shannon:.2f}"]
            for one in rows
        ]
        columns = ["", "one guess", "two", "names in an answer, mean", "worst", "Shannon, bits"]
        by_rank = [[one.ranks, *map(_percent, (one.share, one.before, one.after))] for one in self.classes]
        ranks = Table("who gains, who loses", ["rank", "share of lookups", "before", "after"], by_rank)
        return [Table("", columns, cells), ranks, "", self.verdict, f"advice: {self.advice}"]

    @property
    def verdict(self) -> str:
        """In one sentence, what the file changes."""
        return (
            f"with {self.listed:,} of {self.names:,} names listed in {self.size:,} bytes, a guess is right "
            f"{_percent(self.after.success)} of the time instead of {_percent(self.before.success)}"
            + ("" if self.bound is None else f"; never more than {_percent(self.bound)}, whatever the hash")
        )

    @property
    def advice(self) -> str:
        """What to do, in one sentence."""
        pin = f"give the same file to everybody and pin its SHA-256, {self.sha256[:16]}..."
        if self.shorter is None or self.shorter_figures is None:
            return pin
        return (
            f"names just below the list lose their cover: ask for them by {self.shorter} ("
            f"{_percent(self.shorter_figures.success)}, answers of {self.shorter_figures.mean_answer:.1f} names on "
            f"average, {self.shorter_figures.worst_answer:,} at worst); {pin}"
        )


class Selector:
    """A file that puts popular names into blocks, and leaves all others where their hash prefix puts them.

    Made by `selector`, opened by `minleak.load`. Readers in Python, JavaScript and Go are in runtimes/, and
    runtimes/selector.md says what the file is.
    """

    def __init__(self, data: bytes, report: SelectorReport | None = None) -> None:
        prefix, self._layers = _format.read(data)
        try:
            self.prefix = _tail(prefix)
        except InvalidParameter as error:
            raise UnreadableFile(f"in the selector, {error}") from None
        #: The bytes of the file.
        self.data = data
        #: What it hides, on the counts that it was made from; None if it was loaded.
        self.report = report

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Selector:
        """Return the selector in a file, which is checked first."""
        return cls(Path(path).read_bytes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file: whole, or not at all."""
        with replace_file(path) as file:
            file.write(self.data)

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return "selector"

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return sum(layer.blocks for layer in self._layers)

    @property
    def k(self) -> int:
        """How many names a block has at least."""
        return min(layer.k for layer in self._layers)

    @property
    def listed(self) -> int:
        """How many names it lists."""
        return sum(layer.listed for layer in self._layers)

    @property
    def layers(self) -> int:
        """How many layers the file has."""
        return len(self._layers)

    @cached_property
    def sha256(self) -> str:
        """What the file is pinned by, in hexadecimal, as `sha256sum` prints it."""
        return hashlib.sha256(self.data).hexdigest()

    def find(self, name: str) -> int | None:
        """Return the block of a name, or None if it is not listed: then ask by prefix, as without a selector.

        Text that UTF-8 cannot hold is not listed.
        """
        if not isinstance(name, str):
            raise InvalidParameter(f"name must be text; got {type(name).__name__}. Turn it into text.")
        text = as_bytes(name)
        return None if text is None else _format.find_one(self.data, self._layers, text)

    def bucket(self, name: str) -> str:
        """Return what to ask for: "b83" for block 83, or "p3f2a" for the prefix of a name that is not listed."""
        block = self.find(name)
        return self.prefix.bucket(name) if block is None else f"b{block}"

    def buckets(self, names: Names | Iterable[str]) -> Numbers:
        """Return the number of the bucket of each name: its block, or after all blocks its prefix."""
        given = as_names(names)
        block = _format.find(self.data, self._layers, given)
        return np.where(block < 0, self.blocks + self.prefix.buckets(given), block)

    def bucket_names(self, names: Names | Iterable[str]) -> list[str]:
        """Return `bucket` of each name."""
        blocks = self.blocks
        return [f"b{n}" if n < blocks else self.prefix.say(n - blocks) for n in self.buckets(names).tolist()]

    def export(
        self,
        folder: str | os.PathLike[str],
        names: Names | Iterable[str],
        *,
        padded: bool = False,
        raw_labels: bool = False,
    ) -> int:
        """Write what the service serves to a new folder, and return how many buckets there are.

        `names.csv` has a row for each name: bucket, name. In `buckets/` there is a file for each bucket, such as
        b83.json or p3f2a.json, with the list of its names; padded=True ends them with blanks up to one length. Names
        that a spreadsheet would run as formulas are refused unless `raw_labels` says that only programs read the csv.
        """
        given = as_names(names)
        formulas = sum(text.startswith(_FORMULAS) for text in given.texts)
        if formulas and not raw_labels:
            raise InvalidParameter(
                f"names must not begin with =, +, -, @, a tab or a line break, which spreadsheets run as formulas; got "
                f"{formulas:,} that do. Allow them with raw_labels=True if only programs read the csv."
            )
        rows, members = self.bucket_names(given), dict[str, list[str]]()
        for bucket, text in zip(rows, given.texts, strict=True):
            members.setdefault(bucket, []).append(text)
        files = {bucket: json.dumps(held, ensure_ascii=False).encode() for bucket, held in members.items()}
        longest = max(map(len, files.values())) if padded and files else 0
        with replace_folder(folder) as made:
            with open(os.path.join(made, "names.csv"), "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
                writer.writerows([("bucket", "name"), *zip(rows, given.texts, strict=True)])
            os.mkdir(os.path.join(made, "buckets"))
            for bucket, content in files.items():
                Path(made, "buckets", f"{bucket}.json").write_bytes(content.ljust(longest))
        return len(files)

    def audit(self, counts: Prior | Iterable[Any]) -> SelectorReport:
        """Return what the file hides on these counts, whoever made it: every name is looked up in its bytes."""
        return _report(self, _Popularity(as_prior(counts)), None)

    def add(
        self,
        newer: Prior | Iterable[Any],
        *,
        since: Prior | Iterable[Any] | None = None,
        listed: int | None = None,
        max_size: int | None = None,
    ) -> Selector:
        """Return the file with one layer more, which lists names of newer counts. The bytes that are there stay as they
        are, and no listed name moves; where no further name pays, the file is returned as it is.

        Never make a selector anew for clients who have one: who sees the same name under both files knows far more (for
        npm after three months 23% instead of 3.8%).

        Parameters
        ----------
        newer
            The counts of today.
        since
            Older counts: only names that they do not have are listed, and nobody moves. Without it a name that has
            become popular moves once, from its prefix to a block, and is told to whoever saw both.
        listed, max_size
            As in `selector`: how many names the layer lists at most, and how large the file may become.
        """
        popular = _Popularity(as_prior(newer))
        candidates = _format.find(self.data, self._layers, popular.names) < 0
        covered = float(popular.p[~candidates].sum())
        if since is not None:
            older = set(as_prior(since).labels)
            candidates &= np.array([text not in older for text in popular.names.texts])
        places = np.flatnonzero(candidates)
        if len(places) < self.k:  # fewer would hide less than a block
            places = places[:0]
        needed = popular.left_at(self.k, places, covered)
        limit = None if max_size is None else whole(max_size, "max_size") - len(self.data)
        n = _how_many(needed, len(places), _checked(listed, self.k, popular), limit, self.k, len(popular.names))
        if not n:
            return Selector(self.data, _report(self, popular, None))
        data = _append(self.data, popular.names.take(places[:n]), self.k, len(popular.names), first=self.blocks)
        made = Selector(data)
        made.report = _report(made, popular, None)
        return made

    def __str__(self) -> str:
        return "selector" if self.report is None else str(self.report)

    def __repr__(self) -> str:
        return f"Selector({self.prefix.prefix!r}, k={self.k}, blocks={self.blocks:,}, {len(self.data):,} bytes)"


def selector(
    counts: Prior | Iterable[Any],
    k: int = 57,
    *,
    prefix: str = "sha256:16",
    listed: int | None = None,
    max_size: int | None = None,
    names: int | None = None,
) -> Selector:
    """Return a selector: a small static file beside the hash prefixes of a service, which stay as they are.

    Popular names give a bucket away. The file puts them into blocks of k names of like popularity; a name that it does
    not list is asked for by its prefix, as before. With m names listed, one guess is right with probability
    F(m) s_k + (1 - F(m)) s_prefix, where F(m) is the share of lookups that they have and s_k the success on blocks of
    k; never more than p_1 + F(m)/k + min(1 - F(m), 2^b p_{m+1}) for a prefix of b bits.

    Unless `listed` says otherwise, the fewest names are listed that leave at most .3 s_k of all lookups to the
    prefix. Equal counts make equal bytes, in any order of rows. A million names take some seconds.

    Parameters
    ----------
    counts
        How often each name is looked up. Names are text, hashed as UTF-8, as they are.
    k
        How many names share a block; near the mean of a bucket today, the answers stay as large as they are.
    prefix
        What names that are not listed are asked by, such as "sha256:16".
    listed
        How many names to list at most: blocks are whole, so a multiple of k.
    max_size
        How many bytes the file may have.
    names
        How many names the service answers for, if more than the counts list. A twentieth of k of them join a block.

    >>> counts = {f"name-{i}": 10_000 // i for i in range(1, 1001)}
    >>> found = selector(counts, k=10, prefix="sha256:7", listed=200)
    >>> found
    Selector('sha256:7', k=10, blocks=20, 472 bytes)
    >>> len({found.find(f"name-{i}") for i in range(11, 21)})
    1
    >>> round(found.report.before.success, 2), round(found.report.after.success, 2)
    (0.66, 0.24)
    """
    popular, tail, k = _Popularity(as_prior(counts)), _tail(prefix), whole(k, "k")
    n = len(popular.names)
    serves = n if names is None else whole(names, "names", n)
    if bits_for(max(1, n // k), serves, k) > _format.MOST_BITS:
        raise InvalidParameter(f"names must be at most {2**32 // 20:,} times k; got {serves:,}. Choose a larger k.")
    needed = popular.left_at(k, np.arange(n), 0.0)
    limit = None if max_size is None else whole(max_size, "max_size") - _format.HEAD.size
    chosen = _how_many(needed, n, _checked(listed, k, popular), limit, k, serves)
    if not chosen:
        raise InvalidParameter(f"max_size must hold a block of {k} names; got {max_size} bytes. Choose more.")
    data = _append(head(prefix), popular.names.take(np.arange(chosen)), k, serves, first=0)
    made = Selector(data)
    following = float(popular.p[chosen]) if chosen < n else 0.0
    listed_share = float(popular.p[:chosen].sum())
    rest = min(max(0.0, 1 - listed_share), 2.0**tail.size * following)
    made.report = _report(made, popular, min(1.0, float(popular.p[0]) + listed_share / k + rest))
    return made


def _tail(prefix: str) -> Buckets:
    """The buckets of names that are not listed."""
    tail = Buckets(prefix)
    if tail.hash is None:
        raise InvalidParameter(f"prefix must be of a hash, such as sha256:16; got {quote(prefix)[:60]}. Name a hash.")
    return tail


class _Popularity:
    """Names with their share of lookups, the most popular first."""

    def __init__(self, counts: Prior) -> None:
        names = Names(counts.labels[:])
        self.order = order_by_popularity(counts.weights, names)
        self.names = names.take(self.order)
        self.p: Array = counts.p[self.order]

    def left_at(self, k: int, places: Numbers, covered: float) -> int:
        """How many of the names at these places to list, a multiple of k: until those left, beside a share that is
        covered already, have at most .3 times the success of blocks of k of all names.
        """
        enough = _UNLISTED * float(self.p[::k].sum())
        left = 1 - covered - np.append(0.0, np.cumsum(self.p[places]))
        fewest = int(np.argmax(left <= enough)) if left[-1] <= enough else len(places)
        return -(-fewest // k) * k


def _checked(listed: int | None, k: int, popular: _Popularity) -> int | None:
    """How many names to list at most, if that is said."""
    n = len(popular.names)
    return None if listed is None else whole(listed, "listed", min(k, n), n)


def _how_many(needed: int, available: int, listed: int | None, limit: int | None, k: int, names: int) -> int:
    """How many names to list: as asked or as needed, in whole blocks, at most those available, within a size. If all
    are listed, the last block takes what is left over.
    """
    if listed is not None:
        needed = min(available, listed)
    needed = needed - needed % k if needed < available else available
    if limit is None or size_for(needed, names, k) <= limit:
        return needed
    return k * (bisect_right(range(1, needed // k + 1), limit, key=lambda blocks: size_for(blocks * k, names, k)))


def _append(before: bytes, names: Names, k: int, serves: int, *, first: int) -> bytes:
    """The file with a layer of blocks of k of these names, the most popular first."""
    blocks = max(1, len(names) // k)
    block = np.minimum(np.arange(len(names)) // k, blocks - 1)
    return append_layer(before, names, block, first=first, bits=bits_for(blocks, serves, k), k=k)


def _report(made: Selector, popular: _Popularity, bound: float | None) -> SelectorReport:
    """What a file hides: every name is looked up in its bytes."""
    names, p, tail = popular.names, popular.p, made.prefix
    prefix, block = tail.buckets(names), _format.find(made.data, made._layers, names)
    unlisted = block < 0

    def look_up(scheme: str, prefix: Numbers) -> Guessed:
        return judge(scheme, np.where(unlisted, made.blocks + prefix, block), p)

    before, after = judge(tail.name, prefix, p), look_up("with the selector", prefix)
    classes = by_class(before, after, p)
    shorter = shorter_figures = None
    if _losers(classes):
        for bits in range(tail.size - 1, max(0, tail.size - 1 - _SHORTER), -1):
            tried = look_up(f"and {tail.hash}:{bits}", prefix >> (tail.size - bits))
            if tried.figures.success < after.figures.success:
                shorter, shorter_figures = f"{tail.hash}:{bits}", tried.figures
            if not _losers(by_class(before, tried, p)):
                break
    return SelectorReport(
        names=len(names),
        listed=made.listed,
        blocks=made.blocks,
        k=made.k,
        unlisted=float(p[unlisted].sum()),
        before=before.figures,
        after=after.figures,
        classes=classes,
        bound=bound,
        size=len(made.data),
        sha256=made.sha256,
        layers=made.layers,
        shorter=shorter,
        shorter_figures=shorter_figures,
    )


def _losers(classes: tuple[PopularityClass, ...]) -> bool:
    """Whether some class of names that anybody looks up is guessed more often than before."""
    return any(one.share > _NOTICED and one.after > one.before + _LOSS for one in classes)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%" if share >= 0.1 else f"{100 * share:.2g}%"


def _answer(figures: LookupFigures) -> tuple[str, str]:
    return f"{figures.mean_answer:.1f}", f"{figures.worst_answer:,}"
