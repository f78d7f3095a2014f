"""FastText: what models of fastText make of a text, and Sent2Vec's variant with characters.

    skip-gram, cbow     the mean of the words' vectors, each scaled to length 1; a word's vector is
                        the mean of its row and its character n-grams' rows, so that unknown words
                        have one too
    supervised          the mean of the rows of all features: words, character n-grams, the end of
                        the line, and word n-grams, hashed over strings
    cbow-c+w-ngrams     the mean of the known words' vectors, not scaled (as the released Python
                        module does; its command line leaves the characters out)

Which rows belong to a word is in `subwords`; reading the files in `formats`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import UnknownWordError
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.checks import (
    CHAR_NGRAMS,
    character_buckets,
    check_rows,
    check_tokenizer,
)
from sentvec.models.base.encoder import Vectors
from sentvec.models.base.explain import feature_names, shares
from sentvec.models.base.inputs import as_texts
from sentvec.models.base.means import mean_rows, sum_rows
from sentvec.models.base.packing import SENTENCE_END
from sentvec.models.base.results import Feature
from sentvec.models.base.similarity import normalized
from sentvec.models.fasttext.subwords import (
    KeptBuckets,
    subword_rows,
    token_ngram_rows,
    word_hashes,
)
from sentvec.storage.folder import ModelFolder
from sentvec.storage.rows import DenseRows
from sentvec.text.ngrams import NO_ROW
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.unicode import encode

Ints = NDArray[np.int64]

_REMEMBERED = 1 << 16  # words whose rows are kept


class FastText(SentenceEncoder):
    """A model of fastText; made by `sentvec.load`."""

    KIND = "fasttext"
    EXTRA_TENSORS = ("pruned_buckets",)
    HASHES_CHARACTERS = True

    @classmethod
    def _checked_folder(cls, opened: ModelFolder) -> Tokenizer:
        check_rows(opened, hashed=False, characters=character_buckets(opened))
        return check_tokenizer(opened)

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        settings = self.config.settings
        self._model = settings.model
        pairs = self.tensors.get("pruned_buckets")
        self._kept = None if pairs is None else KeptBuckets(pairs)
        # Model 5 of Sent2Vec has buckets of their own for characters, after those of word n-grams.
        of_words = self._buckets if self._model == CHAR_NGRAMS else 0
        self._characters: dict[str, Any] = {
            "n_words": self._n_words + of_words,
            "buckets": settings.char_buckets if of_words else self._buckets,
            "min_n": settings.min_n,
            "max_n": settings.max_n,
            "kept": self._kept,
        }
        # Before version 12 the end of a line was a word like others.
        version = settings.layout_version
        self._end_has_parts = version is not None and version < 12
        self._rows_of_word = lru_cache(_REMEMBERED)(self._find_rows)

    def _find_rows(self, word: str) -> Ints:
        """The rows of a word: its own, if it is known, and those of its character n-grams."""
        number = self.vocabulary.ids.get(word)
        own = np.array([] if number is None else [number], np.int64)
        if word == SENTENCE_END and not self._end_has_parts:
            return own
        parts, _ = subword_rows([encode(word)], **self._characters)
        return np.concatenate([own, parts])

    def word_vector(self, word: str) -> Vectors:
        """The vector of a word: the mean of its rows, float32 (dim,).

        Raises:
            UnknownWordError: The word is not in the vocabulary and no part of it has a row.
        """
        rows = self._rows_of_word(word)
        if not len(rows):
            self.vocabulary.id_of(word)  # raises, and names near words
            msg = f"the word {word!r} has no row - nothing was kept of it"
            raise UnknownWordError(msg)
        return mean_rows(self.rows, rows, np.array([0, len(rows)])).reshape(self.dim)

    def word_vectors(self, ids: Ints) -> Vectors:
        """What `word_vector` gives for the words of these ids: float32 (n, dim)."""
        names = self.vocabulary.words
        groups = [self._rows_of_word(names[number]) for number in ids.tolist()]
        return mean_rows(self.rows, *_flat(groups))

    def explain(self, text: str) -> list[Feature]:
        """Take a text's vector apart: its words (and word n-grams) with their shares.

        A word goes with its character n-grams. `row` is the word's id, -1 for unknown words, for
        n-grams, and for the end of the line, which supervised models see as a word.
        """
        [text] = as_texts([text])
        names, vectors = self._parts(text)
        index = {name: place for place, name in reversed(list(enumerate(names)))}
        rows = np.array([index[name] for name in names], np.int64)
        ids = self.vocabulary.ids
        return [
            Feature(f.text, ids.get(f.text, -1), f.count, f.weight, f.share)
            for f in shares(rows, names, DenseRows(vectors).take)
        ]

    def _parts(self, text: str) -> tuple[list[str], Vectors]:
        """What a text's vector is the mean of: names, and float32 (n, dim)."""
        words = self._words(text)
        if self._model != "supervised" or not words:
            vectors, there = self._vectors_of_words(words)
            return list(compress(words, there)), vectors[there]
        # Words without a row take part in n-grams.
        ended = [*self._tokens(text), SENTENCE_END]
        found = self._word_ngrams(ended)
        length = np.arange(2, self._ngrams + 1)
        inside = np.arange(len(ended))[:, None] + length <= len(ended)
        groups = [self._rows_of_word(word) for word in ended]
        groups += [row[row != NO_ROW] for row in found[inside][:, None]]
        there = np.array([len(group) > 0 for group in groups])
        rows, offsets = _flat(list(compress(groups, there)))
        scale = np.float32((len(offsets) - 1) / len(rows))
        names = compress(feature_names(ended, self._ngrams), there)
        return list(names), sum_rows(self.rows, rows, offsets) * scale

    def _words(self, text: str) -> list[str]:
        """The words of a text that have a vector."""
        words = self._tokens(text)
        if self._model == CHAR_NGRAMS:
            return [word for word in words if word in self.vocabulary.ids]
        return [word for word in words if len(self._rows_of_word(word))]

    def _encode_batch(self, texts: list[str], **options: Any) -> tuple[Vectors, Ints]:
        if self._model == "supervised":
            return self._encode_features(texts)
        sentences = [self._words(text) for text in texts]
        distinct = {word: 0 for word in chain.from_iterable(sentences)}
        for index, word in enumerate(distinct):
            distinct[word] = index
        vectors, there = self._vectors_of_words(list(distinct))
        kept = [
            [number for word in sentence if there[number := distinct[word]]]
            for sentence in sentences
        ]
        rows, offsets = _flat(kept)
        return mean_rows(DenseRows(vectors), rows, offsets), np.diff(offsets)

    def _vectors_of_words(self, words: list[str]) -> tuple[Vectors, NDArray[np.bool_]]:
        """What each word adds to a sentence, and whether it adds anything."""
        rows, offsets = _flat([self._rows_of_word(word) for word in words])
        vectors = mean_rows(self.rows, rows, offsets)
        if self._model in (CHAR_NGRAMS, "supervised"):
            return vectors, np.ones(len(words), np.bool_)
        return normalized(vectors), np.count_nonzero(vectors, axis=1) > 0

    def _encode_features(self, texts: list[str]) -> tuple[Vectors, Ints]:
        """Supervised models: the mean over all features of a line, its end included."""
        features, known = [], []
        for text in texts:
            words = self._tokens(text)
            own = [self._rows_of_word(word) for word in words]
            known.append(sum(1 for rows in own if len(rows)))
            end = self._rows_of_word(SENTENCE_END)
            grams = self._word_ngrams([*words, SENTENCE_END])
            grams = grams[grams != NO_ROW]
            features.append(np.concatenate([*own, end, grams]) if known[-1] else end[:0])
        rows, offsets = _flat(features)
        return mean_rows(self.rows, rows, offsets), np.array(known, np.int64)

    def count_rows(self, words: list[str]) -> int:
        """How many rows of the matrix a sentence of these words has."""
        own = sum(len(self._rows_of_word(word)) for word in words)
        if self._model != "supervised":
            return own
        return own + int(np.count_nonzero(self._word_ngrams([*words, SENTENCE_END]) != NO_ROW))

    def _word_ngrams(self, words: list[str]) -> Ints:
        """The rows of a line's word n-grams by start and length, int64 (n, ngrams - 1)."""
        return token_ngram_rows(
            word_hashes([encode(word) for word in words]),
            np.array([0, len(words)]),
            n_words=self._n_words,
            ngrams=self._ngrams,
            buckets=self._buckets,
            kept=self._kept,
        )


def _flat(groups: list[Any]) -> tuple[Ints, Ints]:
    """Groups of rows one after the other, and where each begins."""
    offsets = np.zeros(len(groups) + 1, np.int64)
    np.cumsum([len(group) for group in groups], out=offsets[1:])
    flat = np.fromiter(chain.from_iterable(groups), np.int64, offsets[-1])
    return flat, offsets
