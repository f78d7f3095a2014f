"""A corpus as ids on disk: counted and encoded once, mapped by every epoch and worker.

One pass over the text writes the number of each token in order of first appearance; when the
vocabulary is known, a second pass over those numbers (not the text) turns them into ids in place
and drops what is not in the vocabulary. Memory does not grow with the corpus, only with its
distinct words.

    ids        uint32 (n_tokens,)        known words only, sentences one after the other
    offsets    int64 (n_sentences + 1,)  sentence i is ids[offsets[i]:offsets[i + 1]]
    documents  int64 (n_documents + 1,)  document d is sentences documents[d]..documents[d + 1]

A line with at least one word is a sentence, even if none of its words is known. A line without
words ends a document, as does the end of a file.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import CorpusError, PrunedVocabularyWarning, StorageError
from sentvec.text.sources import Source
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.unicode import decode, is_blank
from sentvec.text.vocabulary import Vocabulary, grown, order_words
from sentvec.text.wordtable import MAX_WORDS, KernelWordTable, PlainWordTable, WordTable

# Corpora up to this size are counted in plain Python.
SMALL_CORPUS_BYTES = 1 << 22
DROPPED = np.uint32(0xFFFFFFFF)
_WINDOW = 1 << 22  # numbers handled at a time in the second pass

Ids: TypeAlias = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """What was read. Counts of lines, sentences and tokens; bytes after decompression."""

    bytes: int
    lines: int
    sentences: int
    documents: int
    tokens: int
    known_tokens: int
    fingerprint: str

    @property
    def unknown_tokens(self) -> int:
        """Tokens that are not in the vocabulary."""
        return self.tokens - self.known_tokens


@dataclass(frozen=True, slots=True)
class EncodedCorpus:
    """Ids, sentence offsets and document offsets (see the module), all memory-mapped."""

    ids: Ids
    offsets: NDArray[np.int64]
    documents: NDArray[np.int64]
    vocabulary: Vocabulary
    stats: CorpusStats

    def longest_sentence(self) -> int:
        """Known words of the longest sentence."""
        n = self.stats.sentences
        parts = (self.offsets[start : start + _WINDOW + 1] for start in range(0, n, _WINDOW))
        return max((int(np.diff(part).max()) for part in parts), default=0)


def encode_corpus(
    sources: list[Source],
    tokenizer: Tokenizer,
    folder: Path,
    *,
    min_count: int = 5,
    max_vocab: int | None = None,
    max_words: int = MAX_WORDS,
    vocabulary: Vocabulary | None = None,
    grow: bool = False,
) -> EncodedCorpus:
    """Count the words of the sources, choose the vocabulary and write the ids into a folder.

    Args:
        sources: What to read, in order; each is read once.
        tokenizer: Cuts the text into words.
        folder: Where the files of the encoded corpus go (4 bytes a token, 8 a sentence).
        min_count: Words seen less often are unknown.
        max_vocab: At most so many words are kept; `None` for all.
        max_words: Distinct words counted at once. Above it the rarest half is dropped with a
            warning; what they stood for so far is unknown, and their counts start again.
        vocabulary: Use this one, of an earlier model.
        grow: Add to it the words it lacks, above `min_count` and up to `max_vocab` in all; the
            counts of both texts add up, and the old words keep their ids.

    Raises:
        CorpusError: No text, fewer than two words left, or no sentence of two known words.
        StorageError: The folder's disk does not take the ids.
    """
    with _NumberWriter(folder, max_words) as writer:
        blocks = _hashed_blocks(sources, writer)
        head, small = _read_head(blocks)
        if not any(not is_blank(block) for block in head) and small:
            names = ", ".join(source.name for source in sources[:3])
            msg = f"the corpus is empty: {names} holds no word - expected one sentence a line"
            raise CorpusError(msg)
        table: WordTable = PlainWordTable() if small else KernelWordTable()
        for block in chain(head, blocks):
            if block:
                writer.add(table, tokenizer.tokenize_block(block))
            else:
                writer.finish_source(table)
    counts = table.counts()
    lut = np.full(len(counts) + 1, DROPPED, np.uint32)
    if vocabulary is None:
        kept, words = order_words(table, min_count=min_count, max_vocab=max_vocab)
        _check_vocabulary(table, kept, min_count)
        vocabulary = Vocabulary([decode(word) for word in words], counts[kept])
        lut[kept] = np.arange(len(kept), dtype=np.uint32)
    else:
        if grow:
            vocabulary = grown(vocabulary, table, min_count=min_count, max_vocab=max_vocab)
        for number, word in enumerate(table.words()):
            lut[number] = vocabulary.ids.get(decode(word), DROPPED)
    with storing_in(folder):
        known = _numbers_to_ids(writer, lut)
        corpus = EncodedCorpus(
            ids=_mapped(writer.ids_path, np.uint32, known),
            offsets=_mapped(writer.offsets_path, np.int64, writer.sentences + 1),
            documents=_mapped(writer.documents_path, np.int64, writer.documents + 1),
            vocabulary=vocabulary,
            stats=writer.stats(known),
        )
    _check_sentences(corpus)
    return corpus


def _hashed_blocks(sources: list[Source], writer: _NumberWriter) -> Iterator[bytes]:
    """The blocks of all sources; an empty block stands after the last of each source."""
    for source in sources:
        for block in source.blocks():
            writer.hash.update(block)
            writer.bytes += len(block)
            yield block
        yield b""


def _read_head(blocks: Iterator[bytes]) -> tuple[list[bytes], bool]:
    """The first blocks, and whether they are the whole corpus."""
    head: list[bytes] = []
    size = 0
    for block in blocks:
        head.append(block)
        size += len(block)
        if size > SMALL_CORPUS_BYTES:
            return head, False
    return head, True


@contextmanager
def storing_in(folder: Path) -> Iterator[None]:
    """Name the folder where its disk does not take what is written."""
    try:
        yield
    except OSError as error:
        msg = f"cannot keep the encoded corpus in {folder}: {error.strerror or error} - it needs "
        raise StorageError(msg + "4 bytes a word and 8 a sentence; choose another disk") from error


class _NumberWriter:
    """The first pass: numbers and sentence offsets go to files, unknown words included."""

    def __init__(self, folder: Path, max_words: int) -> None:
        self.ids_path = folder / "ids.bin"
        self.offsets_path = folder / "offsets.bin"
        self.hash = hashlib.blake2b(digest_size=16)
        self.documents_path = folder / "documents.bin"
        self.bytes = self.lines = self.sentences = self.tokens = self.documents = 0
        self._document_end = 0
        self._folder = folder
        self._max_words = max_words
        self._ids: BinaryIO
        self._offsets: BinaryIO
        self._documents: BinaryIO
        self._files: ExitStack
        self._unfinished = False

    def __enter__(self) -> _NumberWriter:
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

    def stats(self, known: int) -> CorpusStats:
        """The totals."""
        return CorpusStats(
            bytes=self.bytes,
            lines=self.lines,
            sentences=self.sentences,
            documents=self.documents,
            tokens=self.tokens,
            known_tokens=known,
            fingerprint=self.hash.hexdigest(),
        )

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
        """Drop the rarer half of the words, and what they stood for in what is written so far."""
        counts = table.counts()
        threshold = int(np.median(counts))
        kept = np.flatnonzero(counts > threshold)
        warnings.warn(
            f"more than {self._max_words:,} distinct words: the {len(counts) - len(kept):,} seen "
            f"{threshold} times or less so far count as unknown",
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


def _numbers_to_ids(writer: _NumberWriter, lut: Ids) -> int:
    """The second pass, in place; returns the number of known tokens.

    `lut` has the id of each word number, and one entry more for what was dropped by pruning.
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


