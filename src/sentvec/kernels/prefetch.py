"""Ask the processor to fetch a row of a matrix before it is needed.

A batch's rows lie at random places of a matrix much larger than the caches. Asking for the next
sentence's rows while the present one is computed hides most of that wait. A hint only: it changes
no result.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_FLOATS_PER_LINE = 16  # a cache line of 64 bytes holds 16 float32


@intrinsic
def _prefetch_line(typing_context: Any, matrix: Any, row: Any, column: Any) -> Any:
    signature = types.void(matrix, row, column)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        matrix_type = signature.args[0]
        array = context.make_array(matrix_type)(context, builder, args[0])
        indices = [
            context.cast(builder, value, kind, types.intp)
            for value, kind in zip(args[1:], signature.args[1:], strict=True)
        ]
        pointer = cgutils.get_item_pointer(
            context, builder, matrix_type, array, indices, wraparound=False
        )
        pointer = builder.bitcast(pointer, cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        # for writing, to all cache levels, data not instructions
        builder.call(hint, [pointer, number(1), number(3), number(1)])
        return context.get_dummy_value()

    return signature, codegen


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def prefetch_row(matrix, row):
        """Do nothing: plain Python cannot."""

else:

    @numba.njit(nogil=True)
    def prefetch_row(matrix, row):
        """Ask for every cache line of matrix[row]."""
        for column in range(0, matrix.shape[1], _FLOATS_PER_LINE):
            _prefetch_line(matrix, row, column)  # type: ignore[call-arg]
