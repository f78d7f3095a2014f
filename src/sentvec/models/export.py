"""Write a model as a file of another program: Sent2Vec's binary, or word2vec's word vectors.

The bytes of the formats are in `formats`; here is what of a model goes into them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import SettingsError
from sentvec.formats.fasttext_files.write_sent2vec import write_sent2vec
from sentvec.formats.word_vector_files.write_word2vec import write_word2vec
from sentvec.models.base.averaging import SentenceEncoder, averaging
from sentvec.models.base.packing import first_ids, kept_words
from sentvec.models.base.stored import StoredEncoder
from sentvec.storage.rows import DenseRows, iter_blocks
from sentvec.text.unicode import encode

_BLOCK = 1 << 14


def to_word2vec(
    model: StoredEncoder,
    path: str | os.PathLike[str],
    *,
    words: Iterable[str] | None = None,
    max_vocab: int | None = None,
    binary: bool = True,
) -> None:
    """Write the vectors of words as word2vec does, for gensim and others; n-grams stay behind.

    A word of a fastText model goes with its character n-grams, as in fastText's own `.vec`.

    Args:
        model: Of any kind that has word vectors.
        path: The file; an older one is replaced.
        words: These words only.
        max_vocab: The first N words.
        binary: Raw float32, or text with the shortest decimals that read back the same.

    Raises:
        SettingsError: The model has no word vectors of its own.
        StorageError: The file cannot be written, or holds a word that the format cannot.
    """
    model = averaging(model, "the model", "word vectors of its own")
    ids = kept_words(model, words, max_vocab)
    names = [model.vocabulary.words[number] for number in ids.tolist()]
    model.advise_access(everywhere=True)
    write_word2vec(
        Path(path), map(encode, names), _vectors(model, names),
        n=len(ids), dim=model.dim, binary=binary,
    )  # fmt: skip


def to_sent2vec(
    model: StoredEncoder,
    path: str | os.PathLike[str],
    *,
    max_vocab: int | None = None,
    targets: bool = True,
) -> None:
    """Write a binary of Sent2Vec (v11), which the released program reads.

    Args:
        model: A Sent2Vec model.
        path: The file; an older one is replaced.
        max_vocab: Keep the first N words.
        targets: Keep the target vectors; without them, the file has zeros in their place.

    Raises:
        SettingsError: The model is of another kind, or lost words in a way the format cannot tell.
        StorageError: The file cannot be written.
    """
    model = averaging(model, "the model", "vectors of words and n-grams")
    if not model.HASHES_IDS:
        msg = f"a model of kind {model.config.kind!r} has no place in a Sent2Vec binary"
        raise SettingsError(msg + " - convert it to a folder, or to word2vec")
    if "hash_ids" in model.tensors:
        msg = "the model lost words and keeps other ids for its n-grams than for its words, which "
        msg += "a Sent2Vec binary cannot hold - start from the model it was made from, with "
        raise SettingsError(msg + "max_vocab")
    # The first ones, equal or odd words among them: ids are places, and n-grams hang on them.
    ids = first_ids(model, max_vocab)
    n_words, buckets = len(model.vocabulary), model.config.sizes.buckets or 0
    rows = np.concatenate([ids, np.arange(n_words, n_words + buckets)])
    outputs = model.tensors.get("output_vectors") if targets else None
    settings = {**model.config.settings.stored, "buckets": buckets}
    if not buckets:  # a header may name lengths of n-grams that no row is for
        settings |= {"min_n": 0, "max_n": 0}
    model.advise_access(everywhere=True)
    write_sent2vec(
        Path(path),
        words=[encode(model.vocabulary.words[number]) for number in ids.tolist()],
        counts=model.vocabulary.counts[ids],
        settings=settings,
        input_blocks=iter_blocks(model.rows, rows),
        input_rows=len(rows),
        output_blocks=None if outputs is None else iter_blocks(DenseRows(outputs), ids),
    )


def _vectors(model: SentenceEncoder, words: list[str]) -> Iterator[NDArray[np.float32]]:
    for start in range(0, len(words), _BLOCK):
        yield np.stack([model.word_vector(word) for word in words[start : start + _BLOCK]])
