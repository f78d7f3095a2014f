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
from sentvec.kernels.rate import rate_after
from sentvec.kernels.rows import gather, scatter
from sentvec.kernels.sent2vec.choices import draw_negatives, drop_ngrams, exclude_touching
from sentvec.kernels.sent2vec.features import collect
from sentvec.kernels.sent2vec.negative_sampling import push
from sentvec.kernels.sent2vec.update import TARGETS_PER_DRAW, _choose_targets


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
def train_batch(batch, V, U, tables, method, rate, key, scratch):
    """As `sentvec.kernels.sent2vec.update.train_batch`, for the paper's variant without L1."""
    rows, context, left_out, deck = scratch.rows, scratch.mult, scratch.listed, scratch.deck
    chosen, excluded, stamp, rng = scratch.chosen, scratch.excluded[0], scratch.stamp, scratch.rng
    drawn, same, h, g = scratch.drawn[0], scratch.same[0], scratch.h, scratch.g
    negatives, shared, drop, offsets = method.negatives, method.shared, method.drop, batch.offsets
    alias_keep, alias_other = tables.alias_keep, tables.alias_other
    loss, targets, one, width = 0.0, 0, np.float32(1.0), batch.grams.shape[1]
    for s in range(len(offsets) - 1):
        begin, n = offsets[s], offsets[s + 1] - offsets[s]
        if n < 2:
            continue
        words = batch.ids[begin : begin + n]
        rng[0] = stream(key.seed, key.epoch, batch.sentences[s])
        step = rate_after(rate, begin)
        n_chosen = _choose_targets(words, tables.keep, U, rng, chosen)
        if n_chosen == 0:
            continue
        n_grams = collect(words, batch.grams[begin : begin + n], rows, deck)
        for k in range(n_chosen):
            t = chosen[k]
            if not shared or k % TARGETS_PER_DRAW == 0:
                avoid = np.int64(-1) if shared else np.int64(words[t])
                draw_negatives(negatives, avoid, alias_keep, alias_other, rng, drawn, same)
            stamp[0] += 1
            excluded[0] = t
            out = exclude_touching(t, n, width, excluded, 1, scratch.mark, stamp[0])
            out = drop_ngrams(t, n, width, n_grams, drop, excluded, out, stamp[0], scratch)
            c = _context(rows, n + n * width, excluded, out, left_out, stamp[0], context)
            h[:], g[:] = 0.0, 0.0
            gather(V, context, c, one / np.float32(c), h)
            loss += push(U, words[t], drawn, same, method, step, tables.logistic, scratch)
            scatter(V, context, c, one / np.float32(c), g)
        targets += n_chosen
    return loss, targets
