"""The words of a file of vectors, kept as bytes until a vocabulary is needed.

A file may repeat a word; then its first row counts, as in gensim. One 64-bit hash for each word
detects repeats, so that an open file needs no Python object for each word.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sentvec.text.unicode import decode
from sentvec.text.vocabulary import Vocabulary

MAX_WORD = 65_535  # bytes; a longer word is the sign of a damaged file


class WordList:
    """Words in the order of their rows; none is empty or contains a line feed."""

    def __init__(self) -> None:
        self._blobs: list[bytes] = []
        self._hashes: list[NDArray[np.int64]] = []

    def __len__(self) -> int:
        return sum(map(len, self._hashes))

    def add(self, words: Sequence[bytes]) -> None:
        """Append words."""
        if words:
            self._blobs.append(b"\n".join(words))
            self._hashes.append(np.fromiter(map(hash, words), np.int64, len(words)))

    def drop_repeated(self) -> NDArray[np.bool_] | None:
        """Drop repeated words; returns the mask of the rows to keep, or None for all."""
        hashes = np.concatenate([np.zeros(0, np.int64), *self._hashes])
        ordered = np.sort(hashes)
        if (ordered[1:] != ordered[:-1]).all():
            return None
        seen: set[bytes] = set()
        keep = np.ones(len(hashes), np.bool_)
        for index, word in enumerate(self._words()):
            keep[index] = word not in seen
            seen.add(word)
        if keep.all():  # two words had the same hash
            return None
        words = [word for word, kept in zip(self._words(), keep.tolist(), strict=True) if kept]
        self._blobs, self._hashes = [], []
        self.add(words)
        return keep

    def vocabulary(self) -> Vocabulary:
        """The words as a vocabulary; the file has no counts, so they are zero."""
        # No word contains a line feed and no UTF-8 sequence spans one: all are decoded at once.
        words = decode(b"\n".join(self._blobs)).split("\n") if self._blobs else []
        return Vocabulary(words, np.zeros(len(words), np.int64))

    def _words(self) -> list[bytes]:
        return b"\n".join(self._blobs).split(b"\n")
