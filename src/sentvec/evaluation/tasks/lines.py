r"""From the bytes of a file to its lines: encoding, line ends, checksum.

A line ends in `\n` or `\r\n` and nowhere else: the latin-1 files hold 0x85, which `str.splitlines`
takes for the end of a line. Control characters, no-break spaces and U+FFFD stay what they are: what
separates words is for the tokenizer of a model to say.

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
# What a failed download leaves in the place of a file.
_NO_DATA = (b"<!doctype", b"<html", b"<?xml", b"404: not found", b"version https://git-lfs")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file, without what ends them."""

    path: Path
    lines: list[str]
    checksum: str  # BLAKE2b of the bytes, 16 bytes in hexadecimal
    encoding: Literal["utf-8", "latin-1"]


def read_lines(path: Path, fallback: Literal["utf-8", "latin-1"] = "utf-8") -> Lines:
    """Read a file as UTF-8, with or without a byte order mark.

    The classification sets go around both as latin-1, as their makers released them, and as UTF-8.
    The bytes tell: text in latin-1 with an accent in it is hardly ever valid UTF-8.

    Args:
        path: The file.
        fallback: What the file is if it is not UTF-8; "utf-8" makes that an error.

    Raises:
        SourceError: The file cannot be read.
        FormatError: It is empty, or no text, or of another encoding.
    """
    with _opened(path) as file:
        data = file.read()
    checksum = _sum(data).hexdigest()
    if data.startswith(_UTF16):
        msg = f"{path} is UTF-16 - expected UTF-8 - convert it (iconv -f UTF-16 -t UTF-8)"
        raise FormatError(msg)
    data = data.removeprefix(_BOM)
    if not data.strip():
        msg = f"{path} is empty - expected one item a line - fetch it again"
        raise FormatError(msg)
    if data[:100].lstrip().lower().startswith(_NO_DATA):
        msg = f"{path} begins with {data[:30]!r}: no data, but what a failed download leaves"
        raise FormatError(msg + " - expected one item a line - fetch it again")
    text, encoding = _decode(path, data, fallback)
    lines = text.removesuffix("\n").split("\n")
    return Lines(path, [line.removesuffix("\r") for line in lines], checksum, encoding)


def as_text(cell: str, *, lowercase: bool) -> str:
    """A sentence as models get it: without the spaces around it, and lower-cased if so asked."""
    text = cell.strip(" ")
    return text.lower() if lowercase else text


def checksum_of(path: Path) -> str:
    """The sum by which two runs can tell that they read the same bytes."""
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
        msg = f"{path}:{line} is not UTF-8 (it holds {found!r}) - expected UTF-8"
        raise FormatError(msg + " - convert the file (iconv -t UTF-8)") from error
