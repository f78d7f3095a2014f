"""Open a file of word vectors: word2vec binary or text, GloVe text, fastText `.vec`, also gzipped.

Binaries are used in place; text is parsed into a float32 matrix. A repeated word has its first
vector. Counts are zero: these files have none, and separate lists of counts are not read.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.shared.buffers import is_gzip, opened
from sentvec.formats.shared.foreign import ForeignModel
from sentvec.formats.word_vector_files.binary import scan_binary
from sentvec.formats.word_vector_files.recognise import Layout, check_sizes, not_a_model, recognise
from sentvec.formats.word_vector_files.text import read_text
from sentvec.formats.word_vector_files.words import WordList


def open_word_vectors(path: Path, content: mmap.mmap | bytes | None = None) -> ForeignModel:
    """Open a file of word vectors, whatever its name.

    The tensors of a binary are `data` (uint8, the mapped file) and `row_offsets` (int64, where each
    row begins); those of a text are `input_vectors` (float32).

    Args:
        path: The file, gzipped or not.
        content: Its bytes, where it was opened before.

    Raises:
        SourceError: There is nothing at the path, or it may not be read.
        FormatError: It has no word vectors, or is damaged; the message says where.
        StorageError: A gzip file does not fit on the disk for temporary files.
    """
    data = np.frombuffer(opened(path) if content is None else content, np.uint8)
    layout = recognise(data)
    if layout is None:
        raise not_a_model(path, data)
    check_sizes(layout, data, str(path))
    tensors, words, form = _read(data, layout, str(path))
    return ForeignModel(
        path=path,
        layout=form + ", gzip" * is_gzip(path),
        kind="word-vectors",
        settings={"model": "word-vectors", "dim": layout.dim},
        sizes={"vocabulary": len(words), "buckets": 0, "dim": layout.dim},
        tensors=tensors,
        vocabulary=words.vocabulary,
    )


def _read(
    data: NDArray[np.uint8], layout: Layout, name: str
) -> tuple[dict[str, NDArray[Any]], WordList, str]:
    """The tensors, the words, and the name of the layout."""
    if layout.form != "text":
        try:
            offsets, words = scan_binary(data, layout, name)
        except FormatError:
            if layout.form == "binary":
                raise
        else:
            return {"data": data, "row_offsets": offsets}, words, "word2vec binary"
    vectors, words = read_text(data, layout, name)
    if layout.words is None:
        form = "word vectors as text without size line (GloVe)"
    elif _first_line(data, layout).endswith(b" "):
        form = "word vectors as text with size line (fastText .vec)"
    else:
        form = "word vectors as text with size line (word2vec)"
    return {"input_vectors": vectors}, words, form


def _first_line(data: NDArray[np.uint8], layout: Layout) -> bytes:
    return data[layout.start : layout.start + (1 << 20)].tobytes().partition(b"\n")[0]
