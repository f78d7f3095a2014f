"""Read numbers and arrays of a mapped file, one after the other, never beyond its end.

Whatever the bytes are, the only error is a `FormatError`, which names the file, the byte, what was
expected there and what is there. Arrays are views of the mapping: nothing of them is copied or
read.

Not here: what the numbers mean, and whether they are sensible; each reader checks that.
"""

from __future__ import annotations

import math
import mmap
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError


class TruncatedError(FormatError):
    """The file ends too early; for users a `FormatError`."""


class Cursor:
    """A position in a mapped little-endian file that advances as values are read.

    Args:
        path: Name of the file in errors.
        data: The mapped file, or its first bytes.
        position: Where to begin.
    """

    def __init__(self, path: Path, data: mmap.mmap | bytes, position: int = 0) -> None:
        self.path = path
        self.data = data
        self.size = len(data)
        self.position = position

    @property
    def left(self) -> int:
        """The number of bytes from the position to the end."""
        return self.size - self.position

    def int32(self, what: str) -> int:
        """Read a signed 32-bit number; `what` names it in errors."""
        return int(self._number("<i", what))

    def int64(self, what: str) -> int:
        """Read a signed 64-bit number."""
        return int(self._number("<q", what))

    def float64(self, what: str) -> float:
        """Read a 64-bit floating point number."""
        return float(self._number("<d", what))

    def flag(self, what: str) -> bool:
        """Read a byte that is 0 or 1."""
        value = self._number("<B", what)
        if value > 1:
            raise self.error(self.position - 1, f"0 or 1 ({what})", value)
        return bool(value)

    def array(self, dtype: str, shape: tuple[int, ...], what: str) -> NDArray[Any]:
        """Map an array without reading it; it is read-only, at any alignment.

        The caller checks that no size is negative.
        """
        count = math.prod(shape)
        length = count * np.dtype(dtype).itemsize
        self.demand(length, what)
        begin, self.position = self.position, self.position + length
        if count == 0:  # NumPy would refuse an offset at the very end
            return np.zeros(shape, dtype)
        return np.frombuffer(self.data, dtype, count, begin).reshape(shape)

    def demand(self, length: int, what: str) -> None:
        """Check that `length` bytes are left.

        Raises:
            TruncatedError: There are fewer.
        """
        if length > self.left:
            msg = (
                f"{self.path} ends at byte {self.size:,}, expected {what} from byte "
                f"{self.position:,} to byte {self.position + length:,} - the file is truncated "
                "or damaged; copy it again"
            )
            raise TruncatedError(msg)

    def error(self, offset: int, expected: str, got: object) -> FormatError:
        """The error to raise about the value at an offset."""
        msg = f"{self.path}, byte {offset:,}: expected {expected}, got {got}"
        return FormatError(msg + " - the file is damaged, or not a model that sentvec can read")

    def _number(self, code: str, what: str) -> Any:
        length = struct.calcsize(code)
        self.demand(length, what)
        (value,) = struct.unpack_from(code, self.data, self.position)
        self.position += length
        return value
