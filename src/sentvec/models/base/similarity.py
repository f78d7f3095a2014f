"""Cosine similarity and nearest neighbours, defined for zero vectors too."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sentvec.models.base.results import Hit

Vectors = NDArray[np.float32]
_BLOCK = 4096


@np.errstate(invalid="ignore")  # of a damaged model, what is not finite stays so
def normalized(vectors: Vectors) -> Vectors:
    """Rows of length 1; zero rows stay zero, so that the cosine with them is 0, never NaN."""
    unit = np.zeros_like(vectors)
    for start in range(0, len(vectors), _BLOCK):
        # in double precision no vector is too long or too short for its square
        block = vectors[start : start + _BLOCK].astype(np.float64)
        norms = np.linalg.norm(block, axis=1, keepdims=True)
        part = unit[start : start + _BLOCK]
        np.divide(block, norms, out=part, where=norms > 0, casting="same_kind")
    return unit


def cosine_matrix(a: Vectors, b: Vectors) -> Vectors:
    """Cosine of each row of a with each row of b: (n_a, n_b), within -1..1."""
    scores: Vectors = normalized(a) @ normalized(b).T
    return np.clip(scores, -1.0, 1.0)


def cosine_pairs(a: Vectors, b: Vectors) -> Vectors:
    """Cosine of row i of a with row i of b: (n,), within -1..1."""
    scores: Vectors = np.einsum("ij,ij->i", normalized(a), normalized(b))
    return np.clip(scores, -1.0, 1.0)


def nearest(
    queries: Vectors, texts: Iterable[str], encode: Callable[[list[str]], Vectors], k: int
) -> list[list[Hit]]:
    """The k texts of highest cosine for each query, best first, ties by index.

    Texts are encoded and searched in blocks, so they may be a stream. A query or a text without a
    known word has no direction: the query finds nothing, the text is not found.
    """
    # In double precision and then rounded, the scores of equal texts are equal; in single, they
    # depend on the position of a text in its block.
    queries = normalized(queries).astype(np.float64)
    best: list[list[tuple[float, int, str]]] = [[] for _ in queries]
    searching = np.flatnonzero(queries.any(axis=1))
    start = 0
    for block in _blocks(texts):
        vectors = encode(block)
        cosines = queries[searching] @ normalized(vectors).astype(np.float64).T
        scores = np.clip(cosines.astype(np.float32), -1.0, 1.0)
        scores[:, ~vectors.any(axis=1)] = -np.inf
        for row, query in zip(scores, searching, strict=True):
            for index in np.argsort(-row, kind="stable")[:k]:
                if row[index] > -np.inf:
                    # the heap's smallest is the worst: low score, then high index
                    entry = (float(row[index]), -(start + int(index)), block[index])
                    push = heapq.heappush if len(best[query]) < k else heapq.heappushpop
                    push(best[query], entry)
        start += len(block)
    return [
        [Hit(-index, score, text) for score, index, text in sorted(found, reverse=True)]
        for found in best
    ]


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(texts)
    while block := list(islice(iterator, _BLOCK)):
        yield block
