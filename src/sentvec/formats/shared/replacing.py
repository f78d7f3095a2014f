"""Write a file beside its target, then rename it: the target is always a whole file, old or new."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sentvec.errors import StorageError
from sentvec.storage.durable import put_in_place

_BUFFER_BYTES = 1 << 20


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that replaces the target when the block ends without an error.

    Raises:
        StorageError: The target is not a file, or writing failed.
    """
    target = path.resolve()  # a link stays a link
    if target.exists() and not target.is_file():
        msg = f"{path} exists and is not a file - it is left alone; choose another name"
        raise StorageError(msg)
    fresh = target.parent / f".{target.name}.new-{os.getpid()}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("wb", buffering=_BUFFER_BYTES) as file:
            yield file
        put_in_place(fresh, target)
    except BaseException as error:  # Ctrl-C too
        with contextlib.suppress(OSError):
            fresh.unlink()
        if not isinstance(error, OSError) or isinstance(error, StorageError):
            raise
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> StorageError:
    kept = "what stood there is unchanged"
    if error.errno == errno.ENOSPC:
        return StorageError(f"the disk is full: cannot write {path} - {kept}; make room")
    if isinstance(error, PermissionError):
        return StorageError(f"no permission to write {path} - {kept}; check the folder's mode")
    reason = error.strerror or str(error)
    return StorageError(f"cannot write {path}: {reason} - {kept}; check the path")
