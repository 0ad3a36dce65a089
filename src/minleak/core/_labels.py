"""Labels: a sequence of distinct names, compact for millions of strings, that finds the position of each name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.core._arrays import SHORT_TEXT, Indices, in_one_piece
from minleak.core._label_bytes import TEXT, labels_in_bytes, normal, to_python
from minleak.core._parameters import as_list
from minleak.errors import InvalidParameter, MinleakError, quote

# Up to this many labels, Arrow's own hash table is faster than loading a compiled kernel.
_SMALL = 200_000
# Up to this many names are taken one by one: Arrow needs 50 ms to load the function that takes several.
_FEW = 1000
# The constants of the hash in `hashing.fill_slots`.
_OFFSET, _PRIME, _MIX, _WORD = 14695981039346656037, 1099511628211, 0xFF51AFD7ED558CCD, (1 << 64) - 1


class Labels(Sequence[Any]):
    """The distinct names of n things, in order.

    Default names 0..n-1 are kept as a `range`, strings and integers as an Arrow array, and other hashable objects as a
    tuple. Build one with `Labels.of`.
    """

    __slots__ = ("_names", "_positions", "_views", "slots")

    def __init__(self, names: range | pa.Array | tuple[Hashable, ...], slots: npt.NDArray[Any] | None = None) -> None:
        self._names = names
        self._positions: dict[Hashable, int] | None = None
        #: The offsets and the bytes of Arrow text, once needed.
        self._views: tuple[memoryview, memoryview] | None = None
        #: An open-addressing hash table from the bytes of names to positions, once built; empty if a file could not
        #: hold the names. Equality is decided by the names themselves.
        self.slots: Any = slots

    @classmethod
    def of(cls, names: Iterable[Hashable] | pa.Array | pa.ChunkedArray | None, n: int) -> Labels:
        """The given names, or 0, 1, ..., n-1 for None."""
        if names is None:
            return cls(range(n))
        if isinstance(names, Labels):
            return names
        if isinstance(names, pa.Array | pa.ChunkedArray):
            return cls._of_arrow(names)
        if isinstance(names, np.ndarray):
            if np.ma.is_masked(names):
                raise InvalidParameter(f"label {int(np.argmax(np.ma.getmaskarray(names)))} is masked: name each thing")
            names = names.tolist()
        names = tuple(as_list(names, "labels are a sequence of distinct names", ordered=True))
        kinds = set(map(type, names))
        if kinds <= {int, bool}:
            return cls(names)
        if kinds == {str}:
            longest = 4 * sum(map(len, names))
            try:
                return cls(pa.array(names, type=pa.large_string() if longest > SHORT_TEXT else pa.string()))
            except UnicodeEncodeError:  # half of a surrogate pair, which Arrow's text cannot hold
                return cls(names)
        return cls(_hashable(names))

    @classmethod
    def _of_arrow(cls, names: pa.Array | pa.ChunkedArray) -> Labels:
        names = in_one_piece(names)
        if names.null_count:
            import pyarrow.compute as pc

            raise InvalidParameter(f"label {pc.index(names.is_null(), True).as_py()} is missing: name each thing")
        if not (is_text(names.type) or pa.types.is_integer(names.type)):
            try:
                values = tuple(names.to_pylist())
            except (pa.ArrowException, OverflowError, ValueError):  # such as dates beyond Python's, or finer
                raise InvalidParameter(f"labels of type {names.type} cannot be kept: cast them to text") from None
            return cls(_hashable(values))
        return cls(names)

    @property
    def is_default(self) -> bool:
        """Whether the names are the default ones, 0..n-1."""
        return isinstance(self._names, range)

    @property
    def arrow(self) -> pa.Array:
        """The names as an Arrow array."""
        return self._names if isinstance(self._names, pa.Array) else pa.array(self._names)

    def storable(self) -> pa.Array | None:
        """The names as Arrow text or 64-bit integers, which a file can hold; None if they are something else."""
        try:
            names = self.arrow
            if pa.types.is_integer(names.type) and names.type != pa.int64():
                names = names.cast(pa.int64())
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return None  # several types, half of a surrogate pair, too large
        return names if (is_text(names.type) or names.type == pa.int64()) and not names.null_count else None

    def indexed(self) -> Labels:
        """The same names with their hash table `slots`, if they are text or integers. Default names need none, and
        others use a dict.
        """
        names = None if self.is_default else self.storable()
        if names is not None and names is not self._names:
            return Labels(names).indexed()
        if self.slots is None:
            self.slots = np.empty(0, dtype=np.int32) if names is None else _fill_slots(names)[0]
        return self

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Any]: ...
    def __getitem__(self, key: int | slice) -> Any:
        if isinstance(key, slice):
            part = self._names[key]
            return part.to_pylist() if isinstance(part, pa.Array) else list(part)
        if isinstance(self._names, pa.Array):
            n = len(self._names)
            if not -n <= key < n:
                raise IndexError(f"label {key} of {n}")
            return self._names[int(key) % n].as_py()
        return self._names[key]

    def at(self, positions: Indices | list[int]) -> list[Any]:
        """The names at the given positions. A few texts are cut out of the bytes, in a third of Arrow's time."""
        names = self._names
        if isinstance(names, pa.Array) and len(positions) > _FEW:
            return list(self._take(positions).to_pylist())
        places = positions if isinstance(positions, list) else positions.tolist()
        if self._views is not None:
            ends, text = self._views
            return [str(text[ends[i] : ends[i + 1]], "utf-8") for i in places]
        if not isinstance(names, pa.Array):
            return [names[i] for i in places]
        if not is_text(names.type):
            return [names[i].as_py() for i in places]
        offsets, data = bytes_of_names(names)
        self._views = offsets.data, data.data
        return self.at(places)

    def take(self, positions: Indices) -> Labels:
        """The names at the given positions, as labels."""
        if isinstance(self._names, pa.Array):
            return Labels(self._take(positions))
        return Labels.of(self.at(positions), len(positions))

    def part(self, begin: int, end: int) -> Labels:
        """The names from position `begin` to before `end`, not copied; default names stay numbers."""
        return Labels(self._names[begin:end])

    def bytes_at(self, positions: Indices) -> list[bytes]:
        """`labels_in_bytes` of the names at the given positions, in half the time if they are many texts."""
        names = self._names
        if len(positions) <= _FEW or not isinstance(names, pa.Array) or not is_text(names.type):
            return labels_in_bytes(self.at(positions))
        offsets, data = bytes_of_names(self._take(positions))
        ends, text = offsets.tolist(), data.tobytes()
        return [TEXT + text[begin:end] for begin, end in pairwise(ends)]

    def _take(self, positions: Indices | list[int]) -> pa.Array:
        numbers = pa.py_buffer(np.ascontiguousarray(positions, dtype=np.int64))  # pa.array would load pandas first
        return self._names.take(pa.Array.from_buffers(pa.int64(), len(positions), [None, numbers]))  # type: ignore[union-attr]

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._names, pa.Array):
            return (name.as_py() for name in self._names)
        return iter(self._names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        if isinstance(other, Labels) and isinstance(self._names, pa.Array) and isinstance(other._names, pa.Array):
            if self._names.type == other._names.type:
                return bool(self._names.equals(other._names))
            if is_text(self._names.type) and is_text(other._names.type):  # offsets of 32 and of 64 bits
                return bool(self._names.cast(pa.large_string()).equals(other._names.cast(pa.large_string())))
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __repr__(self) -> str:
        first = ", ".join(quote(name) for name in self[:3])
        return f"Labels({first}{', ...' if len(self) > 3 else ''}; n={len(self)})"

    def position(self, name: Hashable) -> int | None:
        """The position of a name, or None; equal labels are the same (`normal`). O(1) if the names are indexed; else a
        fast scan for Arrow names, and O(1) after the first call for others.
        """
        try:
            name = normal(name)
        except RecursionError:
            return None  # tuples nested too deeply
        whole = isinstance(name, int)
        if isinstance(self._names, range):
            return int(name) if whole and name in self._names else None  # type: ignore[call-overload]
        if isinstance(self._names, pa.Array):
            if not (isinstance(name, str) if self._views is not None or is_text(self._names.type) else whole):
                return None  # Arrow would turn 1.5 into 1 to look for it
            try:
                has_slots = self.slots is not None and len(self.slots)
                return self._look_up(name) if has_slots else self._scan(name)
            except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError):
                return None  # cannot be of this type, so it is not among them
        if self._positions is None:
            self._positions = {name: i for i, name in enumerate(self._names)}
        try:
            return self._positions.get(name)
        except (TypeError, ValueError):
            return None  # not hashable, so not a label

    def _scan(self, name: Any) -> int | None:
        import pyarrow.compute as pc

        names: Any = self._names
        found = pc.index(names, pa.scalar(name, type=names.type)).as_py()
        return None if found < 0 else int(found)

    def _look_up(self, name: Any) -> int | None:
        """Probe the slots from the hash of the name on; in a hostile file they may all be full."""
        size = len(self.slots)
        at = _hash(name.encode() if isinstance(name, str) else int(name).to_bytes(8, "little", signed=True))
        for step in range(size):
            position = int(self.slots[(at + step) & (size - 1)])
            if position < 0:
                return None
            if self.at([position])[0] == name:
                return position
        return None

    def first_duplicate(self) -> tuple[int, int] | None:
        """The positions of the first name that occurs twice, or None. About 30 ns a name for strings."""
        if isinstance(self._names, range) or not self._repeats():
            return None
        seen: dict[Hashable, int] = {}
        for i, name in enumerate(self):
            if name in seen:
                return seen[name], i
            seen[name] = i
        return None

    def _repeats(self) -> bool:
        """Whether two names may be equal; False means that all are distinct."""
        names = self._names
        if not isinstance(names, pa.Array):
            return len(set(names)) < len(names)
        import pyarrow.compute as pc

        if len(names) <= _SMALL or not is_text(names.type):
            return bool(pc.count_distinct(names).as_py() < len(names))
        slots, repeats = _fill_slots(names)
        self.slots = None if repeats else slots
        return repeats


