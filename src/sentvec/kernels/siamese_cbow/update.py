"""The Siamese CBOW update (Kenter, Borisov and de Rijke 2016, section 2), a batch at a time.

A batch is a list of slots, sentences that are averaged once each, and a list of examples: a middle
sentence a with its candidates k, first its neighbours (the positives), then the negatives, all of
them slots. With u = m / |m|, m being the mean of the rows of a slot's words:

    s_k = u_a . u_k                    cosines
    p   = softmax(temperature s)       the paper has no temperature: it is 1
    L   = -sum_k t_k log p_k           t_k = 1/P for the P positives, 0 for negatives
    e_k = temperature (p_k - t_k)
    G_a += e_k u_k,  G_k += e_k u_a    the gradient by unit vectors, over all examples
    dL/dm = (G - (G . u) u) / |m|      once a slot, in however many examples it stands

A word of a sentence of n words gets 1/n of that each time it stands there, times the rate (SGD), or
times rate / sqrt(squares) (AdaGrad by rows: `squares` grows by the mean square of what the word
gets). All means of a batch are those before the batch; slots are then applied in their order.

Legend:
    V (rows, dim)                   the word vectors, as `precision` says
    squares                         float32 (rows,): the accumulators of AdaGrad; (0,) for SGD
    text, batch, method, scratch    see `slots`

Not here: which sentences a batch has (`slots`), schedules and threads (`training`). The definition
is `definitions.siamese_cbow`.
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import helper, kernel
from sentvec.kernels.precision import set_turn
from sentvec.kernels.prefetch import prefetch_row
from sentvec.kernels.rate import rate_after
from sentvec.kernels.rows import gather, scatter, scatter_steps
from sentvec.kernels.siamese_cbow.slots import (
    AFTER,
    BEFORE,
    MIDDLE,
    NEGATIVES,
    collect_middles,
    collect_run,
)

# A mean shorter than this counts as zero: its cosines are 0, and it gets no gradient.
TINY = np.float32(1e-12)
# Added to the squares of AdaGrad: what is left of a gradient that rounding made is not a step.
EPSILON = np.float32(1e-10)
_ONE = np.float32(1.0)


@kernel
def train_batch(text, batch, V, squares, method, rate, key, scratch):
    """Train on runs or on middle sentences, in order; returns (sum of losses, number of examples).

    A rate that starts at 0 computes losses only.
    """
    loss, examples, i = 0.0, 0, 0
    while i < len(batch.numbers):
        step = rate_after(rate, batch.places[i])
        if method.shared:
            slots, n = collect_run(text, batch.numbers[i], method, key, scratch)
            i += 1
        else:
            i, slots, n = collect_middles(text, batch.numbers, i, method, key, scratch)
        if n == 0:
            continue
        _average(V, slots, scratch)
        loss += _compare(n, method, scratch)
        examples += n
        if step > 0:
            set_turn(V, scratch.rng[0])
            share = np.float32(1.0 / n) if method.mean else _ONE
            _move(V, squares, slots, step, share, scratch)
    return loss, examples


@helper
def _prefetch_slot(V, k, slots, scratch):
    """Ask for the rows of a slot, if there is one."""
    if k < slots:
        for i in range(scratch.bounds[k], scratch.bounds[k + 1]):
            prefetch_row(V, scratch.words[i])


@helper
def _average(V, slots, scratch):
    """The unit vectors of all slots, and no gradients yet."""
    bounds, words = scratch.bounds, scratch.words
    for k in range(slots):
        _prefetch_slot(V, k + 1, slots, scratch)
        begin, end = bounds[k], bounds[k + 1]
        unit, gradient = scratch.units[k], scratch.gradients[k]
        for d in range(len(unit)):
            unit[d] = 0.0
            gradient[d] = 0.0
        gather(V, words[begin:end], end - begin, _ONE, unit)
        square = np.float32(0.0)
        for d in range(len(unit)):
            square += unit[d] * unit[d]
        length = np.sqrt(square)
        # written so that NaN is not taken for zero: a run that diverges must be seen
        inverse = np.float32(0.0) if length <= TINY * (end - begin) else _ONE / length
        scratch.inverse[k] = inverse
        for d in range(len(unit)):
            unit[d] *= inverse


@helper
def _compare(n, method, scratch):
    """Every example against its candidates; returns the sum of the losses."""
    loss, candidates = 0.0, scratch.candidates
    for i in range(n):
        example = scratch.examples[i]
        middle, positives = example[MIDDLE], 0
        for side in (BEFORE, AFTER):
            if example[side] >= 0:
                candidates[positives] = example[side]
                positives += 1
        count = positives + method.negatives
        for k in range(positives, count):
            candidates[k] = example[NEGATIVES] + k - positives
        own, pulled = scratch.units[middle], scratch.gradients[middle]
        _cosines(scratch.units, candidates, count, own, scratch.scores)
        loss += _errors(scratch.scores, positives, count, np.float32(method.temperature))
        _spread(scratch.units, scratch.gradients, own, pulled, candidates, count, scratch.scores)
    return loss


@helper
def _errors(s, positives, count, temperature):
    """Turn the cosines of an example into its e_k; returns its loss."""
    target = _ONE / np.float32(positives)
    top, aim = np.float32(-np.inf), np.float32(0.0)
    for k in range(count):
        s[k] *= temperature
        top = max(top, s[k])
        if k < positives:
            aim += target * s[k]
    total = np.float32(0.0)
    for k in range(count):
        s[k] = np.exp(s[k] - top)
        total += s[k]
    for k in range(count):
        s[k] = temperature * (s[k] / total - (target if k < positives else np.float32(0.0)))
    return np.float64(np.log(total) + top - aim)


@helper
def _cosines(units, candidates, count, own, out):
    """out[k] = u_k . u_a over the candidates, four at a time."""
    for k in range(0, count - 3, 4):
        a, b = np.uint64(candidates[k]), np.uint64(candidates[k + 1])
        c, e = np.uint64(candidates[k + 2]), np.uint64(candidates[k + 3])
        p = q = r = s = np.float32(0.0)
        for d in range(len(own)):
            u = own[d]
            p += u * units[a, d]
            q += u * units[b, d]
            r += u * units[c, d]
            s += u * units[e, d]
        out[k], out[k + 1], out[k + 2], out[k + 3] = p, q, r, s
    for k in range(count - count % 4, count):
        a, p = np.uint64(candidates[k]), np.float32(0.0)
        for d in range(len(own)):
            p += own[d] * units[a, d]
        out[k] = p


@helper
def _spread(units, gradients, own, pulled, candidates, count, errors):
    """G_a += e_k u_k and G_k += e_k u_a over the candidates, four at a time."""
    for k in range(0, count - 3, 4):
        a, b = np.uint64(candidates[k]), np.uint64(candidates[k + 1])
        c, e = np.uint64(candidates[k + 2]), np.uint64(candidates[k + 3])
        p, q, r, s = errors[k], errors[k + 1], errors[k + 2], errors[k + 3]
        for d in range(len(own)):
            u = own[d]
            pulled[d] += (p * units[a, d] + q * units[b, d]) + (r * units[c, d] + s * units[e, d])
            gradients[a, d] += p * u
            gradients[b, d] += q * u
            gradients[c, d] += r * u
            gradients[e, d] += s * u
    for k in range(count - count % 4, count):
        a, p = np.uint64(candidates[k]), errors[k]
        for d in range(len(own)):
            pulled[d] += p * units[a, d]
            gradients[a, d] += p * own[d]


@helper
def _move(V, squares, slots, step, share, scratch):
    """Give the words of each slot their part of its gradient."""
    bounds, words, steps = scratch.bounds, scratch.words, scratch.steps
    for k in range(slots):
        _prefetch_slot(V, k + 1, slots, scratch)
        begin, end = bounds[k], bounds[k + 1]
        unit, gradient = scratch.units[k], scratch.gradients[k]
        # dL/dm / n, since |m| n is the length of the sum
        square = _project(unit, gradient, scratch.inverse[k] * share)
        if square == 0:
            continue
        if len(squares) == 0:
            scatter(V, words[begin:end], end - begin, -step, gradient)
            continue
        square /= np.float32(len(unit))
        for i in range(begin, end):
            squares[words[i]] += square
            steps[i - begin] = -step / np.sqrt(squares[words[i]] + EPSILON)
        scatter_steps(V, words[begin:end], end - begin, steps, gradient)


@helper
def _project(unit, gradient, factor):
    """Gradient = factor (G - (G . u) u), in place; returns its square."""
    along = np.float32(0.0)
    for d in range(len(unit)):
        along += gradient[d] * unit[d]
    square = np.float32(0.0)
    for d in range(len(unit)):
        x = factor * (gradient[d] - along * unit[d])
        gradient[d] = x
        square += x * x
    return square
