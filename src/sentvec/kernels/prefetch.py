"""Ask the processor to fetch a row of a matrix before it is needed.

A batch's rows lie at random places of a matrix much larger than the caches. Asking for the next
sentence's rows while the current one is computed hides most of that wait. It is only a hint and
changes no result.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from sentvec.kernels.jit import INLINE

_BYTES_PER_LINE = 64
_HALVES_PER_LINE = 32


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


def prefetch_row(M, row):
    """Ask for every cache line of a row (does nothing in plain Python, which cannot)."""


@overload(prefetch_row, jit_options=INLINE)
def _prefetch_row(M, row):
    if isinstance(M, types.Array):
        step = _BYTES_PER_LINE // (M.dtype.bitwidth // 8)

        def ask(M, row):
            for column in range(0, M.shape[1], step):
                _prefetch_line(M, row, column)

        return ask

    def ask_half(M, row):
        for column in range(0, M.bits.shape[1], _HALVES_PER_LINE):
            _prefetch_line(M.bits, row, column)

    return ask_half
