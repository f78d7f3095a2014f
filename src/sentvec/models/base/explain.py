"""What each word and n-gram of a text contributes to its vector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sentvec.models.base.results import Feature


@np.errstate(invalid="ignore", over="ignore")  # of a damaged model, what is not finite stays so
def shares(
    rows: NDArray[np.int64],
    names: list[str],
    take: Callable[[NDArray[np.int64]], NDArray[np.float32]],
) -> list[Feature]:
    """The distinct features of a text with their shares of its vector, largest first.

    Args:
        rows: int64 (f,), the row of each feature, repeats kept.
        names: The same features as text.
        take: Gives the vectors of rows; only those in question are read.
    """
    counts = Counter(zip(rows.tolist(), names, strict=True))
    distinct = np.array([row for row, _ in counts], np.int64)
    vectors = take(distinct).astype(np.float64)
    weights = np.array(list(counts.values()), np.float64) / max(len(names), 1)
    whole = weights @ vectors
    square = float(whole @ whole)
    parts = weights * (vectors @ whole) / square if square > 0 else np.zeros(len(counts))
    features = [
        Feature(name, row, count, float(weight), float(share))
        for ((row, name), count), weight, share in zip(counts.items(), weights, parts, strict=True)
    ]
    return sorted(features, key=lambda feature: -feature.share)


def feature_names(words: list[str], ngrams: int) -> list[str]:
    """The features of a sentence as text, in the order of `text.ngrams.feature_lists`."""
    grams = [
        " ".join(words[start : start + order])
        for start in range(len(words))
        for order in range(2, ngrams + 1)
        if start + order <= len(words)
    ]
    return [*words, *grams]
