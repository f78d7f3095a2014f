"""Any corpus as a stream of blocks of bytes.

A corpus is a path, a glob, a list of paths, `-` (standard input) or an iterable of `str` with one
sentence each. Compression (gzip, xz, bzip2, zstd) is recognised from the content, not the name.
Each block ends at the end of a line, or at a separator where a line is longer than a block.
A byte-order mark at the start of a file is removed. Lines end at LF only.

Not here: what a word is (`tokenizer`), and what becomes of the words (`encoded`).
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from sentvec.errors import InputTypeError, SourceError
from sentvec.text.compression import damaged, decompress, kind_of, unreadable
from sentvec.text.unicode import SEPARATORS, encode, join_lines
from sentvec.wording import counted

CorpusLike = str | os.PathLike[str] | Iterable[str] | Iterable[os.PathLike[str]]

BLOCK_BYTES = 1 << 20
# A line longer than this is cut at a separator for counting; `encode` never cuts a line.
MAX_UNCUT_LINE = 1 << 24

_MAX_PATH = 4096
_HEAD_BYTES = 16
_BOM = b"\xef\xbb\xbf"
_TEXT_SUFFIXES = {".txt", ".gz", ".xz", ".bz2", ".zst", ".text", ".tok", ".tsv"}


@dataclass(frozen=True, slots=True)
class Source:
    """A named stream of text that can be opened.

    Args:
        name: For messages: the path, `<stdin>` or `<iterable>`.
        blocks: Opens the source and yields its blocks.
        held: Returns its present size in bytes of blocks; None where only reading tells it (a
            compressed file, a pipe, an iterable).
    """

    name: str
    blocks: Callable[[], Iterator[bytes]]
    held: Callable[[], int | None] = lambda: None


def open_corpus(corpus: CorpusLike) -> list[Source]:
    """The sources that a corpus argument names; checks that its files can be read.

    Raises:
        SourceError: A file is missing, is a directory or may not be opened.
        InputTypeError: The argument cannot be a corpus (`bytes`, `None`, a dict).
    """
    if isinstance(corpus, (str, os.PathLike)):
        return [_file_source(path) for path in _expand(corpus)]
    if isinstance(corpus, (bytes, bytearray, Mapping, Set)) or not isinstance(corpus, Iterable):
        msg = (
            f"a corpus cannot be of type {type(corpus).__name__} - expected a path, a glob, "
            "a list of paths or an iterable of str with one sentence each"
        )
        raise InputTypeError(msg)
    if isinstance(corpus, (list, tuple)) and _are_paths(corpus):
        return [_file_source(path) for item in corpus for path in _expand(item)]
    return [Source("<iterable>", lambda: _blocks_of_strings(cast(Iterable[str], corpus)))]


def open_stream(path: str) -> BinaryIO:
    """Open one file (or `-` for standard input) for reading, decompressed, its BOM skipped.

    Raises:
        SourceError: The file is missing, is a directory or may not be opened.
    """
    if path == "-" and sys.stdin.buffer.closed:
        msg = "standard input was already read - name - only once"
        raise SourceError(msg)
    try:
        raw = sys.stdin.buffer if path == "-" else Path(path).open("rb")  # noqa: SIM115
    except OSError as error:
        raise unreadable(path, error) from error
    return decompress(raw, path)


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream without their LF; an unfinished last line is a line."""
    first = True
    for line in stream:
        if first:
            line, first = _without_bom(line, getattr(stream, "name", "the text")), False
        yield line.removesuffix(b"\n")


