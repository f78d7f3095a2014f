"""`sentvec encode MODEL [FILE|-] -o OUT|-`: one vector for each line of input, streamed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO, Protocol

import numpy as np
import typer
from numpy.typing import NDArray

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import Model, TokenizerName, open_model
from sentvec.cli.terminal.output import OutputFile
from sentvec.errors import SettingsError
from sentvec.text.sources import open_stream, read_lines
from sentvec.text.unicode import decode
from sentvec.wording import counted

_BATCH_LINES = 8192


class Format(StrEnum):
    """How vectors are written."""

    npy = "npy"
    text = "text"
    jsonl = "jsonl"


def command(
    model: Model,
    file: Annotated[
        str, typer.Argument(help="Text file with one text per line; - is standard input.")
    ] = "-",
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="File to write the vectors to; - is standard output."),
    ] = "-",
    format: Annotated[
        Format | None,
        typer.Option(
            help="npy (float32), text (%.9g) or jsonl. [default: by the output's name, or text]"
        ),
    ] = None,
    normalize: Annotated[bool, typer.Option(help="Scale vectors to length 1.")] = False,
    threads: Annotated[int, typer.Option(help="Number of threads.")] = 1,
    tokenizer: TokenizerName = None,
) -> None:
    """Encode each line of a text as a vector.

    Row i belongs to line i; an empty line has a row too, of zeros.
    """
    encoder = open_model(model, tokenizer)
    chosen = format or _format_of(output)
    if chosen is Format.npy and (output == "-" or Path(output).is_fifo()):
        msg = "npy cannot be streamed - expected a file to write - name one with -o, or choose text"
        raise SettingsError(msg)
    rows = empty = 0
    with open_stream(file) as stream, OutputFile(output) as target:
        writer = _WRITERS[chosen](target, encoder.dim)
        for texts in _batches(map(decode, read_lines(stream))):
            vectors, known = encoder.encode(
                texts, normalize=normalize, on_empty="nan", threads=threads, return_known=True
            )
            vectors[known == 0] = 0.0
            writer.write(vectors, rows)
            rows += len(vectors)
            empty += int((known == 0).sum())
        writer.finish(rows)
    share = f" ({empty / rows:.1%})" if rows else ""
    complain(f"{counted(rows, 'row')}, {empty:,} without a known word{share}")


def _format_of(output: str) -> Format:
    return {".npy": Format.npy, ".jsonl": Format.jsonl}.get(Path(output).suffix, Format.text)


def _batches(lines: Iterator[str]) -> Iterator[list[str]]:
    while batch := list(islice(lines, _BATCH_LINES)):
        yield batch


class _Writer(Protocol):
    def write(self, vectors: NDArray[np.float32], first: int) -> None: ...
    def finish(self, rows: int) -> None: ...


class _Npy:
    """The header is written first for no rows and again at the end, so nothing is held."""

    _HEADER = 128

    def __init__(self, file: BinaryIO, dim: int) -> None:
        self._file, self._dim = file, dim
        self.finish(0)

    def write(self, vectors: NDArray[np.float32], first: int) -> None:
        self._file.write(vectors.astype("<f4", copy=False).tobytes())

    def finish(self, rows: int) -> None:
        shape = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {self._dim}), }}"
        text = shape.encode().ljust(self._HEADER - 11) + b"\n"
        self._file.seek(0)
        self._file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)
        self._file.seek(0, os.SEEK_END)


class _Text:
    def __init__(self, file: BinaryIO, dim: int) -> None:
        self._file, self._line = file, " ".join(["%.9g"] * dim) + "\n"

    def write(self, vectors: NDArray[np.float32], first: int) -> None:
        lines = [self._line % tuple(row) for row in vectors.tolist()]
        self._file.write("".join(lines).encode())

    def finish(self, rows: int) -> None:
        pass


class _Jsonl:
    def __init__(self, file: BinaryIO, dim: int) -> None:
        self._file = file

    def write(self, vectors: NDArray[np.float32], first: int) -> None:
        for index, row in enumerate(vectors, first):
            vector = [float(f"{value:.9g}") for value in row.tolist()]
            self._file.write((json.dumps({"index": index, "vector": vector}) + "\n").encode())

    def finish(self, rows: int) -> None:
        pass


_WRITERS: dict[Format, type[_Npy | _Text | _Jsonl]] = {
    Format.npy: _Npy, Format.text: _Text, Format.jsonl: _Jsonl,
}  # fmt: skip
