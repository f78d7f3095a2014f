"""How many threads there is work for."""

from __future__ import annotations

import os


def processors() -> int:
    """The processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
