"""The matrices of a run: allocated at cache-line boundaries, started, and checked at the end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import DivergedError, NotEnoughMemoryError

_LINE = 64
_BLOCK = 1 << 16

Matrix = NDArray[np.float32]


def zeros(rows: int, dim: int) -> Matrix:
    """A float32 matrix of zeros whose first row begins at a cache line.

    Raises:
        NotEnoughMemoryError: The system refuses the memory.
    """
    size = rows * dim * 4
    try:
        memory = np.zeros(size + _LINE, np.uint8)
    except MemoryError as error:
        msg = f"the system refuses {size / 1e9:.2f} GB for a matrix of {rows:,} rows of {dim}"
        raise NotEnoughMemoryError(msg + " - lower dim, buckets or max_vocab") from error
    start = -memory.ctypes.data % _LINE
    return memory[start : start + size].view(np.float32).reshape(rows, dim)


def uniform(rows: int, dim: int, *, seed: int, threads: int) -> Matrix:
    """Entries uniform in (-1/dim, 1/dim), as the released program starts its source vectors.

    An entry depends on seed, row and column only, not on the number of threads.
    """
    from sentvec.kernels.setup import fill_uniform

    matrix = zeros(rows, dim)

    def fill(start: int) -> None:
        fill_uniform(matrix[start : start + _BLOCK], start, 1.0 / dim, seed)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, range(0, rows, _BLOCK)))
    return matrix


def check_finite(matrix: Matrix, name: str, lr: float) -> None:
    """Raise `DivergedError` where a matrix holds NaN or infinity."""
    for start in range(0, len(matrix), _BLOCK):
        block = matrix[start : start + _BLOCK]
        if not np.isfinite(block).all():
            row = start + int(np.flatnonzero(~np.isfinite(block).all(axis=1))[0])
            msg = f"training diverged: row {row} of the {name} vectors is not finite at the end"
            raise DivergedError(f"{msg} (lr {lr:g} at the start) - lower lr (0.2 in the paper)")