def _are_paths(items: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a list holds paths, not sentences.

    Path objects are paths. Strings are paths where all name files; or where none contains white
    space, and at least one names a file or all have the suffix of a text file: a mistyped name must
    not become a sentence.
    """
    if any(isinstance(item, os.PathLike) for item in items):
        return True
    if not items or not all(isinstance(item, str) for item in items):
        return False
    if all(_is_file(item) for item in items):
        return True
    if not all(len(item.split()) == 1 for item in items):
        return False
    return any(_is_file(item) for item in items) or all(
        Path(item).suffix in _TEXT_SUFFIXES for item in items
    )


def _is_file(item: str) -> bool:
    try:
        return Path(item).is_file()
    except (OSError, ValueError):  # too long for a name, or a NUL in it
        return False


def _expand(item: str | os.PathLike[str]) -> list[str]:
    """A path, or the sorted files of a glob."""
    path = os.fspath(item)
    if "\n" in path or len(path) > _MAX_PATH:
        msg = f"the corpus is a str of {counted(len(path), 'character')} - expected a path; for "
        raise SourceError(msg + "the text itself, pass text.splitlines()")
    if "\0" in path:
        msg = f"{path!r:.60} is not a path: it contains a NUL - expected a path, or a list "
        raise SourceError(msg + "of sentences")
    if path == "-" or os.path.lexists(path) or not glob.has_magic(path):
        return [path]
    found = sorted(match for match in glob.glob(path, recursive=True) if Path(match).is_file())
    if not found:
        msg = f"no file matches {path!r} - check the pattern, and quote it in the shell"
        raise SourceError(msg)
    return found


def _file_source(path: str) -> Source:
    if path == "-":
        return Source("<stdin>", lambda: _blocks_of_stream(open_stream("-"), "<stdin>"))
    if not _is_pipe(path):  # a look into a pipe would lose what it reads
        open_stream(
            path
        ).close()  # a file that cannot be read should fail now, not after the others
    return Source(
        path, lambda: _blocks_of_stream(open_stream(path), path), lambda: _size_of_plain(path)
    )


def _size_of_plain(path: str) -> int | None:
    """The size of a plain file without its byte-order mark."""
    try:
        if not Path(path).is_file():  # a pipe is not opened twice
            return None
        with Path(path).open("rb") as file:
            head, size = file.read(_HEAD_BYTES), os.fstat(file.fileno()).st_size
    except OSError:  # it was deleted meanwhile
        return None
    if kind_of(head) is not None:
        return None
    return size - len(_BOM) if head.startswith(_BOM) else size


def _is_pipe(path: str) -> bool:
    try:
        return Path(path).is_fifo()
    except OSError:
        return False


def _blocks_of_stream(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield blocks of whole lines; errors name the file."""
    rest = b""
    first = True
    with stream:
        while True:
            try:
                data = stream.read(BLOCK_BYTES)
            except SourceError:
                raise
            except OSError as error:
                raise damaged(name, error) from error
            if first:
                data, first = _without_bom(data, name), False
            if not data:
                break
            block, rest = _cut(rest + data)
            if block:
                yield block
    if rest:
        yield rest


def _without_bom(data: bytes, name: str) -> bytes:
    """Remove the byte-order mark from the first bytes of a file; refuse UTF-16 and UTF-32."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") and b"\0" in data[:64]:
        msg = f"{name} is UTF-16 or UTF-32 - convert it to UTF-8 (iconv -t UTF-8)"
        raise SourceError(msg)
    return data.removeprefix(_BOM)


def _cut(data: bytes) -> tuple[bytes, bytes]:
    """Cut after the last LF, or after the last separator where a line is very long."""
    end = data.rfind(b"\n") + 1
    if not end and len(data) >= MAX_UNCUT_LINE:
        end = max(map(data.rfind, SEPARATORS)) + 1
    return data[:end], data[end:]


def _blocks_of_strings(sentences: Iterable[str]) -> Iterator[bytes]:
    """Yield blocks from an iterable of str, one sentence each; an empty one ends a document."""
    lines: list[str] = []
    size = 0
    for index, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            msg = (
                f"item {index} of the corpus is of type {type(sentence).__name__} - "
                "expected str, one sentence each"
            )
            raise InputTypeError(msg)
        lines.append(join_lines(sentence))
        size += len(sentence) + 1
        if size >= BLOCK_BYTES:
            yield encode("\n".join([*lines, ""]))
            lines, size = [], 0
    if lines:
        yield encode("\n".join([*lines, ""]))
