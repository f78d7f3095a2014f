"""The files of an encoded corpus while it is written: word numbers first, then ids in their place.

Words are numbered by first appearance (`wordtable`); their ids are known when all are counted.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import PrunedVocabularyWarning, StorageError
from sentvec.text.wordtable import WordTable
from sentvec.wording import counted

DROPPED = np.uint32(0xFFFFFFFF)
_WINDOW = 1 << 22  # numbers converted at a time in the second pass

Ids: TypeAlias = NDArray[np.uint32]


@contextmanager
def storing_in(folder: Path) -> Iterator[None]:
    """Turn an error of the disk into one that names the folder."""
    try:
        yield
    except OSError as error:
        msg = f"cannot write the encoded corpus to {folder}: {error.strerror or error} - it needs "
        raise StorageError(
            msg + "4 bytes a word and 8 a sentence; make room, or choose another disk"
        ) from error


class NumberWriter:
    """The first pass: numbers and sentence offsets go to files, unknown words included."""

    def __init__(self, folder: Path, max_words: int) -> None:
        self.ids_path = folder / "ids.bin"
        self.offsets_path = folder / "offsets.bin"
        self.hash = hashlib.blake2b(digest_size=16)
        self.documents_path = folder / "documents.bin"
        self.bytes = self.file_bytes = self.lines = self.sentences = self.tokens = (
            self.documents
        ) = 0
        self._document_end = 0
        self._folder = folder
        self._max_words = max_words
        self._ids: BinaryIO
        self._offsets: BinaryIO
        self._documents: BinaryIO
        self._files: ExitStack
        self._unfinished = False

    def __enter__(self) -> NumberWriter:
        with storing_in(self._folder), ExitStack() as files:
            self._ids = files.enter_context(self.ids_path.open("w+b"))
            self._offsets = files.enter_context(self.offsets_path.open("w+b"))
            self._documents = files.enter_context(self.documents_path.open("w+b"))
            for file in (self._offsets, self._documents):
                file.write(np.zeros(1, np.int64).tobytes())
            self._files = files.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        with storing_in(self._folder):
            self._files.close()

    def add(self, table: WordTable, block: bytes) -> None:
        """Count a tokenised block."""
        numbers, ends = table.add(block)
        self._unfinished = not block.endswith(b"\n")
        with storing_in(self._folder):
            self._write(numbers, ends)
            if len(table) > self._max_words:
                self._prune(table)

    def finish_source(self, table: WordTable) -> None:
        """End the last line, where it has no LF, and the document."""
        if self._unfinished:
            self.add(table, b"\n")
        with storing_in(self._folder):
            self._end_document(self.sentences)

    def _write(self, numbers: Ids, ends: NDArray[np.int64]) -> None:
        blank = ends < 0
        # A document ends at a blank line: after the sentences that end before it in this block.
        before = self.sentences + np.cumsum(~blank)[blank]
        for sentence in np.unique(before).tolist():
            self._end_document(sentence)
        self._ids.write(numbers.tobytes())
        self._offsets.write((ends[~blank] + self.tokens).tobytes())
        self.tokens += len(numbers)
        self.lines += len(ends)
        self.sentences += int(len(ends) - blank.sum())

    def _end_document(self, sentence: int) -> None:
        if sentence > self._document_end:
            self._documents.write(np.int64(sentence).tobytes())
            self._document_end = sentence
            self.documents += 1

    def _prune(self, table: WordTable) -> None:
        """Drop the rarer half of the words, in the files too."""
        counts = table.counts()
        threshold = int(np.median(counts))
        kept = np.flatnonzero(counts > threshold)
        warnings.warn(
            f"more than {counted(self._max_words, 'distinct word')}: the "
            f"{len(counts) - len(kept):,} seen at most {counted(threshold, 'time')} so far count "
            "as unknown",
            PrunedVocabularyWarning,
            stacklevel=2,
        )
        self._ids.flush()
        lut = np.full(len(counts) + 1, DROPPED, np.uint32)
        lut[kept] = np.arange(len(kept), dtype=np.uint32)
        written = np.memmap(self.ids_path, np.uint32, "r+", shape=(self.tokens,))
        for start in range(0, self.tokens, _WINDOW):
            window = written[start : start + _WINDOW]
            window[:] = lut[np.minimum(window, len(counts))]
        table.keep(kept)


def numbers_to_ids(writer: NumberWriter, lut: Ids) -> int:
    """The second pass, in place; returns the number of known tokens.

    `lut` has the id of each word number, and one more entry for what pruning dropped.
    """
    numbers = np.memmap(writer.ids_path, np.uint32, "r+", shape=(writer.tokens,))
    offsets = np.memmap(writer.offsets_path, np.int64, "r+", shape=(writer.sentences + 1,))
    known = first = 0
    for start in range(0, writer.tokens, _WINDOW):
        ids = lut[np.minimum(numbers[start : start + _WINDOW], len(lut) - 1)]
        keep = ids != DROPPED
        known_before = np.concatenate([[known], known + np.cumsum(keep)])
        # The sentences that end in this window.
        stop = start + len(ids)
        last = int(np.searchsorted(offsets, stop, "right"))
        offsets[first:last] = known_before[offsets[first:last] - start]
        first = last
        numbers[known : known + int(keep.sum())] = ids[keep]
        known += int(keep.sum())
    return known


def mapped(path: Path, dtype: type[np.generic], size: int) -> NDArray[Any]:
    """Cut a file to its first `size` numbers and map it, read-only."""
    with path.open("r+b") as file:
        file.truncate(size * np.dtype(dtype).itemsize)
    return np.memmap(path, dtype, "r", shape=(size,)) if size else np.zeros(0, dtype)
