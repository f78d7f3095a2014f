"""Where a command's results go: a file that is whole or absent, or standard output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from sentvec.errors import SentvecError, StorageError


def check_output(output: str | Path) -> None:
    """Check before long work that its result can be written.

    Raises:
        StorageError: There is no such folder, or it cannot be written to.
    """
    OutputFile(str(output))
    folder = Path(output).absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        what = "is not writable" if folder.is_dir() else "does not exist"
        msg = f"cannot write {output}: the folder {folder} {what} - create it, or choose another"
        raise StorageError(msg)


class OutputFile:
    """A file written beside its target and renamed when complete, or standard output.

    The target of a link is replaced; a pipe or a device is written into, not replaced.
    """

    def __init__(self, output: str) -> None:
        self._name = "standard output" if output == "-" else output
        self._path = None if output == "-" else Path(output)
        if self._path and self._path.is_dir():
            msg = f"{output} is a directory - expected the name of a file to write - choose another"
            raise StorageError(msg)

    def __enter__(self) -> BinaryIO:
        self._scratch: Path | None = None
        if self._path and (self._path.is_file() or not self._path.exists()):
            self._path = Path(os.path.realpath(self._path))
            self._scratch = self._path.with_name(f".{self._path.name}.new-{os.getpid()}")
        place = self._scratch or self._path or sys.stdout.fileno()
        try:
            # Standard output is opened again: an unbuffered one may write only a part.
            self._file: BinaryIO = open(place, "wb", closefd=place != sys.stdout.fileno())
        except OSError as error:
            msg = f"cannot write {self._name}: {error.strerror} - check the folder and its mode"
            raise StorageError(msg) from error
        except KeyboardInterrupt:  # on a busy disk the file may exist long before it is open
            if self._scratch:
                self._scratch.unlink(missing_ok=True)
            raise
        return self._file

    def __exit__(self, kind: type[BaseException] | None, error: object, _: object) -> None:
        try:
            self._file.close()
            if kind is None and self._scratch and self._path:
                self._scratch.replace(self._path)
        except OSError as failure:
            error = failure
        if error is not None and self._scratch:
            self._scratch.unlink(missing_ok=True)
        if isinstance(error, BrokenPipeError):
            raise error
        if isinstance(error, OSError) and not isinstance(error, SentvecError):
            unchanged = " - the previous content is unchanged" if self._scratch else ""
            msg = f"cannot write {self._name}: {error.strerror}{unchanged}"
            raise StorageError(msg) from error
