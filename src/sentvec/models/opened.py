"""Whether an opened folder holds what encoding relies on: found out at once, not at first use."""

from __future__ import annotations

import numpy as np

from sentvec.errors import FormatError
from sentvec.models.settings import LONGEST_NGRAM
from sentvec.storage.folder import CONFIG, TENSORS, ModelFolder
from sentvec.text.tokenizer import Tokenizer


def check_opened(opened: ModelFolder) -> Tokenizer:
    """Check the sizes, the n-grams and the matrix of a folder; returns its tokenizer.

    Raises:
        FormatError: The configuration describes no model, or one of other matrices.
    """
    sizes = opened.config["sizes"]
    try:
        tokenizer = Tokenizer(**opened.config["tokenizer"])
        words, buckets, dim = (int(sizes[name]) for name in ("vocabulary", "buckets", "dim"))
        ngrams = int(opened.config["settings"]["ngrams"])
        if not 1 <= ngrams <= LONGEST_NGRAM or buckets < (ngrams > 1):
            msg = f"ngrams={ngrams} with {buckets} buckets"
            raise ValueError(msg)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        msg = f"{opened.path / CONFIG} does not describe a model ({error!r}) - it is damaged"
        raise FormatError(msg) from error
    vectors = opened.tensors.get("input_vectors", np.empty(0))
    expected = (words + buckets, dim)
    if vectors.dtype not in (np.float32, np.float16) or vectors.shape != expected:
        msg = f"{opened.path / TENSORS} has input_vectors of {vectors.dtype} {vectors.shape}"
        raise FormatError(
            f"{msg}, expected float32 or float16 {expected} - {CONFIG} is of another model"
        )
    return tokenizer
