"""When the next checkpoint, or measurement of held-out text, is due."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from sentvec.errors import SettingsError

_UNITS = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Interval:
    """How often to do something: every N seconds, or every share of the run.

    >>> Interval.parse("10m"), Interval.parse("5%")
    (Interval(seconds=600.0, share=None), Interval(seconds=None, share=0.05))
    """

    seconds: float | None = None
    share: float | None = None

    @classmethod
    def parse(cls, text: str, name: str = "checkpoint_every") -> Interval:
        """Read `30s`, `10m`, `2h` or `5%`, the value of the argument of that name.

        Raises:
            SettingsError: It is none of these.
        """
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh%])\s*", str(text))
        if not match or float(match[1]) <= 0 or (match[2] == "%" and float(match[1]) > 100):
            msg = f"{name} is {text!r} - expected a time (30s, 10m, 2h) or a share (5%)"
            raise SettingsError(msg)
        if match[2] == "%":
            return cls(share=float(match[1]) / 100)
        return cls(seconds=float(match[1]) * _UNITS[match[2]])


class Timer:
    """Tells when the next one is due.

    Args:
        interval: How often; never without it.
        done: The share of the run that an earlier session did.
    """

    def __init__(self, interval: Interval | None, done: float = 0.0) -> None:
        self._interval = interval
        self._time, self._done = time.monotonic(), done

    def due(self, done: float) -> bool:
        """Whether the interval has passed, `done` being the share of the run."""
        if self._interval is None:
            return False
        if self._interval.seconds is not None:
            return time.monotonic() - self._time >= self._interval.seconds
        return done - self._done >= (self._interval.share or 1.0)

    def reset(self, done: float) -> None:
        """Begin anew, after one."""
        self._time, self._done = time.monotonic(), done
