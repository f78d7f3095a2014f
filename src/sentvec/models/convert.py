"""Convert a model: other precision, fewer words, other files; and what it cost.

Nothing is read whole: the rows of the new matrices are made while they are written, so a model
larger than the memory can be converted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import SettingsError
from sentvec.models.base.averaging import SENTENCE_END, SentenceEncoder
from sentvec.models.base.card import model_card
from sentvec.models.base.similarity import cosine_pairs
from sentvec.models.base.stored import StoredEncoder
from sentvec.storage.folder import check_target, write_folder
from sentvec.storage.lazy import LazyMatrix, Take, storable
from sentvec.storage.rows import DenseRows
from sentvec.text.vocabulary import Vocabulary

DTYPES = ("float32", "float16", "int8")
_MAX_HALF = float(np.finfo(np.float16).max)
_NOT_FINITE = (
    "a value that is not finite does not fit {} - the model has diverged; choose another, or "
    "float32, which keeps what is there"
)
_BLOCK = 1 << 14
_SAMPLE = 2_000


@dataclass(frozen=True, slots=True)
class Loss:
    """How near the vectors of a converted model are to those of the original.

    Attributes:
        mean: Mean cosine; a text that lost all its words counts as 0.
        lowest: The lowest cosine.
        texts: How many texts were compared.
    """

    mean: float
    lowest: float
    texts: int


def convert(
    model: StoredEncoder,
    folder: str | os.PathLike[str],
    *,
    dtype: str | None = None,
    words: Iterable[str] | None = None,
    max_vocab: int | None = None,
    targets: bool = True,
) -> None:
    """Write a model to a folder of ours, smaller if wanted.

    Args:
        model: What to convert, of any kind that `load` opens. Of one that does not average rows,
            all words are kept, in float32.
        folder: Where the new model goes; an older model there is replaced.
        dtype: `float32`, `float16` or `int8` (each row with a scale of its own); without it, the
            matrix is stored as it is. int8 keeps no target vectors.
        words: Keep these words only.
        max_vocab: Keep so many words, the first ones: the commonest, but for a model that was
            trained from another, whose words come first.
        targets: Keep the target vectors, which only further training needs.

    Raises:
        SettingsError: An argument that cannot work, or no word would be left.
        StorageError: The folder cannot be written; what stood there is unchanged.
    """
    check_target(folder)  # before a large matrix is read
    if not isinstance(model, SentenceEncoder):
        _expect_whole(model, dtype, words, max_vocab)
        (model if targets else model.without_targets()).save(folder)
        return
    kept = kept_words(model, words, max_vocab)
    all_words = model.vocabulary
    vocabulary = Vocabulary([all_words.words[i] for i in kept.tolist()], all_words.counts[kept])
    config = {**model.config, "sizes": {**model.config["sizes"], "vocabulary": len(kept)}}
    model.advise_access(everywhere=True)
    tensors = _tensors(model, kept, dtype, targets=targets)
    stored = "product quantisation" if "codes" in tensors else str(tensors["input_vectors"].dtype)
    config["settings"] = {**model.config["settings"], "dtype": stored}
    write_folder(folder, config, vocabulary, tensors, model_card(Path(folder).name, config))


def _expect_whole(
    model: StoredEncoder, dtype: str | None, words: Iterable[str] | None, max_vocab: int | None
) -> None:
    """Refuse what only a matrix whose rows are averaged can lose.

    Raises:
        SettingsError: Something of the sort was asked for.
    """
    kind = model.config["model"]
    if dtype not in (None, "float32"):
        msg = f"dtype is {dtype!r}, and the tensors of a {kind} model are stored as float32 only"
        raise SettingsError(msg + " - leave dtype out")
    if words is not None or max_vocab is not None:
        name = "words to keep" if words is not None else f"max_vocab={max_vocab}"
        msg = f"{name} given for a {kind} model, which keeps the words it was trained with"
        raise SettingsError(msg + " - expected neither words (--prune) nor max_vocab")


def kept_words(
    model: SentenceEncoder, words: Iterable[str] | None, max_vocab: int | None
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
    if model.config["settings"].get("model") == "supervised" and SENTENCE_END in ids:
        kept = sorted({*kept, ids[SENTENCE_END]})
    return np.array(kept, np.int64)


def first_ids(model: SentenceEncoder, max_vocab: int | None) -> NDArray[np.int64]:
    """The first so many ids of a model, or all.

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
    model: SentenceEncoder, kept: NDArray[np.int64], dtype: str | None, *, targets: bool
) -> dict[str, Any]:
    """The tensors of the new model, by name."""
    if dtype is not None and dtype not in DTYPES:
        msg = f"dtype is {dtype!r} - expected {', '.join(DTYPES)}"
        raise SettingsError(msg)
    n_words, n_rows = model.config["sizes"]["vocabulary"], model.rows.shape[0]
    whole = len(kept) == n_words
    own = storable(model.tensors, model.rows)
    if not targets or dtype == "int8":
        own.pop("output_vectors", None)
    if whole and dtype is None:
        return own
    result = {name: own[name] for name in model.EXTRA_TENSORS if name in own}
    rows = np.concatenate([kept, np.arange(n_words, n_rows)])
    chosen = dtype or ("float32" if "codes" in own else str(own["input_vectors"].dtype))
    result.update(_packed(rows, model.rows.take, model.dim, chosen))
    of_words = model.config["settings"].get("model") != "supervised"  # where they are of labels
    if "output_vectors" in own and of_words:
        take = DenseRows(own["output_vectors"]).take
        result["output_vectors"] = _packed(kept, take, model.dim, chosen)["input_vectors"]
    if _hashes_ids(model) and kept[-1] != len(kept) - 1:
        before = own.get("hash_ids")
        result["hash_ids"] = kept if before is None else before[kept]
    elif "hash_ids" in own:
        result["hash_ids"] = own["hash_ids"][kept]
    return result


def _hashes_ids(model: SentenceEncoder) -> bool:
    """Whether n-grams are found by hashing ids, which then must be remembered."""
    return model.config["model"] == "sent2vec" and int(model.config["settings"]["ngrams"]) > 1


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


def loss_of(
    original: StoredEncoder, converted: StoredEncoder, texts: Iterable[str] | None = None
) -> Loss:
    """Compare the vectors of two models of the same dimension on texts, or on vocabulary words.

    Args:
        original: Texts for which it has no vector, or none with a direction (zero, not finite),
            are passed over.
        converted: What was made of it.
        texts: The texts; without them, 2,000 words (or up to twice as many) spread evenly over the
            vocabulary.
    """
    if texts is None:
        words = original.vocabulary.words
        texts = words[:: max(1, len(words) // _SAMPLE)]
    stream = iter(texts)
    cosines = []
    while batch := list(islice(stream, _BLOCK)):
        one, known = original.encode(batch, on_empty="nan", return_known=True)
        other, _ = converted.encode(batch, on_empty="nan", return_known=True)
        there = (known > 0) & one.any(axis=1) & np.isfinite(one).all(axis=1)
        cosines.append(cosine_pairs(one[there], np.nan_to_num(other[there])))
    values = np.concatenate([*cosines, np.zeros(0, np.float32)]).astype(np.float64)
    if not len(values):
        return Loss(float("nan"), float("nan"), 0)
    return Loss(float(values.mean()), float(values.min()), len(values))
