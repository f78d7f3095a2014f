"""The arithmetic of encoding: means of matrix rows, and which of them are read.

A mapped or packed matrix is never unpacked or read whole: SciPy's sparse product walks through an
aligned float32 matrix where it lies; of any other, the rows in question are fetched first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sentvec.rows import DenseRows, Rows

Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]


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
    from scipy.sparse import csr_matrix

    dense = matrix.plain if isinstance(matrix, DenseRows) else None
    if dense is None:
        distinct, rows = np.unique(rows, return_inverse=True)
        dense = matrix.take(distinct)
    if weights is None:
        weights = np.ones(len(rows), np.float32)
    sums: Vectors = csr_matrix((weights, rows, offsets), (len(offsets) - 1, len(dense))) @ dense
    return sums
