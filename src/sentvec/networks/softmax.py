"""The output layer: the loss of words given decoder states, full or adaptive.

    h  (N, k)  decoder states            W  (V, k), b (V,)  weights and biases of the output
    t  (N,)    the words to predict

Full: -log softmax(h W' + b)[t]. Adaptive (Grave et al. 2017): words by decreasing frequency;
the head has the most frequent words and one entry for each cluster of rarer ones, whose states are
projected to fewer dimensions. Both use the same loss, whose gradient is computed together with it
in blocks: the probabilities of all words for all tokens are never in memory at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from sentvec.networks.products import linear, lowered, times
from sentvec.networks.shape import clusters

# Numbers of a block of logits: a few tens of MB, small beside a model.
_BLOCK = 1 << 24


def softmax_loss(
    h: Tensor, W: Tensor, b: Tensor, t: Tensor, low: torch.dtype | None = None
) -> Tensor:
    """The sum of -log softmax(h W' + b)[t] over all tokens: a scalar."""
    with_gradient = torch.is_grad_enabled()
    total: Tensor = _SoftmaxLoss.apply(h, W, b, t, low, with_gradient)  # type: ignore[no-untyped-call]
    return total


class _SoftmaxLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        W: Tensor,
        b: Tensor,
        t: Tensor,
        low: torch.dtype | None,
        with_gradient: bool,
    ) -> Tensor:
        low_W = W if low is None else W.to(low)
        total = h.new_zeros((), dtype=torch.float64)
        if with_gradient:
            dh, dW, db = torch.empty_like(h), torch.zeros_like(W), torch.zeros_like(b)
        step = max(1, _BLOCK // len(W))
        for begin in range(0, len(h), step):
            rows = slice(begin, begin + step)
            logits = times(h[rows], low_W.t(), low).add_(b)
            norms = torch.logsumexp(logits, 1, keepdim=True)
            words = t[rows, None]
            total += (norms - logits.gather(1, words)).sum(dtype=torch.float64)
            if not with_gradient:
                continue
            share = logits.sub_(norms).exp_()
            share.scatter_add_(1, words, share.new_full((1, 1), -1.0).expand_as(words))
            db += share.sum(0)
            if low is None:
                dh[rows] = share @ W
                dW.addmm_(share.t(), h[rows])
            else:
                low_share = lowered(share, low)
                dh[rows] = (low_share @ low_W)[: len(share)]
                dW += low_share.t() @ lowered(h[rows], low)
        if with_gradient:
            ctx.save_for_backward(dh, dW, db)
        return total.to(h.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, scale: Tensor) -> tuple[Any, ...]:
        dh, dW, db = ctx.saved_tensors
        return dh * scale, dW * scale, db * scale, None, None, None


def output_loss(
    p: Mapping[str, Tensor], h: Tensor, t: Tensor, words: int, cutoffs: Sequence[int],
    low: torch.dtype | None = None,
) -> Tensor:  # fmt: skip
    """The sum of -log p(word) over all tokens; `p` has the tensors of `output_tensors`."""
    if not cutoffs:
        return softmax_loss(h, p["output.weight"], p["output.bias"], t, low)
    head = t.clone()
    total = h.new_zeros(())
    for number, (begin, end) in enumerate(clusters(words, cutoffs), 1):
        rows = torch.nonzero((t >= begin) & (t < end)).squeeze(1)
        head[rows] = cutoffs[0] + number - 1
        if len(rows):
            project = p[f"output.project{number}"]
            small = linear(h[rows], project, low)
            total = total + softmax_loss(
                small, p[f"output.weight{number}"], p[f"output.bias{number}"], t[rows] - begin, low
            )
    return total + softmax_loss(h, p["output.weight"], p["output.bias"], head, low)


def log_probabilities(
    p: Mapping[str, Tensor], h: Tensor, words: int, cutoffs: Sequence[int]
) -> Tensor:
    """The log-probability of every word: (N, V)."""
    head = torch.log_softmax(h @ p["output.weight"].t() + p["output.bias"], 1)
    if not cutoffs:
        return head
    parts = [head[:, : cutoffs[0]]]
    for number, _ in enumerate(clusters(words, cutoffs), 1):
        small = h @ p[f"output.project{number}"].t()
        logits = small @ p[f"output.weight{number}"].t() + p[f"output.bias{number}"]
        chosen = head[:, cutoffs[0] + number - 1, None]
        parts.append(torch.log_softmax(logits, 1) + chosen)
    return torch.cat(parts, 1)
