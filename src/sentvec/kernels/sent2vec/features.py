"""The features of one sentence: their rows, and how often each row occurs.

Feature t < n is the word at position t, feature n + gram the n-gram of that number (`choices`); its
row is -1 where the sentence ends before.
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import helper

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_40 = np.uint64(40)


@helper
def collect(ids, grams, rows, deck):
    """List the feature rows, and in the deck the n-grams that exist; returns their number."""
    n, width = grams.shape
    n_grams = 0
    for i in range(n):
        rows[i] = ids[i]
        for j in range(width):
            gram = i * width + j
            rows[n + gram] = grams[i, j]
            if grams[i, j] >= 0:
                deck[n_grams] = gram
                n_grams += 1
    return n_grams


@helper
def slot_of(row, rows, slots, mask):
    """Where a row stands, or would stand, in the table of the sentence's distinct rows."""
    slot = np.int64((np.uint64(row) * _SPREAD) >> _40) & mask
    while slots[slot] >= 0 and rows[slots[slot]] != row:
        slot = (slot + 1) & mask
    return slot


@helper
def multiplicities(rows, n_rows, mult, slots, listed):
    """List the rows of the features that exist, and count how often each row occurs.

    Returns (F, sum of mult, mask of the table).
    """
    size = 4
    while size < 2 * n_rows:
        size *= 2
    slots[:size] = -1
    features = 0
    for f in range(n_rows):
        if rows[f] < 0:
            continue
        listed[features] = rows[f]
        features += 1
        slot = slot_of(rows[f], rows, slots, size - 1)
        if slots[slot] < 0:
            slots[slot] = f
            mult[f] = 0
        mult[slots[slot]] += 1
    total = 0
    for f in range(n_rows):
        if rows[f] >= 0:
            mult[f] = mult[slots[slot_of(rows[f], rows, slots, size - 1)]]
            total += mult[f]
    return features, total, size - 1
