"""TF-IDF vectors of sentences, without any training of ours.

The row "Unigram TF-IDF" of the Sent2Vec paper's tables is of this kind.

Not here: which text is counted (the caller of `fit` says), and how a baseline is named (`opening`).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from sentvec.errors import MissingExtraError, SettingsError
from sentvec.text.tokenizer import Tokenizer


class TfIdf:
    """Words weighted by term and inverse document frequency, as scikit-learn computes them.

    The document frequencies are those of the texts given to `fit`. Other words are ignored.

    Args:
        tokenizer: Cuts text into words.
    """

    def __init__(self, tokenizer: Tokenizer | None = None) -> None:
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
        except ImportError as error:
            msg = "TF-IDF needs scikit-learn - install it with: pip install 'sentvec[evaluate]'"
            raise MissingExtraError(msg) from error
        self.tokenizer = tokenizer or Tokenizer("simple")
        self._vectorizer = TfidfVectorizer(
            tokenizer=self.tokenizer.tokenize, lowercase=False, token_pattern=None, dtype=np.float32
        )

    def provenance(self) -> dict[str, Any]:
        """What a report says of it."""
        return {"kind": "tfidf", "dim": None, "idf": "counted over the texts of each task",
                "scikit-learn": version("scikit-learn")}  # fmt: skip

    def fit(self, texts: Sequence[str]) -> TfIdf:
        """Count the texts that contain each word.

        Raises:
            SettingsError: No text contains a word.
        """
        if not any(self.tokenizer.tokenize(text) for text in texts):
            msg = (
                f"none of {len(texts)} texts contains a word - TF-IDF needs words to count; check "
            )
            raise SettingsError(msg + "the texts and the tokenizer")
        self._vectorizer.fit(texts)
        return self

    def encode(self, texts: Sequence[str], *, return_known: bool = False) -> Any:
        """Encode texts as rows of length 1, or 0 where no word is known.

        Without a `fit`, the texts themselves are counted.

        Returns:
            A SciPy sparse matrix, float32 (n, words); with `return_known` also the number of known
            words of each text.
        """
        if not hasattr(self._vectorizer, "vocabulary_"):
            self.fit(texts)
        matrix = self._vectorizer.transform(texts)
        if not return_known:
            return matrix
        words = self._vectorizer.vocabulary_
        known = [sum(word in words for word in self.tokenizer.tokenize(text)) for text in texts]
        return matrix, np.array(known, np.int64)
