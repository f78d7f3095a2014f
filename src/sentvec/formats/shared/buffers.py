"""The bytes of a model file, mapped; a gzip file is decompressed into a temporary file first.

The temporary file has no name and is deleted after the last use of the bytes, even after a crash.
Neither way needs memory in proportion to the file. Not here: what the bytes mean.
"""

from __future__ import annotations

import errno
import gzip
import mmap
import stat
import tempfile
import zlib
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError, SourceError, StorageError

GZIP_MAGIC = b"\x1f\x8b"
_PIECE_BYTES = 1 << 20


def opened(path: Path) -> mmap.mmap | bytes:
    """Map the content of a file, read-only; an empty file, which cannot be mapped, is `b""`.

    The mapping lives as long as an array made from it.

    Raises:
        SourceError: There is nothing at the path, or it may not be read.
        FormatError: It is not a regular file, or is a damaged or truncated gzip file.
        StorageError: The decompressed file does not fit on the disk for temporary files.
    """
    try:
        # A pipe would wait for a writer, so look before opening.
        if not stat.S_ISREG(path.stat().st_mode):
            kind = "a directory" if path.is_dir() else "not a regular file"
            msg = f"{path} is {kind} - expected a model file"
            raise FormatError(msg)
        with path.open("rb") as file:
            if file.read(len(GZIP_MAGIC)) == GZIP_MAGIC:
                return _decompressed(path)
            return _mapped(file)
    except ValueError as error:  # a NUL in the name; a FormatError is raised again
        if isinstance(error, FormatError):
            raise
        msg = f"{str(path)!r} is not a path ({error}) - expected the path of a model file"
        raise SourceError(msg) from error
    except OSError as error:
        if isinstance(error, (SourceError, StorageError)):
            raise
        raise _unreadable(path, error) from error


def is_gzip(path: Path) -> bool:
    """Whether a readable file is compressed with gzip."""
    with path.open("rb") as file:
        return file.read(len(GZIP_MAGIC)) == GZIP_MAGIC


def forget(data: NDArray[np.uint8], end: int) -> None:
    """Release the memory of the mapped bytes before `end`; they can be read again."""
    whole = data.base.obj if isinstance(data.base, memoryview) else data.base
    if isinstance(whole, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        pages = end // mmap.PAGESIZE * mmap.PAGESIZE
        if pages:
            whole.madvise(mmap.MADV_DONTNEED, 0, pages)


def _mapped(file: IO[bytes]) -> mmap.mmap | bytes:
    size = file.seek(0, 2)
    return mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else b""


def _decompressed(path: Path) -> mmap.mmap | bytes:
    with gzip.open(path) as packed, _temporary_file(path) as scratch:
        while True:
            try:
                piece = packed.read(_PIECE_BYTES)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                msg = f"{path} cannot be decompressed: {error} - the gzip file is damaged or "
                raise FormatError(msg + "truncated; copy it again") from error
            if not piece:
                break
            try:
                scratch.write(piece)
            except OSError as error:
                raise _no_room(path, error) from error
        try:
            scratch.flush()
        except OSError as error:
            raise _no_room(path, error) from error
        return _mapped(scratch)


def _temporary_file(path: Path) -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(prefix="sentvec-")
    except OSError as error:
        raise _no_room(path, error) from error


def _no_room(path: Path, error: OSError) -> StorageError:
    folder = tempfile.gettempdir()
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    cause = "the disk is full" if full else error.strerror or str(error)
    msg = f"{path} cannot be decompressed into {folder}: {cause} - set TMPDIR to a folder with "
    return StorageError(msg + "enough room, or decompress the file with gunzip")


def _unreadable(path: Path, error: OSError) -> SourceError:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        msg = f"no model at {path} - check the path and the working directory"
    elif isinstance(error, PermissionError):
        msg = f"no permission to read {path} - check its owner and mode"
    else:
        msg = f"cannot read {path}: {error.strerror or error} - expected a readable file"
    return SourceError(msg)
