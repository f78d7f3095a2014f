"""Rows of a matrix that lie apart in a file, as word2vec binaries have them. Not here: the scan."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


class OffsetRows:
    """A matrix whose rows begin at given bytes of a file; a row is read when it is taken.

    Args:
        data: uint8, the mapped file.
        offsets: int64 (n,), where the rows begin; each ends inside `data`.
        dim: Numbers in a row, little-endian float32, at any alignment.

    >>> data = np.frombuffer(b"a" + np.array([1, 2], "<f4").tobytes(), np.uint8)
    >>> OffsetRows(data, np.array([1]), 2).take([0, 0])
    array([[1., 2.],
           [1., 2.]], dtype=float32)
    """

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64], dim: int) -> None:
        self._offsets, self._dim = offsets, dim
        # Every window of a row's length, overlapping: a view, and taking from it copies row by row.
        self._windows = np.lib.stride_tricks.sliding_window_view(data, 4 * dim)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, numbers in a row."""
        return len(self._offsets), self._dim

    def take(self, rows: ArrayLike) -> NDArray[np.float32]:
        """The rows of given numbers, as float32 (n, dim)."""
        taken = self._windows[self._offsets[np.asarray(rows, np.int64)]]
        return taken.view("<f4").astype(np.float32, copy=False)
