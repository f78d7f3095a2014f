"""Smaller matrices: fewer words, another precision; rows are made while they are written.

Nothing is read whole, so a model larger than the memory can be written anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import SettingsError
from sentvec.models.base.card import model_card
from sentvec.storage.config import ModelConfig
from sentvec.storage.folder import check_target, write_folder
from sentvec.storage.lazy import LazyMatrix, Take, storable
from sentvec.storage.rows import DenseRows, Rows
from sentvec.text.vocabulary import Vocabulary

# What ends a sentence for programs of Sent2Vec and fastText, as a line end or a word of the text.
SENTENCE_END = "</s>"

DTYPES = ("float32", "float16", "int8")
_MAX_HALF = float(np.finfo(np.float16).max)
_NOT_FINITE = (
    "a value that is not finite does not fit {} - the model has diverged; choose another, or "
    "float32, which keeps what is there"
)
_BLOCK = 1 << 14


class Averaged(Protocol):
    """What is needed here of a model that averages the rows of a matrix."""

    EXTRA_TENSORS: ClassVar[tuple[str, ...]]
    HASHES_IDS: ClassVar[bool]
    PREDICTED: ClassVar[str]
    config: ModelConfig
    tensors: dict[str, NDArray[Any]]

    @property
    def vocabulary(self) -> Vocabulary:
        """The words."""

    @property
    def rows(self) -> Rows:
        """The matrix."""

    def advise_access(self, *, everywhere: bool) -> None:
        """Tell the system how the tensors will be read."""


def write_model(
    model: Averaged,
    folder: str | os.PathLike[str],
    *,
    dtype: str | None = None,
    words: Iterable[str] | None = None,
    max_vocab: int | None = None,
    targets: bool = True,
) -> None:
    """Write a model to a folder; arguments and errors as those of `models.convert.convert`."""
    check_target(folder)  # before a large matrix is read
    kept = kept_words(model, words, max_vocab)
    every, config = model.vocabulary, model.config
    vocabulary = Vocabulary([every.words[i] for i in kept.tolist()], every.counts[kept])
    model.advise_access(everywhere=True)
    tensors = _tensors(model, kept, dtype, targets=targets)
    stored = "product quantisation" if "codes" in tensors else str(tensors["input_vectors"].dtype)
    config = config.with_values(
        sizes=config.sizes.with_values(vocabulary=len(kept)),
        settings=config.settings.with_values(dtype=stored),
    )
    card = model_card(Path(folder).name, config, model.PREDICTED)
    write_folder(folder, config, vocabulary, tensors, card)


def kept_words(
    model: Averaged, words: Iterable[str] | None, max_vocab: int | None
) -> NDArray[np.int64]:
    """The ids of the words that stay, in order.

    Entries of a file that no text can ask for, nor a folder hold, never stay: empty ones, those
    with a TAB or a line feed, and all but the last of equal ones. Where the end of a line has a
    vector that is part of every sentence, it always stays.

    Raises:
        SettingsError: Both were given, or nothing would be left.
    """
    if words is not None and max_vocab is not None:
        msg = "both words and max_vocab are given - choose one of them"
        raise SettingsError(msg)
    ids = model.vocabulary.ids
    kept = first_ids(model, max_vocab).tolist()
    if words is not None:
        kept = sorted({ids[word] for word in words if word in ids})
    names = model.vocabulary.words
    kept = [i for i in kept if _is_storable(names[i]) and ids[names[i]] == i]
    if not kept:
        msg = "none of the words to keep is in the vocabulary - check their case and encoding"
        raise SettingsError(msg)
    if model.config.settings.supervised and SENTENCE_END in ids:
        kept = sorted({*kept, ids[SENTENCE_END]})
    return np.array(kept, np.int64)


def first_ids(model: Averaged, max_vocab: int | None) -> NDArray[np.int64]:
    """The first N ids of a model, or all.

    Raises:
        SettingsError: It would be none.
    """
    if max_vocab is not None and max_vocab < 1:
        msg = f"max_vocab is {max_vocab} - expected a whole number from 1"
        raise SettingsError(msg)
    return np.arange(len(model.vocabulary))[:max_vocab]


def _is_storable(word: str) -> bool:
    return word != "" and "\t" not in word and "\n" not in word


def _tensors(
    model: Averaged, kept: NDArray[np.int64], dtype: str | None, *, targets: bool
) -> dict[str, Any]:
    """The tensors of the new model, by name."""
    if dtype is not None and dtype not in DTYPES:
        msg = f"dtype is {dtype!r} - expected {', '.join(DTYPES)}"
        raise SettingsError(msg)
    n_words, (n_rows, dim) = model.config.sizes.vocabulary, model.rows.shape
    whole = len(kept) == n_words
    own = storable(model.tensors, model.rows)
    if not targets or dtype == "int8":
        own.pop("output_vectors", None)
    if whole and dtype is None:
        return own
    result = {name: own[name] for name in model.EXTRA_TENSORS if name in own}
    rows = np.concatenate([kept, np.arange(n_words, n_rows)])
    chosen = dtype or ("float32" if "codes" in own else str(own["input_vectors"].dtype))
    result.update(_packed(rows, model.rows.take, dim, chosen))
    if "output_vectors" in own and not model.config.settings.supervised:  # else they are of labels
        take = DenseRows(own["output_vectors"]).take
        result["output_vectors"] = _packed(kept, take, dim, chosen)["input_vectors"]
    if model.HASHES_IDS and (model.config.settings.ngrams or 1) > 1 and kept[-1] != len(kept) - 1:
        before = own.get("hash_ids")
        result["hash_ids"] = kept if before is None else before[kept]
    elif "hash_ids" in own:
        result["hash_ids"] = own["hash_ids"][kept]
    return result


def _packed(rows: NDArray[np.int64], take: Take, dim: int, dtype: str) -> dict[str, Any]:
    """The matrix of some rows in a precision, with the scales where there are any."""
    if dtype == "float32":
        return {"input_vectors": LazyMatrix(rows, take, dim, np.dtype("f4"))}
    if dtype == "float16":
        return {"input_vectors": LazyMatrix(rows, take, dim, np.dtype("f2"), _half)}
    scales = np.concatenate(
        [np.abs(take(part)).max(axis=1) / np.float32(127) for part in _blocks(rows)]
    )
    if not np.isfinite(scales).all():
        raise SettingsError(_NOT_FINITE.format(dtype))

    def pack(x: NDArray[np.float32], part: slice) -> NDArray[np.int8]:
        steps = np.where(scales[part] > 0, scales[part], 1)[:, None]
        return np.rint(x / steps).astype(np.int8)

    matrix = LazyMatrix(rows, take, dim, np.dtype("i1"), pack)
    return {"input_vectors": matrix, "input_scales": scales.astype(np.float32)}


def _half(x: NDArray[np.float32], _: slice) -> NDArray[np.float16]:
    largest = float(np.abs(x).max(initial=0))
    if not np.isfinite(largest):
        raise SettingsError(_NOT_FINITE.format("float16"))
    if largest > _MAX_HALF:
        msg = f"a value of {largest:g} does not fit float16 - choose float32 or int8"
        raise SettingsError(msg)
    return x.astype(np.float16)


def _blocks(rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    return (rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK))
