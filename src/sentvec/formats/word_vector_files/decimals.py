"""Parse decimal numbers to float32, exactly and many at a time.

A decimal of up to 15 digits is an integer below 2^53 divided by a power of ten below 10^23; both
are exact in double precision, so one division rounds as a careful parser does. NumPy reads integers
about four times as fast as decimals, so the points are removed first. Numbers in another form
(exponents, more digits) are read one by one. Not here: lines and words.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

# What counts as a number: no underscores, no hexadecimal digits, which some parsers accept.
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
NOT_FINITE = re.compile(rb"[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)

_EXACT_DIGITS = 15
_ODD_SHARE = 8  # if more than one field in 8 has another form, all are read one by one
_INFINITE = 2.0**128 - 2.0**103  # from here on, float32 rounds to infinity
_POWERS = 10.0 ** np.arange(_EXACT_DIGITS + 1)
_SPACE, _MINUS, _POINT, _ZERO = b" -.0"
_PLAIN = np.zeros(256, np.bool_)
_PLAIN[list(b"0123456789.- ")] = True


def is_finite_number(field: bytes) -> bool:
    """Whether a field is a number that is finite in float32.

    >>> is_finite_number(b"-1.5e3"), is_finite_number(b"1e39"), is_finite_number(b"1_0")
    (True, False, False)
    """
    return bool(NUMBER.fullmatch(field)) and abs(float(field)) < _INFINITE


def parse_numbers(text: bytes, count: int) -> NDArray[np.float32] | None:
    """Read numbers that are separated by single spaces.

    Returns:
        float32 (count,), or None if a field is not a number or not finite in float32, or there are
        more or fewer fields.

    >>> parse_numbers(b"1 -2.5 3e1", 3)
    array([ 1. , -2.5, 30. ], dtype=float32)
    >>> parse_numbers(b"1 x", 2)
    """
    if not text or not count:
        return None
    characters = np.frombuffer(text, np.uint8)
    ends = np.append(np.flatnonzero(characters == _SPACE), len(characters))
    if len(ends) != count:
        return None
    starts = np.concatenate([[0], ends[:-1] + 1])
    points = np.flatnonzero(characters == _POINT)
    plain, digits, places = _shapes(characters, starts, ends, points)
    odd = np.flatnonzero(~plain | (digits < 1) | (digits > _EXACT_DIGITS) | (places < 0))
    if len(odd) * _ODD_SHARE > count:
        return _one_by_one(text, count)
    fields = [text[start:end] for start, end in zip(starts[odd], ends[odd], strict=True)]
    values = _read(fields)
    if values is None:
        return None
    if len(odd):
        characters = characters.copy()
        for start, end in zip(starts[odd].tolist(), ends[odd].tolist(), strict=True):
            characters[start:end] = _ZERO
    # Each field is now digits, perhaps with a sign.
    whole = np.fromstring(characters.tobytes().replace(b".", b""), np.int64, sep=" ")
    places[odd] = 0
    numbers = whole / _POWERS[places]
    np.negative(numbers, out=numbers, where=(whole == 0) & (characters[starts] == _MINUS))
    numbers = numbers.astype(np.float32)
    numbers[odd] = values
    return numbers


def _shapes(
    characters: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    points: NDArray[np.int64],
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """For each field: whether it has only plain characters, its digits, and its decimal places.

    The decimal places are -1 where a field has several points.
    """
    n = len(ends)
    plain = np.ones(n, np.bool_)
    # The last field may be empty and then begins after the end.
    negative = characters[np.minimum(starts, len(characters) - 1)] == _MINUS
    strange = np.flatnonzero(~_PLAIN[characters])
    plain[np.searchsorted(ends, strange)] = False
    minuses = np.flatnonzero(characters == _MINUS)
    if len(minuses) != np.count_nonzero(negative):  # one is inside a field
        inside = minuses[(minuses > 0) & (characters[minuses - 1] != _SPACE)]
        plain[np.searchsorted(ends, inside)] = False
    one_each = len(points) == n and bool(((starts <= points) & (points < ends)).all())
    places = np.zeros(n, np.int64)
    if one_each:
        places[:] = ends - points - 1
        digits = ends - starts - negative - 1
    else:
        field = np.searchsorted(ends, points)
        places[field] = ends[field] - points - 1
        n_points = np.bincount(field, minlength=n)
        places[n_points > 1] = -1
        digits = ends - starts - negative - n_points
    return plain, digits, places


def _one_by_one(text: bytes, count: int) -> NDArray[np.float32] | None:
    fields = text.split(b" ")
    return _read(fields) if len(fields) == count else None


def _read(fields: list[bytes]) -> NDArray[np.float32] | None:
    if not all(map(NUMBER.fullmatch, fields)):
        return None
    values = np.fromiter(map(float, fields), np.float64, len(fields))
    return None if (abs(values) >= _INFINITE).any() else values.astype(np.float32)
