"""A file or folder that takes its place whole, even if the power goes a moment later.

A rename may reach the disk before what it names does: then a power cut leaves an empty file where a
good one was. So what was written is forced to the disk first, then renamed, and the rename forced
too. A process that is killed loses nothing either way; only a machine that stops does.
"""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

# What a system answers that cannot force anything on this kind of disk.
_CANNOT = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


def put_in_place(fresh: Path, target: Path) -> None:
    """Force a file or folder to the disk, then give it its name; a file there is replaced.

    Raises:
        OSError: The disk does not take it; the target is what it was.
    """
    fsync_path(fresh)
    fresh.replace(target)
    fsync_directory(target.parent)


def fsync_path(path: Path) -> None:
    """Force a file to the disk, or a folder with all that is in it.

    Raises:
        OSError: The disk does not take it.
    """
    if path.is_dir():
        for entry in path.iterdir():
            fsync_path(entry)
        fsync_directory(path)
        return
    # Windows forces only what is open for writing.
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    finally:
        os.close(descriptor)


def fsync_directory(folder: Path) -> None:
    """Force the names in a folder to the disk; where that fails, the system does it in its time."""
    with contextlib.suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
