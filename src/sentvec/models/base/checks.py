"""Whether an opened folder has what encoding relies on: checked at once, not at first use.

The configuration itself was checked where the folder was opened (`storage.config`).
"""

from __future__ import annotations

import numpy as np

from sentvec.errors import FormatError
from sentvec.storage.folder import CONFIG, TENSORS, ModelFolder, undescribed
from sentvec.storage.rows import rows_of
from sentvec.text.tokenizer import Tokenizer
from sentvec.training.settings import MAX_NGRAM

# What models of fastText learned, and of Sent2Vec the one with characters.
CHAR_NGRAMS = "cbow-c+w-ngrams"
FASTTEXT = ("cbow", "skip-gram", "supervised", CHAR_NGRAMS)


def check_tokenizer(opened: ModelFolder) -> Tokenizer:
    """The tokenizer of a folder of any kind of model.

    Raises:
        FormatError: The configuration describes none.
    """
    try:
        return Tokenizer(**opened.config.tokenizer)
    except (TypeError, ValueError) as error:
        raise undescribed(opened.path / CONFIG, error) from error


def check_rows(opened: ModelFolder, *, hashed: bool, characters: int = 0) -> None:
    """Check the n-grams and the matrices of a model that averages the rows of a matrix.

    Args:
        opened: The folder.
        hashed: Whether word n-grams, if it has any, are hashed into buckets, which it then needs.
        characters: Rows that character n-grams have for themselves.

    Raises:
        FormatError: The configuration describes no such model, or one of other matrices.
    """
    sizes, settings = opened.config.sizes, opened.config.settings
    words = sizes.vocabulary
    # What has no n-grams need not say so.
    ngrams = settings.ngrams if hashed or settings.ngrams is not None else 1
    buckets = sizes.buckets if hashed or sizes.buckets is not None else 0
    if (
        ngrams is None
        or buckets is None
        or not 1 <= ngrams <= MAX_NGRAM
        or buckets < (hashed and ngrams > 1)
    ):
        error = ValueError(f"ngrams={ngrams} with {buckets} buckets")
        raise undescribed(opened.path / CONFIG, error)
    try:
        shape = rows_of(opened.tensors, dim=sizes.dim, quantiser=settings.quantiser).shape
    except FormatError as error:
        msg = f"{opened.path / TENSORS}: {error}, or {CONFIG} is of another model"
        raise FormatError(msg) from error
    pairs = opened.tensors.get("pruned_buckets")
    least = words + (buckets + characters if pairs is None else len(pairs))
    # Models of other programs may have rows that nothing uses.
    if (
        shape[1] != sizes.dim
        or shape[0] < least
        or (shape[0] > least and opened.config.source is None)
    ):
        expected = least, sizes.dim
        msg = f"{opened.path / TENSORS} has input_vectors of shape {shape}, expected {expected}"
        raise FormatError(f"{msg} - {CONFIG} is of another model")
    _check_others(opened, words)


def character_buckets(opened: ModelFolder) -> int:
    """Rows that character n-grams have for themselves; checks what hashing them relies on.

    Raises:
        FormatError: The configuration describes no model of fastText.
    """
    settings = opened.config.settings
    for name, value in (("ngrams", settings.ngrams), ("buckets", opened.config.sizes.buckets)):
        if value is None:  # fastText has always both
            raise undescribed(opened.path / CONFIG, KeyError(name))
    if settings.model not in FASTTEXT or settings.min_n is None or settings.max_n is None:
        grams = f"n-grams of {settings.min_n} to {settings.max_n} characters"
        error = ValueError(f"model={settings.model!r} with {grams}")
        raise undescribed(opened.path / CONFIG, error)
    if settings.model != CHAR_NGRAMS:
        return 0
    if settings.char_buckets is None:
        raise undescribed(opened.path / CONFIG, KeyError("char_buckets"))
    return settings.char_buckets


def _check_others(opened: ModelFolder, words: int) -> None:
    """The tensors that say which rows n-grams have."""
    hashed, pairs = opened.tensors.get("hash_ids"), opened.tensors.get("pruned_buckets")
    # Only a file that is read in place has its rows apart.
    wrong = "row_offsets" in opened.tensors and "codes" not in opened.tensors
    wrong |= hashed is not None and (hashed.shape != (words,) or hashed.dtype != np.int64)
    if pairs is not None:
        wrong |= pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype != np.int32
        wrong = wrong or not np.array_equal(np.sort(pairs[:, 1]), np.arange(len(pairs)))
    if wrong:
        msg = f"{opened.path / TENSORS} has tensors beside the matrices that do not fit the model"
        raise FormatError(msg + " - the file is damaged")
