"""Start training from a Sent2Vec model that exists: its vectors, its ids, its counts.

Old words keep their ids and new ones come after them, so a bigram of
old words hashes to the same bucket, and bucket rows are kept as they are; the released program,
which sorts anew, has to lose them. That holds only for the same number of buckets, which is
therefore the model's.
"""

from __future__ import annotations

import numpy as np

from sentvec.errors import DivergedError, FormatError, SettingsError
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.storage.rows import Rows, iter_blocks
from sentvec.training import matrices

# What the vectors of a model are made with; a run that starts from it has the same.
SHAPE = ("dim", "ngrams", "buckets", "tokenizer")
_BLOCK = 1 << 14  # rows copied at a time


def checked_model(opened: StoredEncoder) -> SentenceEncoder:
    """The model to start from, of which was checked that training can continue it.

    Raises:
        FormatError: It has output vectors of another model.
        SettingsError: It is of another kind, or lost words, so that its n-grams have other ids.
        DivergedError: Its vectors are not finite.
    """
    if not isinstance(opened, SentenceEncoder) or not opened.HASHES_IDS:
        msg = f"init_from is a model of kind {opened.config.kind!r} - expected 'sent2vec'"
        raise SettingsError(msg)
    model: SentenceEncoder = opened
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
    own = {**model.config.settings.stored, "buckets": model.config.sizes.buckets or None}
    for name in SHAPE:
        if name in given and getattr(settings, name) not in (None, own[name]):
            msg = f"{name} is {getattr(settings, name)!r}, the model in init_from has {own[name]!r}"
            raise SettingsError(msg + f" - leave {name} out, or train from the beginning")
    return settings.with_values(**{name: own[name] for name in SHAPE})


def copy_vectors(model: SentenceEncoder, V: matrices.Matrix, U: matrices.Matrix) -> None:
    """Copy a model's vectors into the matrices of a run whose vocabulary begins with its words."""
    n_old, n_new = len(model.vocabulary), len(U)
    n_buckets = model.config.sizes.buckets or 0
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
