"""The workers of a Siamese CBOW run: what they share, and how one of them trains on a batch.

The update is in `kernels.siamese_cbow`; which sentences are neighbours is in `pairs`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.models.siamese_cbow.pairs import Pairs
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.training import matrices, trainer
from sentvec.training.batches import Batch, Schedule
from sentvec.training.subsampling import kept_share


def slots_of(settings: SiameseCBOWSettings) -> int:
    """The most sentences that a batch averages."""
    if settings.shared_negatives:
        return settings.batch + 2 + settings.negatives
    return settings.batch * (3 + settings.negatives)


class Shared:
    """What all workers read: the corpus, the tables they draw from, the settings."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        pairs: Pairs,
        settings: SiameseCBOWSettings,
    ) -> None:
        from sentvec.kernels.precision import noise_table

        self.pairs, self.settings = pairs, settings
        self.total = float(len(pairs.units.ids) * settings.epochs)
        keep = kept_share(counts, settings.subsample) if settings.subsample else np.empty(0)
        self.keep = keep.astype(np.float32)
        self.noise = noise_table(settings.dim, settings.seed)


class Worker(trainer.Worker[Pairs]):
    """Trains on batches, with the scratch memory of one thread.

    Args:
        shared: What all workers read.
        arrays: The vectors and, with AdaGrad, the sums of squares; changed in place.
    """

    def __init__(self, shared: Shared, arrays: trainer.Arrays) -> None:
        self._shared, self.arrays = shared, arrays
        self._V = matrices.for_kernel(arrays["input_vectors"], shared.noise)
        self._squares = arrays.get("squares", np.empty(0, np.float32)).reshape(-1)
        self._scratch = self._make_room(shared.pairs.longest)

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of examples)."""
        s = self._shared
        return self._run(batch, s.pairs, s.settings.lr, s.total)

    def evaluate(self, data: Pairs) -> trainer.HeldOut:
        """The loss per example on another text, with the same ids; changes nothing.

        Negatives are drawn from that text as in epoch 0, so losses can be compared.
        """
        if data.longest > len(self._scratch.steps):
            self._scratch = self._make_room(data.longest)
        batches = data.batches(Schedule(1, 1.0, False, self._shared.settings.seed, 1))
        results = [self._run(batch, data, 0.0, 1.0) for batch in batches]
        return trainer.HeldOut(trainer.mean_loss(results), {})

    def _run(self, batch: Batch, pairs: Pairs, rate: float, total: float) -> tuple[float, int]:
        from sentvec.kernels.random import Key
        from sentvec.kernels.rate import Rate
        from sentvec.kernels.siamese_cbow import slots, update

        shared, s = self._shared, self._shared.settings
        method = slots.Method(
            s.batch, s.negatives, s.shared_negatives, pairs.longest, float(s.temperature),
            s.batch_gradient == "mean", shared.keep,
        )  # fmt: skip
        loss, examples = update.train_batch(
            _read_only(pairs.text), slots.Batch(batch.sentences, batch.offsets),
            self._V, self._squares,
            method, Rate(float(rate), float(batch.done), total), Key(s.seed, batch.epoch),
            self._scratch,
        )  # fmt: skip
        return float(loss), int(examples)

    def _make_room(self, longest: int) -> Any:
        """Scratch for sentences of up to `longest` words."""
        from sentvec.kernels.siamese_cbow.slots import make_scratch

        s = self._shared.settings
        return make_scratch(slots_of(s), s.batch, s.negatives, longest, s.dim)


def _read_only(text: Any) -> Any:
    """The corpus as the kernel takes it, mapped or sent to another process: compiled once."""
    views = [array.view() for array in text]
    for view in views:
        view.flags.writeable = False
    return type(text)(*views)
