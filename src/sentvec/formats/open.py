"""Open a model file of another program; which one it is of is told from its content alone."""

from __future__ import annotations

from pathlib import Path

from sentvec.formats.buffers import opened_bytes
from sentvec.formats.fasttext import open_fasttext
from sentvec.formats.fasttext_header import looks_like_fasttext
from sentvec.formats.foreign import ForeignModel
from sentvec.formats.word_vectors import open_word_vectors

_HEAD_BYTES = 64


def open_foreign(path: Path) -> ForeignModel:
    """Open a binary of Sent2Vec or fastText, or a file of word vectors.

    Raises:
        SourceError: There is nothing at the path, or it may not be read.
        FormatError: It is of no known layout, truncated or damaged; the message says where.
    """
    data = opened_bytes(path)
    if looks_like_fasttext(data[:_HEAD_BYTES].tobytes()):
        return open_fasttext(path)
    return open_word_vectors(path, data)
