"""The workers of a Siamese CBOW run: what they share, and how one of them trains on a batch.

The update is in `kernels.siamese_cbow`; which sentences are neighbours is in `trainer`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.models.siamese_cbow.trainer import Pairs, slots_of
from sentvec.text.encoded import EncodedCorpus
from sentvec.training import matrices
from sentvec.training.batches import Batch, Batches, Schedule
from sentvec.training.subsampling import kept_share


class Shared:
    """What all workers read or change: the matrices, the corpus, the settings."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        V: matrices.Matrix,
        squares: matrices.Matrix,
        pairs: Pairs,
        settings: SiameseCBOWSettings,
    ) -> None:
        from sentvec.kernels.precision import noise_table

        self.V, self.squares, self.pairs, self.settings = V, squares, pairs, settings
        self.total = float(len(pairs.units.ids) * settings.epochs)
        keep = kept_share(counts, settings.subsample) if settings.subsample else np.empty(0)
        self.keep = keep.astype(np.float32)
        self.noise = noise_table(settings.dim, settings.seed)

    def for_kernel(self) -> Any:
        """The vectors as one worker's kernel takes them."""
        from sentvec.kernels.precision import HalfMatrix

        if self.V.dtype == np.float32:
            return self.V
        return HalfMatrix(self.V.view(np.uint16), self.noise, np.zeros(1, np.uint64))


class Worker:
    """Trains on batches, with the scratch memory of one thread."""

    def __init__(self, shared: Shared) -> None:
        self._shared, self._V = shared, shared.for_kernel()
        self._scratch = self._make_room(shared.pairs.longest)

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of examples)."""
        s = self._shared
        return self._run(batch, s.pairs, s.settings.lr, s.total)

    def evaluate(self, corpus: EncodedCorpus) -> float:
        """The loss per example on another text, with the same ids; changes nothing.

        Negatives are drawn from that text as in epoch 0, so losses can be compared.
        """
        settings = self._shared.settings
        pairs = Pairs.of(corpus, settings)
        if pairs.longest > len(self._scratch.steps):
            self._scratch = self._make_room(pairs.longest)
        batches = Batches(pairs.units, Schedule(1, 1.0, False, settings.seed, 1))
        results = [self._run(batch, pairs, 0.0, 1.0) for batch in batches]
        examples = sum(count for _, count in results)
        return sum(loss for loss, _ in results) / examples if examples else float("nan")

    def _run(self, batch: Batch, pairs: Pairs, rate: float, total: float) -> tuple[float, int]:
        from sentvec.kernels.random import Key
        from sentvec.kernels.rate import Rate
        from sentvec.kernels.siamese_cbow import slots, update

        shared, s = self._shared, self._shared.settings
        method = slots.Method(
            s.batch, s.negatives, s.shared_negatives, pairs.longest, s.temperature,
            s.batch_gradient == "mean", shared.keep,
        )  # fmt: skip
        loss, examples = update.train_batch(
            pairs.text, slots.Batch(batch.sentences, batch.offsets), self._V, shared.squares,
            method, Rate(rate, float(batch.done), total), Key(s.seed, batch.epoch), self._scratch,
        )  # fmt: skip
        return float(loss), int(examples)

    def _make_room(self, longest: int) -> Any:
        """Scratch for sentences of up to `longest` words."""
        from sentvec.kernels.siamese_cbow.slots import make_scratch

        s = self._shared.settings
        return make_scratch(slots_of(s), s.batch, s.negatives, longest, s.dim)
