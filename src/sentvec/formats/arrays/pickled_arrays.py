"""Arrays of numbers from a pickle that was read but not run.

An array may be stored as bytes; then it is a view of the file. Or it is an array of objects: these
are numbers, or rows of numbers of equal length, and are assembled in memory. An array without axes
may hold either. Shape, dtype and bytes must agree, and the rows take no more bytes than the file
has, however often the pickle refers to one of them.
"""

from __future__ import annotations

import math
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.arrays.pickle_opcodes import read_pickle
from sentvec.formats.arrays.pickle_stack import PickledArray
from sentvec.wording import counted

NUMBERS: dict[str, np.dtype[Any]] = {
    order + code: np.dtype(order + code)
    for code in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8")
    for order in "<>"
} | {"|" + code: np.dtype(code) for code in ("i1", "u1")}
MAX_AXES = 8
_OBJECTS = ("|O", "|O4", "|O8")
_SHOWN = 80  # characters of a shape


def read_pickled_array(
    data: mmap.mmap | bytes, start: int, name: str, shape: tuple[int, ...] | None = None
) -> NDArray[Any]:
    """The array of numbers that a pickle holds; of objects, float32.

    Args:
        data: The file; it must end where the pickle ends.
        start: Where the pickle begins.
        name: Name of the file in errors.
        shape: The shape that the file states elsewhere, if it does.

    Raises:
        FormatError: The pickle is damaged, or contains something other than such an array.
    """
    found = read_pickle(data, start, name)
    if not isinstance(found, PickledArray):
        raise wrong(name, f"a {type(found).__name__}", "an array")
    if shape is not None and found.shape != shape:
        raise wrong(name, f"an array of {shown(found.shape)}", f"{shown(shape)} as its head says")
    match found.data:
        case [PickledArray() as inner] if found.shape == () and _dtype(found) in _OBJECTS:
            found = inner
    if _dtype(found) in _OBJECTS:
        return _of_objects(found, name, room=len(data))
    return _of_bytes(found, name)


def wrong(name: str, got: str, expected: str) -> FormatError:
    """The error to raise where a file has other content than expected."""
    msg = f"{name}: got {got}, expected {expected} - the file is damaged, or another one"
    return FormatError(msg)


def shown(shape: tuple[int, ...]) -> str:
    """A shape for errors; a hostile one may be long."""
    return f"shape {str(shape)[:_SHOWN]}"


def _dtype(array: PickledArray) -> str:
    return "none" if array.dtype is None else f"{array.dtype.order}{array.dtype.code}"


def _of_bytes(array: PickledArray, name: str) -> NDArray[Any]:
    """A view of the bytes of numbers."""
    dtype = NUMBERS.get(_dtype(array))
    if dtype is None:
        raise wrong(name, f"an array of dtype {_dtype(array)!r}", "floats or integers")
    needed = _count(array, name) * dtype.itemsize
    if not isinstance(array.data, memoryview) or len(array.data) != needed:
        size = len(array.data) if isinstance(array.data, memoryview) else 0
        raise wrong(name, counted(size, "byte"), f"{needed:,} for {dtype} of {shown(array.shape)}")
    numbers = np.frombuffer(array.data, dtype)
    return numbers.reshape(array.shape, order="F" if array.fortran_order else "C")


def _of_objects(array: PickledArray, name: str, *, room: int) -> NDArray[np.float32]:
    """A float32 array of the objects."""
    count, items = _count(array, name), array.data
    if not isinstance(items, list) or len(items) != count:
        size = len(items) if isinstance(items, list) else 0
        raise wrong(name, counted(size, "object"), f"{count:,} for {shown(array.shape)}")
    kinds = set(map(type, items))
    with np.errstate(over="ignore", invalid="ignore"):  # the caller checks that all are finite
        if kinds <= {int, float}:
            # Objects are listed in C order, whichever axis runs fastest in memory.
            return np.array(items, np.float64).astype(np.float32).reshape(array.shape)
        if kinds == {PickledArray} and len(array.shape) == 1:
            return _of_rows(items, name, room=room)
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise wrong(name, f"objects ({names})", "numbers, or one row of numbers each")


def _of_rows(items: list[Any], name: str, *, room: int) -> NDArray[np.float32]:
    """A float32 matrix of arrays of equal length; an array may have a first axis of 1."""
    needed = sum(len(item.data or b"") for item in items)
    if needed > room:
        found = f"rows of {needed:,} bytes in a file of {room:,}"
        raise wrong(name, found, "each row of the array once")
    width = _of_bytes(items[0], f"{name}, row 0").size
    rows = np.empty((len(items), width), np.float32)
    for index, item in enumerate(items):
        row = _of_bytes(item, f"{name}, row {index:,}")
        if row.shape not in ((width,), (1, width)):
            found, expected = f"an array of {shown(row.shape)}", f"{width:,} numbers, as in row 0"
            raise wrong(f"{name}, row {index:,}", found, expected)
        rows[index] = row.reshape(-1)
    return rows


def _count(array: PickledArray, name: str) -> int:
    """The number of elements; at least one."""
    if not 0 < len(array.shape) <= MAX_AXES or not all(size > 0 for size in array.shape):
        raise wrong(name, f"an array of {shown(array.shape)}", "axes of 1 or more")
    return math.prod(array.shape)
