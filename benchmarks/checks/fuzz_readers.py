"""Damage model files at random: each must give an error that names the file, or a sound model.

    python benchmarks/checks/fuzz_readers.py FILE... --cases 10000

Prints for each file how many copies were refused, how many opened, how many failed (another
exception, a warning, too much memory), and the time. A case that went wrong is named by its number;
`--first NUMBER --cases 1` repeats it. `tests/formats/test_fuzz.py` runs a smaller number.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import resource
import struct
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sentvec import load
from sentvec.errors import EmptyTextWarning, FormatError, LetterCaseWarning, UnknownWordError

EXTREME = [0, 1, 2, 4, 5, 255, 256, -1, -2, (1 << 31) - 1, -(1 << 31), 1 << 20, 1 << 30, 793712314]
EXTREME_LONG = [*EXTREME, (1 << 63) - 1, -(1 << 63), 1 << 32, 1 << 40, (1 << 32) - 1]
ODD_TEXT = [
    *(b"nan", b"-inf", b"1e400", b"1e-400", b"--1", b"1.2.3", b"0x10", b"1_0", b"-", b".", b"e"),
    *(b"", b" ", b"\n", b"\n\n", b"\r\n", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", "文".encode()),
    *(b"999999999999", b"9" * 400, b"</s>", b"word 1 2 3\n"),
]
MAX_WORD = 100  # of the words that are encoded
ROOM = 256 << 20  # bytes of address space a case may take beyond what the process has


def mutated(data: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """One to three changes of a file, most of them where its numbers are."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        data = draw.choice(_CHANGES)(data, draw, others)
    return data


