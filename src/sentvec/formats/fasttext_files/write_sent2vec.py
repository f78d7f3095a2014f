"""Write a Sent2Vec v11 binary, for which the released program computes the same vectors.

What the released program has and our models lack, and why it is not added:

    <PLACEHOLDER>   Its entry 0, which replaces the target during training. Encoding never uses it,
                    and as entry 0 it would shift all ids and with them the hashes of all n-grams.
                    As the last entry it would be a known word with a zero row, and so change means;
                    without it, it is an unknown word, as in our models.
    </s>            Its end of a line. Every program that reads v11 compares a token with `</s>`
                    before it looks for an entry, so lines end without one.
    a spare row     After the buckets, since March 2019. Readers take the shape from the matrix, and
                    sentences never use that row; without it other readers can check that the rows
                    are those of words and buckets.

So entries are our words in id order: ids, hashes and rows do not change. Character n-grams are
switched off (`max_n` 0) unless the settings have them, since the program would mix rows of word
n-grams into the vectors of its word commands, and divide by zero where there are no buckets.

What then differs from our models: a literal `</s>` in the text ends a sentence, the byte 0xFF ends
a text, and the text must be tokenised beforehand, with spaces between words. The file is for
encoding: the program cannot train it further (entry 0 is no placeholder), and without
`output_blocks` its target matrix is zero, and takes no space on most disks.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import StorageError
from sentvec.formats.fasttext_files.dictionary import WORD
from sentvec.formats.fasttext_files.header import (
    CHAR_NGRAMS,
    LOSSES,
    MAGIC,
    MODELS,
    NEVER_PRUNED,
    SENT2VEC,
)
from sentvec.formats.shared.replacing import replacing
from sentvec.wording import counted

_VERSION = 11
_MODELS = {MODELS[number]: number for number in (SENT2VEC, CHAR_NGRAMS)}
_LOSSES = {name: number for number, name in LOSSES.items() if name != "ova"}
_SLOTS = 30_000_000  # of the program's table of words; the search in a full one never ends
_MAX_ROWS = (1 << 31) - 1
_DENSE = 0
_ENTRIES_AT_ONCE = 1 << 16
# Settings that our models lack: the program's own defaults, and no character n-grams.
_DEFAULTS = {"window": 5, "min_n": 0, "max_n": 0, "lr_update_rate": 100}


def write_sent2vec(
    path: Path,
    *,
    words: Sequence[bytes],
    counts: NDArray[np.int64],
    settings: Mapping[str, Any],
    input_blocks: Iterable[NDArray[np.float32]],
    input_rows: int,
    output_blocks: Iterable[NDArray[np.float32]] | None = None,
) -> None:
    """Write a model: its words in id order, their counts, and its matrices piece by piece.

    Args:
        path: The file, which is replaced when the new one is complete.
        words: The words as bytes, without NUL.
        counts: Counts of the words; they may be zero.
        settings: `dim`, `ngrams`, `buckets`, `epochs`, `min_count`, `negatives` and `subsample`;
            and for a model from a binary, the other settings of its header.
        input_blocks: The rows of words, then of buckets, then any extra rows of the source.
        input_rows: The number of these rows.
        output_blocks: The rows of the target matrix, one for each word, or None.

    Raises:
        StorageError: The program could not read such a model, or writing failed.
        ValueError: The blocks do not have the stated shape.
    """
    _check(path, words, settings, input_rows)
    dim = int(settings["dim"])
    with replacing(path) as file:
        file.write(_header(path, settings, len(words), counts))
        _write_entries(file, words, counts)
        file.write(bytes([_DENSE]))
        _write_matrix(file, input_blocks, input_rows, dim)
        file.write(bytes([_DENSE]))
        if output_blocks is not None:
            _write_matrix(file, output_blocks, len(words), dim)
        else:
            file.write(struct.pack("<qq", len(words), dim))
            end = file.tell() + 4 * dim * len(words)
            file.flush()
            file.truncate(end)  # zeros, without writing them


def _check(path: Path, words: Sequence[bytes], settings: Mapping[str, Any], rows: int) -> None:
    """Check what would make the released program crash, hang or answer wrongly."""
    buckets, chars = int(settings["buckets"]), int(settings.get("char_buckets", 0))
    needs = len(words) + buckets + (chars if _model(settings) == MODELS[CHAR_NGRAMS] else 0)
    faults = {
        f"the model {_model(settings)!r} is none of {', '.join(_MODELS)}": (
            _model(settings) not in _MODELS
        ),
        f"its table of {_SLOTS:,} cannot hold {counted(len(words), 'word')}": not 0
        < len(words)
        < _SLOTS,
        f"{rows:,} rows are fewer than its {needs:,} words and buckets": rows < needs,
        f"{rows:,} rows are more than its {_MAX_ROWS:,}": rows > _MAX_ROWS,
        f"n-grams of {settings['ngrams']} words need buckets": (
            settings["ngrams"] > 1 and buckets < 1
        ),
        "character n-grams need buckets": settings.get("max_n", 0) > 0 and buckets < 1,
        "a word contains a NUL, which ends words there": any(b"\0" in word for word in words),
    }
    for fault, is_there in faults.items():
        if is_there:
            msg = f"{path} is not written, as the Sent2Vec program could not use it: {fault}"
            raise StorageError(f"{msg} - save the model as a sentvec folder")


def _model(settings: Mapping[str, Any]) -> str:
    return str(settings.get("model", "sent2vec"))


def _header(path: Path, settings: Mapping[str, Any], n: int, counts: NDArray[np.int64]) -> bytes:
    """Everything before the entries."""
    value = {**_DEFAULTS, **settings}
    model = _MODELS[_model(settings)]
    numbers = [
        value["dim"], value["window"], value["epochs"], value["min_count"], value["negatives"],
        value["ngrams"], _LOSSES[value.get("loss", "ns")], model, value["buckets"],
    ]  # fmt: skip
    if model == CHAR_NGRAMS:
        numbers.append(value["char_buckets"])
    numbers += [value["min_n"], value["max_n"], value["lr_update_rate"]]
    tokens = int(value.get("tokens", counts.sum()))
    try:
        return (
            struct.pack(f"<2i{len(numbers)}i", MAGIC, _VERSION, *map(int, numbers))
            + struct.pack("<d", value["subsample"])
            + struct.pack("<3i2q", n, n, 0, tokens, NEVER_PRUNED)
        )
    except struct.error as error:
        msg = f"{path} is not written: a setting does not fit the format ({error})"
        raise StorageError(msg + " - save the model as a sentvec folder") from error


def _write_entries(file: IO[bytes], words: Sequence[bytes], counts: NDArray[np.int64]) -> None:
    if len(words) != len(counts):
        msg = f"{counted(len(words), 'word')} and {counted(len(counts), 'count')} - expected equal "
        raise ValueError(msg + "numbers")
    after_word = struct.Struct("<xqb").pack
    for start in range(0, len(words), _ENTRIES_AT_ONCE):
        part = slice(start, start + _ENTRIES_AT_ONCE)
        entries = zip(words[part], counts[part].tolist(), strict=True)
        file.write(b"".join(word + after_word(count, WORD) for word, count in entries))


def _write_matrix(
    file: IO[bytes], blocks: Iterable[NDArray[np.float32]], rows: int, dim: int
) -> None:
    file.write(struct.pack("<qq", rows, dim))
    written = 0
    for block in blocks:
        if block.ndim != 2 or block.shape[1] != dim:
            msg = f"rows of shape {block.shape}, expected (..., {dim})"
            raise ValueError(msg)
        file.write(np.ascontiguousarray(block, "<f4").data)
        written += len(block)
    if written != rows:
        msg = f"{counted(written, 'row')}, expected {rows:,}"
        raise ValueError(msg)
