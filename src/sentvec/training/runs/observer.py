"""What a run does between batches: checkpoints, held-out loss, the best epoch."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from sentvec.errors import DivergedError, StorageError
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.training import loop, matrices
from sentvec.training.batches import Position, Schedule
from sentvec.training.progress import Listener
from sentvec.training.runs.best import Best
from sentvec.training.runs.interval import Timer
from sentvec.training.runs.plan import Plan
from sentvec.training.trainer import Arrays, HeldOut


class RunObserver(loop.Observer):
    """Writes checkpoints and measures the held-out loss, while the workers wait.

    Args:
        plan: Intervals and patience.
        schedule: Of the run.
        words: Words of an epoch.
        start: Where an earlier session stopped.
        best: The best epoch so far.
        checkpoints: Where checkpoints go, if the run has an output.
        listener: Hears about the held-out loss.
        arrays: What a checkpoint keeps.
        collect: Brings the arrays up to date.
        evaluate: Measures the held-out loss; None without held-out text.
    """

    def __init__(
        self,
        *,
        plan: Plan,
        schedule: Schedule,
        words: int,
        start: Position,
        best: Best,
        checkpoints: CheckpointFolder | None,
        listener: Listener,
        arrays: Arrays,
        collect: Callable[[], None],
        evaluate: Callable[[], HeldOut] | None,
    ) -> None:
        self._checkpoints, self._plan, self._listener = checkpoints, plan, listener
        self._epochs, self._rate = schedule.epochs, schedule.rate
        self._arrays, self._evaluate, self._collect = arrays, evaluate, collect
        self._best = best
        self._total = words * schedule.epochs
        done = start.tokens / self._total
        self._timer = Timer(plan.interval, done)
        self._look = Timer(plan.look if evaluate is not None else None, done)
        self._end: Position | None = None
        self._looked: tuple[int, HeldOut] | None = None  # tokens done, and what was measured then

    def due(self, position: Position, done: float) -> bool:
        """Whether it is time for a checkpoint, or to measure the held-out loss."""
        return self._timer_due(done) or self._look.due(done)

    def pause(self, position: Position) -> None:
        """Measure the held-out loss, or write a checkpoint; a full disk is a warning.

        Raises:
            DivergedError: The matrices are not finite; the checkpoint before is better than this.
        """
        done = position.tokens / self._total
        if self._evaluate is not None and self._look.due(done):
            measured = self._measured(self._evaluate, position)
            self._listener.held_out(done, measured.loss, dict(measured.parts))
            self._look.reset(done)
        if self._timer_due(done):
            self._write(position)

    def interrupted(self, position: Position) -> None:
        """Write a checkpoint, as `pause`."""
        self._write(position)

    def _measured(self, evaluate: Callable[[], HeldOut], position: Position) -> HeldOut:
        """The held-out loss, measured once at this point of the run."""
        if self._looked is None or self._looked[0] != position.tokens:
            self._looked = position.tokens, evaluate()
        return self._looked[1]

    def _timer_due(self, done: float) -> bool:
        return self._checkpoints is not None and self._timer.due(done)

    def ended(self, position: Position) -> None:
        """All epochs are over, or the run stops early: from here on there is an end to keep."""
        self._end = dataclasses.replace(position, epoch=self._epochs, sentence=0)

    def keep_end(self) -> bool:
        """Write a checkpoint of the end of the training, where there is one; whether it is kept.

        A run that resumes from it has nothing to train, only to save.
        """
        if self._end is None:
            return False
        try:
            return self._write(self._end)
        except DivergedError:
            return False

    def _write(self, position: Position) -> bool:
        if self._checkpoints is None:
            return False
        done = position.tokens / self._total
        self._timer.reset(done)
        self._collect()
        for name, array in self._arrays.items():
            matrices.check_finite(array, name, f"at {done:.1%} (lr {self._rate(done):.3g})")
        state = {**dataclasses.asdict(position), "best": self._best.state()}
        try:
            self._checkpoints.write(state, self._arrays)
        except StorageError as error:
            self._listener.warning(str(error))
            return False
        self._best.forget_others()
        return True

    def epoch_end(self, position: Position) -> bool:
        """Measure the held-out loss; False after `patience` epochs without improvement."""
        evaluate, patience = self._evaluate, self._plan.patience
        if evaluate is None:
            return True
        is_told = self._looked is not None and self._looked[0] == position.tokens
        measured, epoch = self._measured(evaluate, position), position.epoch + 1
        loss, parts = measured.loss, dict(measured.parts)
        self._listener.validation(epoch, loss)
        if parts and not is_told:
            self._listener.held_out(position.tokens / self._total, loss, parts)
        if loss < self._best.loss:
            self._keep(epoch, loss)
        return patience is None or epoch - self._best.epoch < patience

    def take_best(self) -> None:
        """Put the vectors of the best epoch back, where the last was not the best."""
        self._collect()
        kept = self._best.read()
        if kept is not None:
            for name, array in self._arrays.items():
                array[:] = kept[name]

    def _keep(self, epoch: int, loss: float) -> None:
        if self._plan.patience is None:
            return
        self._collect()
        try:
            self._best.keep(epoch, loss, self._arrays)
        except OSError as error:
            msg = (
                f"the vectors of epoch {epoch} are not kept: {error.strerror or error} - make room"
            )
            self._listener.warning(msg)
            return
        if self._checkpoints is None:
            self._best.forget_others()