def _place(data: bytes, draw: random.Random) -> int:
    """A byte of the file: of its head, of the first half, or any."""
    return draw.randrange(min(draw.choice((100, 300, len(data) // 2, len(data))), len(data)) + 1)


def _flip(data: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        place = _place(data, draw)
        if place < len(data):
            changed[place] ^= 1 << draw.randrange(8) if draw.random() < 0.5 else draw.randrange(256)
    return bytes(changed)


def _cut(data: bytes, draw: random.Random, _: list[bytes]) -> bytes:
    return data[: _place(data, draw)]


def _insert(data: bytes, draw: random.Random, _: list[bytes]) -> bytes:
    place = _place(data, draw)
    return data[:place] + draw.randbytes(draw.choice((1, 2, 4, 8, 100))) + data[place:]


def _insert_text(data: bytes, draw: random.Random, _: list[bytes]) -> bytes:
    place = _place(data, draw)
    return data[:place] + draw.choice(ODD_TEXT) + data[place + draw.choice((0, 0, 1, 5)) :]


def _delete(data: bytes, draw: random.Random, _: list[bytes]) -> bytes:
    place = _place(data, draw)
    return data[:place] + data[place + draw.choice((1, 2, 4, 8, 100)) :]


def _number(data: bytes, draw: random.Random, _: list[bytes]) -> bytes:
    """An extreme value where a number may be, at four bytes more often than elsewhere."""
    place = _place(data, draw) // draw.choice((1, 4, 4)) * draw.choice((1, 4, 4))
    value = draw.choice(EXTREME_LONG)
    code = "<i" if -(1 << 31) <= value < 1 << 31 and draw.random() < 0.7 else "<q"
    packed = struct.pack(code, value)
    return data[:place] + packed + data[place + len(packed) :]


def _splice(data: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """The head of one file with the rest of another, or a block that moved."""
    other = draw.choice([data, *others])
    if draw.random() < 0.5:
        return data[: _place(data, draw)] + other[_place(other, draw) :]
    begin, place, length = _place(other, draw), _place(data, draw), draw.choice((4, 16, 64, 500))
    return data[:place] + other[begin : begin + length] + data[place + length :]


def _double(data: bytes, draw: random.Random, _: list[bytes]) -> bytes:
    place, length = _place(data, draw), draw.choice((8, 50, 1000))
    return data[: place + length] + data[place:]


_CHANGES = [_flip, _flip, _cut, _insert, _insert_text, _delete, _number, _number, _splice, _double]


@contextlib.contextmanager
def little_room() -> Iterator[None]:
    """Let this process take little more memory than it has; beyond that, a MemoryError."""
    if not sys.platform.startswith("linux"):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def opens(path: Path) -> bool:
    """Whether a file opens; if so it is consistent, and if not the error is the right one.

    Raises:
        Exception: Any other, a warning included; that is the fault looked for.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", LetterCaseWarning)
        warnings.simplefilter("ignore", EmptyTextWarning)
        try:
            model = load(path)
            vocabulary = model.vocabulary
        except FormatError as refusal:
            return _is_named(path, refusal)
        check(model, vocabulary)
        return True


def _is_named(path: Path, error: FormatError) -> bool:
    assert str(path) in str(error), error
    return False


def check(model: Any, vocabulary: Any) -> None:
    """Sizes fit each other, rows are in bounds, and texts of known words have vectors."""
    sizes = model.config["sizes"]
    assert len(vocabulary.words) == len(vocabulary.counts) == sizes["vocabulary"] > 0
    assert vocabulary.counts.min() >= 0
    assert all(type(word) is str for word in vocabulary.words)
    n_rows, dim = model.rows.shape
    assert dim == model.dim == sizes["dim"] > 0
    assert n_rows >= sizes["vocabulary"]
    assert model.rows.take(np.array([0, n_rows - 1])).shape == (2, dim)
    words = [word for word in vocabulary.words[:40] if len(word) < MAX_WORD]
    texts = [" ".join(words), *words[:3], *vocabulary.words[-1:], "zzz", ""]
    texts = [text[: 60 * MAX_WORD] for text in texts]
    vectors, known = model.encode(texts, return_known=True)
    assert vectors.shape == (len(texts), dim)
    assert vectors.dtype == np.float32
    assert known.min() >= 0
    assert not vectors[known == 0].any()
    model.explain(texts[0])
    with contextlib.suppress(UnknownWordError):  # a word that a later one hides, or of no row
        for word in words[:2]:
            assert model.word_vector(word).shape == (dim,)


def fuzz(source: Path, others: list[bytes], first: int, cases: int) -> tuple[list[int], float]:
    """Numbers of refused, opened and wrong copies of a file; CPU seconds of the longest case."""
    data, counts, longest = source.read_bytes(), [0, 0, 0], 0.0
    with tempfile.TemporaryDirectory() as folder, little_room():
        path = Path(folder) / "model"
        for number in range(first, first + cases):
            path.write_bytes(mutated(data, random.Random(f"{source.name} {number}"), others))
            start = time.process_time()
            try:
                counts[opens(path)] += 1
            except Exception as error:
                counts[2] += 1
                print(f"{source}, case {number}: {error!r:.200}")
            longest = max(longest, time.process_time() - start)
    return counts, longest


def main() -> None:
    """Print one line for each file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, help="models of any program, of some KB")
    parser.add_argument("--cases", type=int, default=10_000, help="damaged copies of each")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    others = [path.read_bytes()[:100_000] for path in options.files]
    print(f"{'':<36}{'refused':>9}{'opened':>9}{'wrong':>7}{'CPU s':>8}{'longest ms':>12}")
    total = [0, 0, 0]
    for path in options.files:
        start = time.process_time()
        counts, longest = fuzz(path, others, options.first, options.cases)
        refused, opened, wrong = counts
        total = [a + b for a, b in zip(total, counts, strict=True)]
        seconds = time.process_time() - start
        line = f"{path.name:<36}{refused:>9,}{opened:>9,}{wrong:>7,}{seconds:>8.1f}"
        print(f"{line}{1000 * longest:>12.0f}", flush=True)
    print(f"{'all':<36}{total[0]:>9,}{total[1]:>9,}{total[2]:>7,}")


if __name__ == "__main__":
    main()
