"""The features of a task as the solver sees them: two products and one solve.

A design is a matrix X with one row for each item, whose last dense column is 1 (the intercept). The
solver only multiplies weights by X and residuals by X transposed, and asks for an approximate
inverse of a Hessian.

Not here: the solver (`newton`), and where features come from.

    n rows, d columns, k problems solved at the same time
    weights (k, d)   scores, residuals (k, n)   curvature (n,)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import DivergedError, SettingsError
from sentvec.machine import processors

Floats: TypeAlias = NDArray[np.float64]
Solve: TypeAlias = Callable[[Floats], Floats]  # right sides (k, d) -> solutions (k, d)

_MUCH_WORK = 2e10  # multiplications of a Hessian: seconds for one thread
_MAX_VALUE = 1e30  # of a feature: products of two are still far from overflow
_SQUARES = 1e15  # the square of a larger number loses precision in float32
_JITTER = 1e-13  # of the mean diagonal: keeps the matrix of huge features positive definite


class Design(Protocol):
    """What the solver needs from a matrix of features."""

    shape: tuple[int, int]
    norms: Floats  # (n,): the length of each row

    def scores(self, weights: Floats) -> Floats:
        """Weights (k, d) times the rows: (k, n)."""

    def gather(self, residuals: Floats) -> Floats:
        """Residuals (k, n) times the columns: (k, d)."""

    def preconditioner(self, curvature: Floats) -> Solve:
        """Return a function that solves (nearly) 1 + X' diag(curvature) X for right sides."""


class DenseDesign:
    """Features in one array. The preconditioner is the exact inverse.

    >>> DenseDesign(np.zeros((5, 2))).shape
    (5, 3)
    """

    def __init__(self, features: ArrayLike) -> None:
        x = dense_features(features)
        self.x: Floats = np.ones((x.shape[0], x.shape[1] + 1))
        self.x[:, :-1] = x
        self.shape = self.x.shape
        self.norms = np.sqrt(np.einsum("ij,ij->i", self.x, self.x))

    def scores(self, weights: Floats) -> Floats:
        """See `Design`."""
        return weights @ self.x.T

    def gather(self, residuals: Floats) -> Floats:
        """See `Design`."""
        return residuals @ self.x

    def preconditioner(self, curvature: Floats) -> Solve:
        """See `Design`."""
        from scipy.linalg.lapack import dpotrf, dpotri

        scaled = self.x * np.sqrt(curvature)[:, None]
        inverse = scaled.T @ scaled
        diagonal = np.einsum("ii->i", inverse)
        diagonal += 1 + _JITTER * diagonal.mean()
        # By way of the transpose LAPACK works in place; its upper triangle is our lower one.
        factor, failed = dpotrf(inverse.T, overwrite_a=True)
        if not failed:
            inverse, failed = dpotri(factor, overwrite_c=True)
        if failed:
            msg = f"the features are too large to solve with (up to {np.abs(self.x).max():.3g})"
            raise DivergedError(msg + " - expected features of ordinary size; scale the vectors")
        inverse = np.triu(inverse)
        inverse += np.triu(inverse, 1).T
        return lambda right: right @ inverse

    def compact(self) -> DenseDesign:
        """The same rows in the coordinates of the space they span, if that makes them shorter.

        Inner products are kept, and the solution is a sum of rows; so scores do not change.
        """
        if self.shape[1] <= self.shape[0]:
            return self
        result = copy(self)
        triangle: Floats = np.linalg.qr(self.x.T, mode="r")  # type: ignore[assignment]
        result.x = np.ascontiguousarray(triangle.T)
        result.shape = result.x.shape
        return result


class SparseDesign:
    """Dense features and sparse ones, which are far too many for a Hessian of their own.

    Args:
        dense: The design of the dense features.
        sparse: A scipy CSR matrix with an equal number of rows.

    The preconditioner treats the two sides as unrelated, and the sparse columns as unrelated among
    each other.
    """

    def __init__(self, dense: DenseDesign, sparse: Any) -> None:
        self.dense, self.sparse = dense, sparse
        self.transposed = sparse.T.tocsr()
        self.squares = self.transposed.multiply(self.transposed).tocsr()
        self.shape = (dense.shape[0], dense.shape[1] + sparse.shape[1])
        lengths = np.asarray(sparse.multiply(sparse).sum(axis=1)).ravel()
        self.norms = np.sqrt(dense.norms**2 + lengths)

    def scores(self, weights: Floats) -> Floats:
        """See `Design`."""
        cut = self.dense.shape[1]
        result = self.dense.scores(weights[:, :cut])
        result += (self.sparse @ weights[:, cut:].T).T
        return result

    def gather(self, residuals: Floats) -> Floats:
        """See `Design`."""
        return np.hstack([self.dense.gather(residuals), (self.transposed @ residuals.T).T])

    def preconditioner(self, curvature: Floats) -> Solve:
        """See `Design`."""
        cut = self.dense.shape[1]
        solve_dense = self.dense.preconditioner(curvature)
        diagonal = 1 + self.squares @ curvature

        def solve(right: Floats) -> Floats:
            return np.hstack([solve_dense(right[:, :cut]), right[:, cut:] / diagonal])

        return solve


