"""Word n-gram features: the one function that training, encoding and explaining share.

A sentence is the list R(S) of its word ids and the rows of its word n-grams (Sent2Vec paper,
section 2.2). N-grams are hashed over ids, not strings, with the arithmetic of the released program:
starting from the first id as an unsigned 64-bit number, h = h * 116049371 + next id (modulo 2^64),
and the row is n_words + h mod buckets. Different n-grams may share a row; repeats count again.

Not here: unknown words, which are removed beforehand, so that their neighbours form an n-gram.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

HASH_MULTIPLIER = np.uint64(116049371)
NO_ROW = -1


def ngram_rows(
    ids: NDArray[np.integer[Any]],
    offsets: NDArray[np.int64],
    *,
    n_words: int,
    ngrams: int,
    buckets: int,
) -> NDArray[np.int64]:
    """The rows of all n-grams of order 2..ngrams of a batch of sentences.

    Args:
        ids: integers (n,), the known words of the sentences, one sentence after the other.
        offsets: int64 (s + 1,), where each sentence begins.
        n_words: Size of the vocabulary; n-gram rows come after the word rows.
        ngrams: The longest n-gram; 1 for none.
        buckets: Number of n-gram rows.

    Returns:
        int64 (n, ngrams - 1): entry (i, j) is the row of the n-gram of j + 2 words that starts at
        position i, or `NO_ROW` where the sentence ends before. Row by row, this is the order of the
        released program.

    >>> ngram_rows(np.array([2, 0, 1], np.uint32), np.array([0, 3]), n_words=3, ngrams=2, buckets=7)
    array([[ 4],
           [ 4],
           [-1]])
    """
    rows = np.full((len(ids), ngrams - 1), NO_ROW, np.int64)
    if ngrams == 1 or len(ids) == 0:
        return rows
    left = _words_left(offsets)
    h = ids.astype(np.uint64)
    for order in range(2, ngrams + 1):
        h = hash_step(h[:-1], ids[order - 1 :]) if len(h) > 1 else h[:0]
        row = row_of(h, n_words, buckets)
        rows[: len(h), order - 2] = np.where(left[: len(h)] >= order, row, NO_ROW)
    return rows


def placeholder_rows(
    ids: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    *,
    n_words: int,
    ngrams: int,
    buckets: int,
) -> NDArray[np.int64]:
    """The rows of the n-grams that touch each position if the word there is the placeholder.

    Only for training with ``variant="released"``. The placeholder's id in the hash is `n_words`,
    which no word has.

    Returns:
        int64 (n, 2 + 3 + ... + ngrams): for each position, for order 2, 3, ..., for the placeholder
        as the first, second, ... word of the n-gram, its row, or `NO_ROW` outside the sentence.
    """
    width = ngrams * (ngrams + 1) // 2 - 1
    rows = np.full((len(ids), width), NO_ROW, np.int64)
    left = _words_left(offsets)
    done = np.arange(len(ids)) - np.repeat(offsets[:-1], np.diff(offsets))  # words before
    padded = np.pad(ids.astype(np.uint64), ngrams)
    column = 0
    for order in range(2, ngrams + 1):
        for before in range(order):
            h = np.zeros(len(ids), np.uint64)
            for k in range(-before, order - before):
                word = padded[ngrams + k : ngrams + k + len(ids)]
                h = hash_step(h, np.uint64(n_words) if k == 0 else word)
            inside = (done >= before) & (left >= order - before)
            rows[:, column] = np.where(inside, row_of(h, n_words, buckets), NO_ROW)
            column += 1
    return rows


def feature_lists(
    ids: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    *,
    n_words: int,
    ngrams: int,
    buckets: int,
    hash_ids: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """R(S) of each sentence: its word ids, then its n-gram rows, repeats kept.

    With `hash_ids`, int64 (n_words,), n-grams are hashed over these instead of the ids: a model
    that lost words after training finds its n-grams by the ids the words had then.

    Returns:
        rows int64 (f,) and offsets int64 (s + 1,).

    >>> rows, offsets = feature_lists(
    ...     np.array([2, 0, 1], np.uint32), np.array([0, 3]), n_words=3, ngrams=2, buckets=7)
    >>> rows.tolist(), offsets.tolist()
    ([2, 0, 1, 4, 4], [0, 5])
    """
    if ngrams == 1:
        return ids.astype(np.int64), offsets
    hashed = ids if hash_ids is None else hash_ids[ids]
    grams = ngram_rows(hashed, offsets, n_words=n_words, ngrams=ngrams, buckets=buckets)
    # Words sort before n-grams within each sentence; a stable sort keeps the order of both.
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    valid = grams != NO_ROW
    keys = np.concatenate([2 * sentence, np.repeat(2 * sentence + 1, valid.sum(axis=1))])
    rows = np.concatenate([ids.astype(np.int64), grams[valid]])[np.argsort(keys, kind="stable")]
    lengths = np.diff(offsets) + np.bincount(
        sentence, weights=valid.sum(axis=1), minlength=len(offsets) - 1
    ).astype(np.int64)
    return rows, np.concatenate([[0], np.cumsum(lengths)])


def hash_step(h: NDArray[np.uint64], word: ArrayLike) -> NDArray[np.uint64]:
    """Fold the next word id into the hash of an n-gram, modulo 2^64."""
    return h * HASH_MULTIPLIER + np.asarray(word, np.uint64)


def row_of(h: NDArray[np.uint64], n_words: int, buckets: int) -> NDArray[np.int64]:
    """The matrix row of an n-gram with a given hash."""
    return (h % np.uint64(buckets)).astype(np.int64) + n_words


def _words_left(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each position, the number of words from it to the end of its sentence."""
    return np.repeat(offsets[1:], np.diff(offsets)) - np.arange(offsets[-1])
