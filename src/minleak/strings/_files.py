"""Files of models and plans of strings. They hold what cannot be computed: model, counts, share and cap."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from minleak.core._file.format import UNFIT, Contents, read, require, require_whole
from minleak.core._file.hashing import hash_parts
from minleak.core._file.writing import text_arrays, write
from minleak.core._prior import Prior
from minleak.errors import InvalidCloak, InvalidParameter
from minleak.strings._coding import Coder, Escape
from minleak.strings._fitting import Level
from minleak.strings._policy import LONGEST, Automaton, Policy

#: What a file of a model alone says that it is.
MODEL = "n-gram"
_ORDER, _PARTS = 64, 2**128
# k times the longest length is at most this, since a plan is made again from its file: some seconds at worst.
_WORK = 2**20
#: So many characters an alphabet may have.
ALPHABET = 2**14
# Alphabet, longest length, levels, escape and automaton: what a coder is made of.
Parts = tuple[str, int, list[Level], Escape | None, Automaton | None]


def contents_of(model: Coder) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and numbers of a model."""
    arrays = {
        "alphabet": np.array([ord(character) for character in model.alphabet], dtype=np.int32),
        "context_keys": np.concatenate([level.keys for level in model.levels]),
        "context_begins": np.concatenate([level.begins.ravel() for level in model.levels]).astype("<u2"),
    }
    if model.escape is not None:
        arrays["escape_shares"] = np.array(model.escape.shares, dtype=np.int32)
    numbers: dict[str, Any] = {"longest": model.longest, "contexts": [len(level.keys) for level in model.levels]}
    if model.automaton is not None:
        numbers["policy"] = model.automaton.policy.fields()
        arrays["automaton"] = model.automaton.rows().ravel()
    return arrays, numbers


def digest_of(arrays: dict[str, Any], numbers: dict[str, Any]) -> bytes:
    """A digest of arrays and numbers, 32 bytes."""
    parts = [part for name in sorted(arrays) for part in (name.encode(), arrays[name])]
    return hash_parts(b"minleak strings 2", [*parts, repr(sorted(numbers.items())).encode()])


def save_model(model: Coder, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all."""
    arrays, numbers = contents_of(model)
    write(path, arrays, {"kind": MODEL, **numbers})


def load_model(path: str | os.PathLike[str]) -> Parts:
    """What the model in a file is made of, checked first."""
    contents = read(path, mapped=False)
    try:
        require(contents.numbers["kind"] == MODEL)
        return model_in(contents)
    except UNFIT as error:
        raise InvalidCloak(f"{path!s} does not hold a model of strings ({type(error).__name__})") from None


def model_in(contents: Contents) -> Parts:
    """What a model is made of, from arrays and numbers of an untrusted file; an error of any kind if it is none."""
    numbers = contents.numbers
    longest = require_whole(numbers["longest"], 1, LONGEST)
    codes = contents.vector("alphabet", "i4")
    require(0 < len(codes) <= ALPHABET and bool((codes[1:] > codes[:-1]).all()))
    require(codes[0] >= 0 and codes[-1] < 0x110000 and not ((codes >= 0xD800) & (codes < 0xE000)).any())
    alphabet = "".join(map(chr, codes.tolist()))
    escape = None
    if "escape_shares" in contents.arrays:
        escape = Escape(alphabet, contents.vector("escape_shares", "i4").tolist())
    automaton: Automaton | None = None
    if "policy" in numbers:
        least, most, required, matching = numbers["policy"]
        states = contents.vector("automaton", "i4")
        require(len(states) % (len(codes) + 1) == 0)
        rows = states.reshape(-1, len(codes) + 1)
        automaton = Automaton.of_rows(Policy(least, most, required, matching), alphabet, rows)
        require(escape is None and automaton is not None and automaton.missing[0] <= longest)
    levels = _levels(contents, len(codes) + 1 + (escape is not None), 0 if automaton is None else len(automaton))
    return alphabet, longest, list(levels), escape, automaton


def _levels(contents: Contents, size: int, states: int) -> Iterator[Level]:
    """Those of contexts, and with states the one of contexts with a state."""
    sizes = contents.numbers["contexts"]
    keys, begins = contents.vector("context_keys", "i8"), contents.vector("context_begins", "u2")
    require(isinstance(sizes, list) and bool(states) < len(sizes) <= _ORDER)
    order = len(sizes) - bool(states)
    require(max(states, 1) * size**order < 2**62)
    require(len(begins) == len(keys) * size and sum(require_whole(count, 1, len(keys)) for count in sizes) == len(keys))
    at = 0
    for length, count in enumerate(sizes):
        level = Level(keys[at : at + count], begins[at * size : (at + count) * size].reshape(count, size))
        most = size**length if length < order else states * size ** (order - 1)
        require(level.keys[0] >= 0 and level.keys[-1] < most and bool((np.diff(level.keys) > 0).all()))
        require(not level.begins[:, 0].any() and bool((level.begins[:, 1:] > level.begins[:, :-1]).all()))
        yield level
        at += count


def plan_contents(model: Coder, prior: Prior | None, k: int, share: Fraction) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and numbers of a plan over a model's strings, and over those of a prior."""
    if k * model.longest > _WORK:
        raise InvalidParameter(
            f"a file holds plans with k times the longest length up to {_WORK:,}, not {k * model.longest:,}: lower one"
        )
    arrays, numbers = contents_of(model)
    if prior is not None:
        arrays |= text_arrays("labels", pa.array(list(prior.labels), type=pa.string()))
        arrays |= text_arrays("counts", pa.array([str(count) for count in prior.weights.tolist()]))
    return arrays, {
        **numbers,
        "k": k,
        "events": None if prior is None else prior.events,
        "share": [share.numerator, share.denominator],
    }


def plan_parts(contents: Contents) -> tuple[Parts, Prior | None, int, Fraction]:
    """What the model is made of, prior, cap and share of a plan, from an untrusted file."""
    numbers = contents.numbers
    numerator, denominator = (require_whole(part, 1, _PARTS) for part in numbers["share"])
    k = require_whole(numbers["k"], 1, _WORK // require_whole(numbers["longest"], 1, LONGEST))
    share = Fraction(numerator, denominator)
    model = model_in(contents)
    if "counts.ends" not in contents.arrays:
        require(share == 1)
        return model, None, k, share
    require(0 < share < 1)
    counts = contents.text("counts")
    labels = contents.text("labels", len(counts))
    known = {"counts": False} if numbers["events"] is None else {"events": numbers["events"]}
    return model, Prior([int(count) for count in counts.to_pylist()], labels=labels, **known), k, share
