"""The workers of a Sent2Vec run: what they share, and how one of them trains on a batch.

The update is in `kernels.sent2vec`; which batches there are is in `training.batches`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.text.ngrams import ngram_rows, placeholder_rows
from sentvec.training import matrices
from sentvec.training.batches import Batch, Batches, Schedule

Floats = NDArray[np.float32]


class Shared:
    """What all workers read or change: the matrices, the tables, the settings."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        keep: Floats,
        settings: Sent2VecSettings,
        tokens: int,
    ) -> None:
        from sentvec.kernels import logistic, setup
        from sentvec.kernels import precision as storage
        from sentvec.kernels.sent2vec import update as sent2vec

        self.train_batch = sent2vec.train_batch
        self.integer_rows = sent2vec.INTEGER_ROWS
        self.keep, self.settings = keep, settings
        self.total = float(tokens * settings.epochs)
        self.rate, self.tau = settings.lr, settings.l1
        self.table = logistic.logistic_table()
        self.alias_keep = np.empty(len(counts), np.float32)
        self.alias_other = np.empty(len(counts), np.uint32)
        # q_n: the square root of the count (paper, section 2.1)
        setup.alias_table(np.sqrt(counts.astype(np.float64)), self.alias_keep, self.alias_other)
        self.noise = storage.noise_table(settings.dim, settings.seed)
        self._half_matrix = storage.HalfMatrix

    def for_kernel(self, matrix: matrices.Matrix) -> Any:
        """The matrix as one worker's kernel takes it."""
        if matrix.dtype == np.float32:
            return matrix
        return self._half_matrix(matrix.view(np.uint16), self.noise, np.zeros(1, np.uint64))


class Worker:
    """Trains on batches, with the scratch memory of one thread."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._V, self._U = shared.for_kernel(shared.V), shared.for_kernel(shared.U)
        self._work = np.empty((4, shared.settings.dim), np.float32)
        self._make_room(0)

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of targets)."""
        s, shared = self._shared.settings, self._shared
        longest = int(np.diff(batch.offsets).max(initial=0)) * s.ngrams
        if longest > self._longest:
            self._make_room(longest)
        shape = {"n_words": len(shared.U), "ngrams": s.ngrams, "buckets": s.buckets or 1}
        grams = ngram_rows(batch.ids, batch.offsets, **shape)
        released = s.variant == "released"
        if released:
            placeholders = placeholder_rows(batch.ids, batch.offsets, **shape)
        else:
            placeholders = np.empty((len(batch.ids), 0), np.int64)
        loss, targets = shared.train_batch(
            batch.ids, batch.offsets, batch.sentences, grams, placeholders,
            self._V, self._U, shared.keep, shared.alias_keep, shared.alias_other, shared.table,
            s.negatives, s.shared_negatives, s.drop_ngrams, shared.tau, released,
            shared.rate, float(batch.done), shared.total, s.seed, batch.epoch,
            self._work, self._integers, self._slots, self._floats,
        )  # fmt: skip
        return float(loss), int(targets)

    def evaluate(self, corpus: EncodedCorpus) -> float:
        """The loss per target on another text, with the same ids; changes nothing.

        A learning rate of 0 makes the kernel compute every loss and add zeros. Targets, dropped
        n-grams and negatives are drawn as in epoch 0, so losses can be compared.
        """
        shared = self._shared
        rate, total, tau = shared.rate, shared.total, shared.tau
        shared.rate, shared.total, shared.tau = 0.0, 1.0, 0.0
        try:
            s = shared.settings
            batches = Batches(corpus, Schedule(1, 1.0, False, s.seed, 1))
            results = [self(batch) for batch in batches]
        finally:
            shared.rate, shared.total, shared.tau = rate, total, tau
        targets = sum(count for _, count in results)
        return sum(loss for loss, _ in results) / targets if targets else float("nan")

    def _make_room(self, longest: int) -> None:
        """Scratch for sentences of so many features."""
        negatives = self._shared.settings.negatives
        self._longest = longest
        width = max(longest, negatives + 1)
        self._integers = np.zeros((self._shared.integer_rows, width), np.int64)
        self._slots = np.empty(4 * longest + 4, np.int64)
        self._floats = np.empty(longest + 2 * negatives + 2, np.float32)
