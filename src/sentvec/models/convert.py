"""Convert a model: other precision, fewer words, other files; and what it cost.

Nothing is read whole: the rows of the new matrices are made while they are written
(`base.packing`), so a model larger than the memory can be converted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from sentvec.errors import SettingsError
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.packing import write_model
from sentvec.models.base.similarity import cosine_pairs
from sentvec.models.base.stored import StoredEncoder
from sentvec.storage.folder import check_target

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
        max_vocab: Keep the first N words: the most frequent, but for a model that was
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
    write_model(model, folder, dtype=dtype, words=words, max_vocab=max_vocab, targets=targets)


def _expect_whole(
    model: StoredEncoder, dtype: str | None, words: Iterable[str] | None, max_vocab: int | None
) -> None:
    """Refuse what only a matrix whose rows are averaged can lose.

    Raises:
        SettingsError: Something of the sort was asked for.
    """
    kind = model.config.kind
    if dtype not in (None, "float32"):
        msg = f"dtype is {dtype!r}, and the tensors of a {kind} model are stored as float32 only"
        raise SettingsError(msg + " - leave dtype out")
    if words is not None or max_vocab is not None:
        name = "words to keep" if words is not None else f"max_vocab={max_vocab}"
        msg = f"{name} given for a {kind} model, which keeps the words it was trained with"
        raise SettingsError(msg + " - expected neither words (--prune) nor max_vocab")


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
