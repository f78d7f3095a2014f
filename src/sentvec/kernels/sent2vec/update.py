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
    U (words, dim)     target vectors; both as `precision` says
    rows, mult         the feature rows of the sentence (-1 where there is none) and how often each
                       row occurs; feature t < n is the word at position t, feature n + gram the
                       n-gram of that number (`choices`)
    S, P, h, g         the vectors above, in scratch memory
    batch, tables, method, scratch    see `arguments`

Not here: hashing (`text.ngrams`), schedules and threads (`training`). The definition is
`definitions.sent2vec`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sentvec.kernels.jit import helper, kernel
from sentvec.kernels.precision import height, set_turn
from sentvec.kernels.prefetch import prefetch_row
from sentvec.kernels.random import stream, uniform
from sentvec.kernels.rate import rate_after
from sentvec.kernels.rows import gather, scatter, soft_threshold
from sentvec.kernels.sent2vec.arguments import Sentence
from sentvec.kernels.sent2vec.choices import (
    draw_negatives,
    drop_ngrams,
    drop_positions,
    exclude_touching,
    extra_rows,
)
from sentvec.kernels.sent2vec.features import collect, multiplicities, slot_of
from sentvec.kernels.sent2vec.negative_sampling import push

# The rows of a sentence of more features than this do not stay in the nearer caches.
FAR = 1_000
# Negatives shared by a sentence are drawn again after this many targets: a long line is not trained
# against the same few words, and the vectors classify better than with 64 (docs/results).
TARGETS_PER_DRAW = 8
_ONE, _NO = np.float32(1.0), np.int64(0)


class Features(NamedTuple):
    """The features of a sentence.

    n: F, their number; n_rows: entries of `rows`, those without a row included; n_grams: n-grams in
    the deck; total: the sum of m over F; mask: of the table from row to feature.
    """

    n: Any
    n_rows: Any
    n_grams: Any
    total: Any
    mask: Any


class Plan(NamedTuple):
    """What was chosen for a target.

    n_out, n_extra: numbers of excluded features and of extra rows; lag: the sum of m over E less
    that over X; rest: the sum of m over F less lag; c: the size of the context; side, place: which
    of the two rows of the scratch memory hold the choices, and which the negatives.
    """

    n_out: Any
    n_extra: Any
    lag: Any
    rest: Any
    c: Any
    side: Any
    place: Any


@kernel
def train_batch(batch, V, U, tables, method, rate, key, scratch):
    """Train on the sentences of a batch, in order; returns (sum of losses, number of targets)."""
    loss, targets = 0.0, 0
    ids, offsets, grams = batch.ids, batch.offsets, batch.grams
    for s in range(len(offsets) - 1):
        begin, end = offsets[s], offsets[s + 1]
        if s + 2 < len(offsets):
            _prefetch_features(ids[end : offsets[s + 2]], grams[end : offsets[s + 2]], V)
        if end - begin < 2:
            continue
        scratch.rng[0] = stream(key.seed, key.epoch, batch.sentences[s])
        sentence = Sentence(ids[begin:end], grams[begin:end], batch.placeholder_grams[begin:end])
        step = rate_after(rate, begin)
        more, count = _train_sentence(sentence, V, U, tables, method, step, scratch)
        loss += more
        targets += count
    return loss, targets


@helper
def _train_sentence(sentence, V, U, tables, method, rate, scratch):
    """Plan each target one step ahead: its rows are fetched while the one before is trained."""
    chosen, rng = scratch.chosen, scratch.rng
    n_chosen = _choose_targets(sentence.ids, tables.keep, U, rng, chosen)
    if n_chosen == 0:
        return 0.0, 0
    set_turn(V, rng[0])
    set_turn(U, ~rng[0])
    features = _read_features(sentence, V, scratch)
    tau, owed, loss = np.float32(method.tau), np.float32(0.0), 0.0
    if tau > 0:
        scratch.exempt[: features.n_rows] = 0.0
    plan = Plan(_NO, _NO, np.float32(0.0), np.float32(0.0), np.float32(0.0), _NO, _NO)
    for k in range(n_chosen + 1):
        before = plan
        if k < n_chosen:
            plan = _plan(k, sentence, features, V, U, tables, method, scratch)
        if k > 0:
            target = sentence.ids[chosen[k - 1]]
            loss += _train_target(V, U, target, before, tables, method, rate, scratch)
            owed += tau * rate / before.c
    scatter(V, scratch.listed, features.n, _ONE, scratch.P)
    if tau > 0:
        _threshold(V, features.n_rows, owed, scratch)
    return loss, n_chosen


@helper
def _read_features(sentence, V, scratch):
    """List and count the features of a sentence; S is the sum of their rows, and P is 0."""
    n_rows = len(sentence.ids) + sentence.grams.size
    n_grams = collect(sentence.ids, sentence.grams, scratch.rows, scratch.deck)
    n, total, mask = multiplicities(
        scratch.rows, n_rows, scratch.mult, scratch.slots, scratch.listed
    )
    scratch.S[:], scratch.P[:] = 0.0, 0.0
    gather(V, scratch.listed, n, _ONE, scratch.S)
    return Features(n, n_rows, n_grams, total, mask)