def design_of(features: Any) -> Design:
    """The design of features, dense or sparse."""
    if not is_sparse(features):
        return DenseDesign(features).compact()
    rows = checked_features(features)
    return SparseDesign(DenseDesign(np.zeros((rows.shape[0], 0))), rows.astype(np.float64))


def is_sparse(features: Any) -> bool:
    """Whether features are a matrix of scipy.sparse."""
    return hasattr(features, "tocsr")


def as_sparse(features: Any) -> Any:
    """A sparse matrix or array in CSR form, where * is the product of matrices."""
    from scipy.sparse import csr_matrix

    return csr_matrix(features)


def stacked(parts: Sequence[Any]) -> Any:
    """The rows of several parts, concatenated."""
    if not any(map(is_sparse, parts)):
        return np.concatenate(parts)
    from scipy.sparse import vstack

    return vstack(parts, format="csr")


def beside(features: Any, more: Any) -> Any:
    """Features with more columns to their right."""
    if not is_sparse(features):
        return np.hstack([features, more])
    from scipy.sparse import csr_matrix, hstack

    return hstack([features, csr_matrix(more)], format="csr")


def checked_features(features: ArrayLike) -> Any:
    """The features as an array of numbers; sparse ones stay sparse.

    Raises:
        SettingsError: They are not two-dimensional, or some are NaN, infinite or huge.
    """
    x = as_sparse(features) if is_sparse(features) else np.asarray(features)
    values: NDArray[Any] = x.data if is_sparse(x) else x  # type: ignore[assignment]
    if x.ndim != 2 or x.dtype.kind not in "fiu":
        msg = (
            f"features have shape {x.shape} and type {x.dtype} - expected numbers, one row an item"
        )
        raise SettingsError(msg)
    if not np.isfinite(values).all():
        sums = np.asarray(abs(x).sum(axis=1)).ravel()
        bad = np.flatnonzero(~np.isfinite(sums))
        msg = (
            f"{len(bad):,} of {len(sums):,} rows of features contain NaN or infinity, the first is "
        )
        raise SettingsError(msg + f"row {bad[0]} - expected finite numbers; check the encoder")
    if values.size and np.abs(values).max() > _MAX_VALUE:
        msg = f"the largest feature is {np.abs(values).max():.3g} - expected at most "
        raise SettingsError(f"{msg}{_MAX_VALUE:g}; check the encoder, or scale the vectors")
    return x


def dense_features(features: ArrayLike) -> NDArray[Any]:
    """The features as `checked_features` returns them, for tasks that need dense ones.

    Raises:
        SettingsError: They are sparse.
    """
    if is_sparse(features):
        msg = (
            "the vectors are sparse, as those of TF-IDF - expected dense ones for this task; leave "
        )
        raise SettingsError(msg + "it out, or use another model")
    x: NDArray[Any] = checked_features(features)
    return x


def pair_features(left: ArrayLike, right: ArrayLike) -> Any:
    """The features of a pair of sentences: [|u - v|, u * v].

    >>> pair_features([[1.0, 2.0]], [[3.0, -1.0]])
    array([[ 2.,  3.,  3., -2.]])
    """
    u, v = checked_features(left), checked_features(right)
    if u.shape != v.shape:
        msg = f"the two sides of the pairs have shapes {u.shape} and {v.shape} - expected the same"
        raise SettingsError(msg)
    if is_sparse(u):
        from scipy.sparse import hstack

        return hstack([abs(u - v), u.multiply(v)], format="csr")
    if max(np.abs(x).max(initial=0) for x in (u, v)) > _SQUARES:  # float32 would overflow
        u, v = u.astype(np.float64), v.astype(np.float64)
    return np.hstack([np.abs(u - v), u * v])


def useful_threads(shape: tuple[int, int], threads: int | None) -> int:
    """How many threads speed up the products of a design; for small ones, one is faster."""
    n_rows, n_columns = shape
    return (threads or processors()) if n_rows * n_columns**2 > _MUCH_WORK else 1


@contextmanager
def blas_threads(threads: int) -> Iterator[None]:
    """Let the linear algebra of NumPy and SciPy use this many threads.

    Needs threadpoolctl, which scikit-learn installs; without it, the libraries choose themselves.
    """
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
        return
    with threadpool_limits(threads):
        yield
