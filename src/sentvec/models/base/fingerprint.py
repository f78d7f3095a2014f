"""What tells one model from another in a report, without reading all of it.

Not here: the fingerprints of corpora (`training`).
"""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.stored import StoredEncoder
from sentvec.storage.lazy import LazyMatrix

_SAMPLED = 1000  # rows of the matrix, or values of each tensor


def fingerprint(model: StoredEncoder) -> str:
    """BLAKE2b (16 bytes, hexadecimal) over the vocabulary with its counts and a sample of rows.

    The sample is a thousand rows in equal steps from first to last, as float32. Of a model that
    does not average rows it is as many values of each tensor, in the order of the tensors' names,
    with names and shapes.
    """
    total = blake2b(digest_size=16)
    for word in model.vocabulary:
        total.update(word.encode("utf-8", "surrogateescape") + b"\n")
    total.update(np.ascontiguousarray(model.vocabulary.counts, "<i8").tobytes())
    if isinstance(model, SentenceEncoder):
        total.update(model.rows.take(_sample(model.rows.shape[0])).astype("<f4").tobytes())
        return total.hexdigest()
    for name, tensor in sorted(model.tensors.items()):
        total.update(f"{name} {tensor.shape}\n".encode())
        total.update(_sampled(tensor).astype("<f4").tobytes())
    return total.hexdigest()


def _sampled(tensor: NDArray[Any] | LazyMatrix) -> NDArray[Any]:
    """Some values of a tensor."""
    if isinstance(tensor, LazyMatrix):
        rows, columns = np.divmod(_sample(math.prod(tensor.shape)), tensor.dim)
        picked: NDArray[Any] = tensor[rows][np.arange(len(rows)), columns]
        return picked
    values = tensor.reshape(-1)  # of a mapped tensor, a view
    return values[_sample(len(values))]


def _sample(n: int) -> NDArray[np.int64]:
    """Places in equal steps from the first of n to the last."""
    return np.unique(np.linspace(0, n - 1, min(n, _SAMPLED)).astype(np.int64))
