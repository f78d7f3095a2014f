"""Matrix products in full or low precision; what goes in and comes out is float32 either way."""

from __future__ import annotations

import torch
from torch import Tensor


def times(a: Tensor, b: Tensor, low: torch.dtype | None) -> Tensor:
    """A @ b; in low precision where wanted, which b already has. The result is as a."""
    return a @ b if low is None else (a.to(low) @ b).to(a.dtype)


def linear(x: Tensor, W: Tensor, low: torch.dtype | None) -> Tensor:
    """X @ W', in low precision where wanted."""
    return times(x, (W if low is None else W.to(low)).t(), low)
