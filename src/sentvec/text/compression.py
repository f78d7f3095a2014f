"""Decompress files by their first bytes: gzip, xz, bzip2, zstd, or plain.

A damaged or truncated file raises `SourceError` with its name, whichever library reads it; closing
the stream closes the file.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO, cast

from sentvec.errors import MissingExtraError, SourceError

_PIECE_BYTES = 1 << 20
_COMPRESSED_BYTES = 1 << 16  # of zstd, decompressed at a time

_MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}


def decompress(raw: IO[bytes], name: str) -> BinaryIO:
    """Wrap a stream in the decompressor that its first bytes call for."""
    # A buffered file shows its first bytes without consuming them, a pipe as well.
    try:
        head = raw.peek(6)[:6] if hasattr(raw, "peek") else b""
    except OSError as error:
        raise unreadable(name, error) from error
    kind = kind_of(head)
    if kind is None:
        return cast(BinaryIO, raw)
    if kind == "zstd":
        pieces = _pieces_of_zstd(raw, *_zstd_library(raw, name))
    else:
        opener: Any = {"gzip": gzip.open, "xz": lzma.open, "bzip2": bz2.open}[kind]
        opened = opener(raw)
        pieces = iter(lambda: opened.read(_PIECE_BYTES), b"")
    return cast(BinaryIO, io.BufferedReader(_Decompressed(pieces, raw, name), _PIECE_BYTES))


def kind_of(head: bytes) -> str | None:
    """The compression of a file with these first bytes; None for a plain file."""
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


class _Decompressed(io.RawIOBase):
    """A stream of decompressed pieces; errors name the file, and closing it closes the file."""

    def __init__(self, pieces: Iterator[bytes], raw: IO[bytes], name: str) -> None:
        self._pieces, self._raw, self._name = pieces, raw, name
        self._piece = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._piece or memoryview(next(self._pieces, b""))
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            raise damaged(self._name, error) from error
        size = min(len(piece), len(buffer))
        buffer[:size], self._piece = piece[:size], piece[size:]
        return size

    def close(self) -> None:
        super().close()
        self._raw.close()


def damaged(name: str, error: Exception) -> SourceError:
    """The error for a file that cannot be read to its end."""
    return SourceError(
        f"{name} cannot be read to its end: {error} - the file may be damaged; copy it again"
    )


def _zstd_library(raw: IO[bytes], name: str) -> tuple[Callable[[], Any], type[Exception]]:
    """The constructor of a decompressor of one frame, and the error that it raises."""
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdDecompressor, zstd.ZstdError
    try:
        import zstandard
    except ImportError as error:
        raw.close()
        msg = f"{name} is zstd-compressed - install the reader with: pip install 'sentvec[zstd]'"
        raise MissingExtraError(msg) from error
    return zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError


def _pieces_of_zstd(
    raw: IO[bytes], new_frame: Callable[[], Any], failure: type[Exception]
) -> Iterator[bytes]:
    # Frame by frame: the library's own reader accepts a truncated file as complete.
    frame = new_frame()
    try:
        while data := raw.read(_COMPRESSED_BYTES):
            while data:
                frame = new_frame() if frame.eof else frame
                if piece := frame.decompress(data):
                    yield piece
                data = frame.unused_data
    except failure as error:
        raise OSError(str(error)) from error
    if not frame.eof:
        msg = "the last frame is not complete"
        raise EOFError(msg)


def unreadable(path: str, error: OSError) -> SourceError:
    """The error for a file that cannot be opened."""
    if isinstance(error, FileNotFoundError):
        return SourceError(f"file not found: {path} - check the path and the working directory")
    if isinstance(error, IsADirectoryError):
        return SourceError(
            f"{path} is a directory - expected a text file; name its files, e.g. '{path}/*.txt'"
        )
    if isinstance(error, PermissionError):
        return SourceError(f"no permission to read {path} - check its owner and mode")
    return SourceError(f"cannot read {path}: {error.strerror or error} - expected a readable file")
