"""A corpus as ids on disk: counted and encoded once, mapped by every epoch and worker.

One pass over the text writes the number of each token in order of first appearance; when the
vocabulary is known, a second pass over those numbers (not the text) turns them into ids in place
and drops what is not in the vocabulary. Memory does not grow with the corpus, only with its
distinct words.

    ids        uint32 (n_tokens,)        known words (all, if asked for), sentence by sentence
    offsets    int64 (n_sentences + 1,)  sentence i is ids[offsets[i]:offsets[i + 1]]
    documents  int64 (n_documents + 1,)  document d is sentences documents[d]..documents[d + 1]

A line with at least one word is a sentence, even if none of its words is known. A line without
words ends a document, as does the end of a file.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import CorpusError, SourceChangedWarning
from sentvec.text.corpus_files import DROPPED, Ids, NumberWriter, mapped, numbers_to_ids, storing_in
from sentvec.text.sources import Source
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.unicode import decode, is_blank
from sentvec.text.vocabulary import Vocabulary, grown, order_words
from sentvec.text.wordtable import MAX_WORDS, KernelWordTable, PlainWordTable, WordTable
from sentvec.wording import counted

# Corpora up to this size are counted in plain Python.
SMALL_CORPUS_BYTES = 1 << 22
_WINDOW = 1 << 22  # sentences measured at a time


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Counts of what was read: lines, sentences and tokens; bytes are those after decompression.

    Attributes:
        bytes: Size of the text that was read.
        known_tokens: Tokens in the vocabulary.
        fingerprint: Hash of the text.
        file_bytes: Size of the sources after they were read; it differs from `bytes` where a file
            changed meanwhile. Byte-order marks do not count, as in `bytes`.
        empty_sentences: Sentences without a known word.
        single_sentences: Sentences with one known word; there is nothing to predict it from.
        rare_tokens: Unknown because the word occurs fewer than `min_count` times.
        surplus_tokens: Unknown because `max_vocab` more frequent words were kept.
        pruned_tokens: Unknown because there were too many distinct words to count at once.
    """

    bytes: int
    lines: int
    sentences: int
    documents: int
    tokens: int
    known_tokens: int
    fingerprint: str
    file_bytes: int | None = None
    empty_sentences: int = 0
    single_sentences: int = 0
    rare_tokens: int = 0
    surplus_tokens: int = 0
    pruned_tokens: int = 0


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
        return sentence_lengths(self.offsets)[0]


def sentence_lengths(offsets: NDArray[np.int64]) -> tuple[int, int, int]:
    """The length of the longest sentence, and the numbers of sentences of no and of one word."""
    return _summarize(np.diff(window) for window in _windows(offsets))[1:]


def known_lengths(ids: Ids, offsets: NDArray[np.int64], unknown: int) -> tuple[int, int, int, int]:
    """The number of known words, then as `sentence_lengths`, where `ids` has unknown ones too."""

    def lengths(window: NDArray[np.int64]) -> NDArray[np.int64]:
        is_known = ids[window[0] : window[-1]] != unknown
        before = np.concatenate([[0], np.cumsum(is_known)])
        found: NDArray[np.int64] = np.diff(before[window - window[0]])
        return found

    return _summarize(map(lengths, _windows(offsets)))


