"""Sent2Vec: a sentence vector is the mean of learned word and n-gram vectors.

Pagliardini, Gupta and Jaggi, "Unsupervised Learning of Sentence Embeddings using Compositional
n-Gram Features", NAACL 2018. Encoding is in `base.averaging`, training in `trainer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, Unpack

from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.kinds.trainable import Trainable
from sentvec.models.sent2vec.settings import Sent2VecOptions
from sentvec.text.sources import CorpusLike


class Sent2Vec(Trainable, SentenceEncoder):
    """Sentence vectors as the mean of word and n-gram vectors learned from plain text.

    >>> text = ["the cat sat on the mat", "the dog sat on the rug"] * 50
    >>> model = Sent2Vec.train(text, dim=8, epochs=2, threads=1)
    >>> model.encode(["the cat", "the dog", "a cat"]).shape
    (3, 8)
    """

    KIND = "sent2vec"
    HASHES_IDS = True

    if TYPE_CHECKING:  # the settings by name; what it does is in `Trainable`

        @classmethod
        def train(  # type: ignore[override]  # noqa: D102
            cls, corpus: CorpusLike, **options: Unpack[Sent2VecOptions]
        ) -> Self: ...
