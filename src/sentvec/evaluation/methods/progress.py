"""How far a method is: listeners are called with the share that is done, from 0 to 1.

Not here: who listens (`sentvec.evaluation.runner`).
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeAlias

Listen: TypeAlias = Callable[[float], None]


class Meter:
    """Counts what is done and reports its share to a listener."""

    def __init__(self, listen: Listen | None, total: int) -> None:
        self._listen, self._total, self._done = listen, total, 0
        self._lock = Lock()

    def add(self, count: int) -> None:
        """Count more; from any thread, but the listener is called by one at a time."""
        with self._lock:
            self._done += count
            if self._listen is not None:
                self._listen(self._done / self._total)


def share(listen: Listen | None, step: int, steps: int) -> Listen | None:
    """The listener of one of several equal steps."""
    if listen is None:
        return None
    return lambda done: listen((step + done) / steps)
