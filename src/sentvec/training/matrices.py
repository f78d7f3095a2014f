"""The matrices of a run: allocated at cache-line boundaries, started, and checked at the end."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import DivergedError, FormatError, NotEnoughMemoryError

_LINE = 64
_BLOCK = 1 << 13  # rows handled at a time: a copy of them in float32 is small

Matrix = NDArray[np.float32] | NDArray[np.float16]


def zeros(rows: int, dim: int, dtype: str = "float32") -> Matrix:
    """A matrix of zeros whose first row begins at a cache line.

    Raises:
        NotEnoughMemoryError: The system refuses the memory.
    """
    size = rows * dim * np.dtype(dtype).itemsize
    try:
        memory = np.zeros(size + _LINE, np.uint8)
    except MemoryError as error:
        msg = f"the system refuses {size / 1e9:.2f} GB for a matrix of {rows:,} rows of {dim}"
        raise NotEnoughMemoryError(msg + " - lower dim, buckets or max_vocab") from error
    start = -memory.ctypes.data % _LINE
    matrix: Matrix = memory[start : start + size].view(dtype).reshape(rows, dim)
    return matrix


def copied(source: NDArray[Any] | None, name: str, rows: int, dim: int, dtype: str) -> Matrix:
    """A copy in memory of a matrix of a checkpoint.

    Raises:
        FormatError: It is absent, or of another shape or dtype.
    """
    if source is None or source.shape != (rows, dim) or source.dtype != dtype:
        got = "absent" if source is None else f"{source.dtype} {source.shape}"
        msg = f"{name} is {got} in the checkpoint, expected {dtype} {(rows, dim)}"
        raise FormatError(msg + " - it is of another run")
    target = zeros(rows, dim, dtype)
    target[:] = source
    return target


def uniform(rows: int, dim: int, *, seed: int, threads: int, dtype: str = "float32") -> Matrix:
    """Entries uniform in (-1/dim, 1/dim), as the released program starts its source vectors.

    An entry depends on seed, row and column only, not on the number of threads; in float16 it is
    the nearest to that of float32.
    """
    from sentvec.kernels.setup import fill_uniform

    return _filled(zeros(rows, dim, dtype), fill_uniform, 1.0 / dim, seed, threads)


def normal(
    rows: int, dim: int, *, deviation: float, seed: int, threads: int, dtype: str = "float32"
) -> Matrix:
    """Entries from the normal distribution, keyed as those of `uniform` are."""
    from sentvec.kernels.setup import fill_normal

    return _filled(zeros(rows, dim, dtype), fill_normal, deviation, seed, threads)


def _filled(
    matrix: Matrix, fill: Callable[..., None], scale: float, seed: int, threads: int
) -> Matrix:
    def fill_block(start: int) -> None:
        block = matrix[start : start + _BLOCK]
        numbers = block if block.dtype == np.float32 else np.empty(block.shape, np.float32)
        fill(numbers, start, scale, seed)
        if numbers is not block:
            block[:] = numbers

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill_block, range(0, len(matrix), _BLOCK)))
    return matrix


def check_finite(matrix: Matrix, name: str, when: str) -> None:
    """Raise `DivergedError` where a matrix holds NaN or infinity."""
    row = first_row_not_finite(matrix)
    if row is not None:
        msg = f"training diverged: row {row} of {name} is not finite {when} - lower lr"
        raise DivergedError(msg + " (the preset has one that works)")


def first_row_not_finite(matrix: NDArray[Any]) -> int | None:
    """The first row that holds NaN or infinity, looked for in blocks; None where there is none."""
    for start in range(0, len(matrix), _BLOCK):
        finite = np.isfinite(matrix[start : start + _BLOCK]).all(axis=1)
        if not finite.all():
            return start + int(np.argmin(finite))
    return None


def for_kernel(matrix: Matrix, noise: NDArray[Any]) -> Any:
    """A matrix as one worker's kernel takes it; in half precision, with the noise of rounding."""
    from sentvec.kernels.precision import HalfMatrix

    if matrix.dtype == np.float32:
        return matrix
    return HalfMatrix(matrix.view(np.uint16), noise, np.zeros(1, np.uint64))
