"""What a training run reports while it goes: plain records, shown by whoever listens."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sentvec.text.encoded import CorpusStats
from sentvec.training.memory import MemoryEstimate
from sentvec.training.summary import Summary


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Attributes:
        done: Share of all tokens of all epochs, 0..1.
        epoch: The epoch in progress, from 1.
        words_per_second: Known tokens per second of wall time, all threads together.
        eta: Seconds of wall time to go.
        lr: Learning rate now.
        loss: Mean loss per target over the last few per cent, negatives included.
        seconds: Wall time since training began.
        parts: The running loss of each thing that is predicted, where there are several.
    """

    done: float
    epoch: int
    words_per_second: float
    eta: float
    lr: float
    loss: float
    seconds: float
    parts: dict[str, float] = field(default_factory=dict)


class Listener:
    """Gets told about a run; does nothing. Override what is of interest."""

    def corpus(self, stats: CorpusStats, vocabulary_size: int, seconds: float) -> None:
        """The corpus was counted and encoded."""

    def memory(self, estimate: MemoryEstimate) -> None:
        """What the run will need; called before anything is allocated."""

    def compiling(self) -> None:
        """The kernels are being compiled (or read from their cache)."""

    def progress(self, progress: Progress) -> None:
        """A few times a second while training, and once at its end."""

    def validation(self, epoch: int, loss: float) -> None:
        """The loss per target on the held-out text after an epoch (from 1)."""

    def held_out(self, done: float, loss: float, parts: dict[str, float]) -> None:
        """The same, of each thing that is predicted too, when this share of the run is done.

        Within an epoch where that was asked for, and after each where there are several `parts`.
        """

    def summary(self, summary: Summary) -> None:
        """What the run was trained on and what it was not; once, before the model is saved."""

    def warning(self, message: str) -> None:
        """Something went wrong that does not end the training."""


class Meter:
    """Turns totals into `Progress`; the loss is that of the last two per cent of the run.

    Args:
        total: Tokens of all epochs.
        epochs: Their number.
        rate: Gives the learning rate when a share of the run is done.
        start: Tokens, loss and targets of earlier sessions of the run.
        seconds: Wall time of earlier sessions.
    """

    WINDOW = 0.02

    def __init__(
        self,
        total: int,
        epochs: int,
        rate: Callable[[float], float],
        start: tuple[int, float, int] = (0, 0.0, 0),
        seconds: float = 0.0,
    ) -> None:
        self._total, self._epochs, self._rate = total, epochs, rate
        self._first, self._before, self._began = start[0], seconds, time.perf_counter()
        self._last = self._began
        self._marks = [(start[0] / total, start[1], start[2])]

    def seconds(self) -> float:
        """Wall time of the run so far, earlier sessions included."""
        return self._before + time.perf_counter() - self._began

    def age(self) -> float:
        """Seconds since the state was last read."""
        return time.perf_counter() - self._last

    def read(
        self, tokens: int, loss: float, targets: int, parts: dict[str, float] | None = None
    ) -> Progress:
        """The state after N tokens, with the sums of losses and targets since the start."""
        done, self._last = tokens / self._total, time.perf_counter()
        while len(self._marks) > 1 and self._marks[1][0] <= done - self.WINDOW:
            self._marks.pop(0)
        _, loss_before, targets_before = self._marks[0]
        recent = targets - targets_before
        self._marks.append((done, loss, targets))
        speed = (tokens - self._first) / (time.perf_counter() - self._began)
        return Progress(
            done=done,
            epoch=min(int(done * self._epochs) + 1, self._epochs),
            words_per_second=speed,
            eta=(self._total - tokens) / speed if speed else float("inf"),
            lr=self._rate(done),
            loss=(loss - loss_before) / recent if recent else float("nan"),
            seconds=self.seconds(),
            parts=parts or {},
        )
