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
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import DivergedError
from sentvec.text.encoded import EncodedCorpus, Ids
from sentvec.training.progress import Listener, Meter
from sentvec.training.rounds import Rounds

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


@dataclass(frozen=True, slots=True)
class Position:
    """How far a run is: what a checkpoint keeps beside the matrices.

    Attributes:
        epoch: The epoch in work, from 0.
        sentence: Sentences of that epoch's order that are done.
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


class Observer:
    """Is called between batches, while no worker changes the matrices. Override what is needed."""

    def due(self, position: Position, done: float) -> bool:
        """Whether to stop the workers for `pause` now; asked a few times a second."""
        return False

    def pause(self, position: Position) -> None:
        """The workers stand still (`due` asked for it), or the run is being interrupted."""

    def epoch_end(self, position: Position) -> bool:
        """An epoch is over; return False to end the training here."""
        return True


def run(
    corpus: EncodedCorpus,
    schedule: Schedule,
    make_worker: Callable[[int], Worker],
    listener: Listener,
    *,
    untrained_loss: float,
    start: Position | None = None,
    observer: Observer | None = None,
    rounds: Rounds | None = None,
) -> Position:
    """Train on all epochs; returns where the run ended.

    Args:
        corpus: The encoded corpus.
        schedule: Epochs, learning rate, order, threads.
        make_worker: Called once a thread, with its number.
        listener: Hears about progress.
        untrained_loss: The loss of a target before any training, for the divergence check.
        start: Where an earlier run stopped; from the beginning without it.
        observer: Called between batches: for checkpoints and held-out loss.
        rounds: With it, the workers have copies of the matrices, merged after every round.

    Raises:
        DivergedError: The loss is no longer finite, or many times that of untrained vectors.
    """
    start, observer = start or Position(), observer or Observer()
    state = Batches(corpus, schedule, untrained_loss, start)
    meter = Meter(
        schedule.epochs * len(corpus.ids), schedule.epochs, schedule.lr,
        (start.tokens, start.loss, start.targets), start.seconds,
    )  # fmt: skip
    workers = [make_worker(number) for number in range(schedule.threads)]
    with ThreadPoolExecutor(schedule.threads, "sentvec") as pool:
        while state.begin():
            try:
                _go(pool, workers, state, meter, listener, observer, rounds)
                # A checkpoint may stand at the end of an epoch: what comes then is part of it.
                if state.epoch_over():
                    if not observer.epoch_end(state.position(meter.seconds())):
                        break
                    state.next_epoch()
            except KeyboardInterrupt:
                if state.is_still():
                    observer.pause(state.position(meter.seconds()))
                raise
    end = state.position(meter.seconds())
    listener.progress(meter.read(end.tokens, end.loss, end.targets))
    return end


def _go(
    pool: ThreadPoolExecutor,
    workers: list[Worker],
    state: Batches,
    meter: Meter,
    listener: Listener,
    observer: Observer,
    rounds: Rounds | None,
) -> None:
    """Let the workers run until the epoch or round is over, or the observer wants them still."""

    def look() -> bool:
        now = state.position(meter.seconds())
        progress = meter.read(now.tokens, now.loss, now.targets)
        listener.progress(progress)
        return observer.due(now, progress.done)

    shares: list[Iterable[Batch]] = [state] * len(workers)
    if rounds is not None:
        shares = list(state.deal(len(workers), rounds.words))
    futures: set[Future[None]] = set()
    wanted = False
    try:
        for pair in zip(workers, shares, strict=True):
            futures.add(pool.submit(_work, state, *pair))
        while wait(futures, _REPORT_SECONDS, FIRST_EXCEPTION).not_done:
            if _has_failed(futures):
                break
            if look() and not wanted:
                wanted = True
                state.hold()
    finally:
        _end(pool, state, futures, rounds)
    for future in futures:
        future.result()
    if meter.age() >= _REPORT_SECONDS:  # epochs or rounds shorter than that
        wanted |= look()
    if wanted:
        observer.pause(state.position(meter.seconds()))


def _work(state: Batches, worker: Worker, batches: Iterable[Batch]) -> None:
    for batch in batches:
        state.add(batch, *worker(batch))


def _has_failed(futures: set[Future[None]]) -> bool:
    return any(future.done() and future.exception() for future in futures)


def _end(
    pool: ThreadPoolExecutor, state: Batches, futures: set[Future[None]], rounds: Rounds | None
) -> None:
    """Let the workers end after the batch they are at, if they have not, and merge their copies."""
    state.hold()
    try:
        _wait_for(futures)
    finally:
        if rounds is not None:
            _wait_for({pool.submit(rounds.merge)})


def _wait_for(futures: set[Future[None]]) -> None:
    """Wait even through Ctrl-C, which is raised after: a checkpoint needs the workers still."""
    interrupt = None
    while not all(future.done() for future in futures):
        try:
            wait(futures)
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt:
        raise interrupt


class Batches:
    """What the workers share: the place in the corpus and the sums, behind one lock."""

    def __init__(
        self,
        corpus: EncodedCorpus,
        schedule: Schedule,
        untrained_loss: float = math.inf,
        start: Position | None = None,
    ) -> None:
        from sentvec.kernels import batches

        start = start or Position()
        self._kernels = batches
        self._corpus, self._schedule = corpus, schedule
        self._limit = DIVERGED_LOSS * untrained_loss
        self._lock = threading.Lock()
        self._n_sentences = len(corpus.offsets) - 1
        self._half_bits = (max(1, (self._n_sentences - 1).bit_length()) + 1) // 2
        self._sentences = np.empty(min(BATCH_SENTENCES, self._n_sentences), np.int64)
        self._epoch, self._sentence, self._claimed = start.epoch, start.sentence, start.tokens
        self._tokens, self._targets, self._loss = start.tokens, start.targets, start.loss
        self._held = False

    def __iter__(self) -> Iterator[Batch]:
        """The batches of the rest of the epoch, until it is over or held."""
        while (batch := self.next_batch()) is not None:
            yield batch

    def deal(self, workers: int, words: int) -> list[list[Batch]]:
        """The batches of a round, about so many words for each worker, dealt in turn."""
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
            offsets, schedule = self._corpus.offsets, self._schedule
            taken, tokens = self._kernels.choose(
                offsets, self._sentence, schedule.shuffle, schedule.seed, self._epoch,
                self._half_bits, BATCH_TOKENS, self._sentences,
            )  # fmt: skip
            sentences, epoch, done = self._sentences[:taken].copy(), self._epoch, self._claimed
            self._sentence += taken
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

    def position(self, seconds: float = 0.0) -> Position:
        """Where the run is; exact for a checkpoint only while no batch is in work."""
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
