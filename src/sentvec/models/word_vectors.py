"""Word vectors of other programs, averaged."""

from __future__ import annotations

from sentvec.models.base.averaging import SentenceEncoder


class WordVectors(SentenceEncoder):
    """Sentence vectors as the plain mean of word vectors, of word2vec, GloVe or any other program.

    >>> sentvec.load("glove.6B.300d.txt").encode("two words").shape   # doctest: +SKIP
    (300,)
    """

    KIND = "word-vectors"
