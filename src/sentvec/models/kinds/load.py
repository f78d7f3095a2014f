"""Open a model of any kind: a folder, a file of another program, or a folder of such files."""

from __future__ import annotations

import os
from pathlib import Path

from sentvec.errors import InputTypeError
from sentvec.formats.open import open_foreign
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.kinds.foreign import from_foreign
from sentvec.models.kinds.kind import KINDS, kind_of
from sentvec.storage.folder import CONFIG, open_folder
from sentvec.text.tokenizer import Tokenizer


def load(
    path: str | os.PathLike[str], *, tokenizer: Tokenizer | str | None = None
) -> StoredEncoder:
    """Open a model, whatever its size: its matrices are mapped, not read.

    Args:
        path: A model folder; or a file of Sent2Vec or fastText (`.bin`, `.ftz`), or of word vectors
            (word2vec binary or text, GloVe, `.vec`), gzipped or not; or a folder of the released
            files of Skip-Thought. What it is, is detected from its content.
        tokenizer: Cuts texts into words; by default as the folder says, and for a file of another
            program at white space, with nothing changed (`whitespace`).

    Raises:
        SourceError: There is nothing at the path.
        FormatError: It is no model, was written by a later version, or is damaged.
        SettingsError: There is no such tokenizer.
    """
    chosen = Tokenizer(tokenizer) if isinstance(tokenizer, str) else tokenizer
    # What is no path at all, with a NUL in it, is an error of that reader too.
    if "\0" in os.fsdecode(path) or Path(path).is_file():
        return open_file(Path(path), chosen)
    if not (Path(path) / CONFIG).exists():
        for kind in KINDS.values():
            if (
                kind.open is not None
                and kind.recognises is not None
                and kind.recognises(Path(path))
            ):
                return kind.open(Path(path), chosen)
    opened = open_folder(path)
    model = kind_of(opened.config.kind, path).model.from_folder(opened)
    if chosen is not None:
        model.tokenizer = chosen
    return model


def open_file(path: Path, tokenizer: Tokenizer | None = None) -> StoredEncoder:
    """Open a model file of another program.

    Raises:
        SourceError, FormatError: There is no such file, or it is of no program that is known.
    """
    return from_foreign(open_foreign(path), tokenizer, reopen=open_file)


def opened_model(model: str | os.PathLike[str] | StoredEncoder, name: str) -> StoredEncoder:
    """The model itself, or what `load` makes of a path.

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
    return load(model)
