"""Siamese CBOW against gensim's word2vec on the same text: the paper's main claim.

    pip install gensim
    python benchmarks/quality/siamese_claim.py wiki.txt books.txt --data DIR [--words 10e6]
        [--sent2vec] [--models 1 2 3 4 5]

Trains Siamese CBOW (the paper's preset, the same with summed gradients, our default) and word2vec
(CBOW and skip-gram, gensim's defaults), all of 300 dimensions, on the first N words of each text.
Prints Pearson's r of the cosine on the sets of the suite `siamese-cbow` that are available, and the
number of sets each model is best at. Words are split at white space. With --sent2vec, it also runs
the six classification tasks (the protocol of the papers), which the paper leaves open.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sentvec
from common.texts import join
from sentvec.models.base.averaging import SentenceEncoder, averaging
from sentvec.models.siamese_cbow.model import SiameseCBOW

Make = Callable[[Path, Path, argparse.Namespace], SentenceEncoder]


def siamese(**settings: Any) -> Make:
    """Siamese CBOW with some settings."""

    def make(text: Path, folder: Path, options: argparse.Namespace) -> SentenceEncoder:
        return SiameseCBOW.train(
            text, tokenizer="whitespace", threads=options.threads, dim=300, **settings
        )

    return make


def word2vec(*, skip_gram: bool) -> Make:
    """Gensim's word2vec with its defaults, saved and opened as a file of word vectors."""

    def make(text: Path, folder: Path, options: argparse.Namespace) -> SentenceEncoder:
        from gensim.models import Word2Vec

        model = Word2Vec(
            corpus_file=str(text), vector_size=300, sg=int(skip_gram), workers=options.threads
        )
        path = folder / f"word2vec-{skip_gram}.bin"
        model.wv.save_word2vec_format(str(path), binary=True)
        return averaging(sentvec.load(path), str(path), "word vectors")

    return make


MODELS: dict[str, Make] = {
    "word2vec CBOW (gensim)": word2vec(skip_gram=False),
    "word2vec skip-gram (gensim)": word2vec(skip_gram=True),
    "Siamese CBOW, paper": siamese(preset="paper/siamese-cbow"),
    "Siamese CBOW, paper, summed": siamese(preset="paper/siamese-cbow", batch_gradient="sum"),
    "Siamese CBOW, ours": siamese(),
}


def sets_of(report: Any) -> dict[str, float]:
    """Pearson's r of every set of every task."""
    return {
        f"{task[3:]} {name}": values.pearson
        for task, result in report.items()
        for name, values in result.sets.items()
    }


def rows(table: dict[str, dict[str, float]]) -> Iterator[str]:
    """The lines of the table, and at the end the mean and the number of sets won."""
    names = list(table)
    yield "set".ljust(28) + "".join(f"{index:>8}" for index in range(1, len(names) + 1))
    sets = list(next(iter(table.values())))
    values = np.array([[table[name][one] for name in names] for one in sets])
    for one, line in zip(sets, values, strict=True):
        yield one.ljust(28) + "".join(f"{value:8.3f}" for value in line)
    yield "mean".ljust(28) + "".join(f"{value:8.3f}" for value in values.mean(axis=0))
    won = np.bincount(values.argmax(axis=1), minlength=len(names))
    yield "sets won".ljust(28) + "".join(f"{count:8d}" for count in won)


def main() -> None:
    """Train all, evaluate all, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path, nargs="+", help="tokenised text in reading order")
    parser.add_argument("--data", type=Path, required=True, help="tree of evaluation sets")
    parser.add_argument("--words", type=float, default=float("inf"), help="of each text")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--models", type=int, nargs="+", default=[1, 2, 3, 4, 5],
                        help="which, for a run in parts")  # fmt: skip
    parser.add_argument("--sent2vec", action="store_true", help="also the six classifications")
    options = parser.parse_args()
    table, accuracies = {}, {}
    with tempfile.TemporaryDirectory() as name:
        text = Path(name) / "text.txt"
        join(options.corpus, text, options.words)
        for number, (title, make) in enumerate(MODELS.items(), 1):
            if number not in options.models:
                continue
            start = time.perf_counter()
            model = make(text, Path(name), options)
            spent = time.perf_counter() - start
            rms = float(np.sqrt(np.square(model.input_vectors[:1000], dtype=np.float64).mean()))
            print(f"{number} {title}: {spent:.0f} s, rms of the 1,000 most frequent rows {rms:.4f}",
                  flush=True)  # fmt: skip
            found = sentvec.evaluate(model, data=options.data, suite="siamese-cbow")
            table[title] = sets_of(found)
            mean = np.mean(list(table[title].values()))
            print(f"{number} mean Pearson of {len(table[title])} sets {mean:.3f}", flush=True)
            if options.sent2vec:
                tasks = "MR,CR,SUBJ,MPQA,TREC,MSRP"
                found = sentvec.evaluate(model, data=options.data, tasks=tasks, protocol="paper")
                accuracies[title] = {task: result.accuracy for task, result in found.items()}
    print("\n".join(rows(table)))
    for title, values in accuracies.items():
        line = "  ".join(f"{task} {100 * value:.1f}" for task, value in values.items())
        print(f"{title:<30} {line}  mean {100 * np.mean(list(values.values())):.1f}")


if __name__ == "__main__":
    main()
