"""Matrix products in full or low precision; arguments and results are float32 either way.

On a CPU, each new shape of a product in bfloat16 is compiled and cached, so a number of rows that
differs in every batch would cost more than the product. In low precision, the number of rows is
therefore rounded up, to at most eight values between two powers of two; the added rows are zero.
"""

from __future__ import annotations

import torch
from torch import Tensor

_GRAIN = 16


def times(a: Tensor, b: Tensor, low: torch.dtype | None) -> Tensor:
    """The product a @ b, of the type of a; `low` is the precision that b already has, if any."""
    if low is None:
        return a @ b
    return (lowered(a, low) @ b)[: len(a)].to(a.dtype)


def linear(x: Tensor, W: Tensor, low: torch.dtype | None) -> Tensor:
    """The product x @ W', in low precision if given."""
    return times(x, (W if low is None else W.to(low)).t(), low)


def crossed(a: Tensor, b: Tensor, low: torch.dtype | None) -> Tensor:
    """The product a' @ b of equal numbers of rows, in low precision if given."""
    if low is None:
        return a.t() @ b
    return (lowered(a, low).t() @ lowered(b, low)).to(a.dtype)


def lowered(a: Tensor, low: torch.dtype) -> Tensor:
    """A matrix in low precision, padded with rows of zeros to a round number of rows."""
    n = len(a)
    grain = max(_GRAIN, 1 << max(n.bit_length() - 4, 0))
    rounded = a.new_zeros(-(-n // grain) * grain, *a.shape[1:], dtype=low)
    rounded[:n] = a
    return rounded
