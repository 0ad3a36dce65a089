"""Sequences: what filtering and smoothing attackers get from words as a chain, and what a move of the tracks costs."""

from __future__ import annotations

import os

import numpy as np

import minleak as ml

STATES, BACKOFF = 3000, 0.1


def words_chain(states: int = STATES, backoff: float = BACKOFF) -> ml.Chain:
    """The most frequent words and the counts of their pairs, of wordsegment; a tenth of every row is back-off."""
    import scipy.sparse as sp
    import wordsegment

    folder = os.path.dirname(wordsegment.__file__)
    with open(os.path.join(folder, "unigrams.txt"), encoding="utf-8") as file:
        counts = {word: int(float(count)) for word, count in (line.rstrip("\n").split("\t") for line in file)}
    words = sorted(counts, key=lambda word: -counts[word])[:states]
    at = {word: i for i, word in enumerate(words)}
    rows, columns, times = [], [], []
    with open(os.path.join(folder, "bigrams.txt"), encoding="utf-8") as file:
        for line in file:
            pair, count = line.rstrip("\n").split("\t")
            a, b = pair.split(" ")
            if a in at and b in at:
                rows.append(at[a])
                columns.append(at[b])
                times.append(int(float(count)))
    sums = np.bincount(rows, weights=times, minlength=states)
    alone = np.array([counts[word] for word in words])
    return ml.Chain(
        ml.Prior(alone, labels=words),
        sp.coo_array((times, (rows, columns)), shape=(states, states)),
        backoff=np.maximum(sums * backoff / (1 - backoff), 1).astype(np.int64),
        marginal=alone,
    )
