"""SentenceEncoder: what every model can do once it is trained or loaded.

A model is a vocabulary, a tokenizer, and a matrix whose rows are averaged. Here are encoding,
similarity, neighbours and explaining; training is in the modules of the models. Nothing here needs
numba, and encoding touches only the rows it needs of a mapped matrix.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, cast, overload

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import (
    EmptyTextError,
    EmptyTextWarning,
    FormatError,
    InputTypeError,
    SettingsError,
)
from sentvec.features import feature_lists
from sentvec.models.card import model_card
from sentvec.models.explain import feature_names, shares
from sentvec.models.inputs import are_vectors, as_texts, as_vectors, stream_texts
from sentvec.models.opened import check_opened
from sentvec.models.results import Feature, Hit
from sentvec.models.similarity import cosine_matrix, cosine_pairs, nearest, normalized
from sentvec.storage.folder import ModelFolder, open_folder, write_folder
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary

Vectors = NDArray[np.float32]
Texts = Iterable[str]
Side = str | Texts | Vectors | Sequence[Vectors]
OnEmpty = Literal["zero", "nan", "raise"]

_BATCH = 2048


class SentenceEncoder:
    """A trained model: text in, float32 vectors out.

    Made by training (`Sent2Vec.train`) or by `sentvec.load`, not by hand.

    Attributes:
        tokenizer: Cuts text into words, as in training.
        input_vectors: float32 or float16 (rows, dim), read-only: words in id order, then
            n-gram buckets.
        config: What is known of the model: settings, corpus, sizes.
    """

    def __init__(
        self,
        *,
        vocabulary: Callable[[], Vocabulary],
        tokenizer: Tokenizer,
        tensors: dict[str, NDArray[Any]],
        config: dict[str, Any],
        folder: Path | None = None,
    ) -> None:
        self._read_vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.tensors = tensors
        self.config = config
        self._folder = folder
        self._ngrams = int(config["settings"]["ngrams"])
        self._buckets = int(config["sizes"]["buckets"])

    @classmethod
    def from_folder(cls, opened: ModelFolder) -> SentenceEncoder:
        """Make the model of a folder that was opened; nothing is read yet."""
        return cls(
            vocabulary=opened.vocabulary,
            tokenizer=check_opened(opened),
            tensors=opened.tensors,
            config=opened.config,
            folder=opened.path.absolute(),
        )

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(self.input_vectors.shape[1])

    @property
    def input_vectors(self) -> Vectors:
        """float32 or float16 (rows, dim): words in id order, then n-gram buckets."""
        return self.tensors["input_vectors"]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Read-only mapping from word to count, in id order; read from disk when first used."""
        return self._read_vocabulary()

    @property
    def _n_words(self) -> int:
        return int(self.config["sizes"]["vocabulary"])

    # The overloads say: a str gives (dim,), anything else (n, dim).
    @overload
    def encode(
        self, texts: str | Texts, *, normalize: bool = ..., on_empty: OnEmpty = ...,
        threads: int = ..., return_known: Literal[False] = ...,
    ) -> Vectors: ...  # fmt: skip
    @overload
    def encode(  # type: ignore[overload-overlap]
        self, texts: str, *, normalize: bool = ..., on_empty: OnEmpty = ...,
        threads: int = ..., return_known: Literal[True],
    ) -> tuple[Vectors, int]: ...  # fmt: skip
    @overload
    def encode(
        self, texts: Texts, *, normalize: bool = ..., on_empty: OnEmpty = ...,
        threads: int = ..., return_known: Literal[True],
    ) -> tuple[Vectors, NDArray[np.int64]]: ...  # fmt: skip
    def encode(
        self,
        texts: str | Texts,
        *,
        normalize: bool = False,
        on_empty: OnEmpty = "zero",
        threads: int = 1,
        return_known: bool = False,
    ) -> Any:
        """Turn text into vectors: the mean of the rows of its features (paper, eq. 2).

        Args:
            texts: One text, or any ordered iterable of texts (a generator is fine). A line break
                inside a text is white space.
            normalize: Scale each vector to length 1.
            on_empty: What a text without a known word becomes: a row of zeros (`zero`, with an
                `EmptyTextWarning`), of NaN (`nan`), or an `EmptyTextError` (`raise`).
            threads: Threads for the arithmetic; cutting text into words takes one.
            return_known: Also return how many known tokens each row was made from.

        Returns:
            float32 (dim,) for a str, (n, dim) otherwise; with `return_known` a tuple of that and an
            int, or int64 (n,).

        Raises:
            InputTypeError: `texts` is bytes, None, a set, or holds something that is no str.
            EmptyTextError: A text has no known word and `on_empty` is `raise`.
        """
        if on_empty not in ("zero", "nan", "raise"):
            msg = f"on_empty is {on_empty!r} - expected 'zero', 'nan' or 'raise'"
            raise SettingsError(msg)
        if not isinstance(threads, int) or threads < 1:
            msg = f"threads is {threads!r} - expected a whole number from 1"
            raise SettingsError(msg)
        single = isinstance(texts, str)
        batch = [texts] if isinstance(texts, str) else as_texts(texts)
        vectors, known = self._encode(batch, threads)
        if normalize:
            vectors = normalized(vectors)
        self._handle_empty(vectors, known, on_empty)
        if single:
            return (vectors[0], int(known[0])) if return_known else vectors[0]
        return (vectors, known) if return_known else vectors

    def similarity(self, a: Side, b: Side) -> Vectors:
        """Cosine of each text (or vector) of a with each of b: float32 (n_a, n_b).

        A str counts as a list of one; vectors are an array, or a list of arrays of (dim,). The
        cosine with a text without a known word is 0.
        """
        return cosine_matrix(self._vectors_of(a), self._vectors_of(b))

    def similarity_pairwise(self, a: Side, b: Side) -> Vectors:
        """Cosine of text (or vector) i of a with i of b: float32 (n,).

        Raises:
            SettingsError: a and b are not equally many.
        """
        left, right = self._vectors_of(a), self._vectors_of(b)
        if len(left) != len(right):
            msg = f"similarity_pairwise got {len(left)} and {len(right)} texts - expected as many"
            raise SettingsError(msg)
        return cosine_pairs(left, right)

    @overload
    def neighbors(  # type: ignore[overload-overlap]
        self, query: str, sentences: Texts, k: int = ...
    ) -> list[Hit]: ...
    @overload
    def neighbors(self, query: Texts, sentences: Texts, k: int = ...) -> list[list[Hit]]: ...
    def neighbors(self, query: str | Texts, sentences: Texts, k: int = 5) -> Any:
        """Find the k sentences of highest cosine for a query, best first.

        Args:
            query: One text, or several.
            sentences: Where to search; may be a stream, which is read once, in blocks.
            k: How many to find; fewer come back where there are fewer.

        Returns:
            A list of `Hit`; for several queries a list of such lists. Sentences without a known
            word are never found, and a query without one finds nothing.
        """
        if not isinstance(k, int) or k < 1:
            msg = f"k is {k!r} - expected a whole number from 1"
            raise SettingsError(msg)
        if isinstance(sentences, str):
            msg = (
                "sentences is a str - expected an iterable of str (a str is not searched by letter)"
            )
            raise InputTypeError(msg)
        queries = [query] if isinstance(query, str) else as_texts(query)
        hits = nearest(self._quiet(queries), stream_texts(sentences), self._quiet, k)
        return hits[0] if isinstance(query, str) else hits

    def explain(self, text: str) -> list[Feature]:
        """Take a text's vector apart: its words and n-grams with their shares, largest first.

        An empty list for a text without a known word, whose vector is zero.
        """
        [text] = as_texts([text])
        ids = self._known_ids(text)
        rows, _ = self._features([ids])
        words = [self.vocabulary.words[number] for number in ids]
        return shares(rows, feature_names(words, self._ngrams), self.input_vectors)

    def word_vector(self, word: str) -> Vectors:
        """The source vector of a word: float32 (dim,), a copy.

        Raises:
            UnknownWordError: The word is not in the vocabulary; near words are named.
        """
        return np.array(self.input_vectors[self.vocabulary.id_of(word)], np.float32)

    def __repr__(self) -> str:
        size = f"{self._n_words} words, {self._buckets} buckets, dim {self.dim}"
        return f"<{type(self).__name__}: {size}>"

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: a mapped model travels as its path, not as its gigabytes."""
        if self._folder is not None:
            return {"folder": str(self._folder), "config": self.config}
        return {"vocabulary": self.vocabulary, "tokenizer": self.tokenizer,
                "tensors": self.tensors, "config": self.config}  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "folder" in state:
            opened = open_folder(state["folder"])
            if opened.config != state["config"]:
                msg = f"{opened.path} is not the model that was pickled - it was replaced since"
                raise FormatError(msg)
            self.__dict__.update(type(self).from_folder(opened).__dict__)
        else:
            vocabulary = state["vocabulary"]
            for tensor in state["tensors"].values():
                tensor.flags.writeable = False
            type(self).__init__(self, **{**state, "vocabulary": lambda: vocabulary})

    def _encode(self, texts: list[str], threads: int) -> tuple[Vectors, NDArray[np.int64]]:
        vectors = np.zeros((len(texts), self.dim), np.float32)
        known = np.zeros(len(texts), np.int64)
        starts = range(0, len(texts), _BATCH)

        def work(start: int) -> None:
            part = slice(start, start + _BATCH)
            vectors[part], known[part] = self._encode_batch(texts[part])

        if threads == 1 or len(starts) < 2:
            for start in starts:
                work(start)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, starts))
        return vectors, known

    def _encode_batch(self, texts: list[str]) -> tuple[Vectors, NDArray[np.int64]]:
        from scipy.sparse import csr_matrix

        ids = [self._known_ids(text) for text in texts]
        rows, offsets = self._features(ids)
        matrix = self.input_vectors
        if matrix.dtype != np.float32:  # unpack the rows in question, not the whole matrix
            distinct, rows = np.unique(rows, return_inverse=True)
            matrix = matrix[distinct].astype(np.float32)
        sums = csr_matrix(
            (np.ones(len(rows), np.float32), rows, offsets), (len(texts), len(matrix))
        )
        counts = np.maximum(np.diff(offsets), 1).astype(np.float32)
        vectors: Vectors = (sums @ matrix) * (np.float32(1) / counts)[:, None]
        return vectors, np.fromiter(map(len, ids), np.int64, len(ids))

    def _known_ids(self, text: str) -> list[int]:
        """The ids of the known words of a text; the others are dropped."""
        get = self.vocabulary.ids.get
        return [
            number for word in self.tokenizer.tokenize(text) if (number := get(word)) is not None
        ]

    def _features(self, ids: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The feature rows of sentences of ids, and where each sentence begins."""
        offsets = np.zeros(len(ids) + 1, np.int64)
        np.cumsum([len(sentence) for sentence in ids], out=offsets[1:])
        flat = np.fromiter(chain.from_iterable(ids), np.uint32, offsets[-1])
        return feature_lists(
            flat, offsets, n_words=self._n_words, ngrams=self._ngrams, buckets=self._buckets
        )

    def _handle_empty(self, vectors: Vectors, known: NDArray[np.int64], on_empty: OnEmpty) -> None:
        empty = np.flatnonzero(known == 0)
        if not len(empty):
            return
        what = f"{len(empty)} of {len(known)} texts have no known word (the first: {empty[0]})"
        if on_empty == "raise":
            raise EmptyTextError(what + " - remove them, or choose on_empty='zero' or 'nan'")
        if on_empty == "nan":
            vectors[empty] = np.nan
        else:
            warnings.warn(what + "; their rows are zero", EmptyTextWarning, stacklevel=3)

    def _quiet(self, texts: list[str]) -> Vectors:
        return self._encode(texts, 1)[0]

    def _vectors_of(self, side: Side) -> Vectors:
        if isinstance(side, str):
            return self._quiet([side])
        if are_vectors(side):
            return as_vectors(cast(Vectors, side), self.dim)
        return self._quiet(as_texts(side))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model folder; an older model there is replaced, anything else is refused.

        Raises:
            StorageError: The folder cannot be written; what stood there is unchanged.
        """
        card = model_card(Path(folder).name, self.config)
        write_folder(folder, self.config, self.vocabulary, self.tensors, card)
