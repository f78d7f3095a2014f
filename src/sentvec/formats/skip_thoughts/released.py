"""Open the released Skip-Thought models: a folder of arrays and a list of words.

    uni_skip.npz, utable.npy    one encoder, and its word vectors
    bi_skip.npz, btable.npy     one encoder for each direction, and their word vectors
    dictionary.txt              the words of both tables, one a line, UTF-8

A folder may have one model or both. Their options (`*.npz.pkl`) are never opened, and no pickle
inside the files is run.

A word is a whole line without its line end. The released program strips all white space and takes
the last of equal words. Its own list has each word once, so a repeated word, a blank line, and
bytes that are not UTF-8 are errors here: after a line too many, all rows would belong to the wrong
words.

Not here: the layout of the parameters (`layout`), and the encoder that uses them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError, SourceError
from sentvec.formats.arrays.numpy_files import Archive, open_array
from sentvec.formats.shared.buffers import opened
from sentvec.formats.skip_thoughts.layout import Arrays, has_decoders, read_decoders, read_encoders

END_OF_SENTENCE, UNKNOWN = "<eos>", "UNK"
_DICTIONARY = "dictionary.txt"
_FILES = {"uni": ("uni_skip.npz", "utable.npy"), "bi": ("bi_skip.npz", "btable.npy")}
_SHOWN = 60  # characters of a word


@dataclass(frozen=True, slots=True)
class ReleasedPart:
    """One of the two models.

    Attributes:
        name: "uni" or "bi".
        word_vectors: float32 (words, w), read-only; mapped, at any alignment, where the file has
            float32.
        arrays: float32 under our names: for a state of d numbers `encoder.input` (3d, w),
            `encoder.recurrent` (3d, d) and `encoder.bias` (3d,), their rows in the order reset,
            update, candidate; of "bi" also `encoder_reverse.`. Where the file has the decoders also
            `next.` and `previous.`, `output.weight` (trained words, k) and `output.bias` (trained
            words,), k being the length of a sentence vector: d, or 2d of "bi".
        trained_words: The number of words that the decoders predict; None without decoders. They
            are those of the training, in an order that no released file lists.
    """

    name: str
    word_vectors: NDArray[np.float32]
    arrays: Arrays
    trained_words: int | None


@dataclass(frozen=True, slots=True)
class ReleasedSkipThoughts:
    """The models of a folder.

    Attributes:
        parts: "uni" and "bi", in this order, or the only one.
        words: The words of the rows of every `word_vectors`, each once, among them `<eos>` and
            `UNK`.
    """

    parts: list[ReleasedPart]
    words: list[str]


def is_released(folder: Path) -> bool:
    """Whether a folder holds a released model, by the names of its files."""
    return any(os.path.isfile(folder / parameters) for parameters, _ in _FILES.values())


def open_released(folder: Path) -> ReleasedSkipThoughts:
    """Open the released models of a folder: all numbers are read once and must be finite.

    Raises:
        SourceError: A file is missing, or may not be read.
        FormatError: A file is damaged, holds something other than arrays, or does not fit the
            others; the message names the file, the array, what was expected and what it is.
        StorageError: A gzip file does not fit on the disk for temporary files.
    """
    names = [name for name in _FILES if any(_there(folder, name))]
    if not names:
        known = " or ".join(" with ".join(files) for files in _FILES.values())
        msg = f"{folder} holds no released Skip-Thought model - expected {known}, and {_DICTIONARY}"
        raise SourceError(msg)
    for name in names:
        _check_whole(folder, name)
    words = _read_words(folder / _DICTIONARY)
    return ReleasedSkipThoughts([_open_part(folder, name, len(words)) for name in names], words)


def _there(folder: Path, name: str) -> list[bool]:
    """Whether each of the two files of a model exists; in an unreadable folder, neither does."""
    return [os.path.isfile(folder / file) for file in _FILES[name]]


def _check_whole(folder: Path, name: str) -> None:
    """Check that both files of a model exist."""
    there = _there(folder, name)
    if not all(there):
        present, absent = _FILES[name] if there[0] else reversed(_FILES[name])
        msg = f"{folder} has {present}, but no {absent} - expected both or neither; copy {absent} "
        raise SourceError(msg + f"there, or remove {present}")


def _open_part(folder: Path, name: str, n_words: int) -> ReleasedPart:
    parameters, table = (folder / file for file in _FILES[name])
    vectors = open_array(table)
    if vectors.ndim == 3 and vectors.shape[1] == 1:  # rows that were one-row matrices
        vectors = vectors.reshape(len(vectors), -1)
    if vectors.ndim != 2 or len(vectors) != n_words:
        msg = f"{table}: expected the shape ({n_words}, any), a row for each of the words of "
        msg += f"{_DICTIONARY}, got {vectors.shape} - "
        raise FormatError(
            msg + "one of the two files is damaged, or from another model; copy both again"
        )
    width = vectors.shape[1]
    vectors.flags.writeable = False
    with Archive(parameters) as archive:
        arrays = read_encoders(archive, name, width)
        trained_words = None
        if has_decoders(archive):
            dim = sum(len(array) for key, array in arrays.items() if key.endswith(".bias")) // 3
            arrays |= read_decoders(archive, width, dim)
            trained_words = len(arrays["output.bias"])
    return ReleasedPart(name, vectors, arrays, trained_words)


def _read_words(path: Path) -> list[str]:
    """The words, in the order of the lines."""
    data = bytes(opened(path))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"the bytes {data[error.start : error.end]!r}"
        raise _wrong_line(path, line, found, "UTF-8") from error
    # A word may hold what `splitlines` takes for a line end.
    words = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    lines: dict[str, int] = {}
    for number, word in enumerate(words, 1):
        if not word or "\t" in word:
            raise _wrong_line(path, number, repr(word[:_SHOWN]), "a word without a TAB")
        first = lines.setdefault(word, number)
        if first != number:
            found = f"{word[:_SHOWN]!r}, as on line {first:,}"
            raise _wrong_line(path, number, found, "a word that no earlier line has")
    for special in (END_OF_SENTENCE, UNKNOWN):
        if special not in lines:
            msg = f"{path} has no line {special!r} - expected the words "
            raise FormatError(msg + "of a released Skip-Thought model; copy it again")
    return words


def _wrong_line(path: Path, line: int, found: str, expected: str) -> FormatError:
    msg = f"{path}, line {line:,}: got {found}, expected {expected} - the file was changed, or "
    return FormatError(msg + "is another one; copy it again")
