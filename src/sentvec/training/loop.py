"""The loop of training: epochs, worker threads, what happens between batches.

Workers take batches in the order of the epoch and change the matrices without locks (Hogwild), so
with several threads updates may overwrite each other now and then, and a run is not repeated
exactly. With one thread it is, to the bit. Which targets, n-grams and negatives are drawn, and the
learning rate of a sentence, do not depend on the number of threads.

Not here: which sentences a batch has (`batches`), what it does to the matrices (the workers').
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Protocol

from sentvec.errors import CorpusError
from sentvec.text.encoded import EncodedCorpus
from sentvec.training.batches import EMPTY_BATCH, Batch, Batches, Position, Schedule, Units
from sentvec.training.progress import Listener, Meter
from sentvec.training.rounds import Rounds

_REPORT_SECONDS = 0.2


class Worker(Protocol):
    """Trains on batches, one after the other, with scratch memory of its own."""

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of targets)."""


class Dealt(Protocol):
    """A corpus as it is gone through."""

    def batches(self, schedule: Schedule, untrained_loss: float, start: Position | None) -> Batches:
        """What the workers take their batches from."""


class Observer:
    """Is called between batches, while no worker changes the matrices. Override what is needed."""

    def due(self, position: Position, done: float) -> bool:
        """Whether to stop the workers for `pause` now; asked a few times a second."""
        return False

    def pause(self, position: Position) -> None:
        """The workers stand still, as `due` asked for."""

    def interrupted(self, position: Position) -> None:
        """The run is being interrupted, and the workers stand still."""

    def epoch_end(self, position: Position) -> bool:
        """An epoch is over; return False to end the training here."""
        return True


def run(
    corpus: EncodedCorpus | Dealt,
    schedule: Schedule,
    make_worker: Callable[[int], Worker],
    listener: Listener,
    *,
    untrained_loss: float,
    start: Position | None = None,
    observer: Observer | None = None,
    rounds: Rounds | None = None,
    parts: Callable[[], dict[str, float]] = dict,
) -> Position:
    """Train on all epochs; returns where the run ended.

    Args:
        corpus: The encoded corpus, or what deals it out in another way than sentence by sentence.
        schedule: Epochs, learning rate, order, threads.
        make_worker: Called once a thread, with its number.
        listener: Hears about progress.
        untrained_loss: The loss of a target before any training, for the divergence check.
        start: Where an earlier run stopped; from the beginning without it.
        observer: Called between batches: for checkpoints and held-out loss.
        rounds: With it, the workers have copies of the matrices, merged after every round.
        parts: Gives the loss of late of each thing that is predicted, where there are several.

    Raises:
        DivergedError: The loss is no longer finite, or many times that of untrained vectors.
        CorpusError: Nothing was ever predicted.
    """
    start, observer = start or Position(), observer or Observer()
    dealt = Units(corpus.ids, corpus.offsets) if isinstance(corpus, EncodedCorpus) else corpus
    state = dealt.batches(schedule, untrained_loss, start)
    workers = [make_worker(number) for number in range(schedule.threads)]
    workers[0](EMPTY_BATCH)  # compiles the kernel, before the clock starts
    meter = Meter(
        schedule.epochs * state.words, schedule.epochs, schedule.rate,
        (start.tokens, start.loss, start.targets), start.seconds,
    )  # fmt: skip
    with ThreadPoolExecutor(schedule.threads, "sentvec") as pool:
        while state.begin():
            try:
                _go(pool, workers, state, meter, listener, observer, rounds, parts)
                # A checkpoint may stand at the end of an epoch: what comes then is part of it.
                if state.epoch_over():
                    if not observer.epoch_end(state.position(meter.seconds())):
                        break
                    state.next_epoch()
            except KeyboardInterrupt:
                if state.is_still():
                    observer.interrupted(state.position(meter.seconds()))
                raise
    end = state.position(meter.seconds())
    listener.progress(meter.read(end.tokens, end.loss, end.targets, parts()))
    if not end.targets:
        msg = "nothing was ever predicted, so nothing was learned - raise subsample (0 is off)"
        raise CorpusError(msg)
    return end


def _go(
    pool: ThreadPoolExecutor,
    workers: list[Worker],
    state: Batches,
    meter: Meter,
    listener: Listener,
    observer: Observer,
    rounds: Rounds | None,
    parts: Callable[[], dict[str, float]],
) -> None:
    """Let the workers run until the epoch or round is over, or the observer wants them still."""

    def look() -> bool:
        now = state.position(meter.seconds())
        progress = meter.read(now.tokens, now.loss, now.targets, parts())
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
