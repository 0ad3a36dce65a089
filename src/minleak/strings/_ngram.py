"""NGram: an n-gram model of strings, fitted to a list, saved and loaded."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from minleak.core._parameters import as_list, truth, whole
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter, quote
from minleak.strings._coding import Coder, Escape
from minleak.strings._files import ALPHABET, load_model, save_model
from minleak.strings._fitting import encode, fit_levels
from minleak.strings._policy import LONGEST, Automaton, Policy

# The characters that are counted one by one, unless an alphabet is given.
_COMMON = 200
# The most characters of a string, unless it is said.
_LONGEST = 32
_PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))


class NGram(Coder):
    """A model of strings by the characters that follow the last order - 1, with back-off to fewer; made by `fit`.

    Every string of at most `longest` characters has a positive weight, of any characters: no text is left out. It is
    a prior with astronomically many secrets, in exact integers: `interval` is where a string lies on a line of `total`
    positions, and `at` what lies at one.

    >>> model = NGram.fit(["anna", "hanna", "anne"], order=3, longest=8)
    >>> model.at(model.interval("hannes")[0])
    'hannes'
    >>> 0 < model.weight("日本") < model.weight("hannes") < model.weight("anna")
    True
    """

    @classmethod
    def fit(
        cls,
        strings: Prior | Iterable[str],
        *,
        order: int = 4,
        longest: int | None = None,
        alphabet: str | None = None,
        others: bool | None = None,
        accept: Policy | None = None,
        leave_out: bool = False,
    ) -> NGram:
        """A model fitted to strings, each as often as it comes, or to a prior's labels, each by its weight.

        `order` characters make an n-gram: the next one depends on the order - 1 before it. `alphabet` are the
        characters that are counted one by one; without it the 200 commonest. With others=False there are no other
        characters, for secrets that a rule keeps to an alphabet. Strings that have no place are left out. `longest` is
        32 characters if not given, or the policy's largest length.

        `accept` is the policy that all secrets meet: no string that does not meet it has a place, and those that do
        cover the line. Characters are then those of the alphabet alone, without `alphabet` those of the strings and
        printable ASCII. Strings that do not meet it are refused, or left out with leave_out=True.

        >>> model = NGram.fit(["dragon12", "monkey99"], accept=Policy(min_length=8, require=["digit"]))
        >>> model.weight("dragon"), model.weight("sunshine"), model.weight("sunshine1") > 0
        (0, 0, True)
        """
        if accept is not None and not isinstance(accept, Policy):
            raise InvalidParameter(f"accept= is a Policy, such as Policy(min_length=8), not {quote(accept)}")
        order, longest = whole(order, "the order", 1), _longest(longest, accept)
        others = accept is None if others is None else truth(others, "others=")
        truth(leave_out, "leave_out=")
        if accept is not None and others:
            raise InvalidParameter("others=True has no policy: with accept= name all characters in alphabet=")
        texts, weights = _texts(strings)
        chosen = _alphabet(alphabet, texts if accept is None else [*texts, _PRINTABLE])
        automaton = None if accept is None else Automaton(accept, chosen)
        if automaton is not None and automaton.missing[0] > longest:
            raise InvalidParameter(
                f"strings that meet the policy have at least {automaton.missing[0]} characters, and longest= is "
                f"{longest}: give a larger one"
            )
        allowed = frozenset(chosen)
        fits = [i for i, text in enumerate(texts) if len(text) <= longest and (others or allowed.issuperset(text))]
        symbols, lengths, codes = encode([texts[i] for i in fits], chosen)
        if automaton is not None:
            fits = [i for i, good in zip(fits, automaton.accepts_each(symbols - 1, lengths), strict=True) if good]
            if len(fits) < len(texts) and not leave_out:
                raise InvalidParameter(
                    f"{len(texts) - len(fits):,} of {len(texts):,} strings do not meet the policy: correct the policy, "
                    "or say leave_out=True to fit the model to the others"
                )
        if not fits:
            raise InvalidParameter(f"a model is fitted to at least one string of at most {longest} of its characters")
        if len(fits) < len(texts):
            texts = [texts[i] for i in fits]
            weights = None if weights is None else weights[fits]
            symbols, lengths, codes = encode(texts, chosen)
        size = len(chosen) + 1 + others
        how: dict[str, Any] = {"order": order, "size": size, "longest": longest}
        if automaton is not None:
            how |= {"states": automaton.states(symbols - 1, lengths), "n_states": len(automaton)}
        levels = fit_levels(symbols, lengths, weights, **how)
        if not others:
            return cls(chosen, longest, levels, None, automaton)
        outside = symbols == len(chosen) + 1
        often = None if weights is None else np.repeat(weights, lengths)[outside]
        values, place = np.unique(codes[outside], return_inverse=True)
        seen = dict(zip(map(chr, values.tolist()), np.bincount(place, weights=often).astype(int).tolist(), strict=True))
        return cls(chosen, longest, levels, Escape.fit(chosen, seen))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all."""
        save_model(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> NGram:
        """The model in a file, checked first."""
        return cls(*load_model(path))

    def __repr__(self) -> str:
        contexts = sum(len(level.keys) for level in self.levels)
        policy = "" if self.policy is None else f", accept={self.policy}"
        return (
            f"NGram(order={self.order}, longest={self.longest}, alphabet={len(self.alphabet)}, contexts={contexts}"
            f"{policy})"
        )


def _longest(given: int | None, policy: Policy | None) -> int:
    most = None if policy is None else policy.max_length
    if given is None:
        return _LONGEST if most is None else most
    longest = whole(given, "the longest length", 1, LONGEST)
    return longest if most is None else min(longest, most)


def _texts(strings: Prior | Iterable[str]) -> tuple[list[str], Any]:
    weights = None
    if isinstance(strings, Prior):
        weights = strings.weights
        if weights.dtype.kind == "f" or weights.max() > 2**40:
            weights = np.maximum(strings.p * 2**40, 0).astype(np.int64)
        weights = weights.astype(np.int64)
        strings = list(strings.labels)
    texts = as_list(strings, "a model is fitted to a list of strings or to a Prior whose labels are strings")
    for at, text in enumerate(texts):
        if not isinstance(text, str) or not (text.isascii() or text.encode("utf-8", "replace").decode() == text):
            raise InvalidParameter(f"a model is fitted to text, which string number {at} is not")
    if weights is not None and not weights.all():
        texts, weights = [t for t, w in zip(texts, weights.tolist(), strict=True) if w], weights[weights > 0]
    return texts, weights


def _alphabet(given: str | None, texts: list[str]) -> str:
    if given is None:
        codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype="<u4")
        values, counts = np.unique(codes, return_counts=True)
        common = values[np.argsort(-counts, kind="stable")[:_COMMON]].tolist()
        return "".join(map(chr, sorted(common))) or "a"
    if not isinstance(given, str) or not 1 <= len(given) <= ALPHABET or len(set(given)) < len(given):
        raise InvalidParameter("an alphabet is a text of different characters, 16,384 at most")
    if any("\ud800" <= character <= "\udfff" for character in given):
        raise InvalidParameter("an alphabet holds characters, no halves of them")
    return "".join(sorted(given))
