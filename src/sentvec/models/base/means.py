"""The arithmetic of encoding: means of matrix rows, and which of them are read.

A mapped or packed matrix is never unpacked or read whole: SciPy's sparse product walks through an
aligned float32 matrix where it lies; of any other, the rows in question are fetched first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sentvec.storage.rows import DenseRows, Rows

Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]

_FETCHED_BYTES = 1 << 26  # of rows that are fetched at a time; long texts have millions


def mean_rows(matrix: Rows, rows: Ints, offsets: Ints) -> Vectors:
    """The mean of each group of rows, float32 (n, dim); zeros for a group without one.

    Args:
        matrix: Where the rows are.
        rows: int64 (f,), the row of each feature, one group after the other, repeats kept.
        offsets: int64 (n + 1,), where each group begins.
    """
    counts = np.maximum(np.diff(offsets), 1).astype(np.float32)
    return sum_rows(matrix, rows, offsets) * (np.float32(1) / counts)[:, None]


def sum_rows(matrix: Rows, rows: Ints, offsets: Ints, weights: Vectors | None = None) -> Vectors:
    """The sum of each group of rows (see `mean_rows`), each times its weight, float32 (f,)."""
    if weights is None:
        weights = np.ones(len(rows), np.float32)
    if isinstance(matrix, DenseRows) and matrix.plain is not None:
        return _product(matrix.plain, rows, offsets, weights)
    sums = np.empty((len(offsets) - 1, matrix.shape[1]), np.float32)
    for first, last in _portions(offsets, max(_FETCHED_BYTES // (4 * matrix.shape[1]), 1)):
        begin, end = offsets[first], offsets[last]
        distinct, places = np.unique(rows[begin:end], return_inverse=True)
        sums[first:last] = _product(
            matrix.take(distinct), places, offsets[first : last + 1] - begin, weights[begin:end]
        )
    return sums


def _portions(offsets: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Runs of groups with at most N rows; a group with more is a run of its own."""
    first, n = 0, len(offsets) - 1
    while first < n:
        last = int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1
        last = min(max(last, first + 1), n)
        yield first, last
        first = last


def _product(dense: Vectors, rows: Ints, offsets: Ints, weights: Vectors) -> Vectors:
    from scipy.sparse import csr_matrix

    sums: Vectors = csr_matrix((weights, rows, offsets), (len(offsets) - 1, len(dense))) @ dense
    return sums
