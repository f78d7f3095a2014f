"""Matrices whose rows are computed when written: what is saved need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.storage.rows import Rows

Take = Callable[[NDArray[np.int64]], NDArray[np.float32]]


@dataclass(frozen=True)
class LazyMatrix:
    """A matrix whose rows are computed when needed, a `Tensor` for `write_tensors`.

    Attributes:
        rows: int64 (n,), the rows of the source in the order of the new matrix.
        take: Returns rows of the source, float32.
        dim: Number of columns.
        dtype: Type of the stored numbers.
        pack: Converts rows of float32 to stored ones; its second argument is the index of the rows,
            a slice or their numbers.
    """

    rows: NDArray[np.int64]
    take: Take
    dim: int
    dtype: np.dtype[Any]
    pack: Callable[[NDArray[np.float32], Any], NDArray[Any]] = lambda x, _: x

    @property
    def shape(self) -> tuple[int, int]:
        """(n, dim)."""
        return len(self.rows), self.dim

    @property
    def nbytes(self) -> int:
        """Size when stored."""
        return len(self.rows) * self.dim * self.dtype.itemsize

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice | NDArray[np.int64]) -> NDArray[Any]:
        return self.pack(self.take(self.rows[part]), part)


class LazyRows:
    """A `LazyMatrix` as `Rows`."""

    def __init__(self, matrix: LazyMatrix) -> None:
        self.shape: tuple[int, int] = matrix.shape
        self._matrix = matrix

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Copies of these rows, computed now."""
        return self._matrix[rows].astype(np.float32, copy=False)


def storable(tensors: Mapping[str, NDArray[Any]], rows: Rows) -> dict[str, Any]:
    """The tensors as a folder holds them: rows scattered in a file become one matrix."""
    if "row_offsets" not in tensors:
        return dict(tensors)
    n, dim = rows.shape
    return {"input_vectors": LazyMatrix(np.arange(n), rows.take, dim, np.dtype("f4"))}
