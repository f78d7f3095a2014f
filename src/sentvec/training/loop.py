"""The loop of training: epochs, batches, worker threads, the learning-rate schedule.

Workers take batches in the order of the epoch and change the matrices without locks (Hogwild), so
with several threads updates may overwrite each other now and then, and a run is not repeated
exactly. With one thread it is, to the bit. Which targets, n-grams and negatives are drawn, and the
learning rate of a sentence, do not depend on the number of threads.

Not here: what a batch does to the matrices (given as `train`), where the matrices come from.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import CorpusError, DivergedError
from sentvec.text.encoded import EncodedCorpus, Ids
from sentvec.training.progress import Listener, Meter

BATCH_TOKENS = 20_000
BATCH_SENTENCES = 10_000
# A loss this many times that of untrained vectors has diverged, even where it is still finite.
DIVERGED_LOSS = 20.0
_REPORT_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences to train on.

    Attributes:
        ids: uint32 (n,), their words.
        offsets: int64 (s + 1,), where each begins.
        sentences: int64 (s,), their numbers in the corpus.
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


class Worker(Protocol):
    """Trains on batches, one after the other, with scratch memory of its own."""

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of targets)."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How the corpus is gone through. Fields as the settings of the same names."""

    epochs: int
    lr: float
    shuffle: bool
    seed: int
    threads: int


def run(
    corpus: EncodedCorpus,
    schedule: Schedule,
    make_worker: Callable[[], Worker],
    listener: Listener,
    *,
    untrained_loss: float,
) -> float:
    """Train on all epochs; returns the mean loss per target of the whole run.

    Args:
        corpus: The encoded corpus.
        schedule: Epochs, learning rate, order, threads.
        make_worker: Called once a thread.
        listener: Hears about progress.
        untrained_loss: The loss of a target before any training, for the divergence check.

    Raises:
        DivergedError: The loss is no longer finite, or many times that of untrained vectors.
    """
    state = _State(corpus, schedule, untrained_loss)
    meter = Meter(schedule.epochs * len(corpus.ids), schedule.epochs, schedule.lr)

    def work() -> None:
        worker = make_worker()
        while (batch := state.next_batch()) is not None:
            loss, targets = worker(batch)
            state.add(batch, loss, targets)

    with ThreadPoolExecutor(schedule.threads, "sentvec") as pool:
        futures = {pool.submit(work) for _ in range(schedule.threads)}
        try:
            while wait(futures, _REPORT_SECONDS, FIRST_EXCEPTION).not_done:
                if any(future.done() and future.exception() for future in futures):
                    break
                listener.progress(meter.read(*state.totals()))
        finally:
            state.stop()  # an error, or Ctrl-C: the workers end after the batch they are at
        for future in futures:
            future.result()
    listener.progress(meter.read(*state.totals()))
    _, loss, targets = state.totals()
    if not targets:
        msg = "no word was ever predicted: nothing was learned - raise subsample (0 predicts all)"
        raise CorpusError(msg)
    return loss / targets


class _State:
    """What the workers share: the place in the corpus and the sums, behind one lock."""

    def __init__(self, corpus: EncodedCorpus, schedule: Schedule, untrained_loss: float) -> None:
        from sentvec.kernels import batches

        self._kernels = batches
        self._corpus, self._schedule = corpus, schedule
        self._limit = DIVERGED_LOSS * untrained_loss
        self._lock = threading.Lock()
        self._n_sentences = len(corpus.offsets) - 1
        self._half_bits = (max(1, (self._n_sentences - 1).bit_length()) + 1) // 2
        self._sentences = np.empty(min(BATCH_SENTENCES, self._n_sentences), np.int64)
        self._epoch = self._position = self._claimed = 0
        self._tokens = self._targets = 0
        self._loss = 0.0

    def next_batch(self) -> Batch | None:
        """Take the next sentences of the epoch's order, or None when all epochs are over."""
        with self._lock:
            if self._position == self._n_sentences:
                self._epoch, self._position = self._epoch + 1, 0
            if self._epoch >= self._schedule.epochs:
                return None
            offsets, schedule = self._corpus.offsets, self._schedule
            taken, tokens = self._kernels.choose(
                offsets, self._position, schedule.shuffle, schedule.seed, self._epoch,
                self._half_bits, BATCH_TOKENS, self._sentences,
            )  # fmt: skip
            sentences, epoch, done = self._sentences[:taken].copy(), self._epoch, self._claimed
            self._position += taken
            self._claimed += tokens
        ids, starts = np.empty(tokens, np.uint32), np.empty(taken + 1, np.int64)
        self._kernels.gather(self._corpus.ids, offsets, sentences, ids, starts)
        return Batch(ids, starts, sentences, epoch, done)

    def add(self, batch: Batch, loss: float, targets: int) -> None:
        """Add what a batch gave, and check it."""
        with self._lock:
            self._loss += loss
            self._targets += targets
            self._tokens += len(batch.ids)
            if not math.isfinite(loss) or loss > self._limit * targets:
                done = self._tokens / (self._schedule.epochs * len(self._corpus.ids))
                lr = self._schedule.lr * (1 - done)
                mean = loss / targets if targets else loss
                msg = (
                    f"training diverged at {done:.1%} (loss {mean:.3g} a target, lr {lr:.3g}) - "
                    "lower lr (0.2 is the paper's value)"
                )
                raise DivergedError(msg)

    def totals(self) -> tuple[int, float, int]:
        """Tokens done, sum of losses, targets."""
        with self._lock:
            return self._tokens, self._loss, self._targets

    def stop(self) -> None:
        """Let `next_batch` return None from now on."""
        with self._lock:
            self._epoch = self._schedule.epochs
