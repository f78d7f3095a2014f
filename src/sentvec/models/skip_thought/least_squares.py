"""Linear least squares in blocks: many equations, of which only a block is ever held in float64.

The equations are folded into the triangle of a QR decomposition as they come (for tall matrices
this is known as TSQR: Demmel, Grigori, Hoemmen and Langou 2012), and what is solved is the
triangle, by LAPACK's `lstsq`. The normal equations would be as small, but have the square of the
condition number; word vectors, whose main direction is far longer than the others, are just
what that hurts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class LeastSquares:
    """Equations X B = Y, folded together.

    Args:
        unknowns: Columns of X.
        targets: Columns of Y.

    >>> equations = LeastSquares(unknowns=1, targets=1)
    >>> equations.add(np.array([[1.0], [2.0]]), np.array([[3.0], [6.0]]))
    >>> equations.add(np.array([[3.0]]), np.array([[9.0]]))
    >>> equations.solution().round(6)
    array([[3.]])
    """

    def __init__(self, unknowns: int, targets: int) -> None:
        self._triangle = np.zeros((0, unknowns))
        self._right = np.zeros((0, targets))

    def add(self, X: Floats, Y: Floats) -> None:
        """Add equations: float64 (n, unknowns) and (n, targets)."""
        Q, self._triangle = np.linalg.qr(np.vstack([self._triangle, X]))
        self._right = Q.T @ np.vstack([self._right, Y])

    def solution(self) -> Floats:
        """B, float64 (unknowns, targets); of several solutions that fit as well, the smallest."""
        B: NDArray[Any] = np.linalg.lstsq(self._triangle, self._right, rcond=None)[0]
        return B
