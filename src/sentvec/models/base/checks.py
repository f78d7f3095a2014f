"""Whether an opened folder holds what encoding relies on: found out at once, not at first use."""

from __future__ import annotations

import numpy as np

from sentvec.errors import FormatError
from sentvec.models.sent2vec.settings import MAX_NGRAM
from sentvec.storage.folder import CONFIG, TENSORS, ModelFolder
from sentvec.storage.rows import rows_of
from sentvec.text.tokenizer import Tokenizer

# The models of fastText, and of Sent2Vec the one with characters.
CHAR_NGRAMS = "cbow-c+w-ngrams"
FASTTEXT = ("cbow", "skip-gram", "supervised", CHAR_NGRAMS)


def check_parts(opened: ModelFolder) -> Tokenizer:
    """Check what a model of any kind has, a tokenizer and sizes; returns the tokenizer.

    Raises:
        FormatError: The configuration describes no model.
    """
    sizes = opened.config["sizes"]
    try:
        tokenizer = Tokenizer(**opened.config["tokenizer"])
        words, dim = (int(sizes[name]) for name in ("vocabulary", "dim"))
        if words < 0 or dim < 1 or any(int(size) != size for size in sizes.values()):
            msg = f"sizes {sizes}"
            raise ValueError(msg)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _undescribed(opened, error) from error
    return tokenizer


def check_opened(opened: ModelFolder) -> Tokenizer:
    """Check the sizes, the n-grams and the matrices of a folder; returns its tokenizer.

    For models that average the rows of a matrix.

    Raises:
        FormatError: The configuration describes no model, or one of other matrices.
    """
    tokenizer = check_parts(opened)
    sizes, settings = opened.config["sizes"], opened.config["settings"]
    try:
        words, buckets, dim = (int(sizes[name]) for name in ("vocabulary", "buckets", "dim"))
        ngrams, characters = int(settings["ngrams"]), _characters(opened)
        hashed = ngrams > 1 and opened.config["model"] == "sent2vec"
        if not 1 <= ngrams <= MAX_NGRAM or buckets < hashed or min(words, characters) < 0:
            msg = f"ngrams={ngrams} with {buckets} buckets"
            raise ValueError(msg)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _undescribed(opened, error) from error
    try:
        shape = rows_of(opened.tensors, settings).shape
    except FormatError as error:
        msg = f"{opened.path / TENSORS}: {error}, or {CONFIG} is of another model"
        raise FormatError(msg) from error
    pairs = opened.tensors.get("pruned_buckets")
    least = words + (buckets + characters if pairs is None else len(pairs))
    # Models of other programs may have rows that nothing uses.
    if shape[1] != dim or shape[0] < least or (shape[0] > least and "source" not in opened.config):
        msg = f"{opened.path / TENSORS} has input_vectors of shape {shape}, expected {least, dim}"
        raise FormatError(f"{msg} - {CONFIG} is of another model")
    _check_others(opened, words)
    return tokenizer


def _undescribed(opened: ModelFolder, error: Exception) -> FormatError:
    msg = f"{opened.path / CONFIG} does not describe a model ({error!r}) - it is damaged"
    return FormatError(msg)


def _characters(opened: ModelFolder) -> int:
    """How many rows character n-grams have for themselves; checks what hashing them relies on."""
    settings = opened.config["settings"]
    if opened.config["model"] != "fasttext":
        return 0
    shortest, longest = int(settings["min_n"]), int(settings["max_n"])
    if settings["model"] not in FASTTEXT or min(shortest, longest) < 0:
        msg = f"model={settings['model']!r} with n-grams of {shortest} to {longest} characters"
        raise ValueError(msg)
    return int(settings["char_buckets"]) if settings["model"] == CHAR_NGRAMS else 0


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
