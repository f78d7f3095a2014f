"""The logistic loss of a target word and its negatives, given a sentence vector (eq. 3).

Legend:
    U                   target vectors
    drawn, same         the target and the negatives; where each was drawn before, -1 for nowhere
    h, g                the sentence vector, and the gradient collected for it
    steps               float32 (2 (negatives + 1)): rate (label - sigmoid), then scores
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import helper
from sentvec.kernels.logistic import logistic
from sentvec.kernels.rows import pull_and_push, scores, soft_threshold


@helper
def push(U, target, drawn, same, method, rate, table, scratch):
    """One target and its negatives (eq. 3): moves their rows, fills g, returns the loss."""
    n_drawn, tau = method.negatives + 1, np.float32(method.tau)
    h, g, steps = scratch.h, scratch.g, scratch.steps
    drawn[0], same[0] = target, -1
    scores(U, drawn, n_drawn, h, steps)
    loss = _steps(drawn, same, n_drawn, rate, table, h, steps)
    pull_and_push(U, drawn, n_drawn, steps, h, g)
    if tau > 0:
        for k in range(n_drawn):
            if k == 0 or drawn[k] != drawn[0]:  # a shared negative that is the target is left out
                soft_threshold(U, drawn[k], rate * tau)
    return loss


@helper
def _steps(drawn, same, n_drawn, rate, table, h, steps):
    """Turn scores into rate (label - sigmoid(score)), in sequence; returns the loss.

    A word drawn twice sees its own update: its u has moved by step h, so its score by step h.h. A
    shared negative that is the target itself is left out.
    """
    norm, loss, label = np.float32(-1.0), 0.0, np.float32(1.0)
    for k in range(n_drawn):
        if k > 0 and drawn[k] == drawn[0]:
            steps[k] = 0.0
            continue
        score = steps[k]
        if same[k] >= 0:
            if norm < 0:
                norm = np.float32(0.0)
                for d in range(len(h)):
                    norm += h[d] * h[d]
            score = steps[n_drawn + same[k]] + steps[same[k]] * norm
        sigmoid, softplus = logistic(score, table)
        loss += softplus - label * score
        steps[k] = rate * (label - sigmoid)
        steps[n_drawn + k] = score
        label = np.float32(0.0)
    return loss
