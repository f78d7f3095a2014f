"""Which sentences come next: batches in the order of an epoch, and how far a run is.

All workers take their batches here, behind one lock. The order of an epoch, and what a batch's
learning rate starts from, depend on the seed and the place in the corpus only.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import DivergedError
from sentvec.text.corpus_files import Ids

BATCH_TOKENS = 20_000
BATCH_SENTENCES = 10_000
# A loss this many times that of untrained vectors has diverged, even where it is still finite.
DIVERGED_LOSS = 20.0


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences to train on.

    Attributes:
        ids: uint32 (n,), their words.
        offsets: int64 (s + 1,), where each begins.
        sentences: int64 (s,), their numbers in the corpus; of runs, where runs are dealt out.
        epoch: From 0.
        done: Tokens of all epochs before this batch.
    """

    ids: Ids
    offsets: NDArray[np.int64]
    sentences: NDArray[np.int64]
    epoch: int
    done: int


# Trains nothing: for a kernel to be compiled before it is needed.
EMPTY_BATCH = Batch(
    np.empty(0, np.uint32), np.zeros(1, np.int64), np.empty(0, np.int64), epoch=0, done=0
)


def _all() -> NDArray[np.uint8]:
    return np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True)
class Units:
    """What an epoch goes through: the sentences of a corpus, or runs of them.

    Attributes:
        ids: uint32 (n_tokens,), the words of all.
        offsets: int64 (n_units + 1,), where each begins.
        group: Batches are of a multiple of N units, but for the last of an epoch.
        roles: uint8 (n_units,): only units whose role is not 0 count for that; (0,) where all do.
    """

    ids: Ids
    offsets: NDArray[np.int64]
    group: int = 1
    roles: NDArray[np.uint8] = field(default_factory=_all)

    def batches(
        self, schedule: Schedule, untrained_loss: float = math.inf, start: Position | None = None
    ) -> Batches:
        """What workers take their batches from."""
        return Batches(self, schedule, untrained_loss, start)


@dataclass(frozen=True, slots=True)
class Schedule:
    """How the corpus is read. Fields as the settings of the same names."""

    epochs: int
    lr: float
    shuffle: bool
    seed: int
    threads: int
    decay: bool = True  # of lr, linearly to 0

    def rate(self, done: float) -> float:
        """The learning rate when this share of the run is done."""
        return self.lr * (1 - done) if self.decay else self.lr


@dataclass(frozen=True, slots=True)
class Position:
    """How far a run is: what a checkpoint keeps beside the matrices.

    Attributes:
        epoch: The epoch in progress, from 0.
        sentence: Sentences (or runs of them) of that epoch's order that are done.
        tokens: Tokens of all epochs that are done.
        targets: Targets trained so far.
        loss: The sum of their losses.
        seconds: Wall time spent training.
    """

    epoch: int = 0
    sentence: int = 0
    tokens: int = 0
    targets: int = 0
    loss: float = 0.0
    seconds: float = 0.0

    @property
    def mean_loss(self) -> float:
        """Loss per target of the whole run so far."""
        return self.loss / self.targets if self.targets else math.nan


class Batches:
    """What the workers share: the place in the corpus and the sums, behind one lock."""

    def __init__(
        self,
        units: Units,
        schedule: Schedule,
        untrained_loss: float = math.inf,
        start: Position | None = None,
    ) -> None:
        from sentvec.kernels import batches

        start = start or Position()
        self._kernels = batches
        self._units, self._schedule = units, schedule
        self.words = len(units.ids)  # of an epoch
        self._limit = DIVERGED_LOSS * untrained_loss
        self._lock = threading.Lock()
        self._n_sentences = len(units.offsets) - 1
        self._half_bits = (max(1, (self._n_sentences - 1).bit_length()) + 1) // 2
        self._sentences = np.empty(
            min(max(BATCH_SENTENCES, 10 * units.group), self._n_sentences), np.int64
        )
        self._epoch, self._sentence, self._claimed = start.epoch, start.sentence, start.tokens
        self._tokens, self._targets, self._loss = start.tokens, start.targets, start.loss
        self._held = False

    def __iter__(self) -> Iterator[Batch]:
        """The batches of the rest of the epoch, until it is over or held."""
        while (batch := self.next_batch()) is not None:
            yield batch

    def deal(self, workers: int, words: int) -> list[list[Batch]]:
        """The batches of a round, about N words for each worker, dealt in turn."""
        hands: list[list[Batch]] = [[] for _ in range(workers)]
        before, dealt = (self._sentence, self._claimed), 0
        try:
            while dealt == 0 or dealt < words * workers:
                batch = self.next_batch()
                if batch is None:
                    break
                min(hands, key=len).append(batch)
                dealt += len(batch.ids)
        except KeyboardInterrupt:  # what was dealt goes back, for the checkpoint
            self._sentence, self._claimed = before
            raise
        return hands

    def begin(self) -> bool:
        """Hand out batches from here on; False where all epochs are over."""
        with self._lock:
            self._held = False
            return self._epoch < self._schedule.epochs

    def next_epoch(self) -> None:
        """Go to the beginning of the next epoch."""
        with self._lock:
            self._epoch, self._sentence = self._epoch + 1, 0

    def next_batch(self) -> Batch | None:
        """Take the next sentences of the epoch's order; None where it is over or held."""
        with self._lock:
            if self._held or self._sentence == self._n_sentences:
                return None
            units, schedule = self._units, self._schedule
            taken, tokens = self._kernels.choose(
                units.offsets, self._sentence, schedule.shuffle, schedule.seed, self._epoch,
                self._half_bits, BATCH_TOKENS, units.group, units.roles, self._sentences,
            )  # fmt: skip
            sentences, epoch, done = self._sentences[:taken].copy(), self._epoch, self._claimed
            self._sentence += taken
            self._claimed += tokens
        ids, starts = np.empty(tokens, np.uint32), np.empty(taken + 1, np.int64)
        self._kernels.gather(units.ids, units.offsets, sentences, ids, starts)
        return Batch(ids, starts, sentences, epoch, done)

    def add(self, batch: Batch, loss: float, targets: int) -> None:
        """Add what a batch gave, and check it."""
        with self._lock:
            self._loss += loss
            self._targets += targets
            self._tokens += len(batch.ids)
            if not math.isfinite(loss) or loss > self._limit * targets:
                done = self._tokens / (self._schedule.epochs * self.words)
                lr = self._schedule.rate(done)
                mean = loss / targets if targets else loss
                msg = (
                    f"training diverged at {done:.1%} (loss {mean:.3g} a target, lr {lr:.3g}) - "
                    "lower lr (the preset has one that works)"
                )
                raise DivergedError(msg)

    def position(self, seconds: float = 0.0) -> Position:
        """Where the run is; exact for a checkpoint only while no batch is in progress."""
        with self._lock:
            return Position(
                self._epoch, self._sentence, self._tokens, self._targets, self._loss, seconds
            )

    def is_still(self) -> bool:
        """Whether all that was handed out is done."""
        with self._lock:
            return self._claimed == self._tokens

    def epoch_over(self) -> bool:
        """Whether all sentences of the epoch were taken."""
        with self._lock:
            return self._sentence == self._n_sentences

    def hold(self) -> None:
        """Hand out no more batches until `begin`."""
        with self._lock:
            self._held = True
