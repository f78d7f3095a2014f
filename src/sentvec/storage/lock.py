"""One run at a time for one output: a lock that goes with the process, however that ends.

The lock is the system's (flock) on a file beside the output, `.NAME.lock`, which also tells the
process. A process that is killed leaves the file but not the lock, so nothing has to be cleaned up
before a run is resumed. Where there are no such locks (Windows, some network disks) there is none.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sentvec.errors import StorageError
from sentvec.storage.folder import beside

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]


@contextmanager
def run_lock(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Keep other runs off a folder.

    Raises:
        StorageError: A run is at work on it.
    """
    path = beside(Path(os.path.realpath(folder)), "lock")
    descriptor = _lock(path, folder)
    try:
        yield
    finally:
        if descriptor is not None:
            # While it is still locked: else this could delete the file of the next run.
            with contextlib.suppress(OSError):
                path.unlink()
            os.close(descriptor)


def _lock(path: Path, folder: str | os.PathLike[str]) -> int | None:
    """Lock the file; None where that cannot be done."""
    if fcntl is None:
        return None
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:  # whoever writes to the folder will say what is wrong with it
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Else the run that had it deleted it in between: this is the lock of no file.
            if _is_at(descriptor, path):
                os.ftruncate(descriptor, 0)
                os.write(descriptor, b"%d\n" % os.getpid())
                return descriptor
        except BlockingIOError as error:
            number = os.read(descriptor, 20).decode("ascii", "replace").strip()
            os.close(descriptor)
            msg = f"process {number or 'unknown'} is training to {folder} - wait until it ends, "
            raise StorageError(msg + "or end it and resume; or choose another folder") from error
        except OSError:  # a disk without locks
            os.close(descriptor)
            path.unlink(missing_ok=True)
            return None
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
