"""Images with five captions each: a text file and a NumPy file of image features.

The pickled files of SentEval's `COCO` folder are not read: opening a pickle can run any code.

Not here: the ranking itself (`sentvec.evaluation.methods.ranking`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError, SourceError
from sentvec.evaluation.tasks.data import Captioned
from sentvec.evaluation.tasks.lines import Lines, as_text, read_lines

CAPTIONS_PER_IMAGE = 5
_ROWS_AT_ONCE = 4096


def load_ranking(
    captions: str | Path, features: str | Path, *, lowercase: bool = False
) -> Captioned:
    """Read captions and image features.

    Args:
        captions: A UTF-8 file with one caption on each line, five in a row for each image.
        features: A `.npy` file with one row of numbers for each image. Five equal rows for each
            image, as some distributions have them, are read as one.
        lowercase: Whether to lower-case the captions.

    Raises:
        SourceError: A file cannot be read.
        FormatError: Captions and features do not match, or a feature is not finite.
    """
    return captioned(read_lines(Path(captions)), Path(features), lowercase=lowercase)


def captioned(captions: Lines, features: Path, *, lowercase: bool) -> Captioned:
    """Combine captions with the features of their images."""
    rows, lines = _map_features(features), captions.lines
    images, rest = divmod(len(lines), CAPTIONS_PER_IMAGE)
    if rest or len(rows) not in (images, len(lines)):
        msg = (
            f"{captions.path} has {len(lines):,} captions and {features} {len(rows):,} rows - "
            f"expected {CAPTIONS_PER_IMAGE} captions for each row, one on each line"
        )
        raise FormatError(msg)
    _check_finite(rows, features)
    if len(rows) == len(lines):
        rows = _one_of_five(rows, features)
    return Captioned([as_text(line, lowercase=lowercase) for line in lines], rows)


def _map_features(path: Path) -> NDArray[Any]:
    """Map the array of a file, which may be larger than the memory."""
    try:
        array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror or error}) - expected a .npy file"
        raise SourceError(msg) from error
    except (ValueError, EOFError) as error:
        msg = f"{path} is no .npy file of numbers ({error}) - write it with numpy.save"
        raise FormatError(msg) from error
    if isinstance(array, np.lib.npyio.NpzFile):
        array.close()
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "fiu":
        what = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else "an archive"
        msg = f"{path} holds {what} - expected numbers of shape (images, size) - save such an array"
        raise FormatError(msg)
    mapped: NDArray[Any] = array
    return mapped


def _one_of_five(rows: NDArray[Any], path: Path) -> NDArray[Any]:
    """Keep one row for each image, where the file has each row five times."""
    first = rows[::CAPTIONS_PER_IMAGE]
    for offset in range(1, CAPTIONS_PER_IMAGE):
        unlike = np.flatnonzero(_rows_differ(first, rows[offset::CAPTIONS_PER_IMAGE]))
        if len(unlike):
            row = int(unlike[0]) * CAPTIONS_PER_IMAGE
            msg = f"{path} has a row for each caption, but rows {row} and {row + offset} differ"
            raise FormatError(msg + " - expected one row, or five equal ones, for each image")
    return first


def _rows_differ(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    return np.concatenate([
        np.any(one[start : start + _ROWS_AT_ONCE] != other[start : start + _ROWS_AT_ONCE], axis=1)
        for start in range(0, len(one), _ROWS_AT_ONCE)
    ])  # fmt: skip


def _check_finite(rows: NDArray[Any], path: Path) -> None:
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        finite = np.isfinite(rows[start : start + _ROWS_AT_ONCE]).all(axis=1)
        if not finite.all():
            row = start + int(np.argmin(finite))
            msg = f"{path}: row {row} (from 0) is not finite - expected numbers"
            raise FormatError(msg + " - create the file again")
