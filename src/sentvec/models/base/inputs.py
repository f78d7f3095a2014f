"""What may be given as text or vectors: one, or a sequence of them; else there is a clear error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import InputTypeError, SettingsError


def as_texts(texts: Any) -> list[str]:
    """A list of str from a list, tuple, generator, array of str or other ordered iterable.

    Raises:
        InputTypeError: It is `bytes`, `None`, a set, a mapping, or holds something that is no str.
    """
    return list(stream_texts(texts))


def stream_texts(texts: Any) -> Iterator[str]:
    """The same, one text at a time: what is no iterable is refused now, an item when it comes."""
    unordered = isinstance(texts, (bytes, bytearray, Set, Mapping))
    if unordered or not isinstance(texts, Iterable) or getattr(texts, "ndim", 1) != 1:
        got = type(texts).__name__
        if isinstance(texts, np.ndarray):
            got = f"array of shape {texts.shape}"
        msg = f"cannot encode an object of type {got} - expected a str or a list of str"
        raise InputTypeError(msg)
    return (_checked(text, index) for index, text in enumerate(texts))


def _checked(text: Any, index: int) -> str:
    if not isinstance(text, str):
        msg = (
            f"item {index} of the texts is of type {type(text).__name__} ({text!r:.40}) - "
            "expected str; decode bytes first"
        )
        raise InputTypeError(msg)
    return text


def are_vectors(side: Any) -> bool:
    """Whether what is given is an array of numbers, or a list that begins with one of one vector.

    An array of str is text.
    """
    if isinstance(side, (list, tuple)) and len(side):
        side = side[0]
        return isinstance(side, np.ndarray) and side.ndim > 0
    return isinstance(side, np.ndarray) and side.dtype.kind not in "USOT"


def as_vectors(vectors: NDArray[Any] | Sequence[NDArray[Any]], dim: int) -> NDArray[np.float32]:
    """Check that an array holds vectors of a model: (n, dim), or (dim,) for one row.

    A list of arrays of (dim,) counts as an array of N rows.

    Raises:
        InputTypeError: The array is not of numbers, or an item of the list is no array.
        SettingsError: Its shape does not fit.
    """
    if not isinstance(vectors, np.ndarray):
        return np.concatenate([_as_row(item, i, dim) for i, item in enumerate(vectors)])
    if vectors.dtype.kind not in "fiu":
        msg = f"an array of dtype {vectors.dtype} is neither text nor vectors - expected float32"
        raise InputTypeError(msg)
    rows = vectors[None] if vectors.ndim == 1 else vectors
    if rows.ndim != 2 or rows.shape[1] != dim:
        msg = f"vectors of shape {vectors.shape} do not fit a model of dim {dim}"
        raise SettingsError(msg + f" - expected (n, {dim})")
    return np.asarray(rows, np.float32)


def _as_row(item: Any, index: int, dim: int) -> NDArray[np.float32]:
    if not isinstance(item, np.ndarray):
        msg = f"item {index} of the vectors is of type {type(item).__name__} - expected an array"
        raise InputTypeError(f"{msg} like those before it; give texts and vectors apart")
    if item.ndim != 1:
        msg = f"item {index} of the vectors has the shape {item.shape} - expected ({dim},)"
        raise SettingsError(msg)
    return as_vectors(item, dim)
