"""Correlations with gold scores: of one set, and the three ways to combine several.

A correlation with something constant is undefined, and NaN here without a warning: the caller must
report it. Constant means constant to 12 digits, since the cosines of equal vectors differ in the
last digits of float64, and correlations of such noise look like results.

Not here: cosines (`vectors`), and whether two correlations differ (`significance`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import SettingsError

Floats: TypeAlias = NDArray[np.float64]

_CONSTANT = 1e-12  # of the largest value


@dataclass(frozen=True, slots=True)
class Correlation:
    """How scores correlate with gold scores.

    Attributes:
        pearson: Linear correlation; NaN if one side is constant.
        spearman: Correlation of the ranks, where equal values share their mean rank.
        n_pairs: The number of scored pairs.
    """

    pearson: float
    spearman: float
    n_pairs: int


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Several sets combined in three ways; papers differ in which one they print.

    Attributes:
        mean: The plain mean over the sets.
        weighted: The mean weighted by the numbers of pairs.
        concatenated: The correlation over all pairs of all sets as one set.
    """

    mean: Correlation
    weighted: Correlation
    concatenated: Correlation


def correlate(scores: ArrayLike, gold: ArrayLike) -> Correlation:
    """Correlate scores with gold scores.

    >>> found = correlate([0.1, 0.2, 0.9], [1, 2, 3])
    >>> round(found.pearson, 4), round(found.spearman, 4), found.n_pairs
    (0.9177, 1.0, 3)

    Raises:
        SettingsError: Lengths differ, there are fewer than two values, or one is not finite.
    """
    x, y = checked_scores(scores, gold)
    return Correlation(pearson(x, y), spearman(x, y), len(x))


def aggregate(sets: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Aggregates:
    """Combine several sets of (scores, gold scores).

    A set whose correlation is NaN makes both means NaN.

    Raises:
        SettingsError: There is no set, or `correlate` refuses one.
    """
    if not sets:
        msg = "got no sets of scores - expected one or more"
        raise SettingsError(msg)
    parts = [correlate(*pair) for pair in sets.values()]
    counts = np.array([part.n_pairs for part in parts])
    total = int(counts.sum())

    def mean(weights: NDArray[np.int64]) -> Correlation:
        values = np.array([(part.pearson, part.spearman) for part in parts])
        both = (weights @ values / weights.sum()).tolist()
        return Correlation(both[0], both[1], total)

    columns = zip(*sets.values(), strict=True)
    whole = correlate(*(np.concatenate([np.asarray(one) for one in column]) for column in columns))
    return Aggregates(mean(np.ones_like(counts)), mean(counts), whole)


def pearson(x: Floats, y: Floats) -> float:
    """The linear correlation; NaN if one side is constant."""
    if is_constant(x) or is_constant(y):
        return float("nan")
    a, b = x - x.mean(), y - y.mean()
    value = (a / np.linalg.norm(a)) @ (b / np.linalg.norm(b))
    return float(np.clip(value, -1.0, 1.0))


def spearman(x: Floats, y: Floats) -> float:
    """The correlation of the ranks; NaN if one side is constant."""
    if is_constant(x) or is_constant(y):
        return float("nan")
    return pearson(ranks(x), ranks(y))


def ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs.

    >>> ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middle: Floats = ends - (counts - 1) / 2
    return middle[places]


def is_constant(values: Floats) -> bool:
    """Whether all values are equal, except for rounding."""
    return bool(np.ptp(values) <= _CONSTANT * np.abs(values).max())


def checked_scores(*columns: ArrayLike) -> tuple[Floats, ...]:
    """Columns of float64, of equal length.

    Raises:
        SettingsError: Lengths differ, there are fewer than two values, or one is not finite.
    """
    arrays = tuple(np.asarray(column, np.float64) for column in columns)
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1 or arrays[0].ndim != 1 or len(arrays[0]) < 2:
        msg = f"scores have the shapes {[array.shape for array in arrays]} - expected columns of "
        raise SettingsError(msg + "equal length, with two rows or more")
    for array in arrays:
        if not np.isfinite(array).all():
            bad = np.flatnonzero(~np.isfinite(array))
            msg = f"{len(bad):,} of {len(array):,} scores are NaN or infinite, the first is "
            raise SettingsError(msg + f"row {bad[0]} - expected finite numbers; check the encoder")
    return arrays
