"""How a matrix stores its numbers: float32, or half precision with stochastic rounding.

Kernels read with `load`, write with `store`, and compute in float32. A matrix is one of

    float32 (rows, dim)
    HalfMatrix(bits, noise, turn): bits uint16 (rows, dim), the numbers in half precision; noise
        uint32 (65,536 + dim,), what `noise_table` gives; turn uint64 (1,), a counter

and numba compiles a kernel for the kind it is given. A number is rounded to half precision up or
down at random, in proportion to its distance from both (a random number is added below the bits
that stay), so that many small updates are not lost. The noise of a row starts at a place that
`turn`, set for each sentence, chooses: the same run rounds the same way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from sentvec.kernels.jit import INLINE

NOISE_PLACES = 65_536
_DROPPED_BITS = np.uint32(0x1FFF)  # float32 has 13 bits of fraction more than half precision
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_48 = np.uint64(48)


class HalfMatrix(NamedTuple):
    """A matrix in half precision (see the module)."""

    bits: Any
    noise: Any
    turn: Any


def noise_table(dim: int, seed: int) -> NDArray[np.uint32]:
    """Numbers of 13 bits in random order, each equally often in every column of a row.

    If they were drawn independently, there would be a few per cent too many or too few near the
    upper end, which decides on the smallest updates, and all small updates of a run would be
    biased.
    """
    numbers = np.arange(NOISE_PLACES, dtype=np.uint32) & _DROPPED_BITS
    return np.resize(np.random.default_rng(seed).permutation(numbers), NOISE_PLACES + dim)


def load(M, row, d):
    """The number at (row, d), as float32."""
    return M[row, d]


def store(M, row, d, value, place):
    """Write a number at (row, d); `place` is what `start_row` returned."""
    M[row, d] = value


def start_row(M):
    """Call before a row is written: where its noise starts."""
    return 0


def width(M):
    """The number of columns."""
    return M.shape[1]


def height(M):
    """The number of rows."""
    return M.shape[0]


def set_turn(M, turn):
    """Key the noise of the rows written from now on."""


@intrinsic
def _half_to_float(typing_context: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fpext(builder.bitcast(args[0], ir.HalfType()), ir.FloatType())

    return types.float32(types.uint16), codegen


@intrinsic
def _float_to_half(typing_context: Any, value: Any, noise: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = ir.IntType(32)
        value = builder.bitcast(args[0], number)
        value = builder.add(value, args[1])
        value = builder.and_(value, ir.Constant(number, 0xFFFFE000))
        half = builder.fptrunc(builder.bitcast(value, ir.FloatType()), ir.HalfType())
        return builder.bitcast(half, ir.IntType(16))

    return types.uint16(types.float32, types.uint32), codegen


def _is_array(M: Any) -> bool:
    return isinstance(M, types.Array)


@overload(load, jit_options=INLINE)
def _load(M, row, d):
    if _is_array(M):
        return lambda M, row, d: M[row, d]
    return lambda M, row, d: _half_to_float(M.bits[row, d])


@overload(store, jit_options=INLINE)
def _store(M, row, d, value, place):
    if _is_array(M):

        def store_float(M, row, d, value, place):
            M[row, d] = value

        return store_float

    def store_half(M, row, d, value, place):
        M.bits[row, d] = _float_to_half(np.float32(value), M.noise[place + d])

    return store_half


@overload(start_row, jit_options=INLINE)
def _start_row(M):
    if _is_array(M):
        return lambda M: np.uint64(0)

    def start_half(M):
        M.turn[0] += _GOLDEN
        return (M.turn[0] ^ (M.turn[0] >> np.uint64(29))) * _GOLDEN >> _48

    return start_half


@overload(width, jit_options=INLINE)
def _width(M):
    if _is_array(M):
        return lambda M: M.shape[1]
    return lambda M: M.bits.shape[1]


@overload(height, jit_options=INLINE)
def _height(M):
    if _is_array(M):
        return lambda M: M.shape[0]
    return lambda M: M.bits.shape[0]


@overload(set_turn, jit_options=INLINE)
def _set_turn(M, turn):
    if _is_array(M):

        def nothing(M, turn):
            pass

        return nothing

    def set_half(M, turn):
        M.turn[0] = turn

    return set_half
