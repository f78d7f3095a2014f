"""The workers of a Sent2Vec run: what they share, and how one of them trains on a batch.

The update is in `kernels.sent2vec`; which batches there are is in `training.batches`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.models.sent2vec.sentences import Sentences
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.text.ngrams import ngram_rows, placeholder_rows
from sentvec.training import matrices, trainer
from sentvec.training.batches import Batch, Schedule

Floats = NDArray[np.float32]


class Shared:
    """What all workers read: the tables they draw from, and the settings."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        keep: Floats,
        settings: Sent2VecSettings,
        tokens: int,
    ) -> None:
        from sentvec.kernels.logistic import logistic_table
        from sentvec.kernels.precision import noise_table
        from sentvec.kernels.sent2vec.arguments import Tables
        from sentvec.kernels.setup import alias_table

        self.settings = settings
        self.total = float(tokens * settings.epochs)
        alias_keep, alias_other = (
            np.empty(len(counts), np.float32),
            np.empty(len(counts), np.uint32),
        )
        # q_n: the square root of the count (paper, section 2.1)
        alias_table(np.sqrt(counts.astype(np.float64)), alias_keep, alias_other)
        self.tables = Tables(keep, alias_keep, alias_other, logistic_table())
        self.noise = noise_table(settings.dim, settings.seed)


class Worker(trainer.Worker[Sentences]):
    """Trains on batches, with the scratch memory of one thread.

    Args:
        shared: What all workers read.
        arrays: Source and target vectors, changed in place.
    """

    def __init__(self, shared: Shared, arrays: trainer.Arrays) -> None:
        V, U = arrays["input_vectors"], arrays["output_vectors"]
        self._shared, self.arrays, self._n_words = shared, arrays, len(U)
        self._V = matrices.for_kernel(V, shared.noise)
        self._U = matrices.for_kernel(U, shared.noise)
        self._scratch = self._make_room(0)

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of targets)."""
        shared = self._shared
        return self._run(batch, shared.settings.lr, shared.total, shared.settings.l1)

    def _run(self, batch: Batch, lr: float, total: float, l1: float) -> tuple[float, int]:
        from sentvec.kernels.random import Key
        from sentvec.kernels.rate import Rate
        from sentvec.kernels.sent2vec import update
        from sentvec.kernels.sent2vec.arguments import Method

        s, shared = self._shared.settings, self._shared
        features = int(np.diff(batch.offsets).max(initial=0)) * s.ngrams
        if features > len(self._scratch.rows):
            self._scratch = self._make_room(features)
        released = s.variant == "released"
        # Floats, even where a whole number was given: else the kernel is compiled once more.
        method = Method(s.negatives, s.shared_negatives, s.drop_ngrams, float(l1), released)
        rate, key = Rate(float(lr), float(batch.done), total), Key(s.seed, batch.epoch)
        loss, targets = update.train_batch(
            self._with_ngrams(batch), self._V, self._U, shared.tables, method, rate, key,
            self._scratch,
        )  # fmt: skip
        return float(loss), int(targets)

    def _with_ngrams(self, batch: Batch) -> Any:
        """The batch as the kernel takes it."""
        from sentvec.kernels.sent2vec import arguments

        s = self._shared.settings
        shape = {"n_words": self._n_words, "ngrams": s.ngrams, "buckets": s.buckets or 1}
        grams = ngram_rows(batch.ids, batch.offsets, **shape)
        if s.variant == "released":
            placeholder_grams = placeholder_rows(batch.ids, batch.offsets, **shape)
        else:
            placeholder_grams = np.empty((len(batch.ids), 0), np.int64)
        return arguments.Batch(batch.ids, batch.offsets, batch.sentences, grams, placeholder_grams)

    def evaluate(self, data: Sentences) -> trainer.HeldOut:
        """The loss per target on another text, with the same ids; changes nothing.

        A learning rate of 0 makes the kernel compute every loss and add zeros. Targets, dropped
        n-grams and negatives are drawn as in epoch 0, so losses can be compared.
        """
        batches = data.batches(Schedule(1, 1.0, False, self._shared.settings.seed, 1))
        results = [self._run(batch, 0.0, 1.0, 0.0) for batch in batches]
        return trainer.HeldOut(trainer.mean_loss(results), {})

    def _make_room(self, features: int) -> Any:
        """Scratch for sentences of up to N features."""
        from sentvec.kernels.sent2vec.arguments import make_scratch

        return make_scratch(features, self._shared.settings.negatives, self._shared.settings.dim)
