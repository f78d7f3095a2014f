"""Starting values of matrices, and the alias table from which negatives are drawn."""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import kernel
from sentvec.kernels.random import GOLDEN, mix


@kernel
def fill_uniform(rows, first_row, bound, seed):
    """Fill rows with uniform(-bound, bound); an entry depends on seed, row and column only."""
    start = mix(np.uint64(seed))
    scale = np.float32(bound * 2.0**-23)
    for i in range(rows.shape[0]):
        state = mix(start + np.uint64(first_row + i))
        for d in range(rows.shape[1]):
            state += GOLDEN
            bits = np.int64(mix(state) >> np.uint64(40))  # 24 bits
            rows[i, d] = np.float32(bits - 2**23) * scale


@kernel
def fill_normal(rows, first_row, deviation, seed):
    """Fill rows with normal(0, deviation); an entry depends on seed, row and column only.

    By Box and Muller, two entries from two uniform numbers.
    """
    start = mix(np.uint64(seed))
    for i in range(rows.shape[0]):
        state = mix(start + np.uint64(first_row + i))
        for d in range(0, rows.shape[1], 2):
            state += GOLDEN
            above_zero = np.float64((mix(state) >> np.uint64(11)) + np.uint64(1)) * 2.0**-53
            state += GOLDEN
            angle = 2.0 * np.pi * np.float64(mix(state) >> np.uint64(11)) * 2.0**-53
            radius = deviation * np.sqrt(-2.0 * np.log(above_zero))
            rows[i, d] = np.float32(radius * np.cos(angle))
            if d + 1 < rows.shape[1]:
                rows[i, d + 1] = np.float32(radius * np.sin(angle))


@kernel
def alias_table(weights, keep, other):
    """Walker's alias method: `keep` float32 and `other` uint32, of the length of the weights.

    Drawing an entry uniformly, and then `other` of it with probability 1 - `keep`, draws each entry
    in proportion to its weight.
    """
    n = len(weights)
    total = 0.0
    for i in range(n):
        total += weights[i]
    scaled = np.empty(n, np.float64)
    small, large = np.empty(n, np.int64), np.empty(n, np.int64)
    n_small = n_large = 0
    for i in range(n):
        scaled[i] = weights[i] * n / total
        if scaled[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    for i in range(n):
        keep[i], other[i] = 1.0, i
    while n_small > 0 and n_large > 0:
        n_small -= 1
        low, high = small[n_small], large[n_large - 1]
        keep[low], other[low] = scaled[low], high
        scaled[high] -= 1.0 - scaled[low]
        if scaled[high] < 1.0:
            n_large -= 1
            small[n_small] = high
            n_small += 1
