"""The speed of training against gensim's Doc2Vec and FastText on the same text, in one run.

    pip install gensim
    python benchmarks/speed/gensim_speed.py books.txt

All train for one pass over the same words (those with at least 5 occurrences), with the same
dimension, subsampling and number of negatives, with one thread, in turn. gensim reads the file
while it trains, so ours is timed with reading and counting ("from file") and without ("training").
Prints words of the file per CPU second (median of rounds), and ratios to Doc2Vec's distributed
memory. What the programs learn differs: gensim has no model of word n-grams; FastText
has character n-grams instead.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from common.texts import copy_words
from kernel_speed import words_per_second
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.text.tokenizer import Tokenizer

MIN_COUNT = 5


def gensim_seconds(make: Callable[..., Any], path: Path, options: argparse.Namespace) -> float:
    """CPU seconds of one pass of a gensim model, without counting the vocabulary."""
    model = make(
        vector_size=options.dim, negative=options.negatives, sample=options.subsample,
        min_count=MIN_COUNT, epochs=1, workers=1,
    )  # fmt: skip
    model.build_vocab(corpus_file=str(path))
    start = time.process_time()
    model.train(
        corpus_file=str(path), total_examples=model.corpus_count,
        total_words=model.corpus_total_words, epochs=1,
    )  # fmt: skip
    return time.process_time() - start


def our_seconds(
    path: Path, settings: Sent2VecSettings, words: int
) -> tuple[EncodedCorpus, float, float]:
    """CPU seconds of reading and counting, and of training."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        corpus = encode_corpus(
            open_corpus(path), Tokenizer("whitespace"), Path(folder), min_count=MIN_COUNT
        )
        reading = time.process_time() - start
        speed = words_per_second(corpus, settings, words, rebuild=False)
        return corpus, reading, len(corpus.ids) / speed


def measure(path: Path, words: int, options: argparse.Namespace) -> dict[str, list[float]]:
    """Words a second of each program, once a round."""
    from gensim.models.doc2vec import Doc2Vec
    from gensim.models.fasttext import FastText

    common = {
        "dim": options.dim,
        "subsample": options.subsample,
        "min_count": MIN_COUNT,
        "threads": 1,
    }
    theirs: dict[str, Callable[..., Any]] = {
        "gensim Doc2Vec, distributed memory": lambda **k: Doc2Vec(dm=1, **k),
        "gensim Doc2Vec, bag of words": lambda **k: Doc2Vec(dm=0, **k),
        "gensim FastText, cbow": lambda **k: FastText(sg=0, **k),
        "gensim FastText, skip-gram": lambda **k: FastText(sg=1, **k),
    }
    negatives = options.negatives
    ours = {
        f"{negatives} negatives for every word": {
            "negatives": negatives,
            "shared_negatives": False,
        },
        f"{negatives} negatives shared": {"negatives": negatives},
        "30 negatives shared (the default)": {"negatives": 30},
    }
    speeds: dict[str, list[float]] = {}
    our_seconds(path, Sent2VecSettings.make(**common), words)  # compiles
    for _ in range(options.rounds):
        for name, make in theirs.items():
            speeds.setdefault(name, []).append(words / gensim_seconds(make, path, options))
        for name, changes in ours.items():
            settings = Sent2VecSettings.make(**common, **changes)
            _, reading, training = our_seconds(path, settings, words)
            speeds.setdefault(f"sentvec, {name}: training", []).append(words / training)
            speeds.setdefault(f"sentvec, {name}: from file", []).append(
                words / (reading + training)
            )
    return speeds


def main() -> None:
    """Cut the text, measure all in turn, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path, help="tokenised text, one sentence a line")
    parser.add_argument("--words", type=float, default=2e6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--negatives", type=int, default=10)
    parser.add_argument("--subsample", type=float, default=1e-4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        with path.open("wb") as file:
            words = copy_words(options.corpus, file, options.words)
        speeds = measure(path, words, options)
    base = next(iter(speeds.values()))
    for name, values in speeds.items():
        ratio = statistics.median(a / b for a, b in zip(values, base, strict=True))
        print(f"{name:<58} {statistics.median(values) / 1e6:6.3f} M words/s   x {ratio:.2f}")


if __name__ == "__main__":
    main()
