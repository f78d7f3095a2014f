"""Sigmoid and softplus from a table with linear interpolation.

Exact to 1e-6 (sigmoid) and 3e-6 (softplus); outside -16..16 sigmoid is 0 or 1 and softplus is 0 or
x, which is off by less than 2e-7. The released program's table has 512 steps, no interpolation, and
ends at 8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sentvec.kernels.jit import helper

LIMIT = 16.0
STEPS_PER_UNIT = 128


def logistic_table() -> NDArray[np.float32]:
    """Sigmoid and softplus at -LIMIT..LIMIT, interleaved, with one step to spare."""
    x = np.arange(-LIMIT * STEPS_PER_UNIT, LIMIT * STEPS_PER_UNIT + 2) / STEPS_PER_UNIT
    values = np.stack([1 / (1 + np.exp(-x)), np.logaddexp(0, x)], axis=1)
    return values.astype(np.float32).ravel()


@helper
def logistic(x, table):
    """(sigmoid(x), log(1 + exp(x))); NaN stays NaN and never indexes the table."""
    limit, steps = np.float32(LIMIT), np.float32(STEPS_PER_UNIT)
    if x >= limit:
        return np.float32(1.0), x
    if x <= -limit:
        return np.float32(0.0), np.float32(0.0)
    if x != x:
        return x, x
    position = (x + limit) * steps
    k = np.int64(position)
    part = position - np.float32(k)
    sigmoid = table[2 * k] + part * (table[2 * k + 2] - table[2 * k])
    softplus = table[2 * k + 1] + part * (table[2 * k + 3] - table[2 * k + 1])
    return sigmoid, softplus
