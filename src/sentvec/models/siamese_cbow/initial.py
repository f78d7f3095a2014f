"""Start training from word vectors: words that both vocabularies have start with the vectors given.

The vocabulary of the run is that of its own corpus.
"""

from __future__ import annotations

import numpy as np

from sentvec.errors import DivergedError, SettingsError
from sentvec.models.base.averaging import SentenceEncoder, averaging
from sentvec.models.base.stored import StoredEncoder
from sentvec.text.vocabulary import Vocabulary
from sentvec.training import matrices


def checked_vectors(opened: StoredEncoder, dim: int | None) -> SentenceEncoder:
    """The word vectors to start from.

    Raises:
        SettingsError: The model has no word vectors of its own, or they are not of length `dim`,
            where that is given.
    """
    model = averaging(opened, "init_from", "word vectors of its own")
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
