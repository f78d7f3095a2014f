"""The vocabulary: words and counts in id order, saved as a readable two-column file.

Words are sorted by decreasing count, then by their bytes, so that the order of the corpus does not
matter. On disk a line is the word (raw bytes), a TAB, the count, LF; no word contains a TAB or an
LF, since both separate words in every tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError, UnknownWordError
from sentvec.suggest import near_words
from sentvec.text.unicode import decode, encode
from sentvec.text.wordtable import WordTable
from sentvec.wording import counted

_MAX_DIGITS = 18  # of a count, so that it fits 64 bits


class Vocabulary(Mapping[str, int]):
    """A read-only mapping from word to count, in id order.

    Args:
        words: The words in id order.
        counts: int64, occurrences of each in the training corpus.

    >>> vocabulary = Vocabulary(["the", "cat"], np.array([3, 1]))
    >>> vocabulary["cat"], list(vocabulary), vocabulary.ids["cat"]
    (1, ['the', 'cat'], 1)
    """

    def __init__(self, words: Sequence[str], counts: NDArray[np.int64]) -> None:
        self.words = tuple(words)
        self.counts = counts
        self.counts.flags.writeable = False
        self.ids: dict[str, int] = {word: index for index, word in enumerate(self.words)}

    def __getitem__(self, word: str) -> int:
        return int(self.counts[self.id_of(word)])

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.ids

    def get(self, word: str, default: Any = None) -> Any:
        """The count of a word, or the default; without a search for near words."""
        return int(self.counts[self.ids[word]]) if word in self.ids else default

    def __repr__(self) -> str:
        return f"Vocabulary({counted(len(self), 'word')})"

    def id_of(self, word: str) -> int:
        """The id of a word.

        Raises:
            UnknownWordError: The word is not in the vocabulary; near words are named.
        """
        try:
            return self.ids[word]
        except KeyError:
            msg = f"the word {word!r} is not in the vocabulary - {near_words(word, self.words)}"
            raise UnknownWordError(msg) from None

    def save(self, path: Path) -> None:
        """Write the two-column file."""
        with path.open("wb") as file:
            file.writelines(
                b"%s\t%d\n" % (encode(word), count)
                for word, count in zip(self.words, self.counts.tolist(), strict=True)
            )

    @classmethod
    def parse(cls, data: bytes, name: str) -> Vocabulary:
        """Read the bytes of a two-column file; `name` is what errors call it.

        Raises:
            FormatError: A line has no TAB, its count is not a 64-bit number, or a word is repeated.
        """
        lines = data.removesuffix(b"\n").split(b"\n")
        words: list[str] = []
        counts: list[int] = []
        for number, line in enumerate(lines if lines != [b""] else [], 1):
            word, _, count = line.partition(b"\t")
            if not word or not count.isdigit() or len(count) > _MAX_DIGITS:
                msg = f"{name}, line {number}: expected a word, a TAB and a count, got "
                raise FormatError(f"{msg}{line[:60]!r} - the file may be damaged")
            words.append(decode(word))
            counts.append(int(count))
        vocabulary = cls(words, np.array(counts, np.int64))
        if len(vocabulary.ids) != len(words):
            repeated = counted(len(words) - len(vocabulary.ids), "repeated word")
            msg = f"{name} has {repeated}"
            raise FormatError(msg + " - expected each word once; the file may be damaged")
        return vocabulary


def order_words(
    table: WordTable, *, min_count: int, max_vocab: int | None
) -> tuple[list[int], list[bytes]]:
    """The numbers and the words to keep, in id order: by decreasing count, then by bytes."""
    counts = table.counts()
    numbers = np.flatnonzero(counts >= min_count)
    words = table.words(numbers.tolist())
    entries = zip((-counts[numbers]).tolist(), words, numbers.tolist(), strict=True)
    kept = sorted(entries)[:max_vocab]
    return [number for _, _, number in kept], [word for _, word, _ in kept]


def grown(
    old: Vocabulary, table: WordTable, *, min_count: int, max_vocab: int | None
) -> Vocabulary:
    """An old vocabulary with the counts of a new text added.

    The old words keep their ids; new words that are frequent enough follow.
    """
    numbers, words = order_words(table, min_count=min_count, max_vocab=None)
    room = None if max_vocab is None else max(max_vocab - len(old), 0)
    entries = zip(map(decode, words), numbers, strict=True)
    fresh = [(word, number) for word, number in entries if word not in old.ids][:room]
    counts = table.counts()
    seen = dict(zip(map(decode, table.words()), counts.tolist(), strict=True))
    added = np.array([seen.get(word, 0) for word in old.words], np.int64)
    return Vocabulary(
        [*old.words, *(word for word, _ in fresh)],
        np.concatenate([old.counts + added, counts[[number for _, number in fresh]]]),
    )
