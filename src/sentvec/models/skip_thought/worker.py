"""The worker of a Skip-Thought run: trains the network on batches of triples, and measures it.

The network is in `networks`, the batches are in `training.triples`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sentvec.models.skip_thought.neighbours import Neighbours
from sentvec.models.skip_thought.settings import SkipThoughtSettings
from sentvec.networks.shape import DECODERS, FIRST_WORD, UNKNOWN, Shape
from sentvec.text.corpus_files import Ids
from sentvec.training import trainer
from sentvec.training.batches import Batch, Schedule
from sentvec.training.triples import Triples

if TYPE_CHECKING:
    from sentvec.networks.skip_thought import Passages

_DECAY = 0.98  # of the running loss, for each batch


class Worker(trainer.Worker[Neighbours]):
    """Trains a network on batches of triples, and measures it on held-out text.

    Args:
        data: The corpus.
        settings: Of the run, resolved.
        schedule: Of the run.
        shape: Of the network.
        arrays: Parameters and moments; see `networks.learner.Learner`.
    """

    def __init__(
        self,
        data: Neighbours,
        settings: SkipThoughtSettings,
        schedule: Schedule,
        shape: Shape,
        arrays: trainer.Arrays,
    ) -> None:
        from sentvec.networks.learner import Learner

        self.arrays = arrays
        self._triples, self._n_words = data.triples, len(data.vocabulary)
        self._schedule, self._total = schedule, float(data.words * schedule.epochs)
        self.learner = Learner(
            shape, arrays, clip=settings.clip, device=settings.device,
            precision=settings.precision,
        )  # fmt: skip
        self._running = np.zeros((2, 2))  # decayed sums of losses, and of words, by direction

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of words predicted)."""
        if not len(batch.sentences):
            return 0.0, 0
        sums, words = self._run(self.learner.step, self._triples, batch,
                                self._schedule.rate(batch.done / self._total))  # fmt: skip
        self._running = _DECAY * self._running + (sums, words)
        return float(sums.sum()), int(words.sum())

    def parts(self) -> dict[str, float]:
        """The running loss of a word of the previous and of the next sentence."""
        return self._by_direction(self._running) if self._running[1].all() else {}

    def evaluate(self, data: Neighbours) -> trainer.HeldOut:
        """The loss of a word on another text, with the same ids, and by direction."""
        totals = np.zeros((2, 2))
        for batch in data.batches(Schedule(1, 1.0, False, 0, 1)):
            totals += self._run(self.learner.loss, data.triples, batch)
        loss = float(totals[0].sum() / totals[1].sum())
        return trainer.HeldOut(loss, self._by_direction(totals))

    def collect(self, arrays: trainer.Arrays) -> None:
        """Bring the arrays up to date; see `Learner.collect`."""
        self.learner.collect(arrays)

    def _by_direction(self, totals: NDArray[np.float64]) -> dict[str, float]:
        return dict(zip(DECODERS, (totals[0] / totals[1]).tolist(), strict=True))

    def _run(
        self, action: Any, triples: Triples, batch: Batch, *arguments: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Do something with a batch; returns sums of losses and words predicted, by direction."""
        passages = self._neighbours(triples, batch)
        sums = action(passages, *arguments)
        words = [s.lengths.sum() + len(s.lengths) for s in (passages.previous, passages.following)]
        return sums, np.array(words, float)

    def _neighbours(self, triples: Triples, batch: Batch) -> Passages:
        """The sentences of a batch with those before and after them."""
        from sentvec.networks.skip_thought import Passages, Sentences

        return Passages(
            *(
                Sentences(rows_of_ids(ids, self._n_words), lengths)
                for ids, lengths in (
                    (batch.ids, np.diff(batch.offsets)),
                    triples.words(batch.sentences - 1),
                    triples.words(batch.sentences + 1),
                )
            )
        )


def rows_of_ids(ids: Ids, n_words: int) -> NDArray[np.int64]:
    """The rows of the word vectors for ids of an encoded corpus, where n_words is the unknown."""
    rows = ids.astype(np.int64) + FIRST_WORD
    rows[ids == n_words] = UNKNOWN
    return rows
