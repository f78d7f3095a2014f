"""Lossless conversion between bytes and str, and the separators of whitespace tokenisation.

Text on disk is bytes. In Python, bytes that are not UTF-8 live on as lone surrogates
(``surrogateescape``), so a word survives load, lookup and save whatever its encoding was.
"""

from __future__ import annotations

import re

# The seven separators of the released program: space, LF, CR, TAB, VT, FF, NUL. Nothing else
# separates: U+00A0 and U+3000 are letters to a tokenizer that changes nothing.
SEPARATORS = b" \n\r\t\v\f\0"

_OTHER_THAN_SPACE = "\n\r\t\v\f\0"
# Surrogates outside U+DC80..DCFF stand for no byte (a half of a broken pair).
_ORPHAN_SURROGATES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
SEPARATORS_TO_SPACE = bytes.maketrans(SEPARATORS, b" " * len(SEPARATORS))


def decode(data: bytes) -> str:
    """Decode UTF-8; bytes that are not UTF-8 become the lone surrogates U+DC80..DCFF."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Encode as UTF-8, the inverse of `decode`; orphan surrogates become U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _ORPHAN_SURROGATES.sub("\ufffd", text).encode("utf-8", "surrogateescape")


def as_stored(text: str) -> str:
    """The text as it comes back from disk; only a text with surrogates can change."""
    return text if text.isascii() else decode(encode(text))


def split_at_separators(text: str) -> list[str]:
    """Split at runs of the seven separator bytes.

    >>> split_at_separators(" one two  three ")
    ['one', 'two', 'three']
    """
    for separator in _OTHER_THAN_SPACE:
        if separator in text:
            text = text.replace(separator, " ")
    return list(filter(None, text.split(" ")))


def join_lines(text: str) -> str:
    """Make one line of a text: a line break inside a text given as one item is white space."""
    return text.replace("\n", " ") if "\n" in text else text


def is_blank(data: bytes) -> bool:
    """Whether the bytes are nothing but separators."""
    return not data.translate(SEPARATORS_TO_SPACE).strip(b" ")
