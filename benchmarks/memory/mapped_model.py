"""The cost of a mapped model: time to open, memory, the first vector, sentences per second.

    python benchmarks/memory/mapped_model.py --dim 700 --words 100000 --buckets 400000

Makes a Sent2Vec binary of random vectors and its folder, and encodes sentences whose words are
drawn by Zipf's law. Each way to hold the model runs in a process of its own, with the file dropped
from the system's cache first (Linux). `cold` is the first pass over the sentences, in wall time;
`warm` is the fastest of five more, in CPU time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WAYS = ("file", "folder", "file in RAM", "folder in RAM", "file, single rows")


def make(path: Path, dim: int, n_words: int, buckets: int) -> None:
    """Write a Sent2Vec binary of random vectors, and its folder beside it."""
    from sentvec import load
    from sentvec.formats.fasttext_files.write_sent2vec import write_sent2vec

    random = np.random.default_rng(1)

    def blocks(rows: int) -> Iterator[NDArray[np.float32]]:
        for start in range(0, rows, 1 << 14):
            yield random.standard_normal((min(1 << 14, rows - start), dim), np.float32)

    write_sent2vec(
        path,
        words=[b"word%d" % number for number in range(n_words)],
        counts=np.arange(n_words, 0, -1),
        settings={"dim": dim, "ngrams": 2, "buckets": buckets, "epochs": 1, "min_count": 1,
                  "negatives": 10, "subsample": 1e-4},
        input_blocks=blocks(n_words + buckets),
        input_rows=n_words + buckets,
    )  # fmt: skip
    load(path).save(path.with_suffix(""))


def sentences(n: int, n_words: int) -> list[str]:
    """Sentences of 5 to 30 words, frequent ones more often."""
    random = np.random.default_rng(2)
    share = 1 / np.arange(10, n_words + 10)
    words = random.choice(n_words, n * 30, p=share / share.sum()).tolist()
    lengths = random.integers(5, 31, n).tolist()
    return [
        " ".join(f"word{word}" for word in words[30 * i : 30 * i + length])
        for i, length in enumerate(lengths)
    ]


def resident() -> float:
    """Megabytes of this process that are in memory, those shared with the system's cache too."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def leave_the_cache(path: Path) -> None:
    """Drop the files from the cache of the system."""
    for file in [path] if path.is_file() else path.iterdir():
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def measure(way: str, path: Path, n: int, n_words: int) -> dict[str, Any]:
    """Hold the model in one way and time it, in this process."""
    import scipy.sparse  # noqa: F401 - not to be counted as time of the model

    from sentvec import load

    texts = sentences(n, n_words)
    place = path.with_suffix("") if way.startswith("folder") else path
    leave_the_cache(place)
    before, start = resident(), time.perf_counter()
    model = load(place)
    if way.endswith("single rows"):  # as where the file is larger than the memory
        model.__dict__["_fits_memory"] = False
    if way.endswith("in RAM"):
        model.tensors = {name: np.array(matrix) for name, matrix in model.tensors.items()}
    found = {"open s": time.perf_counter() - start, "open MB": resident() - before}
    start = time.perf_counter()
    model.encode(texts[0])
    found |= {"first s": time.perf_counter() - start, "first MB": resident() - before}
    start = time.perf_counter()
    model.encode(texts)
    found["cold /s"] = n / (time.perf_counter() - start)
    seconds = []
    for _ in range(5):
        start = time.process_time()
        model.encode(texts)
        seconds.append(time.process_time() - start)
    found["warm /CPU s"] = n / min(seconds)
    return found | {"end MB": resident() - before}


def main() -> None:
    """Print one line for each way to hold the model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dim", type=int, default=700)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--buckets", type=int, default=400_000)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--folder", type=Path, help="where the model is made [default: temporary]")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        path = options.folder / "model.bin"
        print(json.dumps(measure(options.measure, path, options.sentences, options.words)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "model.bin"
        make(path, options.dim, options.words, options.buckets)
        print(f"{path.stat().st_size / 1e9:.2f} GB, {options.sentences:,} sentences")
        for way in options.ways:
            command = [sys.executable, __file__, "--measure", way, "--folder", folder]
            command += ["--sentences", str(options.sentences), "--words", str(options.words)]
            result = subprocess.run(command, capture_output=True, check=True, text=True)
            values = json.loads(result.stdout)
            shown = [f"{key} {float(f'{value:.3g}'):,g}" for key, value in values.items()]
            print(f"{way:<18}" + "  ".join(shown))


if __name__ == "__main__":
    main()
