"""SentenceEncoder: a trained model, by Sent2Vec or another program that averages rows of a matrix.

Here are the rows of a text, their mean, and explaining; what all stored models do with their parts
is in `stored`, what every encoder does with texts in `encoder`, training in the modules of the
models. Nothing here needs numba, and encoding touches only the rows it needs of a mapped
matrix.
"""

from __future__ import annotations

import os
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sentvec.machine import available_memory
from sentvec.models.base.checks import check_rows, check_tokenizer
from sentvec.models.base.encoder import Vectors
from sentvec.models.base.explain import feature_names, shares
from sentvec.models.base.inputs import as_texts
from sentvec.models.base.means import mean_rows
from sentvec.models.base.packing import write_model
from sentvec.models.base.results import Feature
from sentvec.models.base.stored import StoredEncoder, unsupported
from sentvec.storage.folder import ModelFolder
from sentvec.storage.rows import Rows, rows_of, to_array
from sentvec.text.ngrams import feature_lists
from sentvec.text.tokenizer import Tokenizer

# N texts at once have words from all over a matrix.
_MANY_TEXTS = 2048


class SentenceEncoder(StoredEncoder):
    """A trained model: text in, float32 vectors out, each the mean of rows of one matrix.

    The rows are those of the words and n-grams of a text that the model knows (Sent2Vec paper,
    eq. 2).

    Made by training (`Sent2Vec.train`) or by `sentvec.load`, not by hand.

    Attributes:
        tokenizer: Cuts text into words, as in training; another may be set, and is saved.
        tensors: The matrices of the model by name, read-only and mapped where it was loaded.
        config: What is known of the model: kind, settings, sizes, corpus, training ...
    """

    # Tensors other than the matrices, which stay when words are removed.
    EXTRA_TENSORS: ClassVar[tuple[str, ...]] = ()
    # Whether word n-grams have rows, found by hashing the ids of their words.
    HASHES_IDS: ClassVar[bool] = False
    # Whether the character n-grams of words have rows.
    HASHES_CHARACTERS: ClassVar[bool] = False

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        settings = self.config.settings
        self._ngrams, self._buckets = settings.ngrams or 1, self.config.sizes.buckets or 0
        # The word with which programs of Sent2Vec end a sentence.
        self._sentence_end = settings.sentence_end

    @classmethod
    def _checked_folder(cls, opened: ModelFolder) -> Tokenizer:
        check_rows(opened, hashed=cls.HASHES_IDS)
        return check_tokenizer(opened)

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return self.rows.shape[1]

    @cached_property
    def rows(self) -> Rows:
        """The source vectors however they are stored: words in id order, then n-gram buckets."""
        config = self.config
        return rows_of(self.tensors, dim=config.sizes.dim, quantiser=config.settings.quantiser)

    @property
    def input_vectors(self) -> NDArray[Any]:
        """The source vectors as one matrix, float32 or float16 (rows, dim), read-only.

        Mapped where it is stored like that; a packed matrix (int8, product quantisation) is
        unpacked whole, at every call.
        """
        self.advise_access(everywhere=True)
        dense = self.tensors.get("input_vectors")
        if dense is not None and dense.dtype in (np.float32, np.float16):
            return dense
        return to_array(self.rows)

    def explain(self, text: str) -> list[Feature]:
        """Take a text's vector apart: its words and n-grams with their shares, largest first.

        An empty list for a text without a known word, whose vector is zero.
        """
        [text] = as_texts([text])
        ids = self._known_ids(text)
        rows, _ = self._features([ids])
        words = [self.vocabulary.words[number] for number in ids]
        return shares(rows, feature_names(words, self._ngrams), self.rows.take)

    def word_vector(self, word: str) -> Vectors:
        """The source vector of a word: float32 (dim,), a copy.

        Raises:
            UnknownWordError: The word is not in the vocabulary; near words are named.
        """
        vectors = self.rows.take(np.array([self.vocabulary.id_of(word)]))
        return vectors.reshape(self.dim)

    def word_vectors(self, ids: NDArray[np.int64]) -> Vectors:
        """What `word_vector` gives for the words of these ids: float32 (n, dim)."""
        return self.rows.take(ids)

    def __repr__(self) -> str:
        size = f"{self._n_words} words, {self._buckets} buckets, dim {self.dim}"
        return f"<{type(self).__name__}: {size}>"

    @cached_property
    def _fits_memory(self) -> bool:
        size, free = self.rows.shape[0] * self.dim * 4, available_memory()
        return free is None or size < free / 2

    def _encode(
        self, texts: list[str], threads: int, **options: Any
    ) -> tuple[Vectors, NDArray[np.int64]]:
        self.advise_access(everywhere=len(texts) >= _MANY_TEXTS and self._fits_memory)
        return super()._encode(texts, threads, **options)

    def _encode_batch(self, texts: list[str], **options: Any) -> tuple[Vectors, NDArray[np.int64]]:
        ids = [self._known_ids(text) for text in texts]
        vectors = mean_rows(self.rows, *self._features(ids))
        return vectors, np.fromiter(map(len, ids), np.int64, len(ids))

    def _tokens(self, text: str) -> list[str]:
        """The words of a text, up to the end of its first sentence where a word marks that."""
        words = self.tokenizer.tokenize(text)
        if self._sentence_end is not None and self._sentence_end in words:
            return words[: words.index(self._sentence_end)]
        return words

    def _known_ids(self, text: str) -> list[int]:
        """The ids of the known words of a text; the others are dropped."""
        get = self.vocabulary.ids.get
        return [number for word in self._tokens(text) if (number := get(word)) is not None]

    def count_rows(self, words: list[str]) -> int:
        """How many rows of the matrix a sentence of these known words has."""
        return len(self._features([[self.vocabulary.ids[word] for word in words]])[0])

    def _features(self, ids: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The feature rows of sentences of ids, and where each sentence begins."""
        offsets = np.zeros(len(ids) + 1, np.int64)
        np.cumsum([len(sentence) for sentence in ids], out=offsets[1:])
        flat = np.fromiter(chain.from_iterable(ids), np.uint32, offsets[-1])
        return feature_lists(
            flat, offsets, n_words=self._n_words, ngrams=self._ngrams, buckets=self._buckets,
            hash_ids=self.tensors.get("hash_ids"),
        )  # fmt: skip

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model folder; an older model there is replaced, anything else is refused.

        Raises:
            StorageError: The folder cannot be written; what stood there is unchanged.
        """
        write_model(self, folder)


def averaging(model: StoredEncoder, name: str, what: str) -> SentenceEncoder:
    """The model itself, if it is one that averages word vectors.

    Args:
        model: Of any kind.
        name: How the user knows it, for the message.
        what: What is wanted of it and other kinds do not have.

    Raises:
        SettingsError: It is of a kind that works otherwise.
    """
    if isinstance(model, SentenceEncoder):
        return model
    raise unsupported(model, what, name)
