"""Merge the copies of a matrix that several workers have trained."""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import kernel


@kernel
def merge_rows(base, copies, start, stop):
    """Apply the changes of all copies to rows start..stop of `base`.

    With the changes d_w of a row, the row gets s * sum(d_w), s = sum |d_w|^2 / |sum d_w|^2, at most
    1. Changes that have nothing in common are independent findings and are added (s = 1); equal
    changes are one finding made several times, and their mean is taken (s = 1 / workers). That
    keeps rare words learning at full rate and frequent ones, which every worker takes to the same
    place, from overshooting it.

    base (rows, dim) is what all copies equalled after the last merge; copies (workers, rows, dim)
    equal the new base on return. Float32; the order of summation is fixed.
    """
    workers, dim = copies.shape[0], base.shape[1]
    change = np.empty(dim, np.float32)
    for row in range(start, stop):
        change[:] = np.float32(0.0)
        apart, changed = np.float32(0.0), False
        for worker in range(workers):
            for d in range(dim):
                x = copies[worker, row, d] - base[row, d]
                change[d] += x
                apart += x * x
                changed |= x != 0
        if not changed:
            continue
        together = np.float32(0.0)
        for d in range(dim):
            together += change[d] * change[d]
        share = np.float32(1.0)
        if apart < together:
            share = apart / together
        for d in range(dim):
            base[row, d] += share * change[d]
        for worker in range(workers):
            for d in range(dim):
                copies[worker, row, d] = base[row, d]
