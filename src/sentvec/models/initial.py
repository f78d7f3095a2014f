"""Start training from a model that exists: its vectors, its ids, its counts.

Old words keep their ids and new ones come after them, so a bigram of old words hashes to the same
bucket, and bucket rows are kept as they are; the released program, which sorts anew, has to lose
them. That holds only for the same number of buckets, which is therefore the model's.
"""

from __future__ import annotations

import os

from sentvec.errors import DivergedError, FormatError, SettingsError
from sentvec.models.encoder import SentenceEncoder
from sentvec.models.settings import Sent2VecSettings
from sentvec.storage.folder import open_folder
from sentvec.training import matrices

# What the vectors of a model are made with; a run that starts from it has the same.
SHAPE = ("dim", "ngrams", "buckets", "tokenizer")


def opened_for_training(
    init_from: str | os.PathLike[str] | SentenceEncoder | None,
) -> SentenceEncoder | None:
    """The model to start from, and whether its vectors are fit for it.

    Raises:
        SourceError, FormatError: There is no model, or one with output vectors of another.
        SettingsError: It is of another kind.
        DivergedError: Its vectors are not finite.
    """
    if init_from is None:
        return None
    model = init_from
    if not isinstance(model, SentenceEncoder):
        model = SentenceEncoder.from_folder(open_folder(model))
    if model.config["model"] != "sent2vec":
        msg = f"init_from is a model of kind {model.config['model']!r} - expected 'sent2vec'"
        raise SettingsError(msg)
    outputs, expected = model.tensors.get("output_vectors"), (len(model.vocabulary), model.dim)
    if outputs is not None and outputs.shape != expected:
        msg = f"the model in init_from has output_vectors of {outputs.shape}, expected {expected}"
        raise FormatError(msg + " - it is damaged, or put together of two")
    for name, tensor in model.tensors.items():
        if matrices.first_row_not_finite(tensor) is not None:
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


def take_over(model: SentenceEncoder, V: matrices.Matrix, U: matrices.Matrix) -> None:
    """Copy a model's vectors into the matrices of a run whose vocabulary begins with its words."""
    n_old, n_new = len(model.vocabulary), len(U)
    old = model.tensors["input_vectors"]
    V[:n_old] = old[:n_old]
    buckets = old[n_old:]
    V[n_new : n_new + len(buckets)] = buckets
    if "output_vectors" in model.tensors:
        U[:n_old] = model.tensors["output_vectors"]
