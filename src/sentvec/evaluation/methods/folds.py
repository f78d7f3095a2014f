"""Which rows a cross-validation holds out: folds exactly as scikit-learn makes them.

A split is one array with the fold of each row, so fold f is held out as `folds == f`.

Not here: what is done with them (`classify`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import SettingsError

Ids = NDArray[np.int64]


def plain_folds(n_rows: int, n_folds: int, seed: int | None = None) -> Ids:
    """Consecutive folds of the rows in order, or of the rows shuffled by a seed.

    The first `n_rows % n_folds` folds are one row longer. The same as scikit-learn's KFold, today
    and in 2015.

    >>> plain_folds(5, 2)
    array([0, 0, 0, 1, 1])
    """
    _check(n_rows, n_folds)
    sizes = np.full(n_folds, n_rows // n_folds)
    sizes[: n_rows % n_folds] += 1
    folds = np.empty(n_rows, np.int64)
    folds[shuffled(n_rows, seed)] = np.repeat(np.arange(n_folds), sizes)
    return folds


def stratified_folds(labels: Ids, n_folds: int, seed: int) -> Ids:
    """Shuffled folds that contain each class in its share of all rows.

    The same as scikit-learn's StratifiedKFold since 0.22 (2019); earlier versions drew others from
    the same seed.

    >>> stratified_folds(np.array([1, 1, 0, 0]), 2, seed=0).tolist()
    [1, 0, 0, 1]
    """
    _check(len(labels), n_folds)
    classes, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    if np.bincount(codes).max() < n_folds:
        msg = f"no class has {n_folds} rows, one for each fold"
        raise SettingsError(msg + " - expected at least one such class; use fewer folds")
    # Every n-th row of the sorted labels goes to one fold: that is its number of rows of a class.
    ranks = np.empty(len(classes), np.int64)
    ranks[by_appearance] = np.arange(len(classes))
    in_order = np.sort(ranks[codes])
    random = np.random.RandomState(seed)
    folds = np.empty(len(labels), np.int64)
    for rank, code in enumerate(by_appearance):
        sizes = [np.count_nonzero(in_order[fold::n_folds] == rank) for fold in range(n_folds)]
        places = np.repeat(np.arange(n_folds), sizes)
        random.shuffle(places)
        folds[codes == code] = places
    return folds


def shuffled(n_rows: int, seed: int | None) -> Ids:
    """The row numbers as `RandomState(seed).shuffle` leaves them; in order for `None`."""
    order = np.arange(n_rows)
    if seed is not None:
        np.random.RandomState(seed).shuffle(order)
    return order


def _check(n_rows: int, n_folds: int) -> None:
    if not 2 <= n_folds <= n_rows:
        msg = f"{n_folds} folds of {n_rows:,} rows - expected 2 folds or more, and a row for each"
        raise SettingsError(msg)
