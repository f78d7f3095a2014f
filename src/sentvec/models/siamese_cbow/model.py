"""Siamese CBOW: word vectors that are learned to be averaged, from which sentences are neighbours.

Kenter, Borisov and de Rijke, "Siamese CBOW: Optimizing Word Embeddings for Sentence
Representations", ACL 2016. Encoding is in `base.averaging`, training in `trainer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, Unpack

from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.kinds.trainable import Trainable
from sentvec.models.siamese_cbow.settings import SiameseCBOWOptions
from sentvec.text.sources import CorpusLike


class SiameseCBOW(Trainable, SentenceEncoder):
    """Sentence vectors as the mean of word vectors that were trained to predict nearby sentences.

    >>> text = ["the cat sat on the mat", "the dog sat on the rug", ""] * 50
    >>> model = SiameseCBOW.train(text, dim=8, epochs=2, threads=1)
    >>> model.encode(["the cat", "the dog", "a cat"]).shape
    (3, 8)
    """

    KIND = "siamese-cbow"
    PREDICTED = "sentence whose neighbours were predicted"

    if TYPE_CHECKING:  # the settings by name; what it does is in `Trainable`

        @classmethod
        def train(  # type: ignore[override]  # noqa: D102
            cls, corpus: CorpusLike, **options: Unpack[SiameseCBOWOptions]
        ) -> Self: ...
