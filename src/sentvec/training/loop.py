"""The loop of training: epochs, worker threads, what happens between batches.

Workers take batches in the order of the epoch and change the matrices without locks (Hogwild), so
with several threads updates may overwrite each other now and then, and a run is not repeated
exactly. With one thread it is, to the bit. Which targets, n-grams and negatives are drawn, and the
learning rate of a sentence, do not depend on the number of threads.

Not here: which sentences a batch has (`batches`), what it does to the matrices (the workers').
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from sentvec.errors import CorpusError
from sentvec.training.batches import EMPTY_BATCH, Batch, Batches, Position, Schedule
from sentvec.training.progress import Listener, Meter
from sentvec.training.rounds import Rounds
from sentvec.training.trainer import Data, Worker

_REPORT_SECONDS = 0.2


class Observer:
    """Is called between batches, while no worker changes the matrices. Override what is needed."""

    def due(self, position: Position, done: float) -> bool:
        """Whether to stop the workers for `pause` now; asked a few times a second."""
        return False

    def pause(self, position: Position) -> None:
        """The workers wait, as `due` asked for."""

    def interrupted(self, position: Position) -> None:
        """The run is being interrupted, and the workers wait."""

    def epoch_end(self, position: Position) -> bool:
        """An epoch is over; return False to end the training here."""
        return True


def run(
    data: Data,
    schedule: Schedule,
    workers: Sequence[Worker[Any]],
    listener: Listener,
    *,
    untrained_loss: float,
    start: Position | None = None,
    observer: Observer | None = None,
    rounds: Rounds | None = None,
) -> Position:
    """Train on all epochs; returns where the run ended.

    Args:
        data: Source of the batches of an epoch.
        schedule: Epochs, learning rate, order, threads.
        workers: One for each thread.
        listener: Hears about progress.
        untrained_loss: The loss of a target before any training, for the divergence check.
        start: Where an earlier run stopped; from the beginning without it.
        observer: Called between batches: for checkpoints and held-out loss.
        rounds: With it, the workers have copies of the matrices, merged after every round.

    Raises:
        DivergedError: The loss is no longer finite, or many times that of untrained vectors.
        CorpusError: Nothing was ever predicted.
    """
    start, observer = start or Position(), observer or Observer()
    state = data.batches(schedule, untrained_loss, start)
    workers[0](EMPTY_BATCH)  # compiles the kernel, before the clock starts
    meter = Meter(
        schedule.epochs * state.words, schedule.epochs, schedule.rate,
        (start.tokens, start.loss, start.targets), start.seconds,
    )  # fmt: skip
    with ThreadPoolExecutor(schedule.threads, "sentvec") as pool:
        loop = _Loop(pool, workers, state, meter, listener, observer, rounds)
        while state.begin():
            try:
                loop.turn()
                # A checkpoint may be at the end of an epoch: what comes then is part of it.
                if state.epoch_over():
                    if not observer.epoch_end(state.position(meter.seconds())):
                        break
                    state.next_epoch()
            except KeyboardInterrupt:
                if state.is_still():
                    observer.interrupted(state.position(meter.seconds()))
                raise
    end = state.position(meter.seconds())
    listener.progress(meter.read(end.tokens, end.loss, end.targets, workers[0].parts()))
    if not end.targets:
        msg = "nothing was ever predicted, so nothing was learned - raise subsample (0 is off)"
        raise CorpusError(msg)
    return end


@dataclass
class _Loop:
    """What a turn of the loop needs; arguments as those of `run`."""

    pool: ThreadPoolExecutor
    workers: Sequence[Worker[Any]]
    state: Batches
    meter: Meter
    listener: Listener
    observer: Observer
    rounds: Rounds | None

    def turn(self) -> None:
        """Let the workers run until the epoch or round ends, or the observer wants them still."""
        shares: list[Iterable[Batch]] = [self.state] * len(self.workers)
        if self.rounds is not None:
            shares = list(self.state.deal(len(self.workers), self.rounds.words))
        futures: set[Future[None]] = set()
        wanted = False
        try:
            for pair in zip(self.workers, shares, strict=True):
                futures.add(self.pool.submit(_work, self.state, *pair))
            while wait(futures, _REPORT_SECONDS, FIRST_EXCEPTION).not_done:
                if _has_failed(futures):
                    break
                if self.report() and not wanted:
                    wanted = True
                    self.state.hold()
        finally:
            _end(self.pool, self.state, futures, self.rounds)
        for future in futures:
            future.result()
        if self.meter.age() >= _REPORT_SECONDS:  # epochs or rounds shorter than that
            wanted |= self.report()
        if wanted:
            self.observer.pause(self.state.position(self.meter.seconds()))

    def report(self) -> bool:
        """Report progress; returns whether the observer wants the workers still."""
        now = self.state.position(self.meter.seconds())
        parts = self.workers[0].parts()
        progress = self.meter.read(now.tokens, now.loss, now.targets, parts)
        self.listener.progress(progress)
        return self.observer.due(now, progress.done)


def _work(state: Batches, worker: Worker[Any], batches: Iterable[Batch]) -> None:
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
