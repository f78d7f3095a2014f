"""How close the kernel comes to the bandwidth of the memory.

    python benchmarks/speed/roofline.py books.txt

The roofline is a loop that adds to random rows of the same matrix: every row is read and written
once, with the next rows prefetched. The traffic of the kernel is a lower bound: each feature row of
a sentence once, a row for each target, and its negatives, counted as if eight targets always shared
them. Prints 10^9 bytes a second of both, and the share.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.kernels.jit import kernel
from sentvec.kernels.prefetch import prefetch_row
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.models.sent2vec.trainer import Sent2VecTrainer
from sentvec.models.sent2vec.worker import Worker
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training import matrices
from sentvec.training.batches import Schedule

AHEAD = 40  # rows: about a sentence


@kernel
def _touch(M: Any, rows: Any, change: Any) -> None:
    for k in range(len(rows)):
        if k + AHEAD < len(rows):
            prefetch_row(M, rows[k + AHEAD])  # type: ignore[no-untyped-call]
        row = np.uint64(rows[k])
        for d in range(M.shape[1]):
            M[row, d] += change[d]


def bytes_of_roofline(M: matrices.Matrix, threads: int, rows_each: int = 400_000) -> float:
    """Bytes a second of reading and writing random rows."""
    rng = np.random.default_rng(0)
    lists = [rng.integers(0, len(M), rows_each) for _ in range(threads)]
    change = np.full(M.shape[1], 1e-9, np.float32)
    _touch(M, lists[0][:10], change)
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda rows: _touch(M, rows, change), lists))
    return float(2 * M.shape[1] * 4 * rows_each * threads / (time.perf_counter() - start))


def bytes_of_kernel(
    corpus: EncodedCorpus,
    settings: Sent2VecSettings,
    V: matrices.Matrix,
    U: matrices.Matrix,
    words: int,
) -> float:
    """Bytes a second of the rows that training must touch, on N words."""
    threads = settings.threads or 1
    trainer = Sent2VecTrainer(settings, Tokenizer("whitespace"))
    data = trainer.data(corpus)
    state = data.batches(Schedule(1, settings.lr, True, 1, threads))
    workers = trainer.workers(data, [{"input_vectors": V, "output_vectors": U}] * threads)
    for worker in workers:
        worker(next(iter(state)))
    hands = state.deal(threads, words // threads)

    def work(pair: tuple[Worker, list[Any]]) -> int:
        worker, batches = pair
        rows = 0
        for batch in batches:
            _, targets = worker(batch)
            lengths: NDArray[np.int64] = np.diff(batch.offsets)
            features = 2 * lengths.sum() - (lengths > 0).sum()
            rows += int(features + targets + settings.negatives * np.ceil(targets / 8))
        return rows

    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        rows = sum(pool.map(work, zip(workers, hands, strict=True)))
    return 2 * settings.dim * 4 * rows / (time.perf_counter() - start)


def main() -> None:
    """Measure every size with one thread and two."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", nargs="+", help="tokenised text, one sentence a line")
    parser.add_argument("--dims", type=int, nargs="+", default=[100, 300, 700])
    parser.add_argument("--buckets", type=int, nargs="+", default=[200_000, 2_000_000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--words", type=float, default=2e6, help="words a run at dim 100")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = encode_corpus(open_corpus(options.corpus), Tokenizer("whitespace"), Path(folder))
        n_words = len(corpus.vocabulary)
        print("dim   buckets  threads   roofline     kernel   share")
        for dim in options.dims:
            for buckets in options.buckets:
                V = matrices.uniform(n_words + buckets, dim, seed=1, threads=1)
                U = matrices.zeros(n_words, dim)
                for threads in options.threads:
                    settings = Sent2VecSettings.make(
                        dim=dim, buckets=buckets, threads=threads, subsample=1e-5,
                        drop_ngrams=4, negatives=10,
                    )  # fmt: skip
                    roof = bytes_of_roofline(V, threads)
                    words = int(options.words * 100 / dim * threads)
                    ours = bytes_of_kernel(corpus, settings, V, U, words)
                    row = f"{dim:<5} {buckets:>8,} {threads:>7}  {roof / 1e9:6.1f} GB/s"
                    print(f"{row} {ours / 1e9:6.1f} GB/s  {ours / roof:6.0%}", flush=True)


if __name__ == "__main__":
    main()
