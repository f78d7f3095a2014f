"""Rows of a matrix as float32, however the matrix is stored; only the requested rows are read.

A model may be larger than the memory: only `to_array` copies a whole matrix.

    DenseRows    float32 or float16, at any address
    MovedRows    any of these, in another order
    ScaledRows   int8, each row with its scale
    OffsetRows   float32 rows of a file, with words between them
    ProductRows  product quantisation (Jegou, Douze and Schmid 2011): a code per part of a row

Not here: reading the arrays from a file, and what the rows mean.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.storage.records import Quantiser

CODES = 256  # centroids of each part: a code is a byte
_BLOCK = 1 << 14  # rows unpacked at a time


class Rows(Protocol):
    """A matrix from which single rows are taken."""

    shape: tuple[int, int]

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Copies of these rows: float32 (n, dim)."""


class DenseRows:
    """A matrix of float32 or float16, used in place.

    >>> DenseRows(np.eye(3, dtype=np.float16)).take(np.array([2]))
    array([[0., 0., 1.]], dtype=float32)
    """

    def __init__(self, matrix: NDArray[Any]) -> None:
        if matrix.ndim != 2 or matrix.dtype not in (np.float32, np.float16):
            raise _misfit("float32 or float16 rows", matrix)
        self.shape: tuple[int, int] = matrix.shape
        self._dtype = matrix.dtype
        # The matrix itself, where arithmetic can use it directly.
        self.plain: NDArray[np.float32] | None = None
        if matrix.dtype == np.float32 and matrix.flags.aligned and matrix.flags.c_contiguous:
            self.plain = matrix
        # NumPy's `take` first copies a whole array that is not aligned. Bytes always are, and
        # `take` moves a row of them as one piece.
        self._bytes: NDArray[np.uint8] = np.ascontiguousarray(matrix).view(np.uint8)

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Copies of these rows."""
        taken = self._bytes.take(rows, axis=0).view(self._dtype)
        return taken.astype(np.float32, copy=False)


class MovedRows:
    """A matrix with its rows in another order.

    >>> MovedRows(DenseRows(np.eye(2, dtype=np.float32)), np.array([1, 0])).take(np.array([0]))
    array([[0., 1.]], dtype=float32)
    """

    def __init__(self, rows: Rows, places: NDArray[np.int64]) -> None:
        self.shape: tuple[int, int] = (len(places), rows.shape[1])
        self._rows, self._places = rows, places

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Copies of these rows."""
        return self._rows.take(self._places[rows])