def locator(labels: Labels, what: str = "row") -> Callable[[int], str]:
    """A function that says in messages what is at a position: its number, and its name if it has one."""
    if labels.is_default:
        return lambda i: f"{what} {i}"
    return lambda i: f"{what} {i} ({quote(labels[i])})"


def check_labels(names: Iterable[Hashable] | None, count: int, what: str, of: str, error: type[MinleakError]) -> Labels:
    """Distinct labels of the rows or columns of a matrix."""
    labels = Labels.of(names, count)
    if len(labels) != count:
        raise error(f"{len(labels)} {what} for a matrix of {count} {of}: give one label for each")
    twice = labels.first_duplicate()
    if twice is not None:
        raise error(f"{what} {twice[0]} and {twice[1]} are both {quote(labels[twice[0]])}: labels must differ")
    return labels


def agree(first: Labels, second: Labels) -> bool:
    """Whether two lists of labels are equal, or of the same length and one of them has only default names.

    Default names do not agree with the same numbers in another order: which of the two would count is unclear.
    """
    if first is second:
        return True
    a, b = first._names, second._names  # the properties would take longer than the comparison
    if len(a) != len(b):
        return False
    if type(a) is range or type(b) is range:
        return type(a) is type(b) or not are_numbers(second if type(a) is range else first) or first == second
    return first == second


