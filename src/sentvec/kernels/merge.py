"""Merge what several workers made of their own copies of a matrix."""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import kernel


@kernel
def merge_rows(base, copies, start, stop):
    """Rows start..stop of `base` take the mean change of the copies that changed them.

    base (rows, dim) is what all copies were at the last merge; copies (workers, rows, dim) come
    out equal to the new base. Float32; the order of summation is fixed.
    """
    workers, dim = copies.shape[0], base.shape[1]
    for row in range(start, stop):
        touched = 0
        for worker in range(workers):
            changed = False
            for d in range(dim):
                if copies[worker, row, d] != base[row, d]:
                    changed = True
            touched += changed
        if touched == 0:
            continue
        share = np.float32(1.0) / np.float32(touched)
        for d in range(dim):
            change = np.float32(0.0)
            for worker in range(workers):
                change += copies[worker, row, d] - base[row, d]
            base[row, d] += share * change
        for worker in range(workers):
            for d in range(dim):
                copies[worker, row, d] = base[row, d]
