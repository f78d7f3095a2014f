"""How often frequent words are used, the same for all models (word2vec's rule)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def kept_share(counts: NDArray[Any], subsample: float) -> NDArray[np.float64]:
    """min(1, sqrt(t / f) + t / f) of each word, f being its share of the known tokens.

    Args:
        counts: How often each word was seen.
        subsample: t; 0 keeps every word.
    """
    if subsample == 0:
        return np.ones(len(counts))
    with np.errstate(divide="ignore"):  # a word of count 0, of a model that was read
        ratio = subsample / (counts / counts.sum())
    kept: NDArray[np.float64] = np.minimum(1.0, np.sqrt(ratio) + ratio)
    return kept
