"""Only one run at a time trains to an output: a lock that ends with its process.

The lock is that of the system (flock) on a file beside the output, `.NAME.lock`, which contains the
id of the process. A process that is killed leaves the file but not the lock, so there is nothing to
clean up before a run is resumed. Where the system has no such locks (Windows, some network disks),
runs are not locked.
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
    """Keep other runs away from a folder.

    Raises:
        StorageError: Another run is in progress there.
    """
    path = beside(Path(os.path.realpath(folder)), "lock")
    descriptor = _lock(path, folder)
    try:
        yield
    finally:
        if descriptor is not None:
            # While it is still locked; later, this could delete the file of the next run.
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
        except OSError:  # writing to the folder will report what is wrong with it
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Otherwise the previous run has deleted the file meanwhile, and nobody sees this lock.
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
