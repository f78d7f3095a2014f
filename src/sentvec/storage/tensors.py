"""Read and write `.safetensors` files without a copy in memory.

The format: 8 bytes length of a header (little-endian), the header as JSON (name -> dtype, shape,
offsets), then the arrays. The official library is the oracle of the tests; it is not used here
because it builds the whole file in memory to write it and copies every array it reads, and a model
may be larger than the memory.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.wording import counted

_DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}
_ALIGNMENT = 64  # so that mapped rows begin at a cache line where their size permits
_MAX_HEADER = 100_000_000
_WRITE_ROWS = 1 << 16


class Tensor(Protocol):
    """What can be written: an array, or an object that makes its rows when they are needed."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape, as of an array."""

    @property
    def nbytes(self) -> int:
        """Size of all numbers."""

    def __len__(self) -> int: ...
    def __getitem__(self, rows: slice, /) -> NDArray[Any]: ...


def write_tensors(path: Path, arrays: Mapping[str, Tensor]) -> None:
    """Write arrays to a file, some rows at a time."""
    names = {dtype: name for name, dtype in _DTYPES.items()}
    header: dict[str, Any] = {}
    end = 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        header[name] = {
            "dtype": names[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % _ALIGNMENT)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in arrays.values():
            for start in range(0, len(array), _WRITE_ROWS):
                file.write(np.ascontiguousarray(array[start : start + _WRITE_ROWS]).data)


def map_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Map the arrays of a file, read-only; only the header is read.

    Raises:
        FormatError: The header cannot be read, or the file is shorter than it says.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _MAX_HEADER):
            msg = f"{path}: the header should have {counted(length, 'byte')}, the file has {size:,}"
            raise FormatError(
                msg + " - the file is damaged, or not a safetensors file; copy it again"
            )
        text = file.read(length)
    try:
        header = json.loads(text)
        entries = {name: _entry(entry) for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        msg = f"{path}: the header cannot be read ({error!r}) - the file is damaged; copy it again"
        raise FormatError(msg) from error
    data = 8 + length
    for name, (dtype, shape, begin, end) in entries.items():
        if math.prod(shape) * dtype.itemsize != end - begin or min(begin, *shape) < 0:
            msg = f"{path}: the size of {name!r} does not fit its shape {shape}"
            raise FormatError(msg + " - the file is damaged; copy it again")
        if data + end > size:
            msg = f"{path}: {name!r} ends at byte {data + end:,}, the file at {size:,}"
            raise FormatError(msg + " - the file is truncated; copy it again")
    return {
        name: np.memmap(path, dtype, "r", data + begin, shape)
        if end > begin
        else np.zeros(shape, dtype)
        for name, (dtype, shape, begin, end) in entries.items()
    }


def _entry(entry: Any) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """Type, shape, begin and end of an array, as the header states them."""
    begin, end = map(operator.index, entry["data_offsets"])
    return _DTYPES[entry["dtype"]], tuple(map(operator.index, entry["shape"])), begin, end


def map_bytes(path: Path) -> NDArray[np.uint8]:
    """Map a whole file, read-only."""
    empty = path.stat().st_size == 0
    return np.zeros(0, np.uint8) if empty else np.memmap(path, np.uint8, "r")