class ScaledRows:
    """A matrix of int8, each row times its own scale.

    >>> rows = ScaledRows(np.array([[0, 127], [127, 0]], np.int8), np.array([1, 2], np.float32))
    >>> rows.take(np.array([1]))
    array([[254.,   0.]], dtype=float32)
    """

    def __init__(self, matrix: NDArray[np.int8], scales: NDArray[np.float32]) -> None:
        if matrix.ndim != 2 or matrix.dtype != np.int8:
            raise _misfit("int8 rows", matrix)
        if scales.shape != matrix.shape[:1] or scales.dtype != np.float32:
            raise _misfit(f"{len(matrix)} scales of float32", scales)
        self.shape: tuple[int, int] = matrix.shape
        self._matrix = np.asarray(matrix)
        self._scales = DenseRows(scales[:, None])

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Copies of these rows."""
        taken = self._matrix.take(rows, axis=0).astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):  # a damaged scale: the caller checks
            taken *= self._scales.take(rows)
        return taken


class ProductRows:
    """A matrix after product quantisation, as fastText stores it.

    The columns are divided into parts of `part` columns; the last may be shorter. Each part has 256
    centroids, and a row has a byte for each part that selects one of them. The centroids of a part
    are contiguous, and the parts follow each other. With norms, one more byte of each row selects
    the factor of the whole row.

    Args:
        codes: uint8 (rows, parts).
        centroids: float32 (256 * dim,).
        dim: Number of columns.
        part: Columns of every part but the last.
        norm_codes: uint8 (rows,).
        norm_centroids: float32 (256,).

    >>> codes = np.array([[0, 1], [255, 0]], np.uint8)
    >>> centroids = np.arange(3 * 256, dtype=np.float32)
    >>> ProductRows(codes, centroids, dim=3, part=2).take(np.array([1, 0]))
    array([[510., 511., 512.],
           [  0.,   1., 513.]], dtype=float32)
    """

    def __init__(
        self,
        codes: NDArray[np.uint8],
        centroids: NDArray[np.float32],
        *,
        dim: int,
        part: int,
        norm_codes: NDArray[np.uint8] | None = None,
        norm_centroids: NDArray[np.float32] | None = None,
    ) -> None:
        parts = -(-dim // part) if dim > 0 and part > 0 else 0
        if parts == 0 or codes.ndim != 2 or codes.shape[1] != parts or codes.dtype != np.uint8:
            raise _misfit(f"uint8 rows of {parts} codes (dim {dim}, parts of {part})", codes)
        if centroids.shape != (CODES * dim,) or centroids.dtype != np.float32:
            raise _misfit(f"{CODES * dim} centroid values of float32", centroids)
        self.shape: tuple[int, int] = (len(codes), dim)
        self._codes = np.asarray(codes)
        # Small: 1 KB a column. Copied, so that they are aligned.
        full = CODES * part * (parts - 1)
        self._parts = centroids[:full].copy().reshape(parts - 1, CODES, part)
        self._last = centroids[full:].copy().reshape(CODES, -1)
        self._norms: tuple[NDArray[np.uint8], NDArray[np.float32]] | None = None
        if norm_codes is not None or norm_centroids is not None:
            if norm_codes is None or norm_centroids is None:
                raise _misfit("norm codes and norms, or neither", codes)
            if norm_codes.shape != (len(codes),) or norm_codes.dtype != np.uint8:
                raise _misfit(f"{len(codes)} norm codes of uint8", norm_codes)
            if norm_centroids.shape != (CODES,) or norm_centroids.dtype != np.float32:
                raise _misfit(f"{CODES} norms of float32", norm_centroids)
            self._norms = np.asarray(norm_codes), norm_centroids.copy()

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Copies of these rows, assembled from their centroids."""
        codes = self._codes.take(rows, axis=0)
        n_full, _, part = self._parts.shape
        taken = np.empty((len(codes), self.shape[1]), np.float32)
        full = self._parts[np.arange(n_full), codes[:, :-1]]  # (n, parts - 1, part)
        taken[:, : n_full * part] = full.reshape(len(codes), n_full * part)
        taken[:, n_full * part :] = self._last[codes[:, -1]]
        if self._norms is not None:
            norm_codes, norms = self._norms
            with np.errstate(over="ignore", invalid="ignore"):  # damaged: the caller checks
                taken *= norms[norm_codes.take(rows)][:, None]
        return taken


