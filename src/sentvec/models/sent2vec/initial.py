"""Start training from a model that exists: its vectors, its ids, its counts; or from word vectors.

Sent2Vec goes on with a model. Old words keep their ids and new ones come after them, so a bigram of
old words hashes to the same bucket, and bucket rows are kept as they are; the released program,
which sorts anew, has to lose them. That holds only for the same number of buckets, which is
therefore the model's.

Siamese CBOW starts from any word vectors: its vocabulary is that of its own corpus, and the words
that both have start with the vectors given.
"""

from __future__ import annotations

import os

import numpy as np

from sentvec.errors import DivergedError, FormatError, InputTypeError, SettingsError
from sentvec.models.base.averaging import SentenceEncoder, averaging
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.storage.rows import Rows, iter_blocks
from sentvec.text.vocabulary import Vocabulary
from sentvec.training import matrices

# What the vectors of a model are made with; a run that starts from it has the same.
SHAPE = ("dim", "ngrams", "buckets", "tokenizer")
_BLOCK = 1 << 14  # rows copied at a time


def opened_for_training(
    init_from: str | os.PathLike[str] | StoredEncoder | None,
) -> SentenceEncoder | None:
    """The model to start from, of which was checked that training can go on from it.

    A path may be anything `sentvec.load` opens, so a binary of the released program too.

    Raises:
        InputTypeError: It is no model and no path.
        SourceError, FormatError: There is no model, or one with output vectors of another.
        SettingsError: It is of another kind, or lost words, so that its n-grams have other ids.
        DivergedError: Its vectors are not finite.
    """
    if init_from is None:
        return None
    opened = opened_model(init_from, "init_from")
    if opened.config["model"] != "sent2vec":
        msg = f"init_from is a model of kind {opened.config['model']!r} - expected 'sent2vec'"
        raise SettingsError(msg)
    model = averaging(opened, "init_from", "vectors of words and n-grams")
    if "hash_ids" in model.tensors:
        msg = "the model in init_from lost words, and finds its n-grams by ids it no longer has - "
        raise SettingsError(msg + "start from the model it was made from")
    outputs, expected = model.tensors.get("output_vectors"), (len(model.vocabulary), model.dim)
    if outputs is not None and outputs.shape != expected:
        msg = f"the model in init_from has output_vectors of {outputs.shape}, expected {expected}"
        raise FormatError(msg + " - it is damaged, or put together of two")
    model.advise_access(everywhere=True)
    finite = {"input_vectors": _is_finite(model.rows)}
    if outputs is not None:
        finite["output_vectors"] = matrices.first_row_not_finite(outputs) is None
    for name, is_finite in finite.items():
        if not is_finite:
            msg = f"the {name} of the model in init_from are not finite - it has diverged"
            raise DivergedError(msg + "; start from another")
    return model


def shaped_like(
    model: SentenceEncoder, settings: Sent2VecSettings, given: set[str]
) -> Sent2VecSettings:
    """The settings with the model's shape.

    Raises:
        SettingsError: A setting was given that the model does not have.
    """
    own = {**model.config["settings"], "buckets": model.config["sizes"]["buckets"] or None}
    for name in SHAPE:
        if name in given and getattr(settings, name) not in (None, own[name]):
            msg = f"{name} is {getattr(settings, name)!r}, the model in init_from has {own[name]!r}"
            raise SettingsError(msg + f" - leave {name} out, or train from the beginning")
    return settings.with_values(**{name: own[name] for name in SHAPE})


def copy_vectors(model: SentenceEncoder, V: matrices.Matrix, U: matrices.Matrix) -> None:
    """Copy a model's vectors into the matrices of a run whose vocabulary begins with its words."""
    n_old, n_new = len(model.vocabulary), len(U)
    n_buckets = model.config["sizes"]["buckets"]
    _copy(model.rows, 0, V[:n_old])
    _copy(model.rows, n_old, V[n_new : n_new + n_buckets])
    if "output_vectors" in model.tensors:
        U[:n_old] = model.tensors["output_vectors"]


def _copy(rows: Rows, first: int, target: matrices.Matrix) -> None:
    """Copy rows from `first` on, however they are stored."""
    for start in range(0, len(target), _BLOCK):
        part = target[start : start + _BLOCK]
        part[:] = rows.take(np.arange(first + start, first + start + len(part)))


def _is_finite(rows: Rows) -> bool:
    return all(np.isfinite(block).all() for block in iter_blocks(rows, np.arange(rows.shape[0])))


def opened_model(model: str | os.PathLike[str] | StoredEncoder, name: str) -> StoredEncoder:
    """The model itself, or what `sentvec.load` makes of a path.

    Args:
        model: The one or the other.
        name: How the user knows it, for the message.

    Raises:
        InputTypeError: It is neither.
        SourceError, FormatError: There is no model at the path.
    """
    if isinstance(model, StoredEncoder):
        return model
    if not isinstance(model, str | os.PathLike):
        msg = f"{name} is of type {type(model).__name__} - expected a model of ours, its"
        raise InputTypeError(msg + " folder, or a file that sentvec.load opens")
    from sentvec.models.kinds.load import load  # which knows this module

    return load(model)


def opened_word_vectors(
    init_from: str | os.PathLike[str] | StoredEncoder | None, dim: int | None
) -> SentenceEncoder | None:
    """The word vectors to start from: a model, its folder, or a file that `sentvec.load` opens.

    Raises:
        InputTypeError: It is no model and no path.
        SourceError, FormatError: There is no such model or file.
        SettingsError: It has no word vectors of its own, or they are not of length `dim`, where
            that is given.
    """
    if init_from is None:
        return None
    model = averaging(opened_model(init_from, "init_from"), "init_from", "word vectors of its own")
    if dim is not None and dim != model.dim:
        msg = f"dim is {dim!r}, the vectors in init_from have {model.dim} - leave dim out"
        raise SettingsError(msg + ", or train from the beginning")
    return model


def copy_word_vectors(model: SentenceEncoder, vocabulary: Vocabulary, V: matrices.Matrix) -> int:
    """Copy the vectors of the words that a vocabulary shares with a model; returns how many.

    Raises:
        SettingsError: There is no such word.
        DivergedError: A vector is not finite.
    """
    known, copied = model.vocabulary.ids, 0
    for number, word in enumerate(vocabulary.words):
        if word in known:
            V[number] = vector = model.word_vector(word)
            copied += 1
            if not np.isfinite(vector).all():
                msg = f"the vector of {word!r} in init_from is not finite - start from another"
                raise DivergedError(msg)
    if not copied:
        msg = (
            f"none of the {len(vocabulary):,} words of the corpus has a vector in init_from, which "
            f"has {len(known):,} words such as {next(iter(known))!r} - expected words cut and cased"
            " alike; choose another tokenizer"
        )
        raise SettingsError(msg)
    return copied
