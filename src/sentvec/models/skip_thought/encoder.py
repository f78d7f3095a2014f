"""The encoder of Skip-Thought models: one GRU or several whose vectors are concatenated.

Which tensors a part has is in `parts`, how they become vectors in `networks.inference`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray

from sentvec.models.base.card import model_card
from sentvec.models.base.checks import check_tokenizer
from sentvec.models.base.encoder import OnEmpty, Texts, Vectors
from sentvec.models.base.similarity import normalized
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.skip_thought.parts import Part, check_parts_of, parts_of
from sentvec.networks import require_torch
from sentvec.networks.shape import END, FIRST_WORD, UNKNOWN
from sentvec.storage.folder import ModelFolder, write_folder
from sentvec.storage.lazy import LazyMatrix, LazyRows
from sentvec.storage.records import Encoding
from sentvec.storage.rows import DenseRows, MovedRows, Rows
from sentvec.text.tokenizer import Tokenizer

# Where tables are in another order than ours, as those of other programs: int64, a row's place.
WORD_ROWS = "word_rows"


class SkipThoughtEncoder(StoredEncoder):
    """What encodes; `SkipThought` adds training and generating."""

    KIND = "skip-thought"

    @classmethod
    def _checked_folder(cls, opened: ModelFolder) -> Tokenizer:
        tokenizer = check_tokenizer(opened)
        check_parts_of(opened)
        return tokenizer

    def without_targets(self) -> Self:
        """The same model without decoders and output layer: it encodes, and cannot generate."""
        parts = [replace(part, decoders=False) for part in self.parts]
        rows = len(self.vocabulary) + FIRST_WORD
        kept = [name for part in parts for name in part.tensors(rows)]
        vocabulary, tensors = self.vocabulary, self.ordered_tensors()
        return type(self)(
            vocabulary=lambda: vocabulary, tokenizer=self.tokenizer,
            tensors={name: tensors[name] for name in kept},
            config=self.config.with_values(parts=tuple(part.to_config() for part in parts)),
        )  # fmt: skip

    @property
    def parts(self) -> list[Part]:
        """The encoders whose vectors are concatenated: one, or those of `combine`."""
        return parts_of(self.config)

    @overload
    def encode(
        self, texts: str | Texts, *, normalize: bool = ..., on_empty: OnEmpty = ...,
        threads: int = ..., return_known: Literal[False] = ..., end_token: bool | None = ...,
        normalize_parts: bool | None = ...,
    ) -> Vectors: ...  # fmt: skip
    @overload
    def encode(  # type: ignore[overload-overlap]
        self, texts: str, *, normalize: bool = ..., on_empty: OnEmpty = ...,
        threads: int = ..., return_known: Literal[True], end_token: bool | None = ...,
        normalize_parts: bool | None = ...,
    ) -> tuple[Vectors, int]: ...  # fmt: skip
    @overload
    def encode(
        self, texts: Texts, *, normalize: bool = ..., on_empty: OnEmpty = ...,
        threads: int = ..., return_known: Literal[True], end_token: bool | None = ...,
        normalize_parts: bool | None = ...,
    ) -> tuple[Vectors, NDArray[np.int64]]: ...  # fmt: skip
    def encode(
        self,
        texts: str | Texts,
        *,
        normalize: bool = False,
        on_empty: OnEmpty = "zero",
        threads: int = 1,
        return_known: bool = False,
        end_token: bool | None = None,
        normalize_parts: bool | None = None,
    ) -> Any:
        """Turn text into vectors: the state of the encoder after the last word.

        Unknown words are read as one word that represents all of them. A text's vector does not
        depend on the texts beside it, but for the rounding of sums.

        Args:
            texts: One text, or any ordered iterable of texts (a generator is fine). A line break
                inside a text is white space.
            normalize: Scale each vector to length 1.
            on_empty: What a text without a known word becomes: a row of zeros (`zero`, with an
                `EmptyTextWarning`), of NaN (`nan`), or an `EmptyTextError` (`raise`).
            threads: Threads for the arithmetic.
            return_known: Also return how many known tokens each row was made from.
            end_token: Read the end of the sentence after its words, as in training. By default as
                the model says: yes for one trained here, no for the released files, whose program
                does not.
            normalize_parts: Scale the vector of each part (of a combined model) to length 1; by
                default as the model says.

        Returns:
            float32 (dim,) for a str, (n, dim) otherwise; with `return_known` a tuple of that and an
            int, or int64 (n,).

        Raises:
            MissingExtraError: torch is not installed.
            InputTypeError: `texts` is bytes, None, a set, or holds something that is no str.
            EmptyTextError: A text has no known word and `on_empty` is `raise`.
        """
        return self._encode_checked(
            texts, normalize=normalize, on_empty=on_empty, threads=threads,
            return_known=return_known, end_token=end_token, normalize_parts=normalize_parts,
        )  # fmt: skip

    def _encode(
        self, texts: list[str], threads: int, **options: Any
    ) -> tuple[Vectors, NDArray[np.int64]]:
        require_torch()
        from sentvec.networks.inference import using_threads

        with using_threads(threads):  # they share the work on a batch, not the batches
            return super()._encode(texts, 1, **options)

    def _encode_batch(
        self,
        texts: list[str],
        end_token: bool | None = None,
        normalize_parts: bool | None = None,
        **_: Any,
    ) -> tuple[Vectors, NDArray[np.int64]]:
        defaults = self.config.encoding or Encoding.of()
        ended = defaults.end_token if end_token is None else end_token
        scaled = defaults.normalize_parts if normalize_parts is None else normalize_parts
        rows = [self._rows_of(text) for text in texts]
        known = np.array([np.count_nonzero(row != UNKNOWN) for row in rows], np.int64)
        vectors = np.zeros((len(texts), self.dim), np.float32)
        there = np.flatnonzero(known)
        if len(there):
            end = np.full(int(ended), END)
            read = [np.concatenate([rows[i], end]) for i in there]
            lengths = np.array([len(row) for row in read])
            flat = np.concatenate(read)
            parts = [encoder.vectors(flat, lengths) for encoder in self._encoders]
            vectors[there] = np.hstack([normalized(part) for part in parts] if scaled else parts)
        return vectors, known

    def _rows_of(self, text: str) -> NDArray[np.int64]:
        """The rows of the word vectors for the words of a text."""
        get = self.vocabulary.ids.get
        rows = [get(word, UNKNOWN - FIRST_WORD) for word in self.tokenizer.tokenize(text)]
        return np.array(rows, np.int64) + FIRST_WORD

    @cached_property
    def _encoders(self) -> list[Any]:
        from sentvec.networks.inference import Encoder

        found = []
        for part in self.parts:
            arrays = {name: self.tensors[part.prefix + name]
                      for name in part.shape.encoder_tensors()}  # fmt: skip
            found.append(Encoder(part.shape, arrays, self.table_of(part).take))
        return found

    @cached_property
    def decoders(self) -> dict[str, Any]:
        """The decoders of a model of one part, by direction: `networks.decoding.Decoder`."""
        from sentvec.networks.decoding import decoders

        part = self.parts[0]
        arrays = {name: self.tensors[part.prefix + name] for name in part.shape.tensors()}
        return decoders(part.shape, arrays, self.table_of(part).take)

    def table_of(self, part: Part) -> Rows:
        """The word vectors of a part in our order: end, unknown, then the words."""
        matrix: Any = self.tensors[part.prefix + "word_vectors"]
        table = LazyRows(matrix) if isinstance(matrix, LazyMatrix) else DenseRows(matrix)
        places = self.tensors.get(WORD_ROWS)
        return table if places is None else MovedRows(table, places)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model folder; an older model there is replaced, anything else is refused.

        Raises:
            StorageError: The folder cannot be written; what stood there is unchanged.
        """
        card = model_card(Path(folder).name, self.config, self.PREDICTED)
        write_folder(folder, self.config, self.vocabulary, self.ordered_tensors(), card)

    def ordered_tensors(self) -> dict[str, Any]:
        """The tensors with word vectors in our order, as they are saved."""
        tensors: dict[str, Any] = dict(self.tensors)
        if tensors.pop(WORD_ROWS, None) is not None:
            for part in self.parts:
                rows = self.table_of(part)
                tensors[part.prefix + "word_vectors"] = LazyMatrix(
                    np.arange(rows.shape[0]), rows.take, rows.shape[1], np.dtype("f4")
                )
        return tensors
