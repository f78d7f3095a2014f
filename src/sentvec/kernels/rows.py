"""Sums over lists of matrix rows: the inner loops that take the time.

Rows are handled several at a time, so that the vector they share is loaded and stored once for all
of them. Written as loops over whole lists: one call each per row would cost more than the row.
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import helper


@helper
def gather(M, rows, n, sign, total):
    """Total += sign * the sum of the rows, four at a time."""
    for k in range(0, n - 3, 4):
        a, b = np.uint64(rows[k]), np.uint64(rows[k + 1])
        c, e = np.uint64(rows[k + 2]), np.uint64(rows[k + 3])
        for d in range(M.shape[1]):
            total[d] += sign * ((M[a, d] + M[b, d]) + (M[c, d] + M[e, d]))
    for k in range(n - n % 4, n):
        a = np.uint64(rows[k])
        for d in range(M.shape[1]):
            total[d] += sign * M[a, d]


@helper
def scatter(M, rows, n, sign, change):
    """Each row += sign * change, as often as it is listed, two at a time."""
    k = 0
    while k < n:
        a = np.uint64(rows[k])
        if k + 1 < n and rows[k + 1] != rows[k]:
            b = np.uint64(rows[k + 1])
            for d in range(M.shape[1]):
                x = sign * change[d]
                M[a, d] += x
                M[b, d] += x
            k += 2
        else:
            for d in range(M.shape[1]):
                M[a, d] += sign * change[d]
            k += 1


@helper
def scores(M, rows, n, vector, out):
    """out[k] = row k . vector."""
    for k in range(n):
        row = np.uint64(rows[k])
        score = np.float32(0.0)
        for d in range(M.shape[1]):
            score += M[row, d] * vector[d]
        out[k] = score


@helper
def pull_and_push(M, rows, n, steps, vector, pulled):
    """In sequence: pulled += step * row, then row += step * vector; two at a time."""
    k = 0
    while k < n:
        one, a = np.uint64(rows[k]), steps[k]
        if k + 1 < n and rows[k + 1] != rows[k]:
            two, b = np.uint64(rows[k + 1]), steps[k + 1]
            for d in range(M.shape[1]):
                u, v, h = M[one, d], M[two, d], vector[d]
                pulled[d] += a * u + b * v
                M[one, d] = u + a * h
                M[two, d] = v + b * h
            k += 2
        else:
            for d in range(M.shape[1]):
                u = M[one, d]
                pulled[d] += a * u
                M[one, d] = u + a * vector[d]
            k += 1


@helper
def soft_threshold(M, row, amount):
    """The proximal step of the L1 penalty (Sent2Vec paper, eq. 6): towards zero by `amount`."""
    for d in range(M.shape[1]):
        size = max(abs(M[row, d]) - amount, np.float32(0.0))
        M[row, d] = size if M[row, d] > 0 else -size
