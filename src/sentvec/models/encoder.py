"""SentenceEncoder: a trained model, by Sent2Vec or another program that averages rows of a matrix.

A model is a vocabulary, a tokenizer, and a matrix whose rows are averaged. Here are its parts,
explaining, saving and pickling; what every encoder does with texts is in `base`, training in the
modules of the models. Nothing here needs numba, and encoding touches only the rows it needs of a
mapped matrix.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.features import feature_lists
from sentvec.models.averaging import mean_rows
from sentvec.models.base import TextEncoder, Vectors
from sentvec.models.explain import feature_names, shares
from sentvec.models.inputs import as_texts
from sentvec.models.opened import check_opened
from sentvec.models.results import Feature
from sentvec.models.unknown import warn_about_case
from sentvec.rows import Rows, everything, expect_reads, rows_of
from sentvec.storage.folder import ModelFolder
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary
from sentvec.training.memory import available

# What ends a sentence for programs of Sent2Vec and fastText, as a line end or a word of the text.
SENTENCE_END = "</s>"

# So many texts at once have words from all over a matrix.
_MANY_TEXTS = 2048


class SentenceEncoder(TextEncoder):
    """A trained model: text in, float32 vectors out.

    Made by training (`Sent2Vec.train`) or by `sentvec.load`, not by hand.

    Attributes:
        tokenizer: Cuts text into words, as in training; another may be set, and is saved.
        tensors: The matrices of the model by name, read-only and mapped where it was loaded.
        config: What is known of the model: settings, corpus, sizes.
    """

    # Tensors other than the matrices, which stay when words are removed.
    EXTRA_TENSORS: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        vocabulary: Callable[[], Vocabulary],
        tokenizer: Tokenizer,
        tensors: dict[str, NDArray[Any]],
        config: dict[str, Any],
        origin: Path | None = None,
    ) -> None:
        self._read_vocabulary = vocabulary
        self._tokenizer = tokenizer
        self.tensors = tensors
        self.config = config
        self._origin = origin
        self._case_was_told = False
        self._reads_everywhere = True  # as the system takes it without being told
        self._ngrams = int(config["settings"]["ngrams"])
        # The word with which programs of Sent2Vec end a sentence.
        self._sentence_end = config["settings"].get("sentence_end")
        self._buckets = int(config["sizes"]["buckets"])

    @classmethod
    def from_folder(cls, opened: ModelFolder) -> SentenceEncoder:
        """Make the model of a folder that was opened; nothing is read yet."""
        return cls(
            vocabulary=opened.vocabulary,
            tokenizer=check_opened(opened),
            tensors=opened.tensors,
            config=opened.config,
            origin=opened.path.absolute(),
        )

    @property
    def tokenizer(self) -> Tokenizer:
        """What cuts text into words."""
        return self._tokenizer

    @tokenizer.setter
    def tokenizer(self, chosen: Tokenizer) -> None:
        # The configuration is what is saved, printed and compared.
        settings = {**self.config["settings"], "tokenizer": chosen.name}
        self.config = {**self.config, "settings": settings, "tokenizer": chosen.to_config()}
        self._tokenizer = chosen

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return self.rows.shape[1]

    @cached_property
    def rows(self) -> Rows:
        """The source vectors however they are stored: words in id order, then n-gram buckets."""
        return rows_of(self.tensors, self.config["settings"])

    @property
    def input_vectors(self) -> NDArray[Any]:
        """The source vectors as one matrix, float32 or float16 (rows, dim), read-only.

        Mapped where it is stored like that; a packed matrix (int8, product quantisation) is
        unpacked whole, at every call.
        """
        self.expect_reads(everywhere=True)
        dense = self.tensors.get("input_vectors")
        if dense is not None and dense.dtype in (np.float32, np.float16):
            return dense
        return everything(self.rows)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Read-only mapping from word to count, in id order; read from disk when first used."""
        return self._read_vocabulary()

    @property
    def _n_words(self) -> int:
        return int(self.config["sizes"]["vocabulary"])

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

    def __repr__(self) -> str:
        size = f"{self._n_words} words, {self._buckets} buckets, dim {self.dim}"
        return f"<{type(self).__name__}: {size}>"

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: a mapped model travels as its path, not as its gigabytes."""
        if self._origin is not None:
            return {"origin": str(self._origin), "config": self.config, "tokenizer": self.tokenizer}
        return {"vocabulary": self.vocabulary, "tokenizer": self.tokenizer,
                "tensors": self.tensors, "config": self.config}  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "origin" in state:
            from sentvec.models.load import load  # which knows all kinds of models

            opened = load(state["origin"], tokenizer=state["tokenizer"])
            if opened.config != state["config"]:
                msg = f"{state['origin']} is not the model that was pickled - it was replaced since"
                raise FormatError(msg)
            self.__dict__.update(opened.__dict__)
        else:
            vocabulary = state["vocabulary"]
            for tensor in state["tensors"].values():
                tensor.flags.writeable = False
            type(self).__init__(self, **{**state, "vocabulary": lambda: vocabulary})

    def expect_reads(self, *, everywhere: bool) -> None:
        """Tell the system how the matrices will be read; only what changes is told."""
        if everywhere != self._reads_everywhere:
            expect_reads(self.tensors, everywhere=everywhere)
            self._reads_everywhere = everywhere

    @cached_property
    def _fits_memory(self) -> bool:
        size, free = self.rows.shape[0] * self.dim * 4, available()
        return free is None or size < free / 2

    def _encode(self, texts: list[str], threads: int) -> tuple[Vectors, NDArray[np.int64]]:
        self.expect_reads(everywhere=len(texts) >= _MANY_TEXTS and self._fits_memory)
        _ = self.vocabulary  # read before there are threads, each of which would read it
        return super()._encode(texts, threads)

    def _encode_batch(self, texts: list[str]) -> tuple[Vectors, NDArray[np.int64]]:
        ids = [self._known_ids(text) for text in texts]
        vectors = mean_rows(self.rows, *self._features(ids))
        return vectors, np.fromiter(map(len, ids), np.int64, len(ids))

    def _look_at(self, texts: list[str]) -> None:
        if not self._case_was_told:
            self._case_was_told = warn_about_case(self.tokenizer, self.vocabulary, texts)

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
        from sentvec.models.convert import convert  # which knows this class

        convert(self, folder)