def _windows(offsets: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The offsets of some sentences at a time, with the end of the last."""
    starts = range(0, len(offsets) - 1, _WINDOW)
    return (offsets[start : start + _WINDOW + 1] for start in starts)


def _summarize(windows: Iterable[NDArray[np.int64]]) -> tuple[int, int, int, int]:
    """Sum and maximum of the lengths of sentences, and how many are 0 and 1."""
    total = longest = empty = single = 0
    for lengths in windows:
        total += int(lengths.sum())
        longest = max(longest, int(lengths.max()))
        empty += int(np.count_nonzero(lengths == 0))
        single += int(np.count_nonzero(lengths == 1))
    return total, longest, empty, single


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
    unknown: bool = False,
) -> EncodedCorpus:
    """Count the words of the sources, choose the vocabulary and write the ids into a folder.

    Args:
        sources: What to read, in order; each is read once.
        tokenizer: Cuts the text into words.
        folder: Where the files of the encoded corpus go (4 bytes a token, 8 a sentence).
        min_count: Rarer words are unknown.
        max_vocab: Maximum number of words to keep, the most frequent first; `None` keeps all.
        max_words: Maximum number of distinct words to count at once. Above it the rarer half is
            dropped with a warning: their tokens so far are unknown, and their counts start again.
        vocabulary: The vocabulary of an earlier model, to be used instead of a new one.
        grow: Add to it new words that occur at least `min_count` times, up to `max_vocab` words in
            all; the counts of both texts add up, and the old words keep their ids.
        unknown: Keep unknown words in place, all with one id, the size of the vocabulary; for
            models that read the words of a sentence in their order.

    Raises:
        CorpusError: There is no text, or fewer than two words remain, or no sentence has two known
            words.
        StorageError: The ids cannot be written to the folder.
    """
    with NumberWriter(folder, max_words) as writer:
        blocks = _hashed_blocks(sources, writer)
        head, small = _read_head(blocks)
        if not any(not is_blank(block) for block in head) and small:
            names = ", ".join(source.name for source in sources[:3])
            msg = f"the corpus is empty: {names} contains no words - expected one sentence a line"
            raise CorpusError(msg)
        table: WordTable = PlainWordTable() if small else KernelWordTable()
        for block in chain(head, blocks):
            if block:
                writer.add(table, tokenizer.tokenize_block(block))
            else:
                writer.finish_source(table)
    lut = np.full(len(table) + 1, DROPPED, np.uint32)
    if vocabulary is None:
        kept, words = order_words(table, min_count=min_count, max_vocab=max_vocab)
        _check_vocabulary(table, kept, min_count)
        vocabulary = Vocabulary([decode(word) for word in words], table.counts()[kept])
        lut[kept] = np.arange(len(kept), dtype=np.uint32)
        grow = True
    else:
        if grow:
            vocabulary = grown(vocabulary, table, min_count=min_count, max_vocab=max_vocab)
        for number, word in enumerate(table.words()):
            lut[number] = vocabulary.ids.get(decode(word), DROPPED)
    unknown_tokens = _count_unknown(table, lut, writer.tokens, min_count if grow else 0)
    with storing_in(folder):
        if unknown:
            lut[lut == DROPPED] = len(vocabulary)
        stored = numbers_to_ids(writer, lut)
        ids = mapped(writer.ids_path, np.uint32, stored)
        offsets = mapped(writer.offsets_path, np.int64, writer.sentences + 1)
        if unknown:
            known, longest, empty, single = known_lengths(ids, offsets, len(vocabulary))
        else:
            known, (longest, empty, single) = stored, sentence_lengths(offsets)
        stats = CorpusStats(
            bytes=writer.bytes, lines=writer.lines, sentences=writer.sentences,
            documents=writer.documents, tokens=writer.tokens, known_tokens=known,
            fingerprint=writer.hash.hexdigest(), file_bytes=writer.file_bytes,
            empty_sentences=empty, single_sentences=single,
            **unknown_tokens,
        )  # fmt: skip
        corpus = EncodedCorpus(
            ids=ids,
            offsets=offsets,
            documents=mapped(writer.documents_path, np.int64, writer.documents + 1),
            vocabulary=vocabulary,
            stats=stats,
        )
    _check_sentences(stats, longest)
    return corpus


def _count_unknown(table: WordTable, lut: Ids, tokens: int, min_count: int) -> dict[str, int]:
    """Unknown tokens by cause; `min_count` is 0 where a given vocabulary does not grow."""
    counts = table.counts()
    left_out = counts[lut[:-1] == DROPPED]
    rare = int(left_out[left_out < min_count].sum())
    return {
        "rare_tokens": rare,
        "surplus_tokens": int(left_out.sum()) - rare if min_count else 0,
        "pruned_tokens": tokens - int(counts.sum()),
    }


def _hashed_blocks(sources: list[Source], writer: NumberWriter) -> Iterator[bytes]:
    """The blocks of all sources; an empty block follows the last of each source."""
    for source in sources:
        read = 0
        for block in source.blocks():
            writer.hash.update(block)
            read += len(block)
            yield block
        held = source.held()
        writer.bytes += read
        writer.file_bytes += read if held is None else held
        if held not in (None, read):
            warnings.warn(
                f"{source.name} changed while it was read: got {counted(read, 'byte')}, it has "
                f"{held:,} now - train again when it is complete",
                SourceChangedWarning,
                stacklevel=2,
            )
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


def _check_vocabulary(table: WordTable, kept: list[int], min_count: int) -> None:
    if len(kept) > 1:
        return
    if not len(table):
        msg = "the corpus is empty: no line contains a word - expected one sentence a line"
        raise CorpusError(msg)
    counts = table.counts()
    most_frequent = int(counts.argmax())
    word = decode(table.words([most_frequent])[0])
    if not kept:
        msg = (
            f"no word occurs min_count={min_count} times: the most frequent, {word!r}, occurs "
            f"{counted(counts[most_frequent], 'time')} - lower min_count or use more text"
        )
    else:
        msg = (
            f"the vocabulary has one word, {word!r} - expected at least two; "
            "lower min_count, raise max_vocab or use more text"
        )
    raise CorpusError(msg)


def _check_sentences(stats: CorpusStats, longest: int) -> None:
    if longest >= 2:
        return
    msg = (
        f"no sentence has two known words ({counted(stats.sentences, 'sentence')}, "
        f"{counted(stats.known_tokens, 'known word')}) - expected one sentence a line; "
        "lower min_count or join lines"
    )
    raise CorpusError(msg)
