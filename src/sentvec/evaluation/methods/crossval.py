"""Predictions of many classifiers at once: every fold, every C, for all rows of a task.

All protocols work on one array: the class that a classifier with some C, trained on some rows,
predicts for each row. Rows that a fold does not train on (its held-out part, a development or test
part) are only predicted.

Not here: which folds a protocol makes, and how it chooses C (`classify`).

    n rows, f folds, c values of C;  predictions (c, f, n)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.evaluation.methods.design import (
    DenseDesign,
    Design,
    SparseDesign,
    beside,
    blas_threads,
    checked_features,
    design_of,
    is_sparse,
    useful_threads,
)
from sentvec.evaluation.methods.logistic import (
    checked_labels,
    checked_penalties,
    class_signs,
    decide,
    solve_path,
)
from sentvec.evaluation.methods.naive_bayes import NgramTable, Tokens
from sentvec.evaluation.methods.progress import Listen, Meter
from sentvec.machine import processors

Ids: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

_BLOCK = 4_000_000  # scores held at once by a thread (32 MB)
_MAX_BLOCKS, _MIN_FOLDS = 4, 2  # folds in a block share work, blocks run in parallel


def fold_predictions(
    features: ArrayLike,
    labels: ArrayLike,
    rows: Mask,
    penalties: Sequence[float],
    *,
    tokens: Tokens | None = None,
    threads: int | None = None,
    progress: Listen | None = None,
) -> Ids:
    """Train on each fold with each C and predict every row.

    Args:
        features: One row for each item, (n, d).
        labels: The class of each item, (n,).
        rows: The rows each fold trains on, (f, n).
        penalties: The values of C, ascending.
        tokens: The tokens of each sentence, to add naive-Bayes n-grams to the features; they are
            computed from the training rows of each fold.
        threads: Threads to use, all processors if `None`; results do not depend on it.
        progress: Called with the share that is done, 0 to 1, by one thread at a time.

    Returns:
        The predicted classes, (c, f, n).
    """
    known = checked_labels(labels, np.shape(features)[0])
    grid = checked_penalties(penalties)
    meter = Meter(progress, len(rows) * len(grid))
    if tokens is not None:
        return _with_ngrams(features, known, rows, grid, NgramTable.of(tokens), threads, meter)
    design = design_of(features)
    result = np.empty((len(grid), *rows.shape), np.int64)
    blocks = _blocks(len(rows), len(np.unique(known)) * rows.shape[1])

    def solve(block: slice) -> None:
        for index, predicted in enumerate(_path(design, known, rows[block], grid)):
            result[index, block] = predicted
            meter.add(len(predicted))

    inside = useful_threads(design.shape, threads) // len(blocks)
    with blas_threads(max(inside, 1)), ThreadPoolExecutor(threads or processors()) as pool:
        list(pool.map(solve, blocks))
    return result


def _path(design: Design, labels: Ids, rows: Mask, grid: tuple[float, ...]) -> Iterator[Ids]:
    """The predictions (f, n) for each C in turn."""
    classes, signs, groups = class_signs(labels, rows)
    for _, scores in solve_path(design, signs, grid, groups):
        yield decide(scores, classes, rows, labels)


def _with_ngrams(
    features: ArrayLike,
    labels: Ids,
    rows: Mask,
    grid: tuple[float, ...],
    table: NgramTable,
    threads: int | None,
    meter: Meter,
) -> Ids:
    """Folds with n-grams share no features, so each is solved alone, in a thread of its own."""
    sparse = checked_features(features) if is_sparse(features) else None
    dense = DenseDesign(features if sparse is None else np.zeros((len(labels), 0)))

    def solve(fold: int) -> Ids:
        row = rows[fold : fold + 1]
        grams = table.features(labels, row[0])
        design = SparseDesign(dense, grams if sparse is None else beside(sparse, grams))
        predicted = []
        for one in _path(design, labels, row, grid):
            predicted.append(one[0])
            meter.add(1)
        return np.array(predicted)

    with blas_threads(1), ThreadPoolExecutor(threads) as pool:
        return np.stack(list(pool.map(solve, range(len(rows)))), axis=1)


def _blocks(n_folds: int, scores_a_fold: int) -> list[slice]:
    """Blocks of folds that are solved side by side.

    They do not depend on the number of threads, so that results do not either.
    """
    count = max(min(_MAX_BLOCKS, n_folds // _MIN_FOLDS), n_folds * scores_a_fold // _BLOCK, 1)
    ends = [n_folds * index // min(count, n_folds) for index in range(min(count, n_folds) + 1)]
    return [slice(*pair) for pair in pairwise(ends)]
