"""Features of fastText that are hashed over bytes: character n-grams, and word n-grams of tokens.

The hash is 32-bit FNV-1a, but that each byte is sign-extended first. A word's character n-grams are
those of `<word>`, cut between UTF-8 characters. Where fastText learns labels, it hashes word
n-grams over the hashes of the words, not over ids as Sent2Vec does (`text.ngrams`), so unknown
words take part. A pruned model has kept some of the buckets only; the others have no row.

Not here: the rows of the words themselves, and what is averaged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sentvec.text.ngrams import NO_ROW, ngram_rows

_BASIS, _PRIME = 2166136261, 16777619
_SIGNED = [byte if byte < 128 else byte | 0xFFFFFF00 for byte in range(256)]
_MAX_CHARACTER = 4  # bytes in UTF-8
_COLUMNS = 24  # bytes of the words that are hashed side by side


def word_hash(data: bytes) -> int:
    """The hash of a word or an n-gram, 0 to 2^32 - 1.

    >>> hex(word_hash(b"foobar"))
    '0xbf9cf968'
    """
    return _fold(_BASIS, data)


def word_hashes(words: Sequence[bytes]) -> NDArray[np.uint32]:
    """The hashes of many words: uint32 (n,)."""
    text, begins = _join(words)
    lengths = np.diff(begins)
    hashes = np.full(len(words), _BASIS, np.uint32)
    for column in range(min(_COLUMNS, int(lengths.max(initial=0)))):
        active = np.flatnonzero(lengths > column)
        hashes[active] = _step(hashes[active], text[begins[active] + column])
    for long in np.flatnonzero(lengths > _COLUMNS).tolist():
        hashes[long] = _fold(int(hashes[long]), words[long][_COLUMNS:])
    return hashes


def subword_hashes(word: bytes, min_n: int, max_n: int) -> NDArray[np.uint32]:
    """The hashes of a word's character n-grams, in the order of fastText: by start, then length.

    An n-gram of a single character at either end of `<word>` is none.

    >>> [word_hash(gram) for gram in (b"<a", b"<a>", b"a>")] == subword_hashes(b"a", 2, 3).tolist()
    True
    """
    return _batch_hashes([word], min_n, max_n)[0]


def subword_rows(
    words: Sequence[bytes],
    *,
    n_words: int,
    buckets: int,
    min_n: int,
    max_n: int,
    kept: KeptBuckets | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of the character n-grams of many words, known or not.

    Args:
        words: The words, without `<` and `>`.
        n_words: Where the rows of the buckets begin.
        buckets: Number of buckets; with 0 there are no n-grams.
        min_n: The shortest n-gram, in characters.
        max_n: The longest n-gram; 0 for none.
        kept: The buckets a pruned model has kept.

    Returns:
        rows int64 (r,) and offsets int64 (n + 1,), where those of each word begin.
    """
    if buckets == 0:
        return np.zeros(0, np.int64), np.zeros(len(words) + 1, np.int64)
    hashes, offsets = _batch_hashes(words, min_n, max_n)
    places = (hashes % np.uint32(buckets)).astype(np.int64)
    if kept is not None:
        places = kept.places(places)
        found = places != NO_ROW
        offsets = np.concatenate([[0], np.cumsum(found)])[offsets]
        places = places[found]
    return places + n_words, offsets


def token_ngram_rows(
    hashes: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    *,
    n_words: int,
    ngrams: int,
    buckets: int,
    kept: KeptBuckets | None = None,
) -> NDArray[np.int64]:
    """The rows of the word n-grams of supervised fastText, as `text.ngrams.ngram_rows` gives them.

    Args:
        hashes: uint32 (n,), `word_hashes` of all tokens, known or not, one sentence after the
            other.
        offsets: int64 (s + 1,), where each sentence begins.
        n_words: Where the rows of the buckets begin.
        ngrams: The longest n-gram, in tokens.
        buckets: Number of buckets; with 0 there are no n-grams.
        kept: The buckets a pruned model has kept.

    Returns:
        int64 (n, ngrams - 1), with `NO_ROW` where the sentence ends before or the bucket was
        pruned.
    """
    if buckets == 0:
        return np.full((len(hashes), ngrams - 1), NO_ROW, np.int64)
    # fastText keeps the hash of a token as a signed number and widens it to 64 bits.
    signed = hashes.astype(np.uint32).view(np.int32).astype(np.int64).view(np.uint64)
    rows = ngram_rows(signed, offsets, n_words=n_words, ngrams=ngrams, buckets=buckets)
    if kept is None:
        return rows
    places = kept.places(np.where(rows == NO_ROW, NO_ROW, rows - n_words))
    return np.where(places == NO_ROW, NO_ROW, places + n_words)


