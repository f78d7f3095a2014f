"""The dictionary of the fastText family: skipped at once when opened, parsed when first used.

An entry is the bytes of the word, NUL, its count (int64) and its type (int8: 0 word, 1 label). The
position of an entry is its id; words come before labels. A word is any bytes except NUL; it may be
empty, though no text has such a word. Of two equal words the later one counts, as in the programs
that wrote the file.

One regular expression skips the entries, millions in a fraction of a second, without a Python
object for each: a model of many words must open instantly.
"""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.shared.cursor import Cursor
from sentvec.text.unicode import decode
from sentvec.text.vocabulary import Vocabulary
from sentvec.wording import counted

WORD, LABEL = 0, 1
_KINDS = {WORD: "word", LABEL: "label"}
_AFTER_WORD = 10  # NUL, count, type
# Possessive: nothing is tried twice, so that damaged bytes take no more time than valid ones. The
# last byte of a count has its sign.
_ENTRIES = rb"(?s)(?:[^\0]*+\0.{7}[\0-\x7f][%c]){%d,%d}+"
_ENTRY_WORD = re.compile(rb"(?s)([^\0]*+)\0.{9}")


@dataclass(frozen=True, slots=True)
class Entries:
    """Consecutive entries of one type, already checked."""

    path: Path
    data: mmap.mmap | bytes
    begin: int
    end: int
    count: int

    def parse(self) -> tuple[list[str], NDArray[np.int64]]:
        """The words and their counts.

        Raises:
            FormatError: The file has changed since it was opened.
        """
        words = _ENTRY_WORD.findall(self.data, self.begin, self.end)
        ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)) + _AFTER_WORD)
        if len(words) != self.count or (self.count and self.begin + ends[-1] != self.end):
            msg = f"{self.path}: the dictionary has changed since the file was opened"
            raise FormatError(msg + " - open it again")
        if not words:
            return [], np.zeros(0, np.int64)
        # A number at every byte of the entries, of which some are counts.
        numbers: NDArray[np.int64] = np.ndarray(
            (self.end - self.begin - 8,), "<i8", self.data, self.begin, (1,)
        )
        return list(map(decode, words)), numbers[ends - (_AFTER_WORD - 1)]

    def vocabulary(self) -> Vocabulary:
        """The words and counts as a vocabulary."""
        return Vocabulary(*self.parse())


def skip_entries(cursor: Cursor, count: int, kind: int) -> Entries:
    """Check the next `count` entries, all of one type, and move the cursor behind them.

    Raises:
        FormatError: Some are missing, have a negative count, or are of another type.
    """
    begin = cursor.position
    if count:
        cursor.demand(count * _AFTER_WORD, f"a dictionary of {counted(count, _KINDS[kind])}")
        entries = re.compile(_ENTRIES % (kind, count, count)).match(cursor.data, begin)
        if entries is None:
            raise _damage(cursor, count, kind)
        cursor.position = entries.end()
    return Entries(cursor.path, cursor.data, begin, cursor.position, count)


def _damage(cursor: Cursor, count: int, kind: int) -> FormatError:
    """The error about the first entry that is not valid."""
    valid = re.compile(_ENTRIES % (kind, 0, count)).match(cursor.data, cursor.position)
    begin = valid.end() if valid else cursor.position
    end = cursor.data.find(b"\0", begin)
    if end < 0 or end + _AFTER_WORD > cursor.size:
        msg = (
            f"{cursor.path} ends at byte {cursor.size:,}, expected an entry of the dictionary (the "
            f"bytes of a {_KINDS[kind]}, NUL, count and type) at byte {begin:,} - the file is "
            "truncated or damaged; copy it again"
        )
        return FormatError(msg)
    cursor.position = end + 1
    name = f"the entry {cursor.data[begin : min(end, begin + 60)]!r}"
    number = cursor.int64("a count")
    if number < 0:
        return cursor.error(end + 1, f"a count of {name}, 0 or more", number)
    found = cursor.data[end + 9]
    return cursor.error(end + 9, f"type {kind} ({_KINDS[kind]}) of {name}", found)