def _mapped(path: Path, dtype: type[np.generic], size: int) -> NDArray[Any]:
    with path.open("r+b") as file:
        file.truncate(size * np.dtype(dtype).itemsize)
    return np.memmap(path, dtype, "r", shape=(size,)) if size else np.zeros(0, dtype)


def _check_vocabulary(table: WordTable, kept: list[int], min_count: int) -> None:
    if len(kept) > 1:
        return
    if not len(table):
        msg = "the corpus is empty: no line holds a word - expected one sentence a line"
        raise CorpusError(msg)
    counts = table.counts()
    commonest = int(counts.argmax())
    word = decode(table.words([commonest])[0])
    if not kept:
        msg = (
            f"no word is seen min_count={min_count} times: the commonest, {word!r}, is seen "
            f"{counts[commonest]} times - lower min_count or use more text"
        )
    else:
        msg = (
            f"the vocabulary has one word, {word!r} - expected at least two; "
            "lower min_count, raise max_vocab or use more text"
        )
    raise CorpusError(msg)


def _check_sentences(corpus: EncodedCorpus) -> None:
    if corpus.longest_sentence() >= 2:
        return
    msg = (
        f"no sentence has two known words ({corpus.stats.sentences} sentences, "
        f"{corpus.stats.known_tokens} known words) - expected one sentence a line; "
        "lower min_count or join lines"
    )
    raise CorpusError(msg)
