"""What a run reported, as one JSON object a line."""

from __future__ import annotations

import contextlib
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sentvec.text.encoded import CorpusStats
from sentvec.training.memory import MemoryEstimate
from sentvec.training.progress import Listener, Progress
from sentvec.training.summary import Summary

NAME = "metrics.jsonl"


class MetricsWriter(Listener):
    """Appends records to a file and passes all events on to another listener.

    Args:
        path: The file; records of an earlier session of the run stay.
        listener: Gets the same events.
    """

    SECONDS = 5.0

    def __init__(self, path: Path, listener: Listener) -> None:
        self._path, self._listener = path, listener
        self._last = float("-inf")

    def corpus(self, stats: CorpusStats, vocabulary_size: int, seconds: float) -> None:
        """Pass on, and write down."""
        self._listener.corpus(stats, vocabulary_size, seconds)
        self._write(event="corpus", vocabulary=vocabulary_size, seconds=seconds, **asdict(stats))

    def memory(self, estimate: MemoryEstimate) -> None:
        """Pass on, and write down."""
        self._listener.memory(estimate)
        self._write(event="memory", **asdict(estimate))

    def compiling(self) -> None:
        """Pass on."""
        self._listener.compiling()

    def progress(self, progress: Progress) -> None:
        """Pass on; write down every five seconds, and at the end."""
        self._listener.progress(progress)
        if progress.done >= 1 or progress.seconds - self._last >= self.SECONDS:
            self._last = progress.seconds
            self._write(event="progress", **_with_perplexities(asdict(progress)))

    def validation(self, epoch: int, loss: float) -> None:
        """Pass on, and write down."""
        self._listener.validation(epoch, loss)
        self._write(event="validation", epoch=epoch, loss=loss)

    def held_out(self, done: float, loss: float, parts: dict[str, float]) -> None:
        """Pass on, and write down."""
        self._listener.held_out(done, loss, parts)
        record = _with_perplexities({"done": done, "loss": loss, "parts": parts})
        self._write(event="held-out", **record)

    def summary(self, summary: Summary) -> None:
        """Pass on, and write down."""
        self._listener.summary(summary)
        self._write(event="summary", **asdict(summary))

    def warning(self, message: str) -> None:
        """Pass on, and write down."""
        self._listener.warning(message)
        self._write(event="warning", message=message)

    def _write(self, **record: Any) -> None:
        # A run must not end because its diary cannot be written.
        with contextlib.suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(_finite(record)) + "\n")


def _finite(value: Any) -> Any:
    """A record without infinity and NaN, which are no JSON."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _with_perplexities(record: dict[str, Any]) -> dict[str, Any]:
    """A record with its parts, if it has any, and how many words each chooses from: exp(loss)."""
    parts = record.pop("parts")
    if not parts:
        return record
    return {**record, "parts": parts,
            "perplexity": {name: perplexity(loss) for name, loss in parts.items()}}  # fmt: skip


def perplexity(loss: float) -> float:
    """How many words a loss per word is as good as choosing from; infinite where it diverges."""
    try:
        return math.exp(loss)
    except OverflowError:
        return math.inf
