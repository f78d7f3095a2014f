"""One way to compile a kernel with numba."""

from __future__ import annotations

import contextlib
import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.cpu import CPUTargetOptions

from sentvec.errors import KernelCacheWarning

Function = Callable[..., Any]

# Reordering of sums and fused multiply-add, but without `nnan` and `ninf`: with those the compiler
# deletes every test for NaN, and a diverged run would read tables out of range.
OPTIONS: Any = {
    "nogil": True,
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
    "error_model": "numpy",
}
# Helpers do not allocate, so they need not count references to arrays: each view of a row would
# cost two atomic operations, which is as long as a short row takes.
INLINE: Any = {**OPTIONS, "forceinline": True}
if hasattr(CPUTargetOptions, "_nrt"):  # an option that numba does not document: else only slower
    INLINE["_nrt"] = False


def kernel(function: Function) -> Function:
    """Compile for machine code that runs without the GIL, cached on disk where that is possible."""
    try:
        compiled: Function = numba.njit(cache=True, **OPTIONS)(function)
    except RuntimeError:  # an installation where no folder for the cache can be written
        compiled = numba.njit(**OPTIONS)(function)
    _depend_on_all_kernels(compiled)
    _tolerate_full_disk(compiled)
    return compiled


def helper(function: Function) -> Function:
    """Compile a function that is inlined into the kernels that call it; it must not allocate.

    Always inlined: a call passes each array as seven numbers, which costs more than a row.
    """
    compiled: Function = numba.njit(**INLINE)(function)
    return compiled


def _depend_on_all_kernels(compiled: Any) -> None:
    """Make the cached machine code depend on the sources of all kernels, not on one file alone.

    numba notices a change of the file of a kernel, but not of the helpers compiled into it.
    """
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if cache_file is not None and hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (cache_file._source_stamp, _sources())


def _tolerate_full_disk(compiled: Any) -> None:
    """Let a compiled kernel be used even if its machine code cannot be written to the disk."""
    cached: Any = getattr(compiled, "_cache", None)
    if not hasattr(cached, "save_overload"):
        return
    save = cached.save_overload

    def save_or_warn(*args: Any) -> None:
        try:
            save(*args)
        except OSError as error:
            # The index may already name a file that was not written, or an older one of that name.
            with contextlib.suppress(AttributeError, OSError):
                Path(cached._cache_file._index_path).unlink()
            msg = f"compiled kernels cannot be kept in {cached.cache_path}: "
            msg += f"{error.strerror or error} - they will be compiled again; free space, or set "
            msg += "NUMBA_CACHE_DIR to another folder"
            warnings.warn(msg, KernelCacheWarning, stacklevel=2)

    cached.save_overload = save_or_warn


@cache
def _sources() -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
