"""Write word vectors as word2vec does, text or binary, for gensim and other programs.

Text has the shortest decimals that read back as the same float32. Words are bytes; a word with a
separator could not be told apart from its numbers and is refused. Not here: n-gram rows, for which
these files have no place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import StorageError
from sentvec.formats.shared.replacing import replacing
from sentvec.formats.word_vector_files.words import MAX_WORD
from sentvec.text.unicode import SEPARATORS
from sentvec.wording import counted


def write_word2vec(
    path: Path,
    words: Iterable[bytes],
    blocks: Iterable[NDArray[np.float32]],
    *,
    n: int,
    dim: int,
    binary: bool,
) -> None:
    """Write `n` words with their rows of `dim` numbers; `blocks` are the rows in order, piecewise.

    Raises:
        StorageError: A word cannot be written in this format, a number is not finite, or writing
            failed.
        ValueError: There are not `n` words, or not `n` rows of `dim` numbers.
    """
    lines = _binary_rows if binary else _text_rows
    written = 0
    names = iter(words)
    with replacing(path) as file:
        file.write(b"%d %d\n" % (n, dim))
        for block in blocks:
            if block.ndim != 2 or block.shape[1] != dim:
                msg = f"rows of shape {block.shape}, expected (..., {dim})"
                raise ValueError(msg)
            part = [check_word(word, path) for word in islice(names, len(block))]
            if len(part) != len(block):
                msg = f"{counted(written + len(part), 'word')}, and more rows - expected "
                raise ValueError(msg + "a word for each row")
            if not np.isfinite(block).all():
                bad = part[int(np.flatnonzero(~np.isfinite(block).all(axis=1))[0])]
                msg = f"the vector of {bad!r} is not finite, so {path} is not written"
                raise StorageError(msg + " - the model has diverged or is damaged")
            file.writelines(lines(part, block))
            written += len(part)
        if written != n or next(names, None) is not None:
            more = "more" if written == n else "as many or more"
            msg = f"{counted(written, 'row')}, and {more} words - expected {n:,} of each"
            raise ValueError(msg)


def check_word(word: bytes, path: Path) -> bytes:
    """The word, if a file of words and vectors can hold it.

    Raises:
        StorageError: It is empty, too long, or contains a separator.
    """
    if not word or len(word) > MAX_WORD or any(byte in word for byte in SEPARATORS):
        fault = "is empty" if not word else "contains a space or another separator"
        if len(word) > MAX_WORD:
            fault = f"has {len(word):,} bytes, more than {MAX_WORD:,}"
        msg = f"the word {word[:40]!r} {fault}, so {path} cannot hold it - drop the word, or save "
        raise StorageError(msg + "as a sentvec folder")
    return word


def _binary_rows(words: list[bytes], block: NDArray[np.float32]) -> Iterator[bytes]:
    data = np.ascontiguousarray(block, "<f4").tobytes()
    size = len(data) // max(len(words), 1)
    for index, word in enumerate(words):
        yield b"%s %s\n" % (word, data[index * size : (index + 1) * size])


def _text_rows(words: list[bytes], block: NDArray[np.float32]) -> Iterator[bytes]:
    # NumPy writes the shortest decimal that reads back as the same float32.
    for word, row in zip(words, block.astype(np.float32).astype("S"), strict=True):
        yield b"%s %s\n" % (word, b" ".join(row.tolist()))