@helper
def _plan(k, sentence, features, V, U, tables, method, scratch):
    """Choose what target k excludes and adds, and its negatives; ask for the rows."""
    t, side, place = scratch.chosen[k], k % 2, _place(k, method.shared)
    if not method.shared or k % TARGETS_PER_DRAW == 0:
        _draw_and_prefetch(sentence.ids[t], U, tables, method, place, scratch)
    n_out, n_extra = _exclude(t, sentence, features, height(V) - 1, method, side, scratch)
    lag = _lag(V, features, n_out, n_extra, side, scratch)
    rest, c = np.float32(features.total - lag), np.float32(features.n - n_out + n_extra)
    return Plan(n_out, n_extra, np.float32(lag), rest, c, side, place)


@helper
def _place(k, shared):
    """Which of the two lists of negatives belongs to target k."""
    return (k // TARGETS_PER_DRAW) % 2 if shared else k % 2


@helper
def _train_target(V, U, target, plan, tables, method, rate, scratch):
    """One update, as planned; returns its loss."""
    _hidden(V, plan, scratch)
    drawn, same = scratch.drawn[plan.place], scratch.same[plan.place]
    loss = push(U, target, drawn, same, method, rate, tables.logistic, scratch)
    _settle(V, plan, scratch)
    tau = np.float32(method.tau)
    if tau > 0:
        _exempt(V, plan, tau * rate / plan.c, scratch)
    return loss


@helper
def _exclude(t, sentence, features, placeholder, method, side, scratch):
    """List the excluded features and the extra rows of a target; returns how many of each."""
    n, width = sentence.grams.shape
    excluded, mark, places = scratch.excluded[side], scratch.mark, scratch.places
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    excluded[0] = t
    n_out = exclude_touching(t, n, width, excluded, 1, mark, stamp)
    if not method.released:
        n_out = drop_ngrams(
            t, n, width, features.n_grams, method.drop, excluded, n_out, stamp, scratch
        )
        return n_out, 0
    n_out = drop_positions(n, width, method.drop, excluded, n_out, stamp, scratch)
    return n_out, extra_rows(
        t, width, sentence.placeholder_grams, placeholder, places, stamp, scratch.extra[side]
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
def _draw_and_prefetch(target, U, tables, method, place, scratch):
    """Draw negatives for the next target, or for those that share them; ask for their rows."""
    avoid = np.int64(-1) if method.shared else np.int64(target)
    drawn, same = scratch.drawn[place], scratch.same[place]
    draw_negatives(
        method.negatives, avoid, tables.alias_keep, tables.alias_other, scratch.rng, drawn, same
    )
    for k in range(1, method.negatives + 1):
        prefetch_row(U, drawn[k])


@helper
def _lag(V, features, n_out, n_extra, side, scratch):
    """List the excluded features' rows and ask for them, and for the extra ones.

    Returns the sum of the excluded features' mult less that of the extra rows.
    """
    excluded, out, extra = scratch.excluded[side], scratch.out[side], scratch.extra[side]
    rows, mult, slots = scratch.rows, scratch.mult, scratch.slots
    lag = 0
    for e in range(n_out):
        out[e] = rows[excluded[e]]
        lag += mult[excluded[e]]
        if features.n_rows > FAR:
            prefetch_row(V, out[e])
    for x in range(n_extra):
        prefetch_row(V, extra[x])
        twin = slots[slot_of(extra[x], rows, slots, features.mask)]
        if twin >= 0:
            lag -= mult[twin]
    return lag


@helper
def _hidden(V, plan, scratch):
    """The sentence vector h (eq. 2), and g = 0."""
    S, P, h, g = scratch.S, scratch.P, scratch.h, scratch.g
    share = _ONE / plan.c
    for d in range(len(h)):
        h[d] = S[d] - plan.lag * P[d]
        g[d] = 0.0
    gather(V, scratch.out[plan.side], plan.n_out, -_ONE, h)
    gather(V, scratch.extra[plan.side], plan.n_extra, _ONE, h)
    for d in range(len(h)):
        h[d] *= share


@helper
def _settle(V, plan, scratch):
    """Apply the gradient: to P, to S, and to the rows that P must not or cannot reach."""
    S, P, g = scratch.S, scratch.P, scratch.g
    share = _ONE / plan.c
    for d in range(len(g)):
        delta = g[d] * share
        g[d] = delta
        P[d] += delta
        S[d] += plan.rest * delta
    scatter(V, scratch.out[plan.side], plan.n_out, -_ONE, g)
    scatter(V, scratch.extra[plan.side], plan.n_extra, _ONE, g)


@helper
def _exempt(V, plan, amount, scratch):
    """Excluded features are not owed this update's threshold; extra rows get it at once."""
    excluded, extra = scratch.excluded[plan.side], scratch.extra[plan.side]
    for e in range(plan.n_out):
        scratch.exempt[excluded[e]] += amount
    for x in range(plan.n_extra):
        soft_threshold(V, extra[x], amount)


@helper
def _threshold(V, n_rows, owed, scratch):
    """Apply what every feature is owed of L1, once for each time it occurs."""
    for f in range(n_rows):
        if scratch.rows[f] >= 0:
            soft_threshold(V, scratch.rows[f], owed - scratch.exempt[f])


@helper
def _prefetch_features(ids, grams, V):
    """Ask for the feature rows of a sentence."""
    for i in range(len(ids)):
        prefetch_row(V, ids[i])
        for j in range(grams.shape[1]):
            if grams[i, j] >= 0:
                prefetch_row(V, grams[i, j])
