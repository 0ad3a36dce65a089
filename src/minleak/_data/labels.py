"""Labels: a sequence of distinct names, compact for millions of strings, plain for anything hashable."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak._data.buffers import text_of, to_arrow
from minleak.errors import InvalidParameter, MinleakError, shown

# Below this many labels Arrow's own hash table is quicker than loading a compiled kernel.
_SMALL = 200_000
# Up to so many names are taken one by one: to take them together Arrow loads its functions, in 50 ms.
_FEW = 1000
# Bytes of text that 32-bit offsets can address.
_SHORT_TEXT = 2**31 - 1


class Labels(Sequence[Any]):
    """The distinct names of n things, in order.

    Kept as a `range` when nobody named them, as an Arrow array when they are strings or integers, and as a tuple for
    any other hashable objects. Build one with `Labels.of`.
    """

    __slots__ = ("_names", "_positions", "slots")

    def __init__(self, names: range | pa.Array | tuple[Hashable, ...]) -> None:
        self._names = names
        self._positions: dict[Hashable, int] | None = None
        #: The hash table of many texts, which looking for duplicates makes and looking labels up needs again.
        self.slots: npt.NDArray[Any] | None = None

    @classmethod
    def of(cls, names: Iterable[Hashable] | pa.Array | pa.ChunkedArray | None, n: int) -> Labels:
        """The given names, or 0, 1, ..., n-1 where there are none."""
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
        try:
            names = tuple(names)
        except Exception:
            raise InvalidParameter(f"labels are a sequence of distinct names, not {type(names).__name__}") from None
        if all(type(name) is str for name in names):
            longest = 4 * sum(map(len, names))
            try:
                return cls(pa.array(names, type=pa.large_string() if longest > _SHORT_TEXT else pa.string()))
            except UnicodeEncodeError:  # half of a surrogate pair, which Python's text may hold and Arrow's may not
                return cls(names)
        return cls(_hashable(names))

    @classmethod
    def _of_arrow(cls, names: pa.Array | pa.ChunkedArray) -> Labels:
        if pa.types.is_dictionary(names.type):
            names = names.cast(names.type.value_type)
        if pa.types.is_string_view(names.type) or (pa.types.is_string(names.type) and names.nbytes > _SHORT_TEXT):
            names = names.cast(pa.large_string())
        if names.null_count:
            import pyarrow.compute as pc

            raise InvalidParameter(f"label {pc.index(names.is_null(), True).as_py()} is missing: name each thing")
        if not (_is_text(names.type) or pa.types.is_integer(names.type)):
            try:
                values = tuple(names.to_pylist())
            except (pa.ArrowException, OverflowError, ValueError):  # dates beyond Python's, or finer, for instance
                raise InvalidParameter(f"labels of type {names.type} cannot be kept: cast them to text") from None
            return cls(_hashable(values))
        return cls(names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names)

    @property
    def is_default(self) -> bool:
        """True when nobody named the things, so that their numbers serve as names."""
        return isinstance(self._names, range)

    @property
    def arrow(self) -> pa.Array:
        """The names as an Arrow array (copied unless they are kept so)."""
        return self._names if isinstance(self._names, pa.Array) else pa.array(self._names)

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

    def at(self, positions: npt.NDArray[np.int64]) -> list[Any]:
        """The names at the given positions."""
        if not isinstance(self._names, pa.Array):
            return [self._names[i] for i in positions.tolist()]
        if len(positions) <= _FEW:
            return [self._names[i].as_py() for i in positions.tolist()]
        return list(self._names.take(to_arrow(positions)).to_pylist())

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._names, pa.Array):
            return (name.as_py() for name in self._names)
        return iter(self._names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        if isinstance(other, Labels) and isinstance(self._names, pa.Array) and isinstance(other._names, pa.Array):
            if _is_text(self._names.type) and _is_text(other._names.type):  # of short or of long offsets
                return bool(self._names.cast(pa.large_string()).equals(other._names.cast(pa.large_string())))
            if self._names.type == other._names.type:
                return bool(self._names.equals(other._names))
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __repr__(self) -> str:
        first = ", ".join(shown(name) for name in self[:3])
        return f"Labels({first}{', ...' if len(self) > 3 else ''}; n={len(self)})"

    def position(self, name: Hashable) -> int | None:
        """Where the name stands, or None. A fast scan for Arrow names, else constant after the first call."""
        whole = isinstance(name, int | np.integer) and not isinstance(name, bool)
        if isinstance(self._names, range):
            return int(name) if whole and name in self._names else None  # type: ignore[call-overload]
        if isinstance(self._names, pa.Array):
            if not (isinstance(name, str) if _is_text(self._names.type) else whole):
                return None  # Arrow would turn 1.5 into 1 to look for it
            import pyarrow.compute as pc

            try:
                found = pc.index(self._names, pa.scalar(name, type=self._names.type)).as_py()
            except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError):
                return None  # not to be written in this type, so not among them
            return None if found < 0 else int(found)
        if self._positions is None:
            self._positions = {name: i for i, name in enumerate(self._names)}
        return self._positions.get(name)

    def first_duplicate(self) -> tuple[int, int] | None:
        """The positions of the first name that stands twice, or None. Exact; about 30 ns a name for strings."""
        if isinstance(self._names, range) or not self._repeats():
            return None
        seen: dict[Hashable, int] = {}
        for i, name in enumerate(self):
            if name in seen:
                return seen[name], i
            seen[name] = i
        return None

    def _repeats(self) -> bool:
        """False only if all names are surely distinct."""
        names = self._names
        if not isinstance(names, pa.Array):
            return len(set(names)) < len(names)
        import pyarrow.compute as pc

        if len(names) <= _SMALL or not _is_text(names.type):
            return bool(pc.count_distinct(names).as_py() < len(names))
        from minleak._kernels import hashing

        slots, repeats = hashing.fill_slots(*text_of(names))
        self.slots = None if repeats else slots
        return repeats


def named(labels: Labels, what: str = "row") -> Callable[[int], str]:
    """How an error message speaks of the thing at a position: by number, and by name if it has one."""
    if labels.is_default:
        return lambda i: f"{what} {i}"
    return lambda i: f"{what} {i} ({shown(labels[i])})"


def labelled(names: Iterable[Hashable] | None, count: int, what: str, of: str, error: type[MinleakError]) -> Labels:
    """A label for each of the rows or columns of a matrix, all of them distinct."""
    labels = Labels.of(names, count)
    if len(labels) != count:
        raise error(f"{len(labels)} {what} for a matrix of {count} {of}: give one label for each")
    twice = labels.first_duplicate()
    if twice is not None:
        raise error(f"{what} {twice[0]} and {twice[1]} are both {shown(labels[twice[0]])}: labels must differ")
    return labels


def first_difference(a: Labels, b: Labels) -> int | None:
    """Where two sequences of equally many names part; None if they agree, or if one of them has no names."""
    if a.is_default or b.is_default or a == b:
        return None
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), None)


def _hashable(names: tuple[Any, ...]) -> tuple[Hashable, ...]:
    for i, name in enumerate(names):
        try:
            hash(name)
            nan = _is_nan(name)
        except Exception:
            raise InvalidParameter(
                f"label {i} is a {type(name).__name__}, which cannot be looked up: give text, numbers or tuples of them"
            ) from None
        if nan:
            raise InvalidParameter(f"label {i} is NaN, which equals nothing, not even itself: name each thing")
    return names


def _is_nan(name: Any) -> bool:
    """True for what does not equal itself, a NaN of any type, alone or within a tuple."""
    return any(map(_is_nan, name)) if isinstance(name, tuple) else bool(name != name)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
