"""Read numbers and arrays of a mapped file, one after the other, never beyond its end.

Whatever the bytes are, nothing but a `FormatError` comes out, and it names the file, the byte, what
was expected there and what was found. Arrays are views of the mapping: nothing is copied, and no
page of them is touched.

Not here: what the numbers mean, and whether they are sensible (each reader's own business).
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
    """The file ends before something that should be there; for users a `FormatError`."""


class Cursor:
    """A place in a mapped file, little-endian, that moves on as values are read.

    Args:
        path: What errors call the file.
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
        """The number of bytes between here and the end."""
        return self.size - self.position

    def int32(self, what: str) -> int:
        """Read a signed 32-bit number; `what` is what errors call it."""
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
        """Map an array without reading it; it is read-only and may lie at any address.

        That no size is negative is the caller's to check.
        """
        count = math.prod(shape)
        length = count * np.dtype(dtype).itemsize
        self.demand(length, what)
        begin, self.position = self.position, self.position + length
        if count == 0:  # NumPy would refuse an offset at the very end
            return np.zeros(shape, dtype)
        return np.frombuffer(self.data, dtype, count, begin).reshape(shape)

    def demand(self, length: int, what: str) -> None:
        """Check that so many bytes are left.

        Raises:
            TruncatedError: The file ends before.
        """
        if length > self.left:
            msg = (
                f"{self.path} ends at byte {self.size:,}, expected {what} from byte "
                f"{self.position:,} to byte {self.position + length:,} - the file is truncated "
                "or damaged; copy it again"
            )
            raise TruncatedError(msg)

    def error(self, offset: int, expected: str, found: object) -> FormatError:
        """The error to raise about what stands at an offset."""
        msg = f"{self.path}, byte {offset:,}: expected {expected}, found {found}"
        return FormatError(msg + " - the file is damaged, or no model sentvec can read")

    def _number(self, code: str, what: str) -> Any:
        length = struct.calcsize(code)
        self.demand(length, what)
        (value,) = struct.unpack_from(code, self.data, self.position)
        self.position += length
        return value
