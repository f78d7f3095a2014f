r"""From the bytes of a file to its lines: encoding, line ends, checksum.

A line ends in `\n` or `\r\n` and nowhere else: the latin-1 files contain 0x85, where
`str.splitlines` ends a line. Control characters, no-break spaces and U+FFFD stay as they are: the
tokenizer of a model decides what separates words.

Not here: what the lines mean (`readers`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Literal

from sentvec.errors import FormatError, SourceError

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
# What a failed download leaves instead of a file.
_NO_DATA = (b"<!doctype", b"<html", b"<?xml", b"404: not found", b"version https://git-lfs")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file, without their line ends."""

    path: Path
    lines: list[str]
    checksum: str  # BLAKE2b of the bytes, 16 bytes in hexadecimal
    encoding: Literal["utf-8", "latin-1"]


def read_lines(path: Path, fallback: Literal["utf-8", "latin-1"] = "utf-8") -> Lines:
    """Read a file as UTF-8, with or without a byte order mark.

    The classification sets are in use both as latin-1, as they were released, and as UTF-8. The
    encoding is detected from the bytes: accented text in latin-1 is hardly ever valid UTF-8.

    Args:
        path: The file.
        fallback: The encoding of a file that is not UTF-8; "utf-8" makes that an error.

    Raises:
        SourceError: The file cannot be read.
        FormatError: It is empty, or not text, or in another encoding.
    """
    with _opened(path) as file:
        data = file.read()
    checksum = _sum(data).hexdigest()
    if data.startswith(_UTF16):
        msg = f"{path} is UTF-16 - expected UTF-8 - convert it (iconv -f UTF-16 -t UTF-8)"
        raise FormatError(msg)
    data = data.removeprefix(_BOM)
    if not data.strip():
        msg = f"{path} is empty - expected one item on each line - download it again"
        raise FormatError(msg)
    if data[:100].lstrip().lower().startswith(_NO_DATA):
        msg = f"{path} begins with {data[:30]!r}, as after a failed download"
        raise FormatError(msg + " - expected one item on each line - download it again")
    text, encoding = _decode(path, data, fallback)
    lines = text.removesuffix("\n").split("\n")
    return Lines(path, [line.removesuffix("\r") for line in lines], checksum, encoding)


def as_text(cell: str, *, lowercase: bool) -> str:
    """A sentence as models get it: without the spaces around it, lower-cased if asked for."""
    text = cell.strip(" ")
    return text.lower() if lowercase else text


def checksum_of(path: Path) -> str:
    """The checksum that tells whether two runs read the same bytes."""
    with _opened(path) as file:
        return hashlib.file_digest(file, _sum).hexdigest()


def _sum(data: bytes = b"") -> hashlib.blake2b:
    return hashlib.blake2b(data, digest_size=16)


def _opened(path: Path) -> BufferedReader:
    """Open a file, or say why it cannot be opened."""
    try:
        return path.open("rb")
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}) - expected a file of evaluation data"
        raise SourceError(msg) from error


def _decode(
    path: Path, data: bytes, fallback: Literal["utf-8", "latin-1"]
) -> tuple[str, Literal["utf-8", "latin-1"]]:
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if fallback == "latin-1":
            return data.decode("latin-1"), "latin-1"
        line = data.count(b"\n", 0, error.start) + 1
        found = data[error.start : error.start + 10].partition(b"\n")[0]
        msg = f"{path}:{line} is not UTF-8 (it contains {found!r}) - expected UTF-8"
        raise FormatError(msg + " - convert the file (iconv -t UTF-8)") from error
