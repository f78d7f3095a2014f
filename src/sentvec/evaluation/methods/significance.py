"""Whether two models differ: intervals and tests on the same items.

Correlations: a paired bootstrap, which draws pairs of sentences with replacement and computes the
difference of the two correlations in each draw. Accuracies on a test part: McNemar's exact test.
Accuracies of folds: an interval for the mean difference of the folds.

Not here: how the figures are computed (`correlation`, `classify`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.correlation import checked_scores, pearson, spearman

Floats: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Literal["pearson", "spearman"]

_CHUNK = 2_000_000  # drawn numbers held at once


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference, second minus first, and its confidence interval.

    Attributes:
        difference: As measured.
        low: The lower end of the interval.
        high: The upper end.
        level: The confidence level.
        method: How the interval was computed, in words.
    """

    difference: float
    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True, slots=True)
class McNemar:
    """How often only one of two models was correct.

    Attributes:
        only_first: The number of items that only the first model got right.
        only_second: The number that only the second got right.
        p_value: Two-sided, exact (binomial); 1 if they never disagree.
    """

    only_first: int
    only_second: int
    p_value: float


def bootstrap_difference(
    sets: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike]],
    statistic: Statistic = "pearson",
    *,
    samples: int = 2000,
    level: float = 0.95,
    seed: int = 1234,
) -> Interval:
    """Interval for the difference of two correlations, or of their plain means over several sets.

    Args:
        sets: The scores of the first model, those of the second and the gold scores of each set.
        statistic: Which correlation.
        samples: The number of bootstrap samples; pairs are drawn within each set.
        level: The confidence level; 0.95 is the 2.5th to the 97.5th percentile of the draws.
        seed: The seed of the draws.

    Returns:
        The interval; NaN if a correlation is undefined. Draws in which one is undefined (all pairs
        equal) are left out.
    """
    if samples < 1 or not 0 < level < 1 or not sets:
        msg = f"got {samples} samples, level {level} and {len(sets)} sets - expected one or more "
        raise SettingsError(msg + "samples, a level between 0 and 1, and one or more sets")
    measure = pearson if statistic == "pearson" else spearman
    random = np.random.default_rng(seed)
    differences = []
    draws = np.zeros(samples)
    for columns in sets:
        first, second, gold = checked_scores(*columns)
        differences.append(measure(second, gold) - measure(first, gold))
        draws += _drawn_differences(first, second, gold, statistic, samples, random)
    draws = draws[np.isfinite(draws)] / len(sets)
    difference = float(np.mean(differences))
    low = high = float("nan")
    if np.isfinite(difference) and len(draws):
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2]).tolist()
    method = f"paired bootstrap of the {statistic} correlation, {samples:,} draws, seed {seed}"
    return Interval(difference, low, high, level, method)


def _drawn_differences(
    first: Floats,
    second: Floats,
    gold: Floats,
    statistic: Statistic,
    samples: int,
    random: np.random.Generator,
) -> Floats:
    """The difference in each draw. A draw is a count for each pair, so values are sorted once."""
    n = len(gold)
    result = np.empty(samples)
    step = max(_CHUNK // n, 1)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        drawn = random.integers(n, size=(size, n)) + np.arange(size)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
        values = [_standardised(column) for column in (first, second, gold)]
        if statistic == "spearman":
            values = [_drawn_ranks(column, counts) for column in values]
        one, other, truth = values
        result[start : start + size] = _weighted(other, truth, counts)
        result[start : start + size] -= _weighted(one, truth, counts)
    return result


def _standardised(values: Floats) -> Floats:
    """Mean 0 and deviation 1, so that sums of squares lose no digits."""
    centred = values - values.mean()
    deviation = centred.std()
    result: Floats = centred / deviation if deviation > 0 else centred
    return result


def _drawn_ranks(values: Floats, counts: Floats) -> Floats:
    """The rank of each item in each draw, scaled to -1/2 .. 1/2; (samples, n).

    Copies of an item and equal values share their mean rank.
    """
    _, places = np.unique(values, return_inverse=True)
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], np.arange(places.max() + 1))
    sums = np.add.reduceat(counts[:, order], starts, axis=1)  # how often each value is drawn
    middle = np.cumsum(sums, axis=1) - sums / 2
    result: Floats = middle[:, places] / len(values) - 0.5
    return result


def _weighted(x: Floats, y: Floats, counts: Floats) -> Floats:
    """The linear correlation in each draw; NaN where a side is constant."""
    total = counts.sum(axis=1, keepdims=True)
    a = x - (counts * x).sum(axis=1, keepdims=True) / total
    b = y - (counts * y).sum(axis=1, keepdims=True) / total
    scale = np.sqrt((counts * a * a).sum(axis=1) * (counts * b * b).sum(axis=1))
    top = (counts * a * b).sum(axis=1)
    result: Floats = np.where(scale > 1e-12, top / np.where(scale > 1e-12, scale, 1), np.nan)
    return result


def mcnemar(first: ArrayLike, second: ArrayLike, gold: ArrayLike) -> McNemar:
    """Test whether two models are wrong equally often, from their predictions of the same items.

    >>> mcnemar([1, 1, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1])
    McNemar(only_first=0, only_second=2, p_value=0.5)
    """
    from scipy.stats import binomtest

    one, other, truth = (np.asarray(column) for column in (first, second, gold))
    if not one.shape == other.shape == truth.shape or truth.ndim != 1:
        msg = f"predictions of the shapes {one.shape} and {other.shape} for labels {truth.shape}"
        raise SettingsError(msg + " - expected columns of equal length")
    only_first = int(((one == truth) & (other != truth)).sum())
    only_second = int(((one != truth) & (other == truth)).sum())
    total = only_first + only_second
    p_value = float(binomtest(only_first, total, 0.5).pvalue) if total else 1.0
    return McNemar(only_first, only_second, p_value)


def fold_difference(
    first: Sequence[float],
    second: Sequence[float],
    *,
    level: float = 0.95,
    corrected: bool = True,
) -> Interval:
    """Interval for the mean difference of the accuracies of the same folds, by Student's t.

    Folds share most of their training rows, so their accuracies are not independent, and the
    textbook interval is too narrow. The correction of Nadeau and Bengio (2003) widens it: the
    variance of the mean is s^2 (1/k + 1/(k-1)) instead of s^2 / k.

    Args:
        first: The accuracy of the first model in each fold.
        second: That of the second model, in the same folds.
        level: The confidence level.
        corrected: Whether to correct; `False` gives the textbook interval.
    """
    from scipy.stats import t

    one, other = checked_scores(first, second)
    if not 0 < level < 1:
        msg = f"level is {level} - expected a number between 0 and 1, such as 0.95"
        raise SettingsError(msg)
    differences, k = other - one, len(one)
    factor = 1 / k + (1 / (k - 1) if corrected else 0)
    mean = float(differences.mean())
    half = float(t.ppf((1 + level) / 2, k - 1) * differences.std(ddof=1) * np.sqrt(factor))
    method = f"Student's t over {k} folds" + (", corrected for shared rows" if corrected else "")
    return Interval(mean, mean - half, mean + half, level, method)
