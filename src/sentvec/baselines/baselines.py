"""Baselines that need no training of ours: TF-IDF, and SIF over any word vectors.

They turn texts into vectors like any model, but look at all texts of a task together first: `fit`.
No label is seen there, but the test part is. The plain mean of word vectors is what `load` makes of
a file of word vectors.

Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings", ICLR 2017 (SIF);
the rows "Unigram TF-IDF" and "GloVe + WR" of the Sent2Vec paper's tables are of these kinds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError, MissingExtraError, SettingsError, SourceError
from sentvec.models.base.averaging import averaging
from sentvec.models.base.encoder import TextEncoder, Vectors
from sentvec.models.base.fingerprint import fingerprint
from sentvec.models.base.means import sum_rows
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.kinds.load import load
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.unicode import decode
from sentvec.text.vocabulary import Vocabulary

A = 1e-3  # of SIF: a / (a + p(w)); the paper's value
KINDS = ("tfidf", "mean", "sif")
_MIN_TEXTS = 3  # texts that have a first component worth taking out


class TfIdf:
    """Words weighted by term and inverse document frequency, as scikit-learn computes them.

    The documents that are counted are the texts given to `fit`; unseen words are left out.

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
        """For reports."""
        return {"kind": "tfidf", "dim": None, "idf": "counted over the texts of each task",
                "scikit-learn": version("scikit-learn")}  # fmt: skip

    def fit(self, texts: Sequence[str]) -> TfIdf:
        """Count in how many of the texts each word stands.

        Raises:
            SettingsError: No text holds a word.
        """
        if not any(self.tokenizer.tokenize(text) for text in texts):
            msg = f"none of {len(texts)} texts holds a word - TF-IDF has nothing to count"
            raise SettingsError(msg)
        self._vectorizer.fit(texts)
        return self

    def encode(self, texts: Sequence[str], *, return_known: bool = False) -> Any:
        """SciPy sparse matrix, float32 (n, words), rows of length 1 or 0; and known words of each.

        Without a `fit`, the texts themselves are counted.
        """
        if not hasattr(self._vectorizer, "vocabulary_"):
            self.fit(texts)
        matrix = self._vectorizer.transform(texts)
        if not return_known:
            return matrix
        words = self._vectorizer.vocabulary_
        known = [sum(word in words for word in self.tokenizer.tokenize(text)) for text in texts]
        return matrix, np.array(known, np.int64)


class Sif(TextEncoder):
    """Smooth inverse frequency: a weighted mean of word vectors, less the texts' common component.

    A word weighs a / (a + p(w)), p being its share of the counts; then the projection of every
    vector on the first right singular vector of all vectors of `fit` is taken out. Without a `fit`
    it is taken from the texts that are encoded; fewer than three texts keep it.

    Args:
        model: Where the word vectors are from.
        counts: How often each word occurs in some large text. Words it lacks count as seen once.
        a: The smoothing.
    """

    def __init__(
        self, model: StoredEncoder, counts: Mapping[str, int] | None = None, a: float = A
    ) -> None:
        model = averaging(model, "the model of SIF", "word vectors to weigh")
        if model.config["sizes"]["buckets"]:
            msg = "SIF weighs words, and this model has n-grams - give a file of word vectors"
            raise SettingsError(msg)
        self.model, self.tokenizer = model, model.tokenizer
        counts = model.vocabulary if counts is None else counts
        if not a > 0:
            msg = f"a is {a} - expected a positive number, such as {A}"
            raise SettingsError(msg)
        total = sum(counts.values())
        if total <= 0:
            msg = "the file of word vectors has no counts, and SIF needs them"
            raise SettingsError(msg + " - give --counts: a model, or a file of words and counts")
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
        """For reports. The fingerprint is of the word vectors and their weights."""
        whole = blake2b(fingerprint(self.model).encode(), digest_size=16)
        whole.update(self._weights.astype("<f4").tobytes())
        return {"kind": "sif", "fingerprint": whole.hexdigest(), "a": self._a,
                "counts": self._total, "component": "of each task",
                "vectors": self.model.config.get("source", self.model.config["sizes"])}  # fmt: skip

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


def read_counts(path: str | os.PathLike[str]) -> Mapping[str, int]:
    """Word counts: of a model folder, or of a file with a word and a count on each line.

    The count may stand first, but then on every line: `2000 7` could be read both ways, so the
    whole file decides. If both ways fit all lines, the word stands first.

    Raises:
        SourceError: There is no such file.
        FormatError: A line is something else.
    """
    if Path(path).is_dir():
        return load(path).vocabulary
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror or error} - expected a file of word counts"
        raise SourceError(msg) from error
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.split()]
    at, wrong = max((_first_wrong(rows, place), place) for place in (0, 1))[::-1]
    if wrong <= len(lines):
        msg = f"{path}, line {wrong}: expected a word and a count, or on all lines the reverse, "
        raise FormatError(f"{msg}found {lines[wrong - 1][:60]!r}")
    if not rows:
        msg = f"{path} is empty - expected a word and a count on each line"
        raise FormatError(msg)
    counts: dict[str, int] = {}
    for _, fields in rows:
        word = decode(fields[1 - at])
        counts[word] = counts.get(word, 0) + int(fields[at])
    return counts


def _first_wrong(rows: Sequence[tuple[int, Sequence[bytes]]], at: int) -> int:
    """The first line that is no word with a count at this place; a huge number if all are."""
    wrong = (line for line, row in rows if len(row) != 2 or not row[at].isdigit())
    return next(wrong, sys.maxsize)


def open_baseline(
    name: str, *, counts: str | os.PathLike[str] | None = None, tokenizer: str | None = None
) -> Any:
    """Make the baseline of a name: `tfidf`, `sif:VECTORS` or `mean:VECTORS`.

    Args:
        name: VECTORS is anything that `load` opens.
        counts: For SIF: see `read_counts`; without it, the counts of the vectors' own vocabulary.
        tokenizer: Cuts text into words.

    Raises:
        SettingsError: There is no such baseline, it lacks counts, or VECTORS has no word vectors.
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
