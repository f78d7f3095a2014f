"""The stack, the memory and the place in the file of a pickle that is read and not run.

Also here: the names and descriptions a pickle of arrays is made of. No length is believed before
the bytes are there, and neither the stack nor what is remembered grows beyond what the arrays of a
file of this size need. Not here: the opcodes (`pickle_opcodes`).
"""

from __future__ import annotations

import enum
import mmap
from dataclasses import dataclass
from typing import NoReturn

MAX_ON_STACK = 4_000  # picklers put a thousand items of a list there at once
_BYTES_REMEMBERED = 4  # of a file, at least, for each value that is remembered
_ALWAYS_REMEMBERED = 16


class Name(enum.Enum):
    """The names a pickle of arrays may use; they stand for themselves."""

    RECONSTRUCT = "_reconstruct"
    NDARRAY = "ndarray"
    DTYPE = "dtype"
    ENCODE = "encode"


@dataclass(slots=True, eq=False)
class PickledDtype:
    """What a pickle says of a dtype: "f4" or "O8", and "<", ">" or "|", where it says so."""

    code: str
    order: str | None = None


@dataclass(slots=True, eq=False)
class PickledArray:
    """What a pickle says of an array; nothing of it is checked but the types.

    The data are the bytes of the numbers, where they lie in the file, or a list of objects.
    """

    shape: tuple[int, ...] = ()
    dtype: PickledDtype | None = None
    fortran_order: bool = False
    data: memoryview | list[object] | None = None


class RefusedError(Exception):
    """The pickle asks for what no array needs; the message says what."""


class DamagedError(Exception):
    """The pickle is not a whole one; the message says where it breaks."""


class Machine:
    """What a pickle changes while it is read.

    Args:
        data: The file.
        position: Where the pickle begins.
    """

    def __init__(self, data: mmap.mmap | bytes, position: int) -> None:
        self.data = data
        self.view = memoryview(data)
        self.size = len(data)
        self.position = position
        self.stack: list[object] = []
        self.marks: list[int] = []
        self.memo: dict[int, object] = {}
        self._encoded = 0
        self._most_remembered = _ALWAYS_REMEMBERED + self.size // _BYTES_REMEMBERED

    def byte(self) -> int:
        """The next byte."""
        position = self.position
        if position >= self.size:
            damaged("it ends here")
        self.position = position + 1
        return self.view[position]

    def take(self, length: int) -> memoryview:
        """The next bytes, in place."""
        end = self.position + length
        if not self.position <= end <= self.size:
            damaged(f"{length:,} bytes should follow, and {self.size - self.position:,} do")
        taken = self.view[self.position : end]
        self.position = end
        return taken

    def line(self, longest: int | None = None) -> bytes:
        """The bytes up to the next line feed."""
        limit = self.size if longest is None else self.position + longest
        end = self.data.find(b"\n", self.position, limit)
        if end < 0:
            damaged("a line has no end")
        line = self.data[self.position : end]
        self.position = end + 1
        return line

    def pop(self) -> object:
        """Take the top of the stack."""
        if not self.stack:
            damaged("nothing is on the stack")
        return self.stack.pop()

    def top(self) -> object:
        """Look at the top of the stack."""
        if not self.stack:
            damaged("nothing is on the stack")
        return self.stack[-1]

    def mark(self) -> None:
        """Mark the place where a tuple or list begins."""
        if len(self.marks) >= MAX_ON_STACK:
            refused(f"sets more than {MAX_ON_STACK:,} marks")
        self.marks.append(len(self.stack))

    def since_mark(self) -> list[object]:
        """Take what was put on the stack since the last mark."""
        if not self.marks:
            damaged("no mark was set")
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def remember(self, index: int) -> None:
        """Keep the top of the stack under a number."""
        if not self.stack:
            damaged("nothing is on the stack")
        self.memo[index] = self.stack[-1]
        if len(self.memo) > self._most_remembered:
            refused(f"remembers more than {self._most_remembered:,} values")

    def recall(self, index: int) -> None:
        """Put on the stack what was kept under a number."""
        if index not in self.memo:
            damaged(f"nothing was remembered as number {index:,}")
        self.stack.append(self.memo[index])

    def encode(self, text: str) -> None:
        """Put the bytes on the stack that a text stands for; a file encodes no text twice."""
        self._encoded += len(text)
        if self._encoded > self.size:
            refused("makes more bytes of its texts than it has")
        self.stack.append(memoryview(text.encode("latin-1")))


def damaged(what: str) -> NoReturn:
    """Say that the pickle is no whole one."""
    raise DamagedError(what)


def refused(what: str) -> NoReturn:
    """Say that the pickle asks for what no array needs."""
    raise RefusedError(what)
