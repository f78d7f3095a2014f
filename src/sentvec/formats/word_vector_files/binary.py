"""Scan a word2vec binary for its rows without reading the vectors.

Each row is the word, a space and `dim` float32, then a line feed (word2vec itself) or none
(gensim). Words differ in length, so the rows are not a matrix; the scan jumps from word to word and
records where each row begins.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.shared.buffers import forget
from sentvec.formats.word_vector_files.recognise import Layout
from sentvec.formats.word_vector_files.words import MAX_WORD, WordList

_BLOCK_BYTES = 1 << 24


def scan_binary(
    data: NDArray[np.uint8], layout: Layout, name: str
) -> tuple[NDArray[np.int64], WordList]:
    """Where the row of each word begins, and the words; a repeated word keeps its first row.

    Raises:
        FormatError: The file is too short or too long, or a word is not valid.
    """
    row_bytes = 4 * layout.dim
    blocks: list[NDArray[np.int64]] = []
    words, position = WordList(), layout.start
    line_feed = _has_line_feed(data, layout)
    row = _row_pattern(row_bytes, line_feed=line_feed)
    fixed = 1 + row_bytes + line_feed
    block = max(_BLOCK_BYTES, 2 * (fixed + MAX_WORD))
    total = missing = layout.words or 0
    while missing:
        found = row.findall(data.data, position, min(position + block, len(data)))
        if found and not found[-1]:  # the block ends inside a row, or this is not a row
            found.pop()
        if not found and missing == 1:  # the last row may lack its line feed
            found = _last_row(data, position, row_bytes)
        found = found[:missing]
        if not found:
            raise _no_row(data, position, row_bytes, len(words), total, name)
        lengths = np.fromiter(map(len, found), np.int64, len(found))
        begins = position + np.cumsum(lengths + fixed) - fixed + 1
        words.add(found)
        missing -= len(found)
        blocks.append(begins)
        forget(data, position)
        position = int(begins[-1]) + row_bytes + line_feed
    _check_end(data, position, layout, name)
    offsets = np.concatenate(blocks)
    keep = words.drop_repeated()
    return (offsets if keep is None else offsets[keep]), words


def _row_pattern(row_bytes: int, *, line_feed: bool = False) -> re.Pattern[bytes]:
    """A row, with its word in group 1; or, where there is none, the rest of the block."""
    word = rb"([^ \n\0]{1,%d}+) .{%d}%s|.+" % (MAX_WORD, row_bytes, b"\n" * line_feed)
    return re.compile(word, re.DOTALL)


def _last_row(data: NDArray[np.uint8], position: int, row_bytes: int) -> list[bytes]:
    """The word of a row that ends with the file, if there is one."""
    rest = data[position : position + MAX_WORD + 1].tobytes()
    word, space, _ = rest.partition(b" ")
    row = data[position : position + len(word) + 1 + row_bytes]
    whole = position + len(row) == len(data)
    found = _row_pattern(row_bytes).fullmatch(row.tobytes()) if space and whole else None
    return [word] if found and found[1] else []


def _has_line_feed(data: NDArray[np.uint8], layout: Layout) -> bool:
    """Whether a line feed follows the first vector; no word begins with one."""
    head = data[layout.start : layout.start + MAX_WORD + 1].tobytes()
    end = layout.start + head.find(b" ") + 1 + 4 * layout.dim
    return b" " in head and data[end : end + 1].tobytes() == b"\n"


def _no_row(
    data: NDArray[np.uint8], position: int, row_bytes: int, row: int, words: int, name: str
) -> FormatError:
    where = f"{name}, word {row + 1:,} of {words:,} at byte {position:,}: "
    rest = data[position : position + MAX_WORD + 1].tobytes()
    word, space, _ = rest.partition(b" ")
    length = min([len(word), *(word.find(byte) for byte in (b"\n", b"\0") if byte in word)])
    if space and length == len(word) > 0 and position + length + 1 + row_bytes > len(data):
        msg = f"{where}its vector of {row_bytes:,} bytes ends after the file ({len(data):,} bytes)"
        return FormatError(msg + " - the file is truncated; copy it again")
    if not space and length == len(rest) <= MAX_WORD:
        msg = f"{where}the file ends ({len(data):,} bytes) - it is truncated; copy it again"
        return FormatError(msg)
    msg = f"{where}expected a word and a space, got {rest[:20]!r} - the file is damaged, or not "
    return FormatError(msg + "a word2vec binary; copy it again")


def _check_end(data: NDArray[np.uint8], position: int, layout: Layout, name: str) -> None:
    if position < len(data) and data[position : position + 2].tobytes() != b"\n":
        msg = f"{name}: the {layout.words:,} words of the size line end at byte {position:,}, the "
        msg += f"file at {len(data):,} - the size line does not fit; the file may be damaged"
        raise FormatError(msg)
