"""The linear-time kernel against the per-target rebuild kernel, side by side in one run.

    python benchmarks/speed/kernel_speed.py books.txt --dims 100 700

Both train on the same sentences, targets and dropped n-grams of a tokenised text, with one thread,
in turn. Prints known words per CPU second of the training alone (median of rounds) and ratios. The
base of the ratios is the rebuild kernel without sharing, because the released program draws
negatives for every target.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import rebuild_kernel
from sentvec.kernels.sent2vec import update
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.models.sent2vec.trainer import Sent2VecTrainer
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training.batches import Schedule

ROWS = (
    ("rebuild, negatives per target", True, False),
    ("rebuild, negatives shared", True, True),
    ("linear,  negatives per target", False, False),
    ("linear,  negatives shared", False, True),
)


def words_per_second(
    corpus: EncodedCorpus, settings: Sent2VecSettings, words: int, *, rebuild: bool
) -> float:
    """Train on the first N words of an epoch; known words per CPU second."""
    trainer = Sent2VecTrainer(settings, Tokenizer("whitespace")).resolve(corpus)
    data = trainer.data(corpus)
    [worker] = trainer.workers(data, [trainer.start(data)])
    state: Any = data.batches(Schedule(1, settings.lr, True, settings.seed, 1), 1e9)
    kernel = rebuild_kernel.train_batch if rebuild else update.train_batch
    done, seconds = 0, 0.0
    with mock.patch.object(update, "train_batch", kernel):
        worker(state.next_batch())  # compiled, and the scratch allocated
        while done < words and (batch := state.next_batch()) is not None:
            start = time.thread_time()
            worker(batch)
            seconds += time.thread_time() - start
            done += len(batch.ids)
    return done / seconds


def measure(corpus: EncodedCorpus, dim: int, options: argparse.Namespace) -> None:
    """Print the table of one dimension."""
    speeds: dict[str, list[float]] = {name: [] for name, _, _ in ROWS}
    for _ in range(options.rounds):
        for name, rebuild, shared in ROWS:
            settings = Sent2VecSettings.make(
                dim=dim,
                epochs=1,
                threads=1,
                negatives=options.negatives,
                shared_negatives=shared,
                subsample=options.subsample,
                drop_ngrams=options.drop_ngrams,
                buckets=options.buckets,
            )
            words = int(options.words * 100 / max(dim, 100))
            speeds[name].append(words_per_second(corpus, settings, words, rebuild=rebuild))
    base = np.array(speeds[ROWS[0][0]])
    print(f"\ndim {dim}, {options.buckets:,} buckets, {options.negatives} negatives, "
          f"t = {options.subsample:g}, K = {options.drop_ngrams}, one thread")  # fmt: skip
    for name, values in speeds.items():
        ratio = statistics.median(np.array(values) / base)
        print(f"  {name:<32} {statistics.median(values) / 1e6:6.3f} M words/s   x {ratio:.2f}")


def main() -> None:
    """Read the corpus once, then measure each dimension."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", nargs="+", help="tokenised text, one sentence a line")
    parser.add_argument("--dims", type=int, nargs="+", default=[100, 700])
    parser.add_argument("--words", type=float, default=3e6, help="words a run at dim 100")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--buckets", type=int, default=500_000)
    parser.add_argument("--negatives", type=int, default=10)
    parser.add_argument("--subsample", type=float, default=1e-5)
    parser.add_argument("--drop-ngrams", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = encode_corpus(
            open_corpus(options.corpus), Tokenizer("whitespace"), Path(folder), min_count=5
        )
        for dim in options.dims:
            measure(corpus, dim, options)


if __name__ == "__main__":
    main()
