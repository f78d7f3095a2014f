"""Open a model of any kind."""

from __future__ import annotations

import os

from sentvec.errors import FormatError
from sentvec.models.encoder import SentenceEncoder
from sentvec.models.sent2vec import Sent2Vec
from sentvec.storage.folder import open_folder

_KINDS: dict[str, type[SentenceEncoder]] = {"sent2vec": Sent2Vec}


def load(folder: str | os.PathLike[str]) -> SentenceEncoder:
    """Open a saved model in milliseconds, whatever its size: its matrices are mapped, not read.

    Raises:
        SourceError: There is nothing at the path.
        FormatError: It is no model folder, was written by a later version, or is damaged.
    """
    opened = open_folder(folder)
    kind = opened.config["model"]
    if kind not in _KINDS:
        msg = f"{folder} holds a model of kind {kind!r}, this sentvec knows {', '.join(_KINDS)}"
        raise FormatError(msg + " - update sentvec")
    return _KINDS[kind].from_folder(opened)
