"""Cost per word against the length of a line: the same words cut into ever longer lines.

    python benchmarks/speed/sentence_length.py books.txt
    python benchmarks/speed/sentence_length.py books.txt --siamese

With --siamese, Siamese CBOW with the paper's preset (each sentence has negatives of its own) and
sentences that are not cut; it needs neighbours, so its longest line is a tenth of the words.

Prints CPU nanoseconds a word (minimum of the rounds, one thread, taken in turn) and the ratio to
the cheapest length. If the cost is linear in the length of a sentence, all ratios are near 1.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.models.sent2vec.trainer import Sent2VecTrainer
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.models.siamese_cbow.trainer import SiameseCBOWTrainer
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training.batches import Schedule
from sentvec.training.trainer import Trainer

WORDS = 180_000
LENGTHS = (18, 180, 1_800, 180_000)
SIAMESE_LENGTHS = (18, 180, 1_800, 18_000)


def nanoseconds_per_word(corpus: EncodedCorpus, settings: Sent2VecSettings, length: int) -> float:
    """Train once on the first 180,000 words, cut into lines of one length."""
    cut = replace(corpus, ids=corpus.ids[:WORDS], offsets=np.arange(0, WORDS + 1, length))
    return _timed(Sent2VecTrainer(settings, Tokenizer("whitespace")), cut)


def siamese_nanoseconds(corpus: EncodedCorpus, settings: SiameseCBOWSettings, length: int) -> float:
    """The same of Siamese CBOW, all lines being one document."""
    cut = replace(
        corpus, ids=corpus.ids[:WORDS], offsets=np.arange(0, WORDS + 1, length),
        documents=np.array([0, WORDS // length]),
    )  # fmt: skip
    return _timed(SiameseCBOWTrainer(settings, Tokenizer("whitespace")), cut)


def _timed(trainer: Trainer[Any, Any], corpus: EncodedCorpus) -> float:
    """Nanoseconds of CPU time a word."""
    data = trainer.data(corpus)
    [worker] = trainer.workers(data, [trainer.start(data)])
    state = data.batches(Schedule(2, trainer.settings.lr, True, trainer.settings.seed, 1), 1e9)
    seconds = 0.0
    for _ in range(2):  # the first pass touches the memory
        seconds = 0.0
        state.begin()
        for batch in state:
            start = time.thread_time()
            worker(batch)
            seconds += time.thread_time() - start
        state.next_epoch()
    return seconds / WORDS * 1e9


def main() -> None:
    """Measure all lengths in turn, several times."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", help="tokenised text, one sentence a line")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--subsample", type=float, help="t [default: the preset's]")
    parser.add_argument("--drop-ngrams", type=int, help="K [default: the preset's]")
    parser.add_argument("--siamese", action="store_true", help="Siamese CBOW instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = encode_corpus(
            open_corpus(options.corpus), Tokenizer("whitespace"), Path(folder), min_count=5
        )
        lengths, measure = _measure(corpus, options)
        times: dict[int, float] = dict.fromkeys(lengths, float("inf"))
        for _ in range(options.rounds):
            for length in lengths:
                times[length] = min(times[length], measure(length))
    for length, spent in times.items():
        ratio = spent / min(times.values())
        print(f"lines of {length:>7,} words  {spent:7.0f} ns a word   x {ratio:.2f}")


def _measure(
    corpus: EncodedCorpus, options: argparse.Namespace
) -> tuple[tuple[int, ...], Callable[[int], float]]:
    """The lengths, and what measures one."""
    if options.siamese:
        siamese = SiameseCBOWSettings.make("paper/siamese-cbow", dim=options.dim)
        siamese = siamese.with_values(max_tokens=None)
        return SIAMESE_LENGTHS, lambda length: siamese_nanoseconds(corpus, siamese, length)
    made = Sent2VecSettings.make(
        dim=options.dim, subsample=options.subsample, drop_ngrams=options.drop_ngrams
    )
    settings = Sent2VecTrainer(made, Tokenizer("whitespace")).resolve(corpus).settings
    return LENGTHS, lambda length: nanoseconds_per_word(corpus, settings, length)


if __name__ == "__main__":
    main()
