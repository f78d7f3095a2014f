"""Sentence vectors of a trained encoder, on a CPU: arrays in, arrays out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sentvec.networks.packing import Packing
from sentvec.networks.shape import DIRECTIONS, Shape
from sentvec.networks.skip_thought import encode

Floats = NDArray[np.float32]
_BATCH_TOKENS = 1 << 13


class Encoder:
    """The encoder of one network.

    Args:
        shape: Of the network.
        arrays: Its encoder tensors by name; all but the word vectors are copied.
        lookup: Returns the word vectors of some rows, float32 (n, w).
    """

    def __init__(
        self,
        shape: Shape,
        arrays: Mapping[str, NDArray[Any]],
        lookup: Callable[[NDArray[np.int64]], Floats],
    ) -> None:
        self._shape, self._lookup = shape, lookup
        self._parameters = {
            name: torch.tensor(np.asarray(arrays[name]))
            for name in shape.encoder_tensors()
            if name != "word_vectors"
        }

    def vectors(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> Floats:
        """Encode concatenated sentences: float32 (n, dim), in their order.

        Sentences of similar length are encoded together; the others change a vector only in the
        rounding of sums.

        Args:
            ids: Rows of the word vectors.
            lengths: Words of each sentence, at least 1.
        """
        found = np.empty((len(lengths), self._shape.dim), np.float32)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        for batch in _batches(lengths):
            chosen = lengths[batch]
            flat = np.concatenate([ids[starts[i] : starts[i + 1]] for i in batch])
            x = self._lookup(flat)
            packings = [
                Packing.of(chosen, backwards=name != DIRECTIONS[0])
                for name in self._shape.directions
            ]
            words = [torch.from_numpy(x[packing.places]) for packing in packings]
            with torch.no_grad():
                found[batch] = encode(self._parameters, words, packings, self._shape).numpy()
        return found


def _batches(lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Batches of sentences of similar length, of some thousands of tokens each."""
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        # the last of a batch is the longest
        rest = lengths[order[start:]] * np.arange(1, len(order) - start + 1)
        size = max(1, int(np.searchsorted(rest, _BATCH_TOKENS, side="right")))
        yield order[start : start + size]
        start += size


class _Threads:
    """The users of torch's number of threads, of which a process has only one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.before = 0  # the number before the first user
        self.own = threading.local()  # `number`: what this thread has set, None if nothing


_threads = _Threads()


@contextmanager
def using_threads(threads: int) -> Iterator[None]:
    """Let torch use this number of threads within the block.

    Several threads may do so at once. The number that one sets then holds for the others too; after
    the last block it is what it was before the first.
    """
    own = _threads.own
    with _threads.lock:
        if not _threads.users:
            _threads.before = torch.get_num_threads()
        _threads.users += 1
        outer, own.number = getattr(own, "number", None), threads
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        with _threads.lock:
            _threads.users -= 1
            own.number = outer
            # Not the number that torch reported here: another thread may have set that.
            torch.set_num_threads(_threads.before if outer is None else outer)
