"""The per-target rebuild kernel: the released program's algorithm, written with the same care.

For every target the context is summed anew and its gradient is written back to every row, so a
sentence of n words costs O(n^2) row reads and writes. It uses the same loops over rows and makes
the same draws in the same order as `kernels.sent2vec.update`, so both train on the same targets,
n-grams and negatives; only the arithmetic of the context differs. It exists to be compared with.
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import helper, kernel
from sentvec.kernels.random import stream
from sentvec.kernels.rows import gather, scatter
from sentvec.kernels.sent2vec.choices import draw_negatives, drop_ngrams, exclude_touching
from sentvec.kernels.sent2vec.features import collect
from sentvec.kernels.sent2vec.negative_sampling import push
from sentvec.kernels.sent2vec.update import (
    CHOSEN,
    DECK,
    DRAWN,
    EXCLUDED,
    MARK,
    SAME,
    STAMP,
    TARGETS_PER_DRAW,
    G,
    H,
    _choose_targets,
)


@helper
def _context(rows, n_rows, excluded, n_excluded, left_out, stamp, context):
    """The rows of the context: the features that are not excluded."""
    for e in range(n_excluded):
        left_out[excluded[e]] = stamp
    c = 0
    for f in range(n_rows):
        if rows[f] >= 0 and left_out[f] != stamp:
            context[c] = rows[f]
            c += 1
    return c


@kernel
def train_batch(
    ids, offsets, sentences, grams, placeholder_grams, V, U, keep, alias_keep, alias_other, table,
    negatives, shared, drop, tau, released, rate, done, total, seed, epoch,
    work, integers, slots, floats,
):  # fmt: skip
    """As `sentvec.kernels.sent2vec.update.train_batch`, for the paper's variant without L1."""
    rows, context, left_out, deck = integers[0], integers[1], integers[2], integers[DECK]
    mark, chosen, excluded = integers[MARK], integers[CHOSEN], integers[EXCLUDED]
    drawn, same, stamp = integers[DRAWN], integers[SAME], integers[STAMP]
    steps = floats[len(floats) - 2 * negatives - 2 :]
    loss, targets, rng, one = 0.0, 0, np.empty(1, np.uint64), np.float32(1.0)
    width = grams.shape[1]
    for s in range(len(offsets) - 1):
        begin, n = offsets[s], offsets[s + 1] - offsets[s]
        if n < 2:
            continue
        words = ids[begin : begin + n]
        rng[0] = stream(seed, epoch, sentences[s])
        step = np.float32(rate * max(0.0, 1.0 - (done + begin) / total))
        n_chosen = _choose_targets(words, keep, U, rng, chosen)
        if n_chosen == 0:
            continue
        n_grams = collect(words, grams[begin : begin + n], rows, deck)
        for k in range(n_chosen):
            t = chosen[k]
            if not shared or k % TARGETS_PER_DRAW == 0:
                avoid = np.int64(-1) if shared else np.int64(words[t])
                draw_negatives(negatives, avoid, alias_keep, alias_other, rng, drawn, same)
            stamp[0] += 1
            excluded[0] = t
            out = exclude_touching(t, n, width, excluded, 1, mark, stamp[0])
            out = drop_ngrams(t, n, width, n_grams, drop, deck, mark, stamp[0], excluded, out, rng)
            c = _context(rows, n + n * width, excluded, out, left_out, stamp[0], context)
            work[H], work[G] = 0.0, 0.0
            gather(V, context, c, one / np.float32(c), work[H])
            loss += push(
                U, words[t], drawn, same, negatives, step, np.float32(0.0), table, work[H],
                work[G], steps,
            )  # fmt: skip
            scatter(V, context, c, one / np.float32(c), work[G])
        targets += n_chosen
    return loss, targets
