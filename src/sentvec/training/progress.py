"""What a training run reports while it goes: plain records, shown by whoever listens."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from sentvec.text.encoded import CorpusStats
from sentvec.training.memory import MemoryEstimate


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands.

    Attributes:
        done: Share of all tokens of all epochs, 0..1.
        epoch: The epoch in work, from 1.
        words_per_second: Known tokens per second of wall time, all threads together.
        eta: Seconds of wall time to go.
        lr: Learning rate now.
        loss: Mean loss per target over the last few per cent, negatives included.
        seconds: Wall time since training began.
    """

    done: float
    epoch: int
    words_per_second: float
    eta: float
    lr: float
    loss: float
    seconds: float


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


@dataclass
class Meter:
    """Turns totals into `Progress`; the loss is that of the last `window` of the run."""

    total: int
    epochs: int
    lr: float
    window: float = 0.02
    started: float = field(default_factory=time.perf_counter)
    _marks: list[tuple[float, float, int]] = field(default_factory=lambda: [(0.0, 0.0, 0)])

    def read(self, tokens: int, loss: float, targets: int) -> Progress:
        """The state after so many tokens, with the sums of losses and targets since the start."""
        seconds = time.perf_counter() - self.started
        done = tokens / self.total
        while len(self._marks) > 1 and self._marks[1][0] <= done - self.window:
            self._marks.pop(0)
        _, loss_before, targets_before = self._marks[0]
        recent = targets - targets_before
        self._marks.append((done, loss, targets))
        return Progress(
            done=done,
            epoch=min(int(done * self.epochs) + 1, self.epochs),
            words_per_second=tokens / seconds if seconds else 0.0,
            eta=seconds * (1 - done) / done if done else float("inf"),
            lr=self.lr * (1 - done),
            loss=(loss - loss_before) / recent if recent else float("nan"),
            seconds=seconds,
        )
