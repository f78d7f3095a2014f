"""The vectors of sentences, from any model: each text is encoded once, and all vectors are checked.

A model is anything with `encode(list[str])` that returns a row for each text: an array, a list of
rows or tensors, or a matrix of scipy.sparse. A model with a method `fit(texts)` is given all texts
of a task before they are encoded, and no vectors are kept from task to task. (Methods called `fit`
that train are recognised by the name of their argument.) What a model returns is never repaired:
rows that are not finite, a wrong number of rows or a change of width are errors that name a text.

Not here: what is done with the vectors (`sentvec.evaluation.scoring`).
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import (
    EmptyTextWarning,
    EncoderError,
    InputTypeError,
    LetterCaseWarning,
    SentvecError,
)
from sentvec.evaluation.methods.design import as_sparse, is_sparse, stacked
from sentvec.evaluation.methods.progress import Listen

Vectors: TypeAlias = NDArray[np.floating[Any]]

_BATCH = 4096  # texts given to a model at once
_DIGITS = 12  # of a cosine
_MAX_BYTES = 1 << 30  # of vectors kept for later tasks


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of some sentences a model knows.

    Attributes:
        sentences: The number of sentences, repeats counted.
        unknown: The number without a known word; `None` if the model cannot tell.
        tokens: The number of words, as the tokenizer of the model cuts them; `None` likewise.
        known: The number of known words; `None` likewise.
    """

    sentences: int
    unknown: int | None = None
    tokens: int | None = None
    known: int | None = None

    @property
    def share(self) -> float | None:
        """The share of words that are known, 0 to 1."""
        return self.known / self.tokens if self.tokens and self.known is not None else None


@dataclass(frozen=True, slots=True)
class _Entry:
    vector: Vectors  # (dim,)
    known: int | None
    tokens: int | None


