"""How often words occur in some large text, as SIF needs it: from a model or from a text file."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sentvec.errors import FormatError, SourceError
from sentvec.models.kinds.load import load
from sentvec.text.unicode import decode


def read_counts(path: str | os.PathLike[str]) -> Mapping[str, int]:
    """Read word counts from a model folder, or from a file with a word and a count on each line.

    The count may come first, but then on every line: `2000 7` can be read both ways, so the whole
    file decides. If all lines can be read both ways, the word comes first.

    Raises:
        SourceError: The file cannot be read.
        FormatError: A line is not a word and a count.
    """
    if Path(path).is_dir():
        return load(path).vocabulary
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror or error} - expected a file of word counts"
        raise SourceError(msg) from error
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.split()]
    # The place of the count: the one at which more lines can be read.
    wrong, at = max((_first_wrong(rows, place), place) for place in (0, 1))
    if wrong <= len(lines):
        msg = f"{path}, line {wrong}: expected a word and a count, or on all lines the reverse, "
        raise FormatError(f"{msg}got {lines[wrong - 1][:60]!r}")
    if not rows:
        msg = f"{path} is empty - expected a word and a count on each line"
        raise FormatError(msg)
    counts: dict[str, int] = {}
    for _, fields in rows:
        word = decode(fields[1 - at])
        counts[word] = counts.get(word, 0) + int(fields[at])
    return counts


def _first_wrong(rows: Sequence[tuple[int, Sequence[bytes]]], at: int) -> int:
    """The first line without a count at this place; a huge number if there is none."""
    wrong = (line for line, row in rows if len(row) != 2 or not row[at].isdigit())
    return next(wrong, sys.maxsize)
