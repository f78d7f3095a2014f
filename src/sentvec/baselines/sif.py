"""SIF: weighted means of word vectors, without their common component.

Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings", ICLR 2017; the
row "GloVe + WR" of the Sent2Vec paper's tables is of this kind.

Not here: word counts in files (`counts`), and how a baseline is named (`opening`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import SettingsError
from sentvec.models.base.averaging import averaging
from sentvec.models.base.encoder import TextEncoder, Vectors
from sentvec.models.base.fingerprint import fingerprint
from sentvec.models.base.means import sum_rows
from sentvec.models.base.stored import StoredEncoder
from sentvec.text.vocabulary import Vocabulary

A = 1e-3  # of SIF: a / (a + p(w)); the paper's value
_MIN_TEXTS = 3  # texts that have a first component worth removing


class Sif(TextEncoder):
    """Smooth inverse frequency: weighted means of word vectors, without their common component.

    The weight of a word is a / (a + p(w)), where p(w) is its share of the counts. The common
    component is the first right singular vector of the means of all texts given to `fit`; its
    projection is subtracted from every vector. Without a `fit` it is computed from the texts that
    are encoded, if there are at least three; otherwise nothing is subtracted.

    Args:
        model: The model that has the word vectors.
        counts: How often each word occurs in some large text; by default the counts of the model's
            vocabulary. Words without a count are treated as seen once.
        a: The smoothing parameter.
    """

    def __init__(
        self, model: StoredEncoder, counts: Mapping[str, int] | None = None, a: float = A
    ) -> None:
        model = averaging(model, "the model of SIF", "word vectors to weigh")
        if model.config.sizes.buckets:
            msg = (
                "SIF weights words, and this model has n-grams - expected vectors of words alone, "
            )
            raise SettingsError(msg + "such as a file of word vectors")
        self.model, self.tokenizer = model, model.tokenizer
        counts = model.vocabulary if counts is None else counts
        if not a > 0:
            msg = f"a is {a} - expected a positive number, such as {A}"
            raise SettingsError(msg)
        total = sum(counts.values())
        if total <= 0:
            msg = "the word vectors come without word counts, and SIF needs them"
            raise SettingsError(
                msg + " - give counts (--counts): a model, or a file of words and counts"
            )
        seen = np.array([counts.get(word, 0) for word in model.vocabulary], np.float64)
        self._a, self._total = a, int(total)
        self._weights = (a / (a + np.maximum(seen, 1) / total)).astype(np.float32)
        self._common: Vectors | None = None

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return self.model.dim

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that have a vector."""
        return self.model.vocabulary

    def provenance(self) -> dict[str, Any]:
        """What a report says of it; the fingerprint covers the word vectors and their weights."""
        whole = blake2b(fingerprint(self.model).encode(), digest_size=16)
        whole.update(self._weights.astype("<f4").tobytes())
        vectors = self.model.config.source or self.model.config.sizes
        return {"kind": "sif", "fingerprint": whole.hexdigest(), "a": self._a,
                "counts": self._total, "component": "of each task",
                "vectors": vectors.to_json()}  # fmt: skip

    def fit(self, texts: Sequence[str]) -> Sif:
        """Find the component that is common to these texts."""
        self._common = None
        weighted, _ = super()._encode(list(dict.fromkeys(texts)), 1)
        self._common = _first_component(weighted)
        return self

    def _encode(
        self, texts: list[str], threads: int, **options: Any
    ) -> tuple[Vectors, NDArray[np.int64]]:
        vectors, known = super()._encode(texts, threads, **options)
        common = self._common
        if common is None and len(texts) >= _MIN_TEXTS:
            common = _first_component(vectors)
        if common is not None:
            vectors = vectors - (vectors @ common)[:, None] * common
        return vectors, known

    def _encode_batch(self, texts: list[str], **options: Any) -> tuple[Vectors, NDArray[np.int64]]:
        ids = self.model.vocabulary.ids
        sentences = [
            [ids[word] for word in self.tokenizer.tokenize(text) if word in ids] for text in texts
        ]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(sentence) for sentence in sentences], out=offsets[1:])
        rows = np.fromiter(chain.from_iterable(sentences), np.int64, offsets[-1])
        known = np.diff(offsets)
        sums = sum_rows(self.model.rows, rows, offsets, self._weights[rows])
        return sums / np.maximum(known, 1).astype(np.float32)[:, None], known


def _first_component(vectors: Vectors) -> Vectors | None:
    """The first right singular vector, float32 (dim,); None for vectors that are all zero."""
    if not len(vectors) or not vectors.any():
        return None
    square = vectors.T.astype(np.float64) @ vectors.astype(np.float64)
    _, basis = np.linalg.eigh(square)
    return np.asarray(basis[:, -1], np.float32)  # its sign makes no difference
