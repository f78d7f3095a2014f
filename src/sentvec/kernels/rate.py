"""The learning rate, which falls linearly with the tokens a run has read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sentvec.kernels.jit import helper


class Rate(NamedTuple):
    """The rate at the start of a run, tokens read before this batch, tokens of the whole run."""

    start: Any
    done: Any
    total: Any


@helper
def rate_after(rate, before):
    """The rate after the first tokens of the batch: start (1 - (done + before) / total)."""
    return np.float32(rate.start * max(0.0, 1.0 - (rate.done + before) / rate.total))
