"""The Sent2Vec update in time linear in the length of a sentence (Pagliardini et al. 2018, eq. 3).

The paper's sequential SGD rebuilds the context of every target. Here the same arithmetic is done
with two vectors per sentence: S, the sum of all feature rows, and P, what every feature row is
still owed. A row in memory lags its true value by m P, m being the number of times it occurs in the
sentence. For a target with excluded features E (its word, the n-grams that touch it, the dropped
ones) and, in the released variant, extra rows X (the placeholder and its n-grams):

    c = F - |E| + |X|                                 F features in the sentence
    h = (S - sum_E (v_e + m_e P) + sum_X (v_x + m_x P)) / c                             eq. 2
    g = sum over target and negatives of rate (label - sigmoid(u.h)) u;  u += ... h     eq. 3
    d = g / c;   P += d;   S += (sum_F m - sum_E m + sum_X m) d;   v_e -= d;   v_x += d

and after the last target v_f += P for every feature f, repeats included.

L1 (appendix B): target rows are thresholded at once, by tau rate; what the context rows are owed,
tau rate / c an update and occurrence, is collected over the sentence and applied once, after P.

Legend:
    V (rows, dim)      source vectors: words, n-gram buckets, and the placeholder in the last row
    U (words, dim)     target vectors; both as `storage` says
    keep               probability that a word becomes a target (q_p), -1 for never
    alias_*            the distribution of negatives (q_n), as an alias table
    rows, mult         the feature rows of the sentence (-1 where there is none) and how often each
                       row occurs; feature t < n is the word at position t, feature n + gram the
                       n-gram of that number (`choices`)
    slots              open-addressing table from row to feature, for counting
    integers           int64 (18, longest * ngrams): scratch, its rows named below; the first entry
                       of STAMP runs on from target to target
    floats             float32 (longest * ngrams + 2 negatives + 2): L1 exemptions, then steps
    work               float32 (4, dim): S, P, h, g

Not here: hashing (`features`), schedules and threads (`training`).
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import helper, kernel
from sentvec.kernels.precision import height, set_turn
from sentvec.kernels.prefetch import prefetch_row
from sentvec.kernels.random import stream, uniform
from sentvec.kernels.rows import gather, scatter, soft_threshold
from sentvec.kernels.sent2vec.choices import (
    draw_negatives,
    drop_ngrams,
    drop_positions,
    exclude_touching,
    extra_rows,
)
from sentvec.kernels.sent2vec.features import collect, multiplicities, slot_of
from sentvec.kernels.sent2vec.negative_sampling import push

S, P, H, G = 0, 1, 2, 3
# The rows of a sentence of more features than this do not stay in the nearer caches.
FAR = 1_000
# The rows of `integers`; those with two places are for the target in work and the next.
ROWS, MULT, LISTED, DECK, MARK, PLACES, CHOSEN, STAMP = range(8)
EXCLUDED, OUT, EXTRA, DRAWN, SAME = 8, 10, 12, 14, 16
INTEGER_ROWS = 18
# Negatives shared by a sentence are drawn again after this many targets: a long line is not trained
# against the same few words, and the vectors classify better than with 64 (docs/results).
TARGETS_PER_DRAW = 8
_ONE = np.float32(1.0)


@kernel
def train_batch(
    ids, offsets, sentences, grams, placeholder_grams, V, U, keep, alias_keep, alias_other, table,
    negatives, shared, drop, tau, released, rate, done, total, seed, epoch,
    work, integers, slots, floats,
):  # fmt: skip
    """Train on the sentences of a batch, in order; returns (sum of losses, number of targets).

    The learning rate falls linearly with the tokens: rate (1 - (done + tokens before) / total).
    """
    loss, targets = 0.0, 0
    rng = np.empty(1, np.uint64)
    for s in range(len(offsets) - 1):
        begin, end = offsets[s], offsets[s + 1]
        if s + 2 < len(offsets):
            _prefetch_features(ids[end : offsets[s + 2]], grams[end : offsets[s + 2]], V)
        if end - begin < 2:
            continue
        rng[0] = stream(seed, epoch, sentences[s])
        step = np.float32(rate * max(0.0, 1.0 - (done + begin) / total))
        more, count = _train_sentence(
            ids[begin:end], grams[begin:end], placeholder_grams[begin:end], V, U, keep,
            alias_keep, alias_other, table, negatives, shared, drop, np.float32(tau), released,
            step, rng, work, integers, slots, floats,
        )  # fmt: skip
        loss += more
        targets += count
    return loss, targets


@helper
def _train_sentence(
    ids, grams, placeholder_grams, V, U, keep, alias_keep, alias_other, table,
    negatives, shared, drop, tau, released, rate, rng, work, integers, slots, floats,
):  # fmt: skip
    """Plan each target one step ahead: its rows are fetched while the one before is trained."""
    n, width = grams.shape
    n_rows, chosen = n + n * width, integers[CHOSEN]
    n_chosen = _choose_targets(ids, keep, U, rng, chosen)
    if n_chosen == 0:
        return 0.0, 0
    set_turn(V, rng[0])
    set_turn(U, ~rng[0])
    rows, mult, listed = integers[ROWS], integers[MULT], integers[LISTED]
    n_grams = collect(ids, grams, rows, integers[DECK])
    features, total, mask = multiplicities(rows, n_rows, mult, slots, listed)
    work[S], work[P] = 0.0, 0.0
    gather(V, listed, features, _ONE, work[S])
    steps = floats[len(floats) - 2 * negatives - 2 :]
    exempt, owed, loss = floats[: len(floats) - 2 * negatives - 2], np.float32(0.0), 0.0
    if tau > 0:
        exempt[:n_rows] = 0.0
    n_out = n_extra = lag = 0
    for k in range(n_chosen + 1):
        n_out_before, n_extra_before, lag_before = n_out, n_extra, lag
        if k < n_chosen:
            place = _place(k, shared)
            if not shared or k % TARGETS_PER_DRAW == 0:
                _draw_and_prefetch(
                    negatives, shared, ids[chosen[k]], alias_keep, alias_other, rng,
                    integers[DRAWN + place], integers[SAME + place], U,
                )  # fmt: skip
            n_out, n_extra = _exclude(
                chosen[k], n, width, n_grams, drop, released, placeholder_grams, height(V) - 1,
                rng, integers, k % 2,
            )  # fmt: skip
            lag = _lag(V, rows, n_rows, mult, slots, mask, n_out, n_extra, integers, k % 2)
        if k > 0:
            c = np.float32(features - n_out_before + n_extra_before)
            loss += _train_target(
                V, U, ids[chosen[k - 1]], n_out_before, n_extra_before, lag_before, total, c,
                negatives, rate, tau, table, work, integers, (k - 1) % 2, _place(k - 1, shared),
                steps, exempt,
            )  # fmt: skip
            owed += tau * rate / c
    scatter(V, listed, features, _ONE, work[P])
    if tau > 0:
        for f in range(n_rows):
            if rows[f] >= 0:
                soft_threshold(V, rows[f], owed - exempt[f])
    return loss, n_chosen


@helper
def _place(k, shared):
    """Which of the two lists of negatives belongs to target k."""
    return (k // TARGETS_PER_DRAW) % 2 if shared else k % 2


@helper
def _train_target(
    V, U, target, n_out, n_extra, lag, total, c, negatives, rate, tau, table, work, integers, side,
    place, steps, exempt,
):  # fmt: skip
    """One update, as planned; returns its loss."""
    out, extra = integers[OUT + side], integers[EXTRA + side]
    _hidden(V, out, n_out, extra, n_extra, np.float32(lag), c, work)
    loss = push(
        U, target, integers[DRAWN + place], integers[SAME + place], negatives, rate, tau, table,
        work[H], work[G], steps,
    )  # fmt: skip
    _settle(V, out, n_out, extra, n_extra, c, np.float32(total - lag), work)
    if tau > 0:
        _exempt(V, integers[EXCLUDED + side], n_out, extra, n_extra, tau * rate / c, exempt)
    return loss


@helper
def _exclude(
    t, n, width, n_grams, drop, released, placeholder_grams, placeholder, rng, integers, side
):
    """List the excluded features and the extra rows of a target; returns how many of each."""
    excluded, mark, places = integers[EXCLUDED + side], integers[MARK], integers[PLACES]
    integers[STAMP, 0] += 1
    stamp = integers[STAMP, 0]
    excluded[0] = t
    n_out = exclude_touching(t, n, width, excluded, 1, mark, stamp)
    if not released:
        deck = integers[DECK]
        n_out = drop_ngrams(t, n, width, n_grams, drop, deck, mark, stamp, excluded, n_out, rng)
        return n_out, 0
    n_out = drop_positions(n, width, drop, places, mark, stamp, excluded, n_out, rng)
    return n_out, extra_rows(
        t, width, placeholder_grams, placeholder, places, stamp, integers[EXTRA + side]
    )


@helper
def _choose_targets(ids, keep, U, rng, chosen):
    """List the positions that become targets (q_p), and ask for their rows."""
    n_chosen = 0
    for t in range(len(ids)):
        if uniform(rng) <= keep[ids[t]]:
            chosen[n_chosen] = t
            prefetch_row(U, ids[t])
            n_chosen += 1
    return n_chosen


@helper
def _draw_and_prefetch(negatives, shared, target, alias_keep, alias_other, rng, drawn, same, U):
    """Draw the negatives of the next target, or of the next so many, and ask for their rows."""
    avoid = np.int64(-1) if shared else np.int64(target)
    draw_negatives(negatives, avoid, alias_keep, alias_other, rng, drawn, same)
    for k in range(1, negatives + 1):
        prefetch_row(U, drawn[k])


@helper
def _lag(V, rows, n_rows, mult, slots, mask, n_out, n_extra, integers, side):
    """List the excluded features' rows and ask for them, and for the extra ones.

    Returns the sum of the excluded features' mult less that of the extra rows.
    """
    excluded, out, extra = integers[EXCLUDED + side], integers[OUT + side], integers[EXTRA + side]
    lag = 0
    for e in range(n_out):
        out[e] = rows[excluded[e]]
        lag += mult[excluded[e]]
        if n_rows > FAR:
            prefetch_row(V, out[e])
    for x in range(n_extra):
        prefetch_row(V, extra[x])
        twin = slots[slot_of(extra[x], rows, slots, mask)]
        if twin >= 0:
            lag -= mult[twin]
    return lag


@helper
def _hidden(V, out, n_out, extra, n_extra, lag, c, work):
    """H (eq. 2), and g = 0."""
    for d in range(work.shape[1]):
        work[H, d] = work[S, d] - lag * work[P, d]
        work[G, d] = 0.0
    gather(V, out, n_out, -_ONE, work[H])
    gather(V, extra, n_extra, _ONE, work[H])
    share = _ONE / c
    for d in range(work.shape[1]):
        work[H, d] *= share


@helper
def _settle(V, out, n_out, extra, n_extra, c, factor, work):
    """Give the gradient its way: P, S, and the rows that P must not or cannot reach."""
    share = _ONE / c
    for d in range(work.shape[1]):
        delta = work[G, d] * share
        work[G, d] = delta
        work[P, d] += delta
        work[S, d] += factor * delta
    scatter(V, out, n_out, -_ONE, work[G])
    scatter(V, extra, n_extra, _ONE, work[G])


@helper
def _exempt(V, excluded, n_excluded, extra, n_extra, amount, exempt):
    """Excluded features are not owed this update's threshold; extra rows get it at once."""
    for e in range(n_excluded):
        exempt[excluded[e]] += amount
    for x in range(n_extra):
        soft_threshold(V, extra[x], amount)


@helper
def _prefetch_features(ids, grams, V):
    """Ask for the feature rows of a sentence."""
    for i in range(len(ids)):
        prefetch_row(V, ids[i])
        for j in range(grams.shape[1]):
            if grams[i, j] >= 0:
                prefetch_row(V, grams[i, j])
