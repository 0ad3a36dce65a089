"""Automaton: the minimal deterministic automaton of a policy over an alphabet, in tables."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from typing import Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.errors import InvalidParameter
from minleak.strings._expressions import Expression
from minleak.strings._policy import CLASSES, Policy

#: States at most, of the least automaton and of the one that it is made from.
STATES = 1 << 10
# Steps that are followed while it is made: a few seconds.
_WORK = 1_000_000


class Automaton:
    """State 0 is that of the empty string. `table[state, i]` is the state after one more character, the i-th of the
    alphabet, and -1 where nothing that is accepted begins so; `missing[state]` is how many more characters it takes at
    least until a string is accepted.

    >>> automaton = Automaton(Policy(min_length=2, require=["digit"]), "a1")
    >>> int(automaton.missing[0]), automaton.accepts([0, 0]), automaton.accepts([0, 1])
    (2, False, True)
    """

    def __init__(self, policy: Policy, alphabet: str) -> None:
        table, accepting, kinds = _list_states(policy, alphabet)
        missing = _missing(table, accepting)
        if missing[0] == _NEVER:
            raise InvalidParameter("no string of the alphabet meets the policy: nothing could be hidden")
        table, missing = _minimise(np.where(missing[table] < _NEVER, table, -1), missing)
        table = table[:, kinds]
        self.policy, self.table, self.missing = policy, table, missing
        #: With room for so many characters more, or more than that, the same may follow.
        self.enough = int(missing.max()) + 1
        self.digest = hashlib.sha256(table.astype("<i4").tobytes() + missing.astype("<i4").tobytes()).hexdigest()

    def __len__(self) -> int:
        return len(self.table)

    def accepts(self, characters: list[int]) -> bool:
        """Whether a string of these places in the alphabet is accepted."""
        state = 0
        for i in characters:
            state = int(self.table[state, i])
            if state < 0:
                return False
        return bool(self.missing[state] == 0)

    def allowed_symbols(self, state: int, left: int) -> Any:
        """1 for each symbol that may follow in a state where there is room for `left` characters, else 0: the end of
        the string first, then the characters, after which what is accepted must still be in reach.
        """
        after = self.table[state]
        return np.append(self.missing[state] == 0, (after >= 0) & (self.missing[after] < left)).astype(np.int64)

    def accepts_each(self, characters: Indices, lengths: Indices) -> Any:
        """Which of strings end to end are accepted."""
        _, last = self.states(characters, lengths)
        return (last >= 0) & (self.missing[last] == 0)

    def states(self, characters: Indices, lengths: Indices) -> tuple[Indices, Indices]:
        """The state before each character of strings end to end, and after each string; -1 after none is accepted."""
        before = np.empty(len(characters), dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        now = np.zeros(len(lengths), dtype=np.int64)
        for at in range(int(lengths.max(initial=0))):
            on = np.flatnonzero(lengths > at)
            places = starts[on] + at
            before[places] = now[on]
            now[on] = np.where(now[on] >= 0, self.table[now[on], characters[places]], -1)
        return before, now


_NEVER = np.iinfo(np.int32).max


def _list_states(policy: Policy, alphabet: str) -> tuple[Indices, Any, Indices]:
    """The states that can be reached, one after the other, a column for each kind of characters that are all alike;
    which states accept; and the kind of each character.
    """
    expression = None if policy.matching is None else Expression(policy.matching, alphabet)
    classes = [frozenset(i for i, c in enumerate(alphabet) if CLASSES[name](c)) for name in policy.require]
    sets = {characters for moves in (expression.moves if expression else ()) for characters, _ in moves}
    alike: dict[Any, int] = {}
    ordered = [*classes, *sorted(sets, key=sorted)]
    kinds = [alike.setdefault(tuple(i in known for known in ordered), len(alike)) for i in range(len(alphabet))]
    first = [kinds.index(kind) for kind in range(len(alike))]
    every = (1 << len(classes)) - 1
    masks = [sum((i in known) << bit for bit, known in enumerate(classes)) for i in first]
    begin = frozenset[int]() if expression is None else expression.reach([0], ("", "begin"))
    # A state: the nodes of the expression, the classes that were seen, the length up to the least that is allowed, and
    # whether it is the empty string, of which ^ is true.
    states: dict[Hashable, int] = {(begin, 0, 0, True): 0}
    waiting: list[Any] = list(states)
    rows, accepting, work = [], [], 0
    for nodes, seen, length, empty in waiting:
        when = ("", "end", "begin") if empty else ("", "end")
        matches = expression is None or expression.last in expression.reach(nodes, when)
        accepting.append(seen == every and length >= policy.min_length and matches)
        row = []
        for kind, i in enumerate(first):
            after = nodes
            if expression is not None:
                found = {node for at in nodes for characters, node in expression.moves[at] if i in characters}
                after = expression.reach(found)
                work += len(nodes) + len(after)
            state = (after, seen | masks[kind], min(length + 1, policy.min_length), False)
            if expression is not None and not after:
                row.append(-1)
                continue
            if state not in states:
                states[state] = len(states)
                waiting.append(state)
            row.append(states[state])
            if len(states) > STATES or work > _WORK:
                raise InvalidParameter(
                    f"the policy is too large, with more than {STATES:,} states or a million steps to find them: write "
                    "a simpler expression in matching=, or a smaller min_length="
                )
        rows.append(row)
    return np.array(rows, dtype=np.int64), np.array(accepting), np.array(kinds)


def _missing(table: Indices, accepting: Any) -> Indices:
    """How many more characters it takes at least from each state until a string is accepted, by their number; a last
    entry, which -1 finds, says never.
    """
    before: list[list[int]] = [[] for _ in table]
    for state, after in zip(*np.nonzero(table >= 0), strict=True):
        before[table[state, after]].append(int(state))
    missing = np.full(len(table) + 1, _NEVER, dtype=np.int64)
    waiting = np.flatnonzero(accepting).tolist()
    missing[waiting] = 0
    for state in waiting:
        for earlier in before[state]:
            if missing[earlier] == _NEVER:
                missing[earlier] = missing[state] + 1
                waiting.append(earlier)
    return missing


def _minimise(table: Indices, missing: Indices) -> tuple[Indices, Indices]:
    """Merge equivalent states (Moore), numbered in the order in which they are reached."""
    same, count = np.append(missing[:-1], -1), 0
    while True:
        rows = [tuple(row) for row in np.column_stack([same[:-1], same[table]]).tolist()]
        numbers: dict[Any, int] = {}
        same = np.array([*(numbers.setdefault(row, len(numbers)) for row in rows), -1])
        if len(numbers) == count:
            break
        count = len(numbers)
    first = {int(number): state for state, number in reversed(list(enumerate(same[:-1].tolist())))}
    order = {int(same[0]): 0}
    waiting, found = [int(same[0])], []
    for number in waiting:
        row = same[table[first[number]]].tolist()
        for after in row:
            if after >= 0 and after not in order:
                order[after] = len(order)
                waiting.append(after)
        found.append([order.get(after, -1) for after in row])
    return np.array(found, dtype=np.int64), np.array([missing[first[number]] for number in waiting])
