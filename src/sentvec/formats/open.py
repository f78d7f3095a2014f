"""Open a model file of another program; which one it is of is told from its content alone."""

from __future__ import annotations

from pathlib import Path

from sentvec.formats.fasttext_files.header import HEAD, looks_like_fasttext
from sentvec.formats.fasttext_files.reader import open_fasttext
from sentvec.formats.shared.buffers import opened
from sentvec.formats.shared.foreign import ForeignModel
from sentvec.formats.word_vector_files.reader import open_word_vectors


def open_foreign(path: Path) -> ForeignModel:
    """Open a binary of Sent2Vec or fastText, or a file of word vectors, gzipped or not.

    Raises:
        SourceError: There is nothing at the path, or it may not be read.
        FormatError: It is of no known layout, truncated or damaged; the message says where.
        StorageError: A gzip file does not fit the disk for temporary files.
    """
    data = opened(path)
    if looks_like_fasttext(data[:HEAD]):
        return open_fasttext(path, data)
    return open_word_vectors(path, data)
