"""Open a model file of another program; its format is detected from the content alone."""

from __future__ import annotations

from pathlib import Path

from sentvec.formats.fasttext_files.header import HEAD, looks_like_fasttext
from sentvec.formats.fasttext_files.reader import open_fasttext
from sentvec.formats.shared.buffers import opened
from sentvec.formats.shared.foreign import ForeignModel
from sentvec.formats.word_vector_files.reader import open_word_vectors


def open_foreign(path: Path) -> ForeignModel:
    """Open a Sent2Vec or fastText binary or a file of word vectors, gzipped or not.

    Raises:
        SourceError: There is nothing at the path, or it may not be read.
        FormatError: Its layout is unknown, or it is truncated or damaged; the message says where.
        StorageError: A gzip file does not fit on the disk for temporary files.
    """
    data = opened(path)
    if looks_like_fasttext(data[:HEAD]):
        return open_fasttext(path, data)
    return open_word_vectors(path, data)
