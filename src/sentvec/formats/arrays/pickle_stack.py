"""The stack, the memo and the position of a pickle that is read but not run.

Also here: the names and descriptions that a pickle of arrays consists of. No length is trusted
before the bytes are there, and neither the stack nor the memo grows beyond what the arrays of a
file of this size need. Not here: the opcodes (`pickle_opcodes`).
"""

from __future__ import annotations

import enum
import mmap
from dataclasses import dataclass
from typing import NoReturn

from sentvec.wording import counted

MAX_ON_STACK = 4_000  # picklers put a thousand items of a list there at once
_BYTES_PER_VALUE = 4  # minimum size of a file for each value in the memo
_MIN_REMEMBERED = 16


class Name(enum.Enum):
    """The names that a pickle of arrays may use; none is imported."""

    RECONSTRUCT = "_reconstruct"
    NDARRAY = "ndarray"
    DTYPE = "dtype"
    ENCODE = "encode"


@dataclass(slots=True, eq=False)
class PickledDtype:
    """What a pickle says about a dtype: "f4" or "O8", and "<", ">" or "|" if given."""

    code: str
    order: str | None = None


@dataclass(slots=True, eq=False)
class PickledArray:
    """What a pickle says about an array; only the types are checked.

    The data are the bytes of the numbers, a view of the file, or a list of objects.
    """

    shape: tuple[int, ...] = ()
    dtype: PickledDtype | None = None
    fortran_order: bool = False
    data: memoryview | list[object] | None = None


class RefusedError(Exception):
    """The pickle contains what no array needs; the message says what."""


class DamagedError(Exception):
    """The pickle is not complete; the message says what is missing."""


class Machine:
    """The state of a pickle while it is read.

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
        self._max_remembered = _MIN_REMEMBERED + self.size // _BYTES_PER_VALUE

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
            left = self.size - self.position
            damaged(f"expected {counted(length, 'more byte')}, got {left:,}")
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
        """Mark where a tuple or list begins."""
        if len(self.marks) >= MAX_ON_STACK:
            refused(f"sets more than {MAX_ON_STACK:,} marks")
        self.marks.append(len(self.stack))

    def since_mark(self) -> list[object]:
        """Take everything above the last mark from the stack."""
        if not self.marks:
            damaged("no mark was set")
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def remember(self, index: int) -> None:
        """Store the top of the stack in the memo under a number."""
        if not self.stack:
            damaged("nothing is on the stack")
        self.memo[index] = self.stack[-1]
        if len(self.memo) > self._max_remembered:
            refused(f"remembers more than {self._max_remembered:,} values")

    def recall(self, index: int) -> None:
        """Put on the stack what the memo has under a number."""
        if index not in self.memo:
            damaged(f"nothing was remembered as number {index:,}")
        self.stack.append(self.memo[index])

    def encode(self, text: str) -> None:
        """Put the bytes that a text stands for on the stack; a file encodes each text once."""
        self._encoded += len(text)
        if self._encoded > self.size:
            refused("encodes more bytes of text than it has")
        self.stack.append(memoryview(text.encode("latin-1")))


def damaged(what: str) -> NoReturn:
    """Raise the error for a pickle that is not complete."""
    raise DamagedError(what)


def refused(what: str) -> NoReturn:
    """Raise the error for a pickle that contains what no array needs."""
    raise RefusedError(what)
