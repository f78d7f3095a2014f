"""Detect the layout of a file of word vectors from its content, not its name.

A size line (`words dim`) is optional; then follows text, or words alternating with raw float32.
Lines of text end with equally many numbers. Also here: the error for a file that is not a model.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.word_vector_files.decimals import NOT_FINITE, NUMBER

BOM = codecs.BOM_UTF8
READABLE = (
    "readable are folders of sentvec, binaries of Sent2Vec and fastText (.bin, .ftz), and word "
    "vectors as word2vec (binary or text), GloVe and fastText (.vec) write them, gzipped or not"
)

_HEAD_BYTES = 1 << 20  # a longer first line is not a line of vectors
_MAX_LINES = 100  # that are examined
_MAX_DIM = 1_000_000
_SIZE_LINE = re.compile(rb"[ \t]*(\d+)[ \t]+(\d+)[ \t\r]*\n")
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f]")

_NAMED_BEGINNINGS = {
    b"PK\x03\x04": "a zip archive (.zip, .npz, .docx): unpack it, or name the file inside",
    b"\x93NUMPY": "a NumPy array (.npy)",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"\x89HDF": "an HDF5 file",
    b"\x7fELF": "a program",
    b"\xfd7zXZ": "xz-compressed: decompress it with unxz",
    b"BZh": "bzip2-compressed: decompress it with bunzip2",
    b"\x28\xb5\x2f\xfd": "zstd-compressed: decompress it with unzstd",
    b"SQLite format 3": "an SQLite database",
}
_PICKLE = re.compile(rb"\x80[\x02-\x05](?:\x95|[\]\}(c\x8cq])")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file of word vectors is laid out.

    Args:
        form: "text", "binary", or "either" where a short file could be both.
        words: The number of words by the size line; None without one.
        dim: Dimensions of the vectors.
        start: Byte where the first word begins.
    """

    form: str
    words: int | None
    dim: int
    start: int


def recognise(data: NDArray[np.uint8]) -> Layout | None:
    """The layout of a file of word vectors by its head, or None if it cannot be one.

    The numbers of a size line are not checked here, but in `check_sizes`.
    """
    head = data[:_HEAD_BYTES].tobytes()
    start = len(BOM) if head.startswith(BOM) else 0
    sizes = _SIZE_LINE.match(head, start)
    if sizes:
        words, dim = (int(number[:19]) for number in sizes.groups())  # 19 digits are absurd enough
        return Layout(_form(head[sizes.end() :], dim), words, dim, sizes.end())
    dim = _numbers_at_ends(head[start:], whole=len(data) <= _HEAD_BYTES)
    # One number for each word is a list of counts; vectors of one number need the size line.
    return Layout("text", None, dim, start) if dim >= 2 else None


def check_sizes(layout: Layout, data: NDArray[np.uint8], name: str) -> None:
    """Check the size line against the length of the file.

    Raises:
        FormatError: The size line states no vectors, or more than fit the file.
    """
    words, dim, room = layout.words, layout.dim, len(data) - layout.start
    if words is None:
        return
    said = f"{name}: the size line says {words:,} words of {dim:,} numbers"
    if words < 1 or dim < 1:
        msg = f"{said} - expected at least one of each; there are no vectors to load"
        raise FormatError(msg)
    # A number takes a space and a digit in text and four bytes in binary; a word takes two.
    needed = words * ((4 if layout.form == "binary" else 2) * dim + 2)
    if dim > _MAX_DIM or needed - 1 > room:
        msg = f"{said}, which take at least {needed:,} bytes; {room:,} follow - the file is "
        raise FormatError(msg + "truncated or damaged; copy it again")


def not_a_model(path: Path, data: NDArray[np.uint8]) -> FormatError:
    """The error for a file of no known layout; it says what the file seems to be."""
    head = data[:_HEAD_BYTES].tobytes()
    if _PICKLE.match(head):
        msg = f"{path} is a Python pickle, which can run any program when it is read - "
        return FormatError(
            msg + "with gensim, save a model as model.wv.save_word2vec_format(path, binary=True)"
        )
    return FormatError(f"{path} is not a model but {_seems(head)} - {READABLE}")


def _seems(head: bytes) -> str:
    if not head:
        return "an empty file"
    for beginning, what in _NAMED_BEGINNINGS.items():
        if head.startswith(beginning):
            return what
    if _is_utf8_text(head):
        first = head.removeprefix(BOM).lstrip().partition(b"\n")[0][:60].strip()
        shown = repr(first.decode("utf-8", "ignore"))
        return f"a text that begins with {shown}, and not with words and their numbers"
    return f"of unknown content, beginning with the bytes {head[:8].hex(' ')}"


def _form(rest: bytes, dim: int) -> str:
    """The form of what follows the size line: "text", "binary" or "either"."""
    first, line_end, _ = rest.partition(b"\n")
    if not rest or (dim and _trailing_numbers(first) == dim and (line_end or len(rest) < 1 << 20)):
        return "text"
    start = rest.find(b" ") + 1
    vector = rest[start : start + 4 * dim]
    if not start or not _is_utf8_text(vector):
        return "binary"
    return "either"


def _is_utf8_text(data: bytes) -> bool:
    if _CONTROL.search(data):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # may end inside a character
    except UnicodeDecodeError:
        return False
    return True


def _numbers_at_ends(head: bytes, *, whole: bool) -> int:
    """How many numbers most lines have after a word; 0 if they are not word vectors."""
    lines = head.split(b"\n", _MAX_LINES)
    if len(lines) > _MAX_LINES or not whole:
        lines.pop()  # it may be incomplete
    lines = [line for line in lines if line.strip()]
    if any(b"\0" in line for line in lines):
        return 0
    if all(NUMBER.fullmatch(line.split()[0]) for line in lines):
        return 0  # a matrix of numbers without words, as print-sentence-vectors writes
    counts = Counter(map(_trailing_numbers, lines))
    number, lines_with_it = counts.most_common(1)[0]
    return number if 2 * lines_with_it >= len(lines) else 0


def _trailing_numbers(line: bytes) -> int:
    """How many fields at the end of a line are numbers; its first field is the word."""
    fields = line.split()
    for index in range(len(fields) - 1, 0, -1):
        if not (NUMBER.fullmatch(fields[index]) or NOT_FINITE.fullmatch(fields[index])):
            return len(fields) - 1 - index
    return max(len(fields) - 1, 0)
