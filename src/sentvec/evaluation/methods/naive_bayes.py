"""The extra features of the Skip-Thought paper: naive-Bayes n-grams (`+NB`), surface (`+feats`).

Both take sentences as lists of tokens. `+NB`: the unigrams and bigrams present in a sentence, each
weighted by the log ratio of its smoothed shares in the two classes. `+feats`: six features of the
numbers and words that two sentences share.

The released program calls class 0 the positive one; that flips the sign of the ratios and of their
weights, not the predictions.

Not here: tokenizers, and the dense features that these are added to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import SettingsError

Tokens: TypeAlias = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class NgramTable:
    """Which n-grams occur in which sentence; one table serves all folds.

    Attributes:
        present: scipy CSR, a row for each sentence and a column for each n-gram, 1 where it occurs.
        counts: The same with the number of occurrences.
    """

    present: Any
    counts: Any

    @classmethod
    def of(cls, sentences: Tokens) -> NgramTable:
        """Number the unigrams and bigrams of the sentences."""
        from scipy.sparse import csr_matrix

        ids: dict[tuple[str, ...], int] = {}
        columns: list[int] = []
        values: list[int] = []
        ends = [0]
        for tokens in sentences:
            for gram, count in Counter(ngrams(tokens)).items():
                columns.append(ids.setdefault(gram, len(ids)))
                values.append(count)
            ends.append(len(columns))
        shape = (len(sentences), len(ids))
        counts = csr_matrix((np.array(values, float), columns, ends), shape)
        present = csr_matrix((np.ones(len(values)), columns, ends), shape)
        return cls(present, counts)

    def features(self, labels: NDArray[np.int64], rows: NDArray[np.bool_]) -> Any:
        """The features of all sentences, with log ratios from some of them.

        Args:
            labels: The class of each sentence, one of two.
            rows: The sentences to count.

        Returns:
            A CSR matrix with a column for each n-gram of the counted sentences.
        """
        classes = np.unique(labels[rows])
        if len(classes) != 2:
            msg = f"naive-Bayes features of the classes {classes.tolist()} - expected two classes"
            raise SettingsError(msg + "; leave the features out (+NB)")
        sums = [np.asarray(self.counts[rows & (labels == c)].sum(axis=0)).ravel() for c in classes]
        seen = np.flatnonzero(sums[0] + sums[1])
        smoothed = [1 + total[seen] for total in sums]
        negative, positive = (total / total.sum() for total in smoothed)
        ratios = np.log(positive / negative)
        return self.present[:, seen].multiply(ratios[None, :]).tocsr()


def ngrams(tokens: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The unigrams of a sentence, then its bigrams."""
    yield from ((token,) for token in tokens)
    yield from pairwise(tokens)


def surface_features(left: Tokens, right: Tokens) -> NDArray[np.float64]:
    """Six features of each pair of sentences, (n, 6), as the Skip-Thought paper adds for MSRP.

    Whether both contain the same set of numbers; whether they do and it is not empty; whether one
    set is a subset of the other; the share of the left words that are in the right sentence, and
    the reverse; the mean of the two ratios of length. A number is what Python's `float` reads,
    including "nan" and "inf". Shares and ratios of an empty sentence are 0, where the released
    program fails.

    >>> surface_features([["he", "paid", "5"]], [["paid", "5"]]).round(2).tolist()
    [[1.0, 1.0, 1.0, 0.67, 1.0, 1.08]]
    """
    if len(left) != len(right):
        msg = f"got {len(left):,} left and {len(right):,} right sentences - expected equal numbers"
        raise SettingsError(msg)
    rows = [_surface(one, other) for one, other in zip(left, right, strict=True)]
    return np.array(rows, np.float64).reshape(-1, 6)


def _surface(left: Sequence[str], right: Sequence[str]) -> list[float]:
    words, others = set(left), set(right)
    numbers, other_numbers = set(filter(_is_number, left)), set(filter(_is_number, right))
    same = numbers == other_numbers
    part = numbers <= other_numbers or other_numbers <= numbers
    shared = len(words & others)
    ratio = 0.0
    if left and right:
        ratio = 0.5 * (len(left) / len(right) + len(right) / len(left))
    return [
        float(same),
        float(same and bool(numbers)),
        float(part),
        shared / max(len(words), 1),
        shared / max(len(others), 1),
        ratio,
    ]


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True
