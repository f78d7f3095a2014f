"""Word vectors as text: a word and its numbers on each line.

Lines end at LF or CRLF. Fields are separated by spaces and TABs; those at the end of a line are
ignored, and so are empty lines. The last `dim` fields are the numbers, and the fields before them
are the word, which may contain spaces, as in GloVe. An excess number would thus become part of the
word; so a word of several fields whose last is a number is an error.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.shared.buffers import forget
from sentvec.formats.word_vector_files.decimals import (
    NOT_FINITE,
    NUMBER,
    is_finite_number,
    parse_numbers,
)
from sentvec.formats.word_vector_files.recognise import Layout
from sentvec.formats.word_vector_files.words import MAX_WORD, WordList
from sentvec.wording import counted

_BLOCK_BYTES = 1 << 22
_MAX_NUMBER = 64  # bytes of a line for each number, with its space


class _LineError(Exception):
    """A line that is not a word and its vector; the message says why."""


def read_text(
    data: NDArray[np.uint8], layout: Layout, name: str
) -> tuple[NDArray[np.float32], WordList]:
    """The vectors and the words; a repeated word keeps its first row.

    Raises:
        FormatError: A line is not a word with its vector, or their number is not that of the size
            line.
    """
    words, blocks = WordList(), []
    number = 1 if layout.words is None else 2  # of the first line of a block
    for block in _blocks(data, layout, name):
        lines = _without_carriage_returns(block).split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        rows = _parse(lines, layout.dim)
        if rows is None:
            raise _first_fault(lines, number, layout.dim, name)
        words.add(rows[0])
        blocks.append(rows[1])
        number += len(lines)
        if layout.words is not None and len(words) > layout.words:
            break
    if layout.words is not None and len(words) != layout.words:
        found = f"{len(words):,}" if len(words) < layout.words else "more"
        msg = f"{name}: the size line says {layout.words:,} words, the file has {found} - it is "
        raise FormatError(msg + "truncated or damaged, or the size line is wrong; copy it again")
    keep = words.drop_repeated()
    matrix = _stacked(blocks, layout.dim)
    return (matrix if keep is None else matrix[keep]), words


def _blocks(data: NDArray[np.uint8], layout: Layout, name: str) -> Iterator[bytes]:
    """The file in blocks of whole lines."""
    size = max(_BLOCK_BYTES, MAX_WORD + _MAX_NUMBER * layout.dim)
    position = layout.start
    while position < len(data):
        block = data[position : position + size].tobytes()
        if position + size < len(data):
            end = block.rfind(b"\n") + 1
            if not end:
                msg = f"{name}: the line at byte {position:,} has more than {size:,} bytes - "
                raise FormatError(msg + f"expected a word and {layout.dim:,} numbers")
            block = block[:end]
        yield block
        position += len(block)
        forget(data, position)


def _without_carriage_returns(block: bytes) -> bytes:
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").removesuffix(b"\r")
    return block.replace(b"\t", b" ") if b"\t" in block else block


def _parse(lines: list[bytes], dim: int) -> tuple[list[bytes], NDArray[np.float32]] | None:
    """The words and vectors of lines; None if one of them is wrong."""
    words, vectors = [], []
    spaces = dim - 1
    for line in lines:
        word, _, numbers = line.partition(b" ")
        if not word or numbers.count(b" ") != spaces or numbers.endswith(b" "):
            try:
                parts = _split(line, dim)
            except _LineError:
                return None
            if parts is None:
                continue
            word, numbers = parts
        words.append(word)
        vectors.append(numbers)
    if not words:
        return [], np.zeros((0, dim), np.float32)
    values = parse_numbers(b" ".join(vectors), len(words) * dim)
    if values is None or max(map(len, words)) > MAX_WORD or any(b"\0" in w for w in words):
        return None
    return words, values.reshape(-1, dim)


def _split(line: bytes, dim: int) -> tuple[bytes, bytes] | None:
    """The word and the numbers of an irregular line; None for an empty line."""
    fields = list(filter(None, line.split(b" ")))
    if not fields:
        return None
    found = len(fields) - (not line.startswith(b" "))
    if line.startswith(b" ") and found >= dim and all(map(_is_number, fields)):
        msg = f"no word before the {counted(found, 'number')}"
        raise _LineError(msg)
    if len(fields) <= dim:
        msg = f"{counted(len(fields) - 1, 'field')} after the word {_shown(fields[0])}, expected "
        raise _LineError(msg + counted(dim, "number"))
    if len(fields) > dim + 1 and _is_number(fields[-dim - 1]):
        extra = sum(map(_is_number, fields[1:]))
        msg = f"{counted(extra, 'number')} after the word {_shown(fields[0])}, expected {dim:,}"
        raise _LineError(msg)
    numbers = b" ".join(fields[-dim:])
    if len(fields) == dim + 1:
        return fields[0], numbers
    # Spaces inside the word stay as they are.
    rest = line
    for field in reversed(fields[-dim:]):
        rest = rest[: rest.rindex(field)]
    return rest.strip(b" "), numbers


def _is_number(field: bytes) -> bool:
    return bool(NUMBER.fullmatch(field) or NOT_FINITE.fullmatch(field))


def _first_fault(lines: list[bytes], first: int, dim: int, name: str) -> FormatError:
    """The error for the first wrong line; the lines are read again one by one."""
    for number, line in enumerate(lines, first):
        try:
            _check_line(line, dim)
        except _LineError as error:
            msg = f"{name}, line {number:,}: {error} - the file is damaged, or not word vectors"
            return FormatError(msg)
    msg = f"{name}, lines {first:,} to {first + len(lines) - 1:,} cannot be read as word vectors"
    return FormatError(msg + f" of {dim:,} numbers - the file is damaged; copy it again")


def _check_line(line: bytes, dim: int) -> None:
    parts = _split(line, dim)
    if parts is None:
        return
    word, numbers = parts
    if len(word) > MAX_WORD or b"\0" in word:
        msg = f"expected a word, got {counted(len(word), 'byte')} that begin with {_shown(word)}"
        raise _LineError(msg)
    if parse_numbers(numbers, dim) is not None:
        return
    for index, field in enumerate(numbers.split(b" "), 1):
        if not is_finite_number(field):
            kind = "finite in float32" if _is_number(field) else "a number"
            msg = f"field {index:,} after the word {_shown(word)} is {_shown(field)}, expected "
            raise _LineError(f"{msg}{'a number ' if kind[0] == 'f' else ''}{kind}")


def _shown(text: bytes) -> str:
    return repr(text[:40].decode("utf-8", "backslashreplace"))


def _stacked(blocks: list[NDArray[np.float32]], dim: int) -> NDArray[np.float32]:
    """Concatenate the blocks; each is freed as soon as it is copied."""
    matrix = np.empty((sum(map(len, blocks)), dim), np.float32)
    end = len(matrix)
    while blocks:
        block = blocks.pop()
        matrix[end - len(block) : end] = block
        end -= len(block)
    return matrix
