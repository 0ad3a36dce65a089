"""Policy: which strings a system accepts as secrets, such as passwords of eight characters with a digit; Automaton: the
minimal deterministic automaton of a policy over an alphabet, in tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._parameters import as_list, whole
from minleak.errors import InvalidParameter, MissingExtra, quote

#: The most characters that a string may have.
LONGEST = 4096
#: Classes of characters that a policy may require, and which characters are in each.
CLASSES: dict[str, Callable[[str], bool]] = {
    "lower": str.islower,
    "upper": str.isupper,
    "letter": str.isalpha,
    "digit": str.isdecimal,
    "symbol": lambda character: not character.isalnum() and not character.isspace(),
}
# Characters of a pattern: longer ones are no policy that people can read.
_PATTERN = 1000
#: States at most, of the least automaton and of the one that it is made from.
STATES = 1 << 10


@dataclass(frozen=True)
class Policy:
    """The strings that are accepted: from `min_length` to `max_length` characters, at least one of each class that is
    required (lower, upper, letter, digit, symbol), and all of it `matching` a regular expression.

    Expressions are read by the package interegular (the extra `strings`): characters, classes, alternatives,
    repetitions, groups and lookahead, with \\d, \\w and \\s for ASCII alone. They match whole strings, so that ^ and $
    are refused, and so are backreferences and word boundaries. Nested repetitions of hundreds may take minutes.

    >>> Policy(min_length=8, require=["digit", "upper"])
    Policy(min_length=8, max_length=None, require=('digit', 'upper'), matching=None)
    """

    min_length: int = 0
    max_length: int | None = None
    require: Iterable[str] = ()
    matching: str | None = None

    def __post_init__(self) -> None:
        least = whole(self.min_length, "min_length=", 0, LONGEST)
        most = None if self.max_length is None else whole(self.max_length, "max_length=", max(least, 1), LONGEST)
        names = "require= is a list of classes of characters: " + ", ".join(CLASSES)
        if isinstance(self.require, str):
            raise InvalidParameter(f"{names}; not the text {quote(self.require)}")
        given = as_list(self.require, names)
        for name in given:
            if not isinstance(name, str) or name not in CLASSES:
                raise InvalidParameter(f"{names}; not {quote(name)}")
        required = tuple(dict.fromkeys(given))
        if self.matching is not None and not (isinstance(self.matching, str) and len(self.matching) <= _PATTERN):
            raise InvalidParameter(f"matching= is a regular expression as text, of at most {_PATTERN:,} characters")
        for field, value in (("min_length", least), ("max_length", most), ("require", required)):
            object.__setattr__(self, field, value)

    def counts(self, string: str) -> bool:
        """Whether the length of a string and the classes of its characters are as required, whatever it matches."""
        most = len(string) if self.max_length is None else self.max_length
        return self.min_length <= len(string) <= most and all(any(map(CLASSES[name], string)) for name in self.require)

    def fields(self) -> list[Any]:
        """What a file says of it."""
        return [self.min_length, self.max_length, list(self.require), self.matching]


#: The automaton of an expression: the state after each (-1 if none) for each key, from state 0 on; which states are
#: final; and the key of each character.
Expression = tuple[list[list[int]], list[bool], list[int]]


class Automaton:
    """State 0 is that of the empty string. `table[state, i]` is the state after one more character, the i-th of the
    alphabet, and -1 where nothing that is accepted begins so; `missing[state]` is how many more characters it takes at
    least until a string is accepted.

    >>> automaton = Automaton(Policy(min_length=2, require=["digit"]), "a1")
    >>> int(automaton.missing[0]), automaton.accepts([0, 0]), automaton.accepts([0, 1])
    (2, False, True)
    """

    def __init__(self, policy: Policy, alphabet: str, expression: Expression | None = None) -> None:
        """The `expression` is that of the policy, unless it is given."""
        if expression is None:
            expression = follow_expression(policy.matching, alphabet)
        table, accepting, kinds = _list_states(policy, alphabet, expression)
        missing = _missing(table, accepting)
        if missing[0] == _NEVER:
            raise InvalidParameter("no string of the alphabet meets the policy: nothing could be hidden")
        table, missing = _minimise(np.where(missing[table] < _NEVER, table, -1), missing)
        self.policy, self.table, self.missing = policy, table[:, kinds], missing
        #: With room for so many characters more, or more than that, the same may follow.
        self.enough = int(missing.max()) + 1

    @classmethod
    def of_rows(cls, policy: Policy, alphabet: str, rows: Indices) -> Automaton | None:
        """The automaton that has these rows in a file; None if it is not the least one of such a policy. What the
        expression says is taken from the rows, so that no package is needed to read them.
        """
        table = rows[:, :-1].astype(np.int64)
        if not (0 < len(table) <= STATES and (table >= -1).all() and (table < len(table)).all()):
            return None
        given = (table.tolist(), (rows[:, -1] == 1).tolist(), list(range(len(alphabet))))
        found = cls(policy, alphabet, None if policy.matching is None else given)
        return found if np.array_equal(found.rows(), rows) else None

    def rows(self) -> Indices:
        """The table, with one more column that is 1 where a string may end: what a file keeps."""
        return np.column_stack([self.table, self.missing == 0]).astype(np.int32)

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


def _list_states(policy: Policy, alphabet: str, expression: Expression) -> tuple[Indices, Any, Indices]:
    """The states that can be reached, one after the other, a column for each kind of characters that are all alike;
    which states accept; and the kind of each character.
    """
    step, finals, keys = expression
    classes = [CLASSES[name] for name in policy.require]
    masks = [sum(known(character) << bit for bit, known in enumerate(classes)) for character in alphabet]
    alike: dict[tuple[int, int], int] = {}
    kinds = np.array([alike.setdefault(pair, len(alike)) for pair in zip(keys, masks, strict=True)])
    # A state: that of the expression, the classes that were seen, and the length up to the least that is allowed.
    states = {(0, 0, 0): 0}
    waiting, rows, accepting = list(states), [], []
    for node, seen, length in waiting:
        accepting.append(finals[node] and seen == (1 << len(classes)) - 1 and length >= policy.min_length)
        row = []
        for key, mask in alike:
            state = (step[node][key], seen | mask, min(length + 1, policy.min_length))
            if state[0] >= 0 and state not in states:
                states[state] = len(states)
                waiting.append(state)
            row.append(states.get(state, -1))
        rows.append(row)
        if len(states) > STATES:
            raise InvalidParameter(
                f"the policy is too large, with more than {STATES:,} states: write a simpler expression in matching=, "
                "or a smaller min_length="
            )
    return np.array(rows, dtype=np.int64), np.array(accepting), kinds


def follow_expression(matching: str | None, alphabet: str) -> Expression:
    """The automaton of an expression; one state accepts all where there is none."""
    if matching is None:
        return [[0]], [True], [0] * len(alphabet)
    try:
        import interegular
    except ImportError:
        raise MissingExtra.of("strings", "matching= needs interegular") from None
    if any(int(number) > LONGEST for number in re.findall("[0-9]{5,}", matching)):
        raise InvalidParameter(f"matching= repeats more often than {LONGEST:,} times, the longest that a string may be")
    try:
        found = interegular.parse_pattern(matching).to_fsm()
    except interegular.Unsupported as error:
        hint = "it matches whole strings: leave out ^ and $" if str(error) in ("'^'", "'$'") else error
        raise InvalidParameter(f"matching= is more than a regular language by itself: {hint}") from None
    except Exception:  # its parser fails in many ways
        raise InvalidParameter("matching= is no regular expression that interegular can read") from None
    order: dict[Any, int] = {found.initial: 0}
    for state in found.states:
        order.setdefault(state, len(order))
    keys = [found.alphabet[character] for character in alphabet]
    columns = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    step = [[order.get(found.map.get(state, {}).get(key), -1) for key in columns] for state in order]
    return step, [state in found.finals for state in order], [columns[key] for key in keys]


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
