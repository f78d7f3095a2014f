"""The recurrent part of a GRU over packed sentences, with an explicit gradient.

    x   (N, 3d)  input of the gates: W x + b (and C s, in a decoder), packed
    s   (B, d)   states before the first step, longest sentence first
    U   (3d, d)  recurrent matrices; blocks of rows in the order reset, update, candidate
    h   (N, d)   states after each step, packed

`released` is the form of the released weights, and of `torch.nn.GRU`:
    r, z = sigmoid(x_r + U_r h'), sigmoid(x_z + U_z h')
    c    = tanh(x_c + r * (U_c h'))              h = z * h' + (1 - z) * c
`paper` is that of Kiros et al. 2015, equations 1 to 4:
    c    = tanh(x_c + U_c (r * h'))              h = (1 - z) * h' + z * c

The gradient is explicit because that of U is then one product over all steps instead of one a step,
and because decoders add C s to the gates, which `torch.nn.GRU` does not support. The definition is
`definitions.skip_thought`; `torch.autograd.gradcheck` compares the gradient with finite
differences.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from sentvec.networks.products import crossed, times

FORMS = ("released", "paper")


def gru(
    x: Tensor, s: Tensor, U: Tensor, sizes: list[int], form: str, low: torch.dtype | None = None
) -> Tensor:
    """The states after each step (see the module).

    Args:
        x: (N, 3d), packed.
        s: (B, d).
        U: (3d, d).
        sizes: Number of sentences at each step, `Packing.sizes`.
        form: `released` or `paper`.
        low: Multiply matrices in this precision (bfloat16); all else is in that of `x`.
    """
    states: Tensor = _GRU.apply(x, s, U, sizes, form == "released", low)  # type: ignore[no-untyped-call]
    return states


class _GRU(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, s: Tensor, U: Tensor, sizes: list[int], released: bool,
        low: torch.dtype | None,
    ) -> Tensor:  # fmt: skip
        d = s.shape[1]
        Ut = U.t() if low is None else U.to(low).t()
        h, gates = x.new_empty(len(x), d), torch.empty_like(x)  # gates: r, z, c of every step
        inner = torch.empty_like(h) if released else h.new_empty(0)  # U_c h' of every step
        before, begin = s, 0
        for size in sizes:
            rows = slice(begin, begin + size)
            before = before[:size]
            r_z, c = gates[rows, : 2 * d], gates[rows, 2 * d :]
            r, z = gates[rows, :d], gates[rows, d : 2 * d]
            if released:
                product = times(before, Ut, low)
                torch.add(x[rows, : 2 * d], product[:, : 2 * d], out=r_z).sigmoid_()
                inner[rows] = product[:, 2 * d :]
                torch.addcmul(x[rows, 2 * d :], r, inner[rows], out=c).tanh_()
                torch.lerp(c, before, z, out=h[rows])
            else:
                product = times(before, Ut[:, : 2 * d], low)
                torch.add(x[rows, : 2 * d], product, out=r_z).sigmoid_()
                product = times(r * before, Ut[:, 2 * d :], low)
                torch.add(x[rows, 2 * d :], product, out=c).tanh_()
                torch.lerp(before, c, z, out=h[rows])
            before, begin = h[rows], begin + size
        ctx.save_for_backward(s, U, h, gates, inner)
        ctx.sizes, ctx.released, ctx.low = sizes, released, low
        return h

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, dh: Tensor) -> tuple[Any, ...]:
        s, U, h, gates, inner = ctx.saved_tensors
        sizes, released, low = ctx.sizes, ctx.released, ctx.low
        d = s.shape[1]
        low_U = U if low is None else U.to(low)
        before = _states_before(s, h, sizes)
        dx = torch.empty_like(gates)
        da = torch.empty_like(h) if released else h.new_empty(0)  # of U_c h'
        carried = torch.zeros_like(s)
        end = len(h)
        for size in reversed(sizes):
            rows = slice(end - size, end)
            r, z, c = gates[rows, :d], gates[rows, d : 2 * d], gates[rows, 2 * d :]
            down = carried[:size].add_(dh[rows])  # of the state after this step
            share = 1 - z if released else z  # of the candidate in it
            dc = torch.mul(down, share, out=dx[rows, 2 * d :]).mul_(1 - c * c)
            change = before[rows] - c if released else c - before[rows]
            torch.mul(down, change, out=dx[rows, d : 2 * d]).mul_(z * (1 - z))
            down.mul_(z if released else 1 - z)
            if released:
                torch.mul(dc, r, out=da[rows])
                torch.mul(dc, inner[rows], out=dx[rows, :d]).mul_(r * (1 - r))
                down += times(torch.cat([dx[rows, : 2 * d], da[rows]], 1), low_U, low)
            else:
                dp = times(dc, low_U[2 * d :], low)  # of r * h'
                torch.mul(dp, before[rows], out=dx[rows, :d]).mul_(r * (1 - r))
                down += times(dx[rows, : 2 * d], low_U[: 2 * d], low).addcmul_(dp, r)
            end -= size
        dU = torch.empty_like(U)
        dU[: 2 * d] = crossed(dx[:, : 2 * d], before, low)
        if released:
            dU[2 * d :] = crossed(da, before, low)
        else:
            dU[2 * d :] = crossed(dx[:, 2 * d :], gates[:, :d] * before, low)
        return dx, carried, dU, None, None, None


def _states_before(s: Tensor, h: Tensor, sizes: list[int]) -> Tensor:
    """The state before each step, packed: that of one step earlier, or s."""
    before = torch.empty_like(h)
    before[: sizes[0]] = s
    begin = 0
    for size, following in pairwise(sizes):
        end = begin + size
        before[end : end + following] = h[begin : begin + following]
        begin = end
    return before
