"""Put a file or folder in place as a whole, even if the power fails a moment later.

A rename may reach the disk before the content of the file does: then a power failure leaves an
empty file where a good one was. So the content is forced to the disk first, then the file is
renamed, and the rename is forced to the disk too. A killed process loses nothing either way.
"""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

# The errors of disks on which fsync is not supported.
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


def put_in_place(fresh: Path, target: Path) -> None:
    """Force a file or folder to the disk, then rename it to its target; a file there is replaced.

    Raises:
        OSError: Writing failed; the target is unchanged.
    """
    fsync_path(fresh)
    fresh.replace(target)
    fsync_directory(target.parent)


def fsync_path(path: Path) -> None:
    """Force a file to the disk, or a folder with all its content.

    Raises:
        OSError: Writing failed.
    """
    if path.is_dir():
        for entry in path.iterdir():
            fsync_path(entry)
        fsync_directory(path)
        return
    # Windows flushes only files that are open for writing.
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    finally:
        os.close(descriptor)


def fsync_directory(folder: Path) -> None:
    """Force the names in a folder to the disk; if that fails, the system writes them later."""
    with contextlib.suppress(OSError):  # Windows cannot open folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
