"""A baseline by its name: `tfidf`, `sif:VECTORS` or `mean:VECTORS`.

The plain mean of word vectors is what `load` makes of a file of word vectors.

Not here: the baselines themselves (`tfidf`, `sif`), and how they are measured.
"""

from __future__ import annotations

import os
from typing import Any

from sentvec.baselines.counts import read_counts
from sentvec.baselines.sif import Sif
from sentvec.baselines.tfidf import TfIdf
from sentvec.errors import SettingsError
from sentvec.models.base.averaging import averaging
from sentvec.models.kinds.load import load
from sentvec.text.tokenizer import Tokenizer

KINDS = ("tfidf", "mean", "sif")


def open_baseline(
    name: str, *, counts: str | os.PathLike[str] | None = None, tokenizer: str | None = None
) -> Any:
    """Open a baseline by its name: `tfidf`, `sif:VECTORS` or `mean:VECTORS`.

    Args:
        name: VECTORS is anything that `load` opens.
        counts: For SIF, see `read_counts`; by default the counts of the vectors' own vocabulary.
        tokenizer: The name of the tokenizer; by default that of the vectors, or
            `simple` for TF-IDF.

    Raises:
        SettingsError: There is no such baseline, counts are missing, or VECTORS has no word
            vectors.
    """
    kind, _, path = name.partition(":")
    if counts is not None and kind != "sif":
        msg = f"counts are for sif:VECTORS, not for {name!r} - leave them out (--counts)"
        raise SettingsError(msg)
    chosen = Tokenizer(tokenizer) if tokenizer else None
    if kind == "tfidf" and not path:
        return TfIdf(chosen)
    if kind == "mean" and path:
        return averaging(load(path, tokenizer=chosen), path, "word vectors to average")
    if kind == "sif" and path:
        return Sif(load(path, tokenizer=chosen), read_counts(counts) if counts else None)
    msg = f"unknown baseline {name!r} - expected tfidf, sif:VECTORS or mean:VECTORS"
    raise SettingsError(msg)