def are_numbers(labels: Labels) -> bool:
    """Whether the names are 0, 1, ..., n-1 in any order.

    >>> are_numbers(Labels.of([2, 0, 1], 3)), are_numbers(Labels.of(["a"], 1))
    (True, False)
    """
    names = labels._names
    if isinstance(names, range):
        return True
    if isinstance(names, pa.Array):
        numbers = np.from_dlpack(names) if pa.types.is_integer(names.type) else None
    else:
        numbers = np.array(names) if len(names) and set(map(type, names)) == {int} else None
    return numbers is not None and bool(np.array_equal(np.sort(numbers), np.arange(len(names))))


def match(
    first: Labels,
    second: Labels,
    who: tuple[str, str],
    whose: tuple[str, str],
    error: type[MinleakError],
    *,
    rule: str = "",
) -> None:
    """Refuse two lists of labels that do not `agree`.

    `who` and `whose` name the two in messages, such as ("the prior", "secret"). Nothing is reordered, since it would be
    unclear whose positions a result has. Messages have no labels, which are secrets.
    """
    if agree(first, second):
        return
    (one, its), (other, theirs) = who, whose
    if len(first) != len(second):
        raise error(f"{rule}{one} has {len(first)} {its}s and {other} {len(second)} {theirs}s: they must be the same")
    if first.is_default or second.is_default:
        numbered, plain = (other, one) if first.is_default else (one, other)
        raise error(
            f"{rule}the {len(first)} labels of {numbered} are numbers in another order than 0, 1, ..., and {plain} has "
            "none, so that it is unclear whether numbers or positions count: give both labels"
        )
    x = next(i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)
    raise error(f"{rule}{one}'s {its} {x} is not {other}'s {theirs} {x}: bring both into one order")


