"""Sums over lists of matrix rows: the inner loops, where most time is spent.

Several rows are handled at a time, so that the vector they share is loaded and stored once for all
of them. Each function loops over a whole list: a call per row would cost more than the row.
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import helper
from sentvec.kernels.precision import load, start_row, store, width


@helper
def gather(M, rows, n, sign, total):
    """Total += sign * the sum of the rows, four at a time."""
    for k in range(0, n - 3, 4):
        a, b = np.uint64(rows[k]), np.uint64(rows[k + 1])
        c, e = np.uint64(rows[k + 2]), np.uint64(rows[k + 3])
        for d in range(width(M)):
            total[d] += sign * ((load(M, a, d) + load(M, b, d)) + (load(M, c, d) + load(M, e, d)))
    for k in range(n - n % 4, n):
        a = np.uint64(rows[k])
        for d in range(width(M)):
            total[d] += sign * load(M, a, d)


@helper
def scatter(M, rows, n, sign, change):
    """Each row += sign * change, as often as it is listed, two at a time."""
    k = 0
    while k < n:
        a = np.uint64(rows[k])
        if k + 1 < n and rows[k + 1] != rows[k]:
            b = np.uint64(rows[k + 1])
            at_a, at_b = start_row(M), start_row(M)
            for d in range(width(M)):
                x = sign * change[d]
                store(M, a, d, load(M, a, d) + x, at_a)
                store(M, b, d, load(M, b, d) + x, at_b)
            k += 2
        else:
            at_a = start_row(M)
            for d in range(width(M)):
                store(M, a, d, load(M, a, d) + sign * change[d], at_a)
            k += 1


@helper
def scatter_steps(M, rows, n, steps, change):
    """Each row += its step * change, as often as it is listed, two at a time."""
    k = 0
    while k < n:
        one, a = np.uint64(rows[k]), steps[k]
        if k + 1 < n and rows[k + 1] != rows[k]:
            two, b = np.uint64(rows[k + 1]), steps[k + 1]
            at_one, at_two = start_row(M), start_row(M)
            for d in range(width(M)):
                x = change[d]
                store(M, one, d, load(M, one, d) + a * x, at_one)
                store(M, two, d, load(M, two, d) + b * x, at_two)
            k += 2
        else:
            at_one = start_row(M)
            for d in range(width(M)):
                store(M, one, d, load(M, one, d) + a * change[d], at_one)
            k += 1


@helper
def scores(M, rows, n, vector, out):
    """out[k] = row k . vector."""
    for k in range(n):
        row = np.uint64(rows[k])
        score = np.float32(0.0)
        for d in range(width(M)):
            score += load(M, row, d) * vector[d]
        out[k] = score


@helper
def pull_and_push(M, rows, n, steps, vector, pulled):
    """In sequence: pulled += step * row, then row += step * vector; two at a time."""
    k = 0
    while k < n:
        one, a = np.uint64(rows[k]), steps[k]
        if k + 1 < n and rows[k + 1] != rows[k]:
            two, b = np.uint64(rows[k + 1]), steps[k + 1]
            at_one, at_two = start_row(M), start_row(M)
            for d in range(width(M)):
                u, v, h = load(M, one, d), load(M, two, d), vector[d]
                pulled[d] += a * u + b * v
                store(M, one, d, u + a * h, at_one)
                store(M, two, d, v + b * h, at_two)
            k += 2
        else:
            at_one = start_row(M)
            for d in range(width(M)):
                u = load(M, one, d)
                pulled[d] += a * u
                store(M, one, d, u + a * vector[d], at_one)
            k += 1


@helper
def soft_threshold(M, row, amount):
    """The proximal step of the L1 penalty (Sent2Vec paper, eq. 6): towards zero by `amount`."""
    at = start_row(M)
    for d in range(width(M)):
        x = load(M, row, d)
        size = max(abs(x) - amount, np.float32(0.0))
        store(M, row, d, size if x > 0 else -size, at)
