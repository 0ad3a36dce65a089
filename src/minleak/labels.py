"""Labels: a sequence of distinct names, compact for millions of strings, plain for anything hashable."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Below this many labels Arrow's own hash table is quicker than loading a compiled kernel.
_SMALL = 200_000


class Labels(Sequence[Any]):
    """The distinct names of n things, in order.

    Kept as a `range` when nobody named them, as an Arrow array when they are strings or integers, and as a tuple for
    any other hashable objects. Build one with `Labels.of`.
    """

    __slots__ = ("_names", "_positions")

    def __init__(self, names: range | pa.Array | tuple[Hashable, ...]) -> None:
        self._names = names
        self._positions: dict[Hashable, int] | None = None

    @classmethod
    def of(cls, names: Iterable[Hashable] | pa.Array | pa.ChunkedArray | None, n: int) -> Labels:
        """The given names, or 0, 1, ..., n-1 where there are none."""
        if names is None:
            return cls(range(n))
        if isinstance(names, Labels):
            return names
        if isinstance(names, pa.ChunkedArray):
            return cls(names.combine_chunks())
        if isinstance(names, pa.Array):
            return cls(names)
        if isinstance(names, np.ndarray):
            names = names.tolist()
        names = tuple(names)
        if all(type(name) is str for name in names):
            return cls(pa.array(names, type=pa.large_string() if _is_long(names) else pa.string()))
        return cls(names)

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

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._names, pa.Array):
            return (name.as_py() for name in self._names)
        return iter(self._names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        if isinstance(other, Labels) and isinstance(self._names, pa.Array) and isinstance(other._names, pa.Array):
            return bool(self._names.equals(other._names))
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # compared by content, so not a key

    def __repr__(self) -> str:
        shown = ", ".join(repr(name) for name in self[:3])
        return f"Labels({shown}{', ...' if len(self) > 3 else ''}; n={len(self)})"

    def position(self, name: Hashable) -> int | None:
        """Where the name stands, or None. A fast scan for Arrow names, else constant after the first call."""
        if isinstance(self._names, range):
            return name if isinstance(name, int) and not isinstance(name, bool) and name in self._names else None
        if isinstance(self._names, pa.Array):
            try:
                found = pc.index(self._names, pa.scalar(name, type=self._names.type)).as_py()
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                return None  # of another type, so not among them
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
        if len(names) > _SMALL and (pa.types.is_string(names.type) or pa.types.is_large_string(names.type)):
            from minleak import _kernels

            width = np.int64 if pa.types.is_large_string(names.type) else np.int32
            _, offsets, data = names.buffers()
            ends = np.frombuffer(offsets, dtype=width)[names.offset : names.offset + len(names) + 1]
            return bool(_kernels.any_equal(_kernels.hash_strings(ends, np.frombuffer(data, dtype=np.uint8))))
        return bool(pc.count_distinct(names).as_py() < len(names))


def named(labels: Labels) -> Callable[[int], str]:
    """How an error message speaks of the thing at a position: by number, and by name if it has one."""
    if labels.is_default:
        return lambda i: f"row {i}"
    return lambda i: f"row {i} ({labels[i]!r})"


def _is_long(names: Sequence[str]) -> bool:
    """True when the text passes what 32-bit offsets can address."""
    return sum(map(len, names)) > 2**29