class KeptBuckets:
    """The buckets that a pruned model has kept, and the place of each among them.

    Args:
        pairs: int32 (k, 2): bucket, place.

    >>> KeptBuckets(np.array([[7, 1], [2, 0]])).places(np.array([2, 3, 7])).tolist()
    [0, -1, 1]
    """

    def __init__(self, pairs: NDArray[np.integer]) -> None:
        order = np.argsort(pairs[:, 0], kind="stable")
        self._buckets = pairs[order, 0].astype(np.int64)
        self._places = pairs[order, 1].astype(np.int64)

    def places(self, buckets: NDArray[np.int64]) -> NDArray[np.int64]:
        """The place of each bucket; `NO_ROW` for those that were not kept."""
        if len(self._buckets) == 0:
            return np.full(buckets.shape, NO_ROW, np.int64)
        index = np.searchsorted(self._buckets, buckets)
        index[index == len(self._buckets)] = 0
        return np.where(self._buckets[index] == buckets, self._places[index], NO_ROW)


def _batch_hashes(
    words: Sequence[bytes], min_n: int, max_n: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The hashes of the character n-grams of many words, and where those of each word begin."""
    text, begins = _join([b"<%b>" % word for word in words])
    # A character runs to the next byte that begins one; the `<` of the next word always does.
    starts = np.flatnonzero((text & 0xC0) != 0x80)
    sizes = np.diff(starts, append=len(text))
    first = np.searchsorted(starts, begins)  # of each word, its first character
    n_characters = np.diff(first)
    left = np.repeat(first[1:], n_characters) - np.arange(len(starts))  # to the end of the word
    width = min(max_n, int(n_characters.max(initial=0)))
    hashes = np.empty((len(starts), max(width, 0)), np.uint32)
    valid = np.zeros(hashes.shape, bool)
    active = np.arange(len(starts))
    h = np.full(len(starts), _BASIS, np.uint32)
    for n in range(1, width + 1):
        inside = left[active] >= n
        active, h = active[inside], h[inside]
        last = active + (n - 1)
        h = _add_characters(h, text, starts[last], sizes[last])
        hashes[active, n - 1] = h
        valid[active, n - 1] = n >= min_n
    if width > 0:
        valid[first[:-1], 0] = valid[first[1:] - 1, 0] = False
    counts = np.concatenate([[0], np.cumsum(valid.sum(axis=1))])
    return hashes[valid], counts[first]


def _add_characters(
    h: NDArray[np.uint32],
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.uint32]:
    """Fold one character into each hash."""
    h = _step(h, text[starts])
    for k in range(1, _MAX_CHARACTER):
        more = np.flatnonzero(sizes > k)
        if len(more) == 0:
            return h
        h[more] = _step(h[more], text[starts[more] + k])
    # Only bytes that are not UTF-8 reach this line.
    for long in np.flatnonzero(sizes > _MAX_CHARACTER).tolist():
        rest = text[starts[long] + _MAX_CHARACTER : starts[long] + sizes[long]]
        h[long] = _fold(int(h[long]), rest.tobytes())
    return h


def _join(words: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """All bytes, and where each word begins: int64 (n + 1,)."""
    begins = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, words), np.int64, len(words)), out=begins[1:])
    return np.frombuffer(b"".join(words), np.uint8), begins


def _step(h: NDArray[np.uint32], data: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Fold a byte into each hash."""
    signed = data.view(np.int8).astype(np.int32).view(np.uint32)
    stepped: NDArray[np.uint32] = (h ^ signed) * np.uint32(_PRIME)
    return stepped


def _fold(h: int, data: bytes) -> int:
    """Fold bytes into a hash."""
    for byte in data:
        h = (h ^ _SIGNED[byte]) * _PRIME & 0xFFFFFFFF
    return h