def _hashable(given: tuple[Any, ...]) -> tuple[Hashable, ...]:
    for i, name in enumerate(given):
        try:
            hash(name)
        except TypeError:
            raise InvalidParameter(
                f"label {i} is a {type(name).__name__}, which cannot be looked up: give text, numbers or tuples of them"
            ) from None
        if is_nan(name):
            raise InvalidParameter(f"label {i} is NaN, which equals nothing, not even itself: name each thing")
    return tuple(map(to_python, given))


def as_label(text: str, labels: Sequence[Any]) -> Any:
    """The label that a text spells: itself, or a number if the labels are numbers."""
    if isinstance(labels[0], str):
        return text
    known = text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20 and str(int(text)) == text
    return int(text) if known else text


def is_nan(name: Any) -> bool:
    """Whether it is a NaN of any type, or a tuple with one."""
    return any(map(is_nan, name)) if isinstance(name, tuple) else bool(name != name)


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is that of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


# -- bytes -----------------------------------------------------------------------------------------------------------


def bytes_of_names(names: pa.Array) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
    """Arrow text or 64-bit integers as n + 1 offsets and the bytes that they point into.

    >>> offsets, data = bytes_of_names(pa.array(["a", "bc"]))
    >>> offsets, data.tobytes()
    (array([0, 1, 3], dtype=int32), b'abc')
    """
    buffers, n = names.buffers(), len(names)
    data = np.frombuffer(buffers[-1] or b"", dtype=np.uint8)
    if names.type == pa.int64():
        return np.arange(0, 8 * n + 1, 8), data[8 * names.offset : 8 * (names.offset + n)]
    width = np.int64 if pa.types.is_large_string(names.type) else np.int32
    return np.frombuffer(buffers[1], dtype=width)[names.offset : names.offset + n + 1], data


def _fill_slots(names: pa.Array) -> tuple[npt.NDArray[Any], bool]:
    """The hash table of text or 64-bit integers, and whether two are equal."""
    from minleak.core import _label_hashing as hashing

    slots, repeats = hashing.fill_slots(*bytes_of_names(names))
    return slots, repeats


def _hash(data: bytes) -> int:
    """The hash of `hashing.fill_slots`, for one label."""
    h = _OFFSET
    for byte in data:
        h = (h ^ byte) * _PRIME & _WORD
    h ^= h >> 33
    h = h * _MIX & _WORD
    return h ^ (h >> 33)
