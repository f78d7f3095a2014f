"""Read arrays of float32 from untrusted `.npy` and `.npz` files.

The arrays are float32 in C order, with at least one number, all finite. A `.npy` of such numbers is
a view of the mapped file; other floats and integers are converted in memory. An array of objects,
and a file that is the pickle of an array, are read without running the pickle.

Not here: what the arrays mean.
"""

from __future__ import annotations

import io
import math
import mmap
import struct
import warnings
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.arrays.pickled_arrays import (
    MAX_AXES,
    NUMBERS,
    read_pickled_array,
    shown,
    wrong,
)
from sentvec.formats.shared.buffers import forget, opened
from sentvec.wording import counted

_HEAD_BYTES = 1 << 17  # NumPy reads no header of more than 10,000 characters
_PICKLE_STARTS = (b"\x80", b"c")  # a protocol, or at once a name, as in protocol 0
_BLOCK = 1 << 22  # numbers checked together
# Weights hardly compress; what claims a higher ratio than this is a zip bomb.
_MAX_RATIO = 100
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError),  # encrypted, absurd numbers
)


def open_array(path: Path) -> NDArray[np.float32]:
    """Open a `.npy` file, or the pickle of an array; mapped and read-only, at any alignment.

    Raises:
        SourceError: There is no file at the path, or it may not be read.
        FormatError: It is not such an array, is damaged, or has a number that is not finite.
        StorageError: It is a gzip file that does not fit on the disk for temporary files.
    """
    return _read(opened(path), str(path))


class Archive:
    """An `.npz` file; an array is read into memory when it is needed.

    Args:
        path: The file.

    Raises:
        SourceError: There is no file at the path, or it may not be read.
        FormatError: It is not a zip archive, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._size = len(opened(path))
        try:
            self._file = zipfile.ZipFile(path)
            self._members = {
                info.filename.removesuffix(".npy"): info for info in self._file.infolist()
            }
        except _ZIP_ERRORS as error:
            raise self._damaged("", error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def __contains__(self, key: str) -> bool:
        return key in self._members

    def __getitem__(self, key: str) -> NDArray[np.float32]:
        """Read an array.

        Raises:
            FormatError: The archive has no array of this name, or it is damaged.
        """
        name = f"{self.path}, {key}"
        info = self._members.get(key)
        if info is None:
            listed = ", ".join(sorted(self._members)[:20])
            raise wrong(str(self.path), f"no array {key!r} among {listed or 'none'}"[:1000], "it")
        if info.compress_type not in _METHODS:
            raise wrong(name, f"compression {info.compress_type}", "none, or deflate")
        if info.file_size > self._size * _MAX_RATIO or info.compress_size > self._size:
            found = f"{info.file_size:,} bytes ({info.compress_size:,} compressed)"
            raise wrong(name, found, f"what fits an archive of {self._size:,} bytes")
        try:
            with self._file.open(info) as member:
                data = member.read(
                    info.file_size
                )  # without a length, a zip bomb would be unpacked first
        except _ZIP_ERRORS as error:
            raise self._damaged(f", {key}", error) from error
        return _read(data, name)

    def _damaged(self, where: str, error: Exception) -> FormatError:
        msg = f"{self.path}{where} cannot be read as an .npz archive: {error or 'it ends early'}"
        return FormatError(
            msg + " - the file is truncated or damaged, or not the right one; copy it again"
        )


def _read(data: mmap.mmap | bytes, name: str) -> NDArray[np.float32]:
    magic = data[: len(npy.MAGIC_PREFIX)]
    if magic == npy.MAGIC_PREFIX:
        array = _read_npy(data, name)
    elif magic.startswith(_PICKLE_STARTS):
        array = read_pickled_array(data, 0, name)
    else:
        found = f"a file that begins with {data[:20]!r}" if magic else "an empty file"
        raise wrong(name, found, "a NumPy array (.npy)")
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        array = np.asarray(array, np.float32, order="C")
    _check_finite(array, name, data)
    return array


def _read_npy(data: mmap.mmap | bytes, name: str) -> NDArray[Any]:
    shape, fortran_order, dtype, start = _read_head(data, name)
    if dtype == np.dtype(object):
        return read_pickled_array(data, start, name, shape)
    if dtype.str not in NUMBERS:
        raise wrong(name, f"an array of dtype {dtype.str!r}", "floats or integers")
    if not 0 < len(shape) <= MAX_AXES or not all(size > 0 for size in shape):
        raise wrong(name, f"an array of {shown(shape)}", "axes of 1 or more")
    needed, left = math.prod(shape) * dtype.itemsize, len(data) - start
    if needed != left:
        raise wrong(name, counted(left, "byte"), f"{needed:,} for {dtype} of {shown(shape)}")
    order: Literal["C", "F"] = "F" if fortran_order else "C"
    return np.frombuffer(data, dtype, offset=start).reshape(shape, order=order)


def _read_head(
    data: mmap.mmap | bytes, name: str
) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, whether the first axis runs fastest, dtype, and where the numbers begin."""
    head = io.BytesIO(data[:_HEAD_BYTES])
    try:
        # NumPy warns about long integers of Python 2 in a head, and Python about odd escapes.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            version = npy.read_magic(head)
            if version not in _HEADS:
                raise wrong(name, f"version {version} of the .npy format", "1.0 or 2.0")
            shape, fortran_order, dtype = _HEADS[version](head)
    except FormatError:
        raise
    except Exception as error:  # the head is Python source; its reader may raise anything
        found = f"a head that cannot be read ({str(error)[:100]})"
        raise wrong(name, found, "the head of a NumPy array (.npy)") from error
    if not all(type(size) is int and size.bit_length() < 64 for size in shape):
        raise wrong(name, "a shape that is not of 64-bit integers", "one that fits the file")
    return shape, fortran_order, dtype, head.tell()


_HEADS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def _check_finite(array: NDArray[np.float32], name: str, data: mmap.mmap | bytes) -> None:
    whole, numbers = np.frombuffer(data, np.uint8), array.reshape(-1)
    for start in range(0, len(numbers), _BLOCK):
        finite = np.isfinite(numbers[start : start + _BLOCK])
        if not finite.all():
            index = start + int(finite.argmin())
            place = ", ".join(str(place) for place in np.unravel_index(index, array.shape))
            found = f"{numbers[index]} at [{place}]"
            raise wrong(name, found, "numbers that are finite in float32")
        forget(whole, len(whole))
