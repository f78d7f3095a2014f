"""One way to compile a kernel with numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Function = Callable[..., Any]

# Reordering of sums and fused multiply-add, but without `nnan` and `ninf`: with those the compiler
# deletes every test for NaN, and a diverged run would read tables out of range.
OPTIONS: Any = {
    "nogil": True,
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
    "error_model": "numpy",
}


def kernel(function: Function) -> Function:
    """Compile for machine code that runs without the GIL, cached on disk where that is possible."""
    try:
        compiled: Function = numba.njit(cache=True, **OPTIONS)(function)
    except RuntimeError:  # an installation where no folder for the cache can be written
        compiled = numba.njit(**OPTIONS)(function)
    return compiled


def helper(function: Function) -> Function:
    """Compile a function that only kernels of the same file call, and that LLVM may inline."""
    compiled: Function = numba.njit(forceinline=True, **OPTIONS)(function)
    return compiled
