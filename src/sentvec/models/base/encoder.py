"""TextEncoder: what every encoder of texts can do.

Encoding in batches, what becomes of texts without a known word, cosines and neighbours. How a batch
of texts becomes vectors is for the classes that derive from it.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, cast, overload

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import EmptyTextError, EmptyTextWarning, InputTypeError, SettingsError
from sentvec.models.base.inputs import are_vectors, as_texts, as_vectors, stream_texts
from sentvec.models.base.results import Hit
from sentvec.models.base.similarity import cosine_matrix, cosine_pairs, nearest, normalized

Vectors = NDArray[np.float32]
Texts = Iterable[str]
Side = str | Texts | Vectors | Sequence[Vectors]
OnEmpty = Literal["zero", "nan", "raise"]

_BATCH = 2048


class TextEncoder(ABC):
    """Text in, float32 vectors out."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Length of the vectors."""

    @abstractmethod
    def _encode_batch(self, texts: list[str], **options: Any) -> tuple[Vectors, NDArray[np.int64]]:
        """The vectors of some texts, and how many known tokens each is made from.

        Options are those of the class's own `encode`; `similarity` and `neighbors` give none.
        """

    def _check_texts(self, texts: list[str]) -> None:  # noqa: B027 - nothing to say is fine
        """Warn about texts that do not suit the model."""

    # The overloads say: a str gives (dim,), anything else (n, dim).
    @overload
    def encode(
        self, texts: str | Texts, *, normalize: bool = ..., on_empty: OnEmpty = ...,
        threads: int = ..., return_known: Literal[False] = ...,
    ) -> Vectors: ...  # fmt: skip
    @overload
    def encode(  # type: ignore[overload-overlap]
        self, texts: str, *, normalize: bool = ..., on_empty: OnEmpty = ...,
        threads: int = ..., return_known: Literal[True],
    ) -> tuple[Vectors, int]: ...  # fmt: skip
    @overload
    def encode(
        self, texts: Texts, *, normalize: bool = ..., on_empty: OnEmpty = ...,
        threads: int = ..., return_known: Literal[True],
    ) -> tuple[Vectors, NDArray[np.int64]]: ...  # fmt: skip
    def encode(
        self,
        texts: str | Texts,
        *,
        normalize: bool = False,
        on_empty: OnEmpty = "zero",
        threads: int = 1,
        return_known: bool = False,
    ) -> Any:
        """Turn text into vectors, as the class says.

        Args:
            texts: One text, or any ordered iterable of texts (a generator is fine). A line break
                inside a text is white space.
            normalize: Scale each vector to length 1.
            on_empty: What a text without a known word becomes: a row of zeros (`zero`, with an
                `EmptyTextWarning`), of NaN (`nan`), or an `EmptyTextError` (`raise`).
            threads: Threads for the arithmetic; cutting text into words takes one.
            return_known: Also return how many known tokens each row was made from.

        Returns:
            float32 (dim,) for a str, (n, dim) otherwise; with `return_known` a tuple of that and an
            int, or int64 (n,).

        Raises:
            InputTypeError: `texts` is bytes, None, a set, or holds something that is no str.
            EmptyTextError: A text has no known word and `on_empty` is `raise`.
        """
        return self._encode_checked(
            texts, normalize=normalize, on_empty=on_empty, threads=threads,
            return_known=return_known,
        )  # fmt: skip

    def _encode_checked(
        self,
        texts: str | Texts,
        *,
        normalize: bool,
        on_empty: OnEmpty,
        threads: int,
        return_known: bool,
        **options: Any,
    ) -> Any:
        """What `encode` does, for classes whose own has further options, which `_encode` gets.

        Called by `encode` itself: warnings name the line that called that.
        """
        if on_empty not in ("zero", "nan", "raise"):
            msg = f"on_empty is {on_empty!r} - expected 'zero', 'nan' or 'raise'"
            raise SettingsError(msg)
        if not isinstance(threads, int) or threads < 1:
            msg = f"threads is {threads!r} - expected a whole number from 1"
            raise SettingsError(msg)
        single = isinstance(texts, str)
        batch = [texts] if isinstance(texts, str) else as_texts(texts)
        vectors, known = self._encode(batch, threads, **options)
        self._check_texts(batch)
        if normalize:
            vectors = normalized(vectors)
        self._handle_empty(vectors, known, on_empty)
        if single:
            return (vectors[0], int(known[0])) if return_known else vectors[0]
        return (vectors, known) if return_known else vectors

    def similarity(self, a: Side, b: Side) -> Vectors:
        """Cosine of each text (or vector) of a with each of b: float32 (n_a, n_b).

        A str counts as a list of one; vectors are an array, or a list of arrays of (dim,). The
        cosine with a text without a known word is 0.
        """
        return cosine_matrix(self._vectors_of(a), self._vectors_of(b))

    def similarity_pairwise(self, a: Side, b: Side) -> Vectors:
        """Cosine of text (or vector) i of a with i of b: float32 (n,).

        Raises:
            SettingsError: a and b are not equally many.
        """
        left, right = self._vectors_of(a), self._vectors_of(b)
        if len(left) != len(right):
            numbers = f"{len(left)} and {len(right)} texts"
            msg = f"similarity_pairwise got {numbers} - expected equal numbers"
            raise SettingsError(msg)
        return cosine_pairs(left, right)

    @overload
    def neighbors(  # type: ignore[overload-overlap]
        self, query: str, sentences: Texts, k: int = ...
    ) -> list[Hit]: ...
    @overload
    def neighbors(self, query: Texts, sentences: Texts, k: int = ...) -> list[list[Hit]]: ...
    def neighbors(self, query: str | Texts, sentences: Texts, k: int = 5) -> Any:
        """Find the k sentences of highest cosine for a query, best first.

        Args:
            query: One text, or several.
            sentences: Where to search; may be a stream, which is read once, in blocks.
            k: How many to find; fewer come back where there are fewer.

        Returns:
            A list of `Hit`; for several queries a list of such lists. Sentences without a known
            word are never found, and a query without one finds nothing.
        """
        if not isinstance(k, int) or k < 1:
            msg = f"k is {k!r} - expected a whole number from 1"
            raise SettingsError(msg)
        if isinstance(sentences, str):
            msg = (
                "sentences is a str - expected an iterable of str (a str is not searched by letter)"
            )
            raise InputTypeError(msg)
        queries = [query] if isinstance(query, str) else as_texts(query)
        hits = nearest(self._quiet(queries), stream_texts(sentences), self._quiet, k)
        return hits[0] if isinstance(query, str) else hits

    def _encode(
        self, texts: list[str], threads: int, **options: Any
    ) -> tuple[Vectors, NDArray[np.int64]]:
        vectors = np.zeros((len(texts), self.dim), np.float32)
        known = np.zeros(len(texts), np.int64)
        starts = range(0, len(texts), _BATCH)

        def work(start: int) -> None:
            part = slice(start, start + _BATCH)
            vectors[part], known[part] = self._encode_batch(texts[part], **options)

        if threads == 1 or len(starts) < 2:
            for start in starts:
                work(start)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, starts))
        return vectors, known

    def _handle_empty(self, vectors: Vectors, known: NDArray[np.int64], on_empty: OnEmpty) -> None:
        empty = np.flatnonzero(known == 0)
        if not len(empty):
            return
        what = f"{len(empty)} of {len(known)} texts have no known word (the first: {empty[0]})"
        if on_empty == "raise":
            raise EmptyTextError(what + " - remove them, or choose on_empty='zero' or 'nan'")
        if on_empty == "nan":
            vectors[empty] = np.nan
        else:
            warnings.warn(what + "; their rows are zero", EmptyTextWarning, stacklevel=4)

    def _quiet(self, texts: list[str]) -> Vectors:
        return self._encode(texts, 1)[0]

    def _vectors_of(self, side: Side) -> Vectors:
        if isinstance(side, str):
            return self._quiet([side])
        if are_vectors(side):
            return as_vectors(cast(Vectors, side), self.dim)
        return self._quiet(as_texts(side))
