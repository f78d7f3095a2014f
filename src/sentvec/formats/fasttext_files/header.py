"""The header of the fastText family of binaries: settings and sizes, in five layouts.

    magic int32, version int32          (only with magic)
    dim, window, epochs, min_count, negatives, ngrams, loss, model, buckets    9 x int32
    char_buckets int32                  (only model 5; for ten days of 2019 every model)
    min_n, max_n, lr_update_rate        3 x int32
    subsample float64
    entries, words, labels              3 x int32
    tokens int64
    pruned int64                        (only with magic; -1: nothing was pruned)

Sent2Vec of 2017 and fastText of 2016 write no magic; then the numbers must be valid settings.

Not here: what follows, the dictionary and the matrices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentvec.errors import FormatError
from sentvec.formats.shared.cursor import Cursor, TruncatedError
from sentvec.wording import counted

MAGIC = 793712314
HEAD = 96  # bytes of a file that are enough to detect this family
NEVER_PRUNED = -1
CBOW, SKIP_GRAM, SUPERVISED, SENT2VEC, CHAR_NGRAMS = 1, 2, 3, 4, 5
MODELS = {
    CBOW: "cbow",
    SKIP_GRAM: "skip-gram",
    SUPERVISED: "supervised",
    SENT2VEC: "sent2vec",
    CHAR_NGRAMS: "cbow-c+w-ngrams",
}
LOSSES = {1: "hs", 2: "ns", 3: "softmax", 4: "ova"}
_VERSIONS = (11, 12)

_BEFORE = ("dim", "window", "epochs", "min_count", "negatives", "ngrams", "loss", "model")
_AFTER = ("min_n", "max_n", "lr_update_rate", "subsample", "entries", "words", "labels", "tokens")
_INT64 = ("tokens", "pruned")
# Minimum and maximum; any other number may be 0 to 2^31 - 1. Text would give a larger dim. Longer
# n-grams than these could only exhaust the memory; for words, our own models have the same limit.
_LIMITS = {
    "dim": (1, 1_000_000),
    "ngrams": (0, 20),
    "loss": (1, max(LOSSES)),
    "model": (1, max(MODELS)),
    "min_n": (0, 1000),
    "max_n": (0, 1000),
    "subsample": (0, math.inf),
    "words": (1, (1 << 31) - 1),
    "tokens": (0, (1 << 63) - 1),
    "pruned": (NEVER_PRUNED, (1 << 63) - 1),
}


@dataclass(frozen=True, slots=True)
class Header:
    """What the file says about itself; each number is within its limits."""

    version: int  # 0 without magic
    ten_days: bool  # the layout of 26 March to 5 April 2019
    dim: int
    window: int
    epochs: int
    min_count: int
    negatives: int
    ngrams: int
    loss: int
    model: int
    buckets: int
    char_buckets: int
    min_n: int
    max_n: int
    lr_update_rate: int
    subsample: float
    entries: int
    words: int
    labels: int
    tokens: int
    pruned: int


def looks_like_fasttext(head: bytes) -> bool:
    """Whether a file with this beginning is of this family; its first `HEAD` bytes are enough.

    Without magic, all numbers must be within their limits, at least those up to the model. No text
    and no other format of word vectors begins like that.
    """
    cursor = Cursor(Path(), head)
    if cursor.left >= 4 and cursor.int32("magic") == MAGIC:
        return True
    cursor.position = 0
    try:
        read = dict(_fields(cursor, version=0, ten_days=False, whole=False))
        _check_entries(cursor, read)
    except FormatError:
        return False
    return "model" in read


def read_header(cursor: Cursor) -> Header:
    """Read a header of any layout; the cursor is then at the dictionary.

    Raises:
        FormatError: The layout is unknown, or the file ends too early.
    """
    if cursor.int32("the magic number or dim") != MAGIC:
        cursor.position = 0
        return _parse(cursor, version=0, ten_days=False)
    version = cursor.int32("version")
    if version not in _VERSIONS:
        raise cursor.error(4, f"version {' or '.join(map(str, _VERSIONS))}", version)
    begin = cursor.position
    try:
        return _parse(cursor, version=version, ten_days=False)
    except TruncatedError:
        raise
    except FormatError as error:
        # The layout of the ten days has an extra field. It shifts all others, and they cannot all
        # be within their limits in both layouts.
        cursor.position = begin
        try:
            return _parse(cursor, version=version, ten_days=True)
        except TruncatedError:
            raise
        except FormatError:
            raise error from None


def _parse(cursor: Cursor, *, version: int, ten_days: bool) -> Header:
    values: dict[str, Any] = {"char_buckets": 0, "pruned": NEVER_PRUNED}
    values.update(_fields(cursor, version=version, ten_days=ten_days))
    _check_entries(cursor, values)
    return Header(version=version, ten_days=ten_days, **values)


def _fields(
    cursor: Cursor, *, version: int, ten_days: bool, whole: bool = True
) -> Iterator[tuple[str, Any]]:
    """Name and value of the fields after the version, each checked against its limits.

    Without `whole` the bytes may end anywhere.
    """
    char_buckets = ten_days
    for name in (*_BEFORE, "buckets", "char_buckets", *_AFTER, "pruned"):
        if (name == "char_buckets" and not char_buckets) or (name == "pruned" and not version):
            continue
        width = 8 if name == "subsample" or name in _INT64 else 4
        if not whole and cursor.left < width:
            return
        value = _read(cursor, name)
        # NaN fails every comparison.
        low, high = _LIMITS.get(name, (0, (1 << 31) - 1))
        if not (low <= value <= high and value != math.inf):
            expected = f"{name}, a number from {low} to {high:,}"
            if name == "dim" and not version:
                expected = f"the magic number {MAGIC}, or {expected}"
            raise cursor.error(cursor.position - width, expected, value)
        char_buckets |= name == "model" and value == CHAR_NGRAMS and version > 0
        yield name, value


def _read(cursor: Cursor, name: str) -> int | float:
    if name == "subsample":
        return cursor.float64(name)
    return cursor.int64(name) if name in _INT64 else cursor.int32(name)


def _check_entries(cursor: Cursor, values: dict[str, Any]) -> None:
    """Check the number of entries against those of words and labels, if all were read."""
    if "labels" in values and values["entries"] != values["words"] + values["labels"]:
        total = values["words"] + values["labels"]
        expected = f"{counted(total, 'entry', 'entries')} (words and labels) before this"
        raise cursor.error(cursor.position, expected, f"{values['entries']:,}")
