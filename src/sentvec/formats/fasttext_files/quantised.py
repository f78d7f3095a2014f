"""The quantised matrix of a fastText `.ftz`: product quantisation of its rows.

    norms byte, rows int64, columns int64
    n_codes int32, codes uint8 (rows, parts), quantiser of the columns
    with norms: codes uint8 (rows,), quantiser of one column

    quantiser: dim, parts, part, last (4 x int32), centroids float32 (256 * dim,)

Not here: what the codes mean (`storage.rows.ProductRows`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.shared.cursor import Cursor
from sentvec.storage.rows import CODES


@dataclass(frozen=True, slots=True)
class QuantisedMatrix:
    """The mapped arrays of a quantised matrix, and how its columns are divided into parts."""

    n_rows: int
    tensors: dict[str, NDArray[Any]]  # codes, centroids; with norms norm_codes, norm_centroids
    quantiser: dict[str, int]  # dim, nsubq (parts), dsub (columns of a part), lastdsub


def read_quantised(cursor: Cursor, dim: int, what: str) -> QuantisedMatrix:
    """Map a quantised matrix of `dim` columns; `what` names it in errors.

    Raises:
        FormatError: Its numbers contradict each other, or the file ends too early.
    """
    norms = cursor.flag(f"whether {what} has norms")
    n_rows = read_shape(cursor, dim, what)
    at_codes = cursor.position
    n_codes = cursor.int32(f"the number of codes of {what}")
    if n_codes < 0:
        raise cursor.error(at_codes, f"the number of codes of {what}, 0 or more", n_codes)
    codes = cursor.array("u1", (n_codes,), f"the codes of {what}")
    quantiser, centroids = _read_quantiser(cursor, dim, what)
    parts = quantiser["nsubq"]
    if n_codes != n_rows * parts:
        raise _wrong_codes(cursor, at_codes, n_codes, n_rows, quantiser)
    tensors = {"codes": codes.reshape(n_rows, parts), "centroids": centroids}
    if norms:
        tensors["norm_codes"] = cursor.array("u1", (n_rows,), f"the norms of {what}")
        _, tensors["norm_centroids"] = _read_quantiser(cursor, 1, f"the norms of {what}")
    return QuantisedMatrix(n_rows, tensors, quantiser)


def read_shape(cursor: Cursor, dim: int, what: str) -> int:
    """Read the numbers of rows and columns of a matrix; return that of rows.

    Raises:
        FormatError: There are not `dim` columns, or the number of rows is negative.
    """
    begin = cursor.position
    n_rows, n_columns = cursor.int64(f"the rows of {what}"), cursor.int64(f"the columns of {what}")
    if n_rows < 0:
        raise cursor.error(begin, f"the rows of {what}, 0 or more", n_rows)
    if n_columns != dim:
        raise cursor.error(begin + 8, f"{dim} columns of {what}", n_columns)
    return n_rows


def _read_quantiser(cursor: Cursor, dim: int, what: str) -> tuple[dict[str, int], NDArray[Any]]:
    begin = cursor.position
    names = ("dim", "nsubq", "dsub", "lastdsub")
    found = {name: cursor.int32(f"{name} of the quantiser of {what}") for name in names}
    if found["dim"] != dim:
        raise cursor.error(begin, f"dim {dim} of the quantiser of {what}", found["dim"])
    part = found["dsub"]
    if not 1 <= part <= dim:
        raise cursor.error(begin + 8, f"dsub of the quantiser of {what}, 1 to {dim}", part)
    parts = -(-dim // part)
    last = dim - (parts - 1) * part
    if (found["nsubq"], found["lastdsub"]) != (parts, last):
        expected = f"{parts} parts of {part} columns, the last of {last}, in {what}"
        found_parts = f"{found['nsubq']} parts, the last of {found['lastdsub']}"
        raise cursor.error(begin + 4, expected, found_parts)
    return found, cursor.array("<f4", (CODES * dim,), f"the centroids of {what}")


def _wrong_codes(
    cursor: Cursor, offset: int, n_codes: int, n_rows: int, quantiser: dict[str, int]
) -> FormatError:
    """The error about a wrong number of codes; one of its causes is known."""
    expected = f"{n_rows:,} x {quantiser['nsubq']} codes"
    whole = n_rows * (quantiser["dim"] // quantiser["dsub"])
    if n_codes == whole:
        # Sent2Vec counts only whole parts, and so omits the codes of the last rows.
        msg = (
            f"{cursor.path}, byte {offset:,}: expected {expected}, got {n_codes:,} - Sent2Vec "
            f"loses codes when -dsub ({quantiser['dsub']}) does not divide dim "
            f"({quantiser['dim']}); quantise the model again with one that does"
        )
        return FormatError(msg)
    return cursor.error(offset, expected, f"{n_codes:,}")
