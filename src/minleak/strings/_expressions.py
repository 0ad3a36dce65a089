"""Expression: the part of Python's `re` that describes regular languages, as automata (Thompson)."""

from __future__ import annotations

import re
import warnings
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # no stubs; tests compare with re.fullmatch
from typing import Any

from minleak.errors import InvalidParameter

# Steps of the automaton: repetitions are written out.
_NODES = 20_000
_CHARACTER = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY)
_BEGINS = (_constants.AT_BEGINNING, _constants.AT_BEGINNING_STRING)
_ENDS = (_constants.AT_END, _constants.AT_END_STRING)
# Why each of these is refused.
_REFUSED = {
    _constants.GROUPREF: "a backreference is no regular language",
    _constants.GROUPREF_EXISTS: "a backreference is no regular language",
    _constants.ASSERT: "lookaround is not supported: name the classes of characters to require instead",
    _constants.ASSERT_NOT: "lookaround is not supported: name the classes of characters to require instead",
    _constants.ATOMIC_GROUP: "atomic groups are not supported: write (...) for (?>...)",
    _constants.POSSESSIVE_REPEAT: "possessive repetitions are not supported: write * for *+",
    _constants.AT: "of anchors only ^, $, \\A and \\Z are supported: leave \\b and \\B out",
}


class Expression:
    """The automaton of a pattern over an alphabet, from node 0 to node `last`.

    `moves[node]` are pairs of the characters, as places in the alphabet, and the next node; `free[node]` are nodes that
    are reached without a character, each with when: "", or "begin" or "end" of the string.
    """

    def __init__(self, pattern: str, alphabet: str) -> None:
        self._alphabet, self._sets = alphabet, dict[str, frozenset[int]]()
        self.moves: list[list[tuple[frozenset[int], int]]] = []
        self.free: list[list[tuple[int, str]]] = []
        try:
            with warnings.catch_warnings(action="ignore", category=FutureWarning):
                parsed = _parser.parse(pattern)
            if parsed.state.flags & re.MULTILINE:
                raise InvalidParameter("matching= takes no (?m): a secret is one line")
            self.last = self._sequence(parsed, self._node(), parsed.state.flags)
        except (re.error, OverflowError, RecursionError) as error:
            why = "too deeply nested" if isinstance(error, RecursionError) else error
            raise InvalidParameter(f"matching= is no regular expression that Python can read: {why}") from None

    def reach(self, nodes: Any, when: tuple[str, ...] = ("",)) -> frozenset[int]:
        """All nodes that are reached from some without a character."""
        found, waiting = set(nodes), list(nodes)
        while waiting:
            for node, condition in self.free[waiting.pop()]:
                if condition in when and node not in found:
                    found.add(node)
                    waiting.append(node)
        return frozenset(found)

    def _node(self) -> int:
        if len(self.moves) >= _NODES:
            raise InvalidParameter("matching= is too large: its repetitions written out have more than 20,000 steps")
        self.moves.append([])
        self.free.append([])
        return len(self.moves) - 1

    def _sequence(self, items: Any, node: int, flags: int) -> int:
        for item in items:
            node = self._item(item, node, flags)
        return node

    def _item(self, item: Any, node: int, flags: int) -> int:
        """The node after an item that begins at a node."""
        kind, said = item
        if kind in _CHARACTER:
            after = self._node()
            self.moves[node].append((self._characters(item, flags), after))
            return after
        if kind is _constants.SUBPATTERN:
            _, added, removed, items = said
            return self._sequence(items, node, _compiler._combine_flags(flags, added, removed))
        if kind is _constants.BRANCH:
            ends = [self._sequence(items, self._free(node), flags) for items in said[1]]
            after = self._node()
            for end in ends:
                self.free[end].append((after, ""))
            return after
        if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            least, most, items = said
            return self._repeat(least, most, items, node, flags)
        if kind is _constants.AT and said in _BEGINS:
            return self._free(node, "begin")
        if kind is _constants.AT and said in _ENDS:
            if said is _constants.AT_END and "\n" in self._alphabet:
                raise InvalidParameter("matching= has a $, which may stand before a last newline: write \\Z")
            return self._free(node, "end")
        raise InvalidParameter(f"matching=: {_REFUSED.get(kind, f'{kind} is not supported')}")

    def _repeat(self, least: int, most: int, items: Any, node: int, flags: int) -> int:
        for _ in range(least):
            node = self._sequence(items, self._free(node), flags)
        if most is _constants.MAXREPEAT:
            node = self._free(node)
            self.free[self._sequence(items, self._free(node), flags)].append((node, ""))
            return self._free(node)
        after, ends = self._node(), [node]
        for _ in range(most - least):
            node = self._sequence(items, self._free(node), flags)
            ends.append(node)
        for end in ends:
            self.free[end].append((after, ""))
        return after

    def _free(self, node: int, when: str = "") -> int:
        after = self._node()
        self.free[node].append((after, when))
        return after

    def _characters(self, item: Any, flags: int) -> frozenset[int]:
        """The characters that one item matches, by Python's own matching of single characters."""
        name = f"{item} {int(flags)}"
        if name not in self._sets:
            state = _parser.State()
            state.flags = flags
            single = _compiler.compile(_parser.SubPattern(state, [item]))
            self._sets[name] = frozenset(
                i for i, character in enumerate(self._alphabet) if single.fullmatch(character) is not None
            )
        return self._sets[name]
