"""Count the words of a stream of blocks and number them in order of first appearance.

There are two implementations. `PlainWordTable` is a few lines of Python: the definition, used for
small corpora, so that an error in them shows before anything is compiled. `KernelWordTable` is the
compiled one. Both take a block of words separated by separator bytes, and return the word number of
each token (uint32) and, for each LF, the number of tokens so far in the block (int64), or -1 for a
line without words.

Not here: the final order and the cut-offs (`vocabulary`), where the numbers are kept (`encoded`).
"""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sentvec.text.unicode import SEPARATORS_TO_SPACE

# Distinct words counted at once. Each costs some 50 bytes, and twice that while the tables grow.
MAX_WORDS = 16_000_000

ScalarT = TypeVar("ScalarT", bound=np.generic)


class WordTable(Protocol):
    """The interface of both tables."""

    def __len__(self) -> int:
        """The number of distinct words."""

    def add(self, block: bytes) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Count a block; return the word number of each token and the line ends."""

    def words(self, numbers: list[int] | None = None) -> list[bytes]:
        """The words of these numbers, or all by number."""

    def counts(self) -> NDArray[np.int64]:
        """The count of each word, by number."""

    def keep(self, kept: NDArray[np.int64]) -> None:
        """Keep only these words, renumbered in the order given."""


class PlainWordTable:
    """Words in a Python dict: the definition."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._counts: list[int] = []
        self._open = 0  # words so far on the line that the next block continues

    def add(self, block: bytes) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Count a block; return the word number of each token and the line ends."""
        ids: list[int] = []
        ends: list[int] = []
        lines = block.split(b"\n")
        for index, line in enumerate(lines):
            for word in filter(None, line.translate(SEPARATORS_TO_SPACE).split(b" ")):
                number = self._numbers.setdefault(word, len(self._counts))
                if number == len(self._counts):
                    self._counts.append(0)
                self._counts[number] += 1
                ids.append(number)
                self._open += 1
            if index < len(lines) - 1:
                ends.append(len(ids) if self._open else -1)
                self._open = 0
        return np.array(ids, np.uint32), np.array(ends, np.int64)

    def __len__(self) -> int:
        return len(self._counts)

    def words(self, numbers: list[int] | None = None) -> list[bytes]:
        """The words of these numbers, or all by number."""
        words = list(self._numbers)
        return words if numbers is None else [words[number] for number in numbers]

    def counts(self) -> NDArray[np.int64]:
        """The count of each word, by number."""
        return np.array(self._counts, np.int64)

    def keep(self, kept: NDArray[np.int64]) -> None:
        """Keep only these words, renumbered in the order given."""
        words, counts = self.words(), self.counts()
        self._numbers = {words[old]: new for new, old in enumerate(kept.tolist())}
        self._counts = counts[kept].tolist()


class KernelWordTable:
    """Words in flat arrays, counted by the compiled kernel."""

    def __init__(self, capacity: int = 1 << 16) -> None:
        from sentvec.kernels import counting

        self._kernels = counting
        self._state = np.zeros(4, np.int64)
        self._hashes = np.zeros(capacity, np.uint64)
        self._starts = np.zeros(capacity + 1, np.int64)
        self._counts = np.zeros(capacity, np.int64)
        self._arena = np.zeros(capacity * 8, np.uint8)
        self._table = np.zeros(capacity * 2, np.uint32)

    def add(self, block: bytes) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Count a block; return the word number of each token and the line ends."""
        text = np.frombuffer(block, np.uint8)
        ids = np.empty(len(block) // 2 + 1, np.uint32)
        ends = np.empty(block.count(b"\n"), np.int64)
        n_ids = n_ends = 0
        self._state[self._kernels.POSITION] = 0
        while True:
            status, more_ids, more_ends = self._kernels.count_block(
                text, self._state, self._table, self._hashes, self._starts, self._arena,
                self._counts, ids[n_ids:], ends[n_ends:],
            )  # fmt: skip
            fresh = ends[n_ends : n_ends + more_ends]
            fresh[fresh >= 0] += n_ids
            n_ids, n_ends = n_ids + more_ids, n_ends + more_ends
            if status == self._kernels.DONE:
                return ids[:n_ids], ends[:n_ends]
            if status == self._kernels.ARENA_FULL:
                self._arena = _enlarged(self._arena, len(block))
            else:
                self._double_words()

    def __len__(self) -> int:
        return int(self._state[self._kernels.WORDS])

    def words(self, numbers: list[int] | None = None) -> list[bytes]:
        """The words of these numbers, or all by number."""
        chosen = np.arange(len(self)) if numbers is None else np.array(numbers, np.int64)
        begins, ends = self._starts[chosen].tolist(), self._starts[chosen + 1].tolist()
        arena = self._arena.data
        return [bytes(arena[begin:end]) for begin, end in zip(begins, ends, strict=True)]

    def counts(self) -> NDArray[np.int64]:
        """The count of each word, by number."""
        return self._counts[: len(self)].copy()

    def keep(self, kept: NDArray[np.int64]) -> None:
        """Keep only these words, renumbered in the order given."""
        kept_words, counts = self.words(kept.tolist()), self.counts()
        lengths = np.array([len(word) for word in kept_words], np.int64)
        arena = np.frombuffer(b"".join(kept_words), np.uint8)
        self._arena[: len(arena)] = arena
        self._starts[1 : len(kept) + 1] = np.cumsum(lengths)
        self._hashes[: len(kept)] = self._hashes[kept]
        self._counts[: len(kept)] = counts[kept]
        self._state[self._kernels.WORDS] = len(kept)
        self._state[self._kernels.ARENA] = len(arena)
        self._rebuild(len(self._table))

    def _double_words(self) -> None:
        self._hashes = _enlarged(self._hashes, 0)
        self._counts = _enlarged(self._counts, 0)
        self._starts = np.append(self._starts, np.zeros(len(self._starts) - 1, np.int64))
        self._rebuild(len(self._table) * 2)

    def _rebuild(self, size: int) -> None:
        self._table = np.zeros(size, np.uint32)
        self._kernels.rebuild_table(self._table, self._hashes, len(self))


def _enlarged(array: NDArray[ScalarT], at_least: int) -> NDArray[ScalarT]:
    """A copy of at least twice the length, zero-filled."""
    room = np.zeros(max(len(array), at_least), array.dtype)
    return np.concatenate([array, room])
