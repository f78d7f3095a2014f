"""Matrix products in full or low precision; what goes in and comes out is float32 either way.

On a CPU each shape of a product in bfloat16 is compiled when it is first seen, and what was
compiled is kept, so a number of rows that is different in every batch would cost more than the
product. In low precision rows are therefore rounded up, to at most eight numbers between a power of
two and the next; the rows added are zero.
"""

from __future__ import annotations

import torch
from torch import Tensor

_GRAIN = 16


def times(a: Tensor, b: Tensor, low: torch.dtype | None) -> Tensor:
    """The product a @ b; in low precision where wanted, which b already has. The result is as a."""
    if low is None:
        return a @ b
    return (lowered(a, low) @ b)[: len(a)].to(a.dtype)


def linear(x: Tensor, W: Tensor, low: torch.dtype | None) -> Tensor:
    """The product x @ W', in low precision where wanted."""
    return times(x, (W if low is None else W.to(low)).t(), low)


def crossed(a: Tensor, b: Tensor, low: torch.dtype | None) -> Tensor:
    """The product a' @ b, for as many rows of a as of b; in low precision where wanted."""
    if low is None:
        return a.t() @ b
    return (lowered(a, low).t() @ lowered(b, low)).to(a.dtype)


def lowered(a: Tensor, low: torch.dtype) -> Tensor:
    """A matrix in low precision, with rows of zeros up to a round number of them."""
    n = len(a)
    grain = max(_GRAIN, 1 << max(n.bit_length() - 4, 0))
    found = a.new_zeros(-(-n // grain) * grain, *a.shape[1:], dtype=low)
    found[:n] = a
    return found