class OffsetRows:
    """A matrix whose rows begin at given bytes of a file; a row is read when it is taken.

    Args:
        data: uint8, the mapped file.
        offsets: int64 (n,), where the rows begin; each ends inside `data`.
        dim: Numbers in a row, little-endian float32, at any alignment.

    >>> data = np.frombuffer(b"a" + np.array([1, 2], "<f4").tobytes(), np.uint8)
    >>> OffsetRows(data, np.array([1]), 2).take(np.array([0, 0]))
    array([[1., 2.],
           [1., 2.]], dtype=float32)
    """

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64], dim: int) -> None:
        self.shape: tuple[int, int] = (len(offsets), dim)
        self._offsets = offsets
        # All windows of the length of a row, overlapping: a view; taking from it copies only rows.
        self._windows = np.lib.stride_tricks.sliding_window_view(data, 4 * dim)

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Copies of these rows."""
        taken = self._windows[self._offsets[rows]]
        return taken.view("<f4").astype(np.float32, copy=False)


def rows_of(
    tensors: Mapping[str, NDArray[Any]], *, dim: int, quantiser: Quantiser | None = None
) -> Rows:
    """The input matrix of a model, in whichever form its tensors are.

    Args:
        tensors: "input_vectors" (float32 or float16), or "input_vectors" (int8) and "input_scales",
            or "data" and "row_offsets", or "codes" and "centroids", perhaps with "norm_codes" and
            "norm_centroids".
        dim: Columns of the matrix; read only with offsets, the other tensors have their own.
        quantiser: The shape of the codes, where the rows are codes.

    Raises:
        FormatError: A tensor is missing or does not fit the others.
    """
    try:
        if "codes" in tensors:
            if quantiser is None:
                raise KeyError("quantiser")
            return ProductRows(
                tensors["codes"],
                tensors["centroids"],
                dim=quantiser.dim,
                part=quantiser.dsub,
                norm_codes=tensors.get("norm_codes"),
                norm_centroids=tensors.get("norm_centroids"),
            )
        if "row_offsets" in tensors:
            return OffsetRows(tensors["data"], tensors["row_offsets"], dim)
        if "input_scales" in tensors:
            return ScaledRows(tensors["input_vectors"], tensors["input_scales"])
        return DenseRows(tensors["input_vectors"])
    except (KeyError, TypeError) as error:
        msg = f"the model has no {error} - expected a matrix of input vectors; it is damaged"
        raise FormatError(msg + "; copy it again") from error


def iter_blocks(matrix: Rows, rows: NDArray[np.int64]) -> Iterator[NDArray[np.float32]]:
    """Copies of these rows in order, some thousands at a time.

    >>> [len(block) for block in iter_blocks(DenseRows(np.eye(3, dtype=np.float32)), np.arange(3))]
    [3]
    """
    return (matrix.take(rows[start : start + _BLOCK]) for start in range(0, len(rows), _BLOCK))


def to_array(rows: Rows) -> NDArray[np.float32]:
    """The whole matrix, unpacked in memory: float32 (rows, dim).

    >>> to_array(DenseRows(np.zeros((2, 3), np.float16))).shape
    (2, 3)
    """
    matrix = np.empty(rows.shape, np.float32)
    for start in range(0, len(matrix), _BLOCK):
        block = matrix[start : start + _BLOCK]
        block[:] = rows.take(np.arange(start, start + len(block)))
    return matrix


def bytes_to_read(tensors: Mapping[str, NDArray[Any]], dim: int) -> int | None:
    """The bytes read on average for a row of a mapped matrix, in whole pages.

    None where the matrix is in memory, as that of a text file is.
    """
    matrix = next(tensors[name] for name in ("codes", "data", "input_vectors") if name in tensors)
    if _mapping(matrix) is None:
        return None
    row = 4 * dim if "data" in tensors else matrix.shape[1] * matrix.itemsize
    return int(row) + mmap.PAGESIZE - 1


def _mapping(array: NDArray[Any]) -> mmap.mmap | None:
    """The mapped file that an array is part of, if any."""
    whole: Any = array
    while isinstance(whole, (np.ndarray, memoryview)):
        whole = whole.obj if isinstance(whole, memoryview) else whole.base
    return whole if isinstance(whole, mmap.mmap) else None


def advise_access(tensors: Mapping[str, NDArray[Any]], *, everywhere: bool) -> None:
    """Tell the system whether most of the mapped matrices will be read, or single rows.

    By default it reads 128 KB around each page that is used. That is right where much is read; for
    the rows of a few sentences it takes dozens of times the memory and the time.
    """
    for array in tensors.values():
        whole = _mapping(array)
        # Some arrays are not mapped, and some systems have no madvise.
        if whole is not None and hasattr(whole, "madvise") and array.nbytes:
            begin = array.ctypes.data - np.frombuffer(whole, np.uint8).ctypes.data
            page = begin // mmap.PAGESIZE * mmap.PAGESIZE
            advice = mmap.MADV_NORMAL if everywhere else mmap.MADV_RANDOM
            whole.madvise(advice, page, begin + array.nbytes - page)


def _misfit(expected: str, array: NDArray[Any]) -> FormatError:
    msg = f"expected {expected}, got {array.dtype} of shape {array.shape} - the model is damaged"
    return FormatError(msg + "; copy it again")