class SentenceVectors:
    """Encodes with a model, and keeps the vectors.

    Args:
        model: Anything with `encode`.
        threads: Passed to `encode`, if it takes threads.
        max_bytes: The vectors of earlier tasks are dropped when all are larger than this.
    """

    def __init__(self, model: Any, *, threads: int = 1, max_bytes: int = _MAX_BYTES) -> None:
        encode = getattr(model, "encode", None)
        if not callable(encode):
            msg = f"an object of type {type(model).__name__} has no method encode - expected a "
            raise InputTypeError(msg + "model whose encode(list of str) returns a row for each")
        self._encode: Callable[..., Any] = encode
        fit = getattr(model, "fit", None)
        self._fit = fit if callable(fit) and "texts" in _parameters_of(fit) else None
        taken = _parameters_of(self._encode)
        self._says_known = "return_known" in taken
        self._options: dict[str, Any] = {"return_known": True} if self._says_known else {}
        if "threads" in taken:
            self._options["threads"] = threads
        tokenizer = getattr(model, "tokenizer", None)
        self._tokenize = getattr(tokenizer, "tokenize", None) if self._says_known else None
        self._max_bytes = max_bytes
        self._entries: dict[str, _Entry] = {}
        self._bytes, self.dim = 0, 0
        self.remarks: list[str] = []  # warnings of the model, each once

    def prepare(self, texts: Sequence[str], progress: Listen | None = None) -> None:
        """Encode the texts that are new; all given texts are kept until the next call.

        Raises:
            EncoderError: The model failed, or did not return finite rows.
        """
        distinct = list(dict.fromkeys(texts))
        new = [text for text in distinct if text not in self._entries]
        size = self._bytes // max(len(self._entries), 1)
        if self._bytes + size * len(new) > self._max_bytes:
            self._entries, self._bytes, new = {}, 0, distinct
        if self._fit is not None:
            self._entries, self._bytes, self.dim, new = {}, 0, 0, distinct
            self._call(self._fit, distinct)
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            for text, entry in zip(batch, self._entries_of(batch), strict=True):
                self._entries[text] = entry
                self._bytes += entry.vector.data.nbytes
            if progress is not None:
                progress(min((start + _BATCH) / len(new), 1.0))

    def of(self, texts: Sequence[str]) -> Vectors:
        """The vectors of prepared texts, (n, dim)."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        rows = [self._entries[text].vector for text in texts]
        return stacked(rows) if is_sparse(rows[0]) else np.stack(rows)

    def are_equal(self, texts: Sequence[str]) -> bool:
        """Whether prepared texts that differ all have the same vector."""
        distinct = list(dict.fromkeys(texts))
        first = self._entries[distinct[0]].vector
        return len(distinct) > 1 and all(
            _same(self._entries[text].vector, first) for text in distinct
        )

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """How much of prepared texts the model knows."""
        if not self._says_known:
            return Coverage(len(texts))
        entries = [self._entries[text] for text in texts]
        known = [entry.known or 0 for entry in entries]
        unknown = sum(count == 0 for count in known)
        if self._tokenize is None:
            return Coverage(len(texts), unknown)
        tokens = sum(entry.tokens or 0 for entry in entries)
        return Coverage(len(texts), unknown, tokens, sum(known))

    def _entries_of(self, texts: list[str]) -> Iterator[_Entry]:
        answer = self._call(self._encode, texts, **self._options)
        known: Sequence[int | None] = [None] * len(texts)
        if self._says_known:
            answer, counts = _pair(answer)
            known = [int(count) for count in np.asarray(counts).ravel()]
        vectors = _checked(answer, texts)
        if self.dim and vectors.shape[1] != self.dim:
            msg = f"encode returned vectors of length {vectors.shape[1]}, and of {self.dim} before"
            raise EncoderError(msg + " - expected vectors of equal length")
        if len(known) != len(texts):
            msg = f"encode returned {len(known):,} counts of known words for {len(texts):,} texts"
            raise EncoderError(msg + " - expected equal numbers")
        self.dim = vectors.shape[1]
        tokens = [len(self._tokenize(text)) if self._tokenize else None for text in texts]
        # Copies: a view would keep the whole batch alive, or change with a reused array.
        rows = vectors if is_sparse(vectors) else np.array(vectors)
        yield from map(_Entry, rows, known, tokens)

    def _call(self, method: Callable[..., Any], texts: list[str], **options: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                answer = method(texts, **options)
            except SentvecError:  # from a model of ours: it says what to do
                raise
            except Exception as error:
                name = getattr(method, "__name__", "encode")
                msg = f"{name} raised {type(error).__name__}: {error} - for {len(texts):,} texts, "
                raise EncoderError(f"{msg}the first is {texts[0]!r:.60}") from error
        for warning in caught:
            # Texts without a known word are counted in the coverage.
            if not issubclass(warning.category, EmptyTextWarning):
                self._keep(warning)
        return answer

    def _keep(self, warning: warnings.WarningMessage) -> None:
        message = f"the model warned: {warning.message}"
        is_case = issubclass(warning.category, LetterCaseWarning)
        if message not in self.remarks and not (is_case and any("case" in r for r in self.remarks)):
            self.remarks.append(message)


def _parameters_of(function: Callable[..., Any]) -> set[str]:
    try:
        return set(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # built in, without a signature
        return set()


def _pair(answer: Any) -> tuple[Any, Any]:
    if isinstance(answer, tuple) and len(answer) == 2:
        return answer
    msg = f"encode(..., return_known=True) returned {type(answer).__name__} - expected a tuple of "
    raise EncoderError(msg + "vectors and counts of known words")


def _checked(answer: Any, texts: list[str]) -> Vectors:
    """The vectors as an array (n, dim) of finite floats.

    Raises:
        EncoderError: They are something else.
    """
    vectors = answer if is_sparse(answer) else _as_array(answer)
    if vectors.ndim != 2 or vectors.shape[0] != len(texts) or not vectors.shape[1]:
        msg = f"encode returned an array of shape {vectors.shape} for {len(texts):,} texts - "
        raise EncoderError(f"{msg}expected ({len(texts)}, dim), a row for each")
    if vectors.dtype.kind not in "fiu":
        msg = f"encode returned an array of type {vectors.dtype} - expected floats"
        raise EncoderError(msg)
    if is_sparse(vectors):
        vectors = as_sparse(vectors)
        places = np.flatnonzero(~np.isfinite(vectors.data))
        bad = np.unique(np.searchsorted(vectors.indptr, places, side="right") - 1)
    else:
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        msg = (
            f"{len(bad):,} of {len(texts):,} vectors contain NaN or infinity, the first is that of "
        )
        raise EncoderError(f"{msg}{texts[bad[0]]!r:.60} - expected finite numbers")
    # Half precision is too coarse for what follows; float64 stays.
    wide = np.float64 if vectors.dtype == np.float64 else np.float32
    return cast(Vectors, vectors.astype(wide, copy=False))


def _as_array(answer: Any) -> NDArray[Any]:
    """An array of whatever NumPy can read, tensors with a gradient or in a list included."""
    try:
        if isinstance(answer, (list, tuple)) and len(answer) and hasattr(answer[0], "shape"):
            return np.stack([_as_array(row) for row in answer])
        if hasattr(answer, "detach"):
            answer = answer.detach().cpu()
        return np.asarray(answer)
    except (TypeError, ValueError, RuntimeError) as error:
        msg = f"encode returned {type(answer).__name__}, which is no array ({error}) - expected "
        raise EncoderError(msg + "rows of floats of equal length") from error


def cosines(left: Vectors, right: Vectors) -> NDArray[np.float64]:
    """The cosine of row i with row i, in double precision; 0 where one of them is zero.

    >>> cosines(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[6.0, 8.0], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    if is_sparse(left):
        products = _sparse_cosines(left, right)
    else:
        products = np.einsum("ij,ij->i", _unit(left), _unit(right))
    # Equal cosines differ in the last digits, which would turn noise into ranks.
    result: NDArray[np.float64] = np.clip(np.round(products, _DIGITS), -1.0, 1.0)
    return result


def _unit(vectors: Vectors) -> NDArray[np.float64]:
    rows = np.asarray(vectors, np.float64)
    # first divided by the largest number, so that no square overflows
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float64] = np.divide(rows, lengths, out=rows, where=lengths > 0)
    return unit


def _sparse_cosines(left: Any, right: Any) -> NDArray[np.float64]:
    one, other = left.astype(np.float64), right.astype(np.float64)
    products = np.asarray(one.multiply(other).sum(axis=1)).ravel()
    squares = [np.asarray(side.multiply(side).sum(axis=1)).ravel() for side in (one, other)]
    lengths = np.sqrt(squares[0] * squares[1])
    cosine: NDArray[np.float64] = np.zeros_like(products)
    np.divide(products, lengths, out=cosine, where=lengths > 0)
    return cosine


def _same(one: Any, other: Any) -> bool:
    if is_sparse(one):
        return bool(one.shape == other.shape and (one != other).nnz == 0)
    return np.array_equal(one, other)
