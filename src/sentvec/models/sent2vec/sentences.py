"""A corpus as Sent2Vec goes through it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sentvec.text.vocabulary import Vocabulary
from sentvec.training.batches import Batches, Position, Schedule, Units
from sentvec.training.summary import Trained

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sentences:
    """A corpus as Sent2Vec goes through it, sentence by sentence.

    Attributes:
        units: The sentences.
        vocabulary: The words.
        keep: float32 (words,), see `trainer.keep_probabilities`.
        longest: Known words of the longest sentence.
        trained: What an epoch takes from the corpus.
    """

    units: Units
    vocabulary: Vocabulary
    keep: Floats
    longest: int
    trained: Trained

    @property
    def words(self) -> int:
        """Words of an epoch."""
        return len(self.units.ids)

    def batches(
        self, schedule: Schedule, untrained_loss: float = math.inf, start: Position | None = None
    ) -> Batches:
        """What the workers take their batches from."""
        return self.units.batches(schedule, untrained_loss, start)
