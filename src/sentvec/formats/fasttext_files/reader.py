"""Open the binaries of the fastText family: Sent2Vec and fastText, dense or quantised, any layout.

    header, dictionary
    with magic: pairs (old bucket, new index) int32 of a pruned model; byte: quantised or not
    input matrix: rows int64, columns int64, float32 (rows, columns); or quantised
    with magic: byte: output quantised or not
    output matrix

Rows of the input matrix: the words, the n-gram buckets, for model 5 the buckets of character
n-grams, and perhaps unused rows. The output matrix is mapped and never read. The file must end
where the output matrix ends.

Not here: the parts (`header`, `dictionary`, `quantised`), and what is computed from them.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.fasttext_files.dictionary import LABEL, WORD, Entries, skip_entries
from sentvec.formats.fasttext_files.header import (
    CHAR_NGRAMS,
    LOSSES,
    MODELS,
    NEVER_PRUNED,
    SENT2VEC,
    SUPERVISED,
    Header,
    read_header,
)
from sentvec.formats.fasttext_files.quantised import read_quantised, read_shape
from sentvec.formats.shared.buffers import is_gzip, opened
from sentvec.formats.shared.cursor import Cursor
from sentvec.formats.shared.foreign import ForeignModel
from sentvec.wording import counted

_INPUT, _OUTPUT = "the input matrix", "the output matrix"


def open_fasttext(path: Path, data: mmap.mmap | bytes | None = None) -> ForeignModel:
    """Open a binary of Sent2Vec or fastText: every number is checked, no vector is read.

    Tensors: "input_vectors" float32; or, quantised, "codes", "centroids" and optionally
    "norm_codes" and "norm_centroids", with `settings["quantiser"]`. "pruned_buckets" int32 (k, 2)
    where n-grams were pruned: (bucket, row after the words). "output_vectors" float32 where they
    are dense and have a row for each word (supervised: for each label).

    Args:
        path: The file, gzipped or not.
        data: Its content, where it was opened before.

    Raises:
        SourceError: There is no file at the path, or it may not be read.
        FormatError: It is not of this family, truncated or damaged.
        StorageError: A gzip file does not fit on the disk for temporary files.
    """
    cursor = Cursor(path, opened(path) if data is None else data)
    if not cursor.size:
        msg = f"{path} is empty - expected a model file; copy it again"
        raise FormatError(msg)
    header = read_header(cursor)
    _check_buckets(cursor, header)
    words = skip_entries(cursor, header.words, WORD)
    labels = skip_entries(cursor, header.labels, LABEL)
    pairs = _read_pairs(cursor, header)
    quantised = header.version > 0 and cursor.flag("whether the input matrix is quantised")
    needed = header.words + (_buckets_used(header) if pairs is None else len(pairs))
    tensors, quantiser = _read_matrix(cursor, header.dim, needed, quantised, _INPUT)
    rows = len(tensors["codes" if quantised else "input_vectors"])
    output_quantised = header.version > 0 and cursor.flag("whether the output is quantised")
    output = _read_output(cursor, header, quantised and output_quantised)
    if cursor.left:
        raise cursor.error(
            cursor.position, "the end of the file", counted(cursor.left, "more byte")
        )
    settings = _settings(header, labels)
    settings["pruned"] = pairs is not None
    if pairs is not None:
        tensors["pruned_buckets"] = pairs
    if quantiser is not None:
        settings["quantiser"] = quantiser
    if output is not None:
        tensors["output_vectors"] = output
    return ForeignModel(
        path=path,
        layout=_layout(header, rows, quantised, pairs is not None) + ", gzip" * is_gzip(path),
        kind="sent2vec" if header.model == SENT2VEC else "fasttext",
        settings=settings,
        sizes={
            "vocabulary": header.words,
            "buckets": header.buckets if _buckets_used(header) else 0,
            "dim": header.dim,
        },
        tensors=tensors,
        vocabulary=words.vocabulary,
    )


def _max_n(header: Header) -> int:
    """The longest character n-gram that the model uses, which the header may not tell."""
    # Supervised models had none before version 12, whatever their header says.
    return 0 if header.model == SUPERVISED and header.version < 12 else header.max_n


def _buckets_used(header: Header) -> int:
    """The number of rows after those of the words that n-grams use."""
    if header.model == CHAR_NGRAMS:
        return header.buckets + header.char_buckets
    chars = header.model != SENT2VEC and _max_n(header) > 0
    words = header.model in (SENT2VEC, SUPERVISED) and header.ngrams > 1
    return header.buckets if chars or words else 0


def _check_buckets(cursor: Cursor, header: Header) -> None:
    if header.model == SENT2VEC and header.ngrams > 1 and header.buckets == 0:
        offset = (8 if header.version else 0) + 8 * 4
        raise cursor.error(offset, f"buckets for n-grams of {header.ngrams} words", 0)


def _read_pairs(cursor: Cursor, header: Header) -> NDArray[np.int32] | None:
    """The n-gram buckets that a pruned model keeps, with their new rows; None if not pruned."""
    if header.pruned == NEVER_PRUNED:
        return None
    begin = cursor.position
    pairs = cursor.array("<i4", (header.pruned, 2), f"{header.pruned:,} n-grams that were kept")
    buckets, places = np.sort(pairs[:, 0]), np.sort(pairs[:, 1])
    # The extra row of Sent2Vec, which it never uses, may have been kept.
    limit = header.buckets + max(header.char_buckets, 1)
    once = len(pairs) == 0 or (
        buckets[0] >= 0 and buckets[-1] < limit and bool(np.all(buckets[1:] > buckets[:-1]))
    )
    if not once or not np.array_equal(places, np.arange(len(pairs))):
        expected = f"{len(pairs):,} pairs of a bucket below {limit:,} and a row, each once"
        raise cursor.error(begin, expected, "others")
    return pairs


def _read_matrix(
    cursor: Cursor, dim: int, needed: int, quantised: bool, what: str
) -> tuple[dict[str, NDArray[Any]], dict[str, int] | None]:
    """Map a matrix of at least `needed` rows: its tensors and how it is quantised."""
    begin = cursor.position
    if quantised:
        matrix = read_quantised(cursor, dim, what)
        n_rows, tensors, quantiser = matrix.n_rows, matrix.tensors, matrix.quantiser
        begin += 1
    else:
        n_rows = read_shape(cursor, dim, what)
        quantiser = None
    if n_rows < needed:
        raise cursor.error(begin, f"{needed:,} rows of {what} or more", f"{n_rows:,}")
    if not quantised:
        tensors = {"input_vectors": cursor.array("<f4", (n_rows, dim), what)}
    return tensors, quantiser


def _read_output(cursor: Cursor, header: Header, quantised: bool) -> NDArray[np.float32] | None:
    """Map the output matrix; None if its rows are not those of the words or labels."""
    needed = header.labels if header.model == SUPERVISED else header.words
    # A pruned model has fewer words than rows, and the rows are still in their old order.
    renumbered = header.pruned != NEVER_PRUNED and header.model != SUPERVISED
    begin = cursor.position + quantised
    tensors, _ = _read_matrix(cursor, header.dim, needed, quantised, _OUTPUT)
    n_rows = len(tensors["codes" if quantised else "input_vectors"])
    if n_rows != needed and not renumbered:
        raise cursor.error(begin, f"{needed:,} rows of {_OUTPUT}", f"{n_rows:,}")
    return None if quantised or renumbered else tensors["input_vectors"]


def _settings(header: Header, labels: Entries) -> dict[str, Any]:
    """What the header says, under our names."""
    settings: dict[str, Any] = {
        "layout_version": header.version,
        "model": MODELS[header.model],
        "dim": header.dim,
        "epochs": header.epochs,
        "min_count": header.min_count,
        "negatives": header.negatives,
        "ngrams": max(header.ngrams, 1),
        "loss": LOSSES[header.loss],
        "buckets": header.buckets,
        "char_buckets": header.char_buckets,
        "min_n": header.min_n,
        "max_n": _max_n(header),
        "subsample": header.subsample,
        "window": header.window,
        "lr_update_rate": header.lr_update_rate,
        "tokens": header.tokens,
    }
    if header.model == SUPERVISED:
        names, counts = labels.parse()
        settings["labels"] = [list(pair) for pair in zip(names, counts.tolist(), strict=True)]
    return settings


def _layout(header: Header, rows: int, quantised: bool, pruned: bool) -> str:
    """The name of the layout for messages."""
    # Sent2Vec writes one row more than fastText does.
    extra = header.version == 11 and not pruned and rows > header.words + header.buckets
    sent2vec = header.model in (SENT2VEC, CHAR_NGRAMS) or header.ten_days or extra
    program = "Sent2Vec" if sent2vec else "fastText"
    if header.version == 0:
        name = f"{program} {'2017' if sent2vec else '2016'} (no magic)"
    else:
        name = f"{program} v{header.version}" + (" of March 2019" if header.ten_days else "")
    return name + ", quantised" * quantised + ", pruned" * pruned
