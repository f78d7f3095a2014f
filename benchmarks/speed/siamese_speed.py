"""The speed of Siamese CBOW against a training loop in PyTorch, in one run.

    pip install torch
    python benchmarks/speed/siamese_speed.py books.txt

The loop in PyTorch is the paper's model as one would write it: an `EmbeddingBag` of means with
sparse gradients, cosines, cross-entropy, SGD, batches of 100 sentences with their neighbours and
two negatives; NumPy puts the batches together without a loop over sentences. Both train on the same
text with one thread, in turn. Prints middle sentences per CPU second, including the making of
batches: the median of the rounds, and the median ratio to PyTorch in the same round. Our default
preset trains differently; it is there to show its cost.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.models.siamese_cbow.pairs import Pairs
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.models.siamese_cbow.trainer import SiameseCBOWTrainer
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training.batches import EMPTY_BATCH, Schedule

PAPER = "paper/siamese-cbow"


def ours(corpus: EncodedCorpus, settings: SiameseCBOWSettings, sentences: int) -> float:
    """Middle sentences per CPU second over at least N sentences of an epoch."""
    trainer = SiameseCBOWTrainer(settings, Tokenizer("whitespace"))
    data = trainer.data(corpus)
    [worker] = trainer.workers(data, [trainer.start(data)])
    worker(EMPTY_BATCH)  # compiled
    state = data.batches(Schedule(1, settings.lr, True, 1, 1))
    done, start = 0, time.thread_time()
    while done < sentences and (batch := state.next_batch()) is not None:
        done += worker(batch)[1]
    return done / (time.thread_time() - start)


def torchs(corpus: EncodedCorpus, settings: SiameseCBOWSettings, sentences: int) -> float:
    """The same of the loop in PyTorch, with the settings of the paper."""
    import torch

    torch.set_num_threads(1)
    rng, pairs = np.random.default_rng(1), Pairs.of(corpus, settings)
    middles = np.flatnonzero(pairs.text.roles)
    known = np.flatnonzero(np.diff(corpus.offsets))
    rng.shuffle(middles)
    bag = torch.nn.EmbeddingBag(len(corpus.vocabulary), settings.dim, mode="mean", sparse=True)
    torch.nn.init.normal_(bag.weight, 0.0, 0.01)
    optimizer = torch.optim.SGD(bag.parameters(), lr=settings.lr)
    targets = torch.tensor([0.5, 0.5, *[0.0] * settings.negatives])
    batch, done, start = settings.batch, 0, time.process_time()
    while done + batch <= min(sentences, len(middles)):
        middle = middles[done : done + batch, None]
        negatives = rng.choice(known, (batch, settings.negatives))
        members = np.hstack([middle, middle - 1, middle + 1, negatives])
        ids, starts = _flat(corpus, members.reshape(-1), settings.max_tokens or pairs.longest)
        means = bag(torch.from_numpy(ids), torch.from_numpy(starts))
        means = torch.nn.functional.normalize(means, dim=1).view(*members.shape, -1)
        cosines = (means[:, :1] * means[:, 1:]).sum(dim=2)
        loss = torch.nn.functional.cross_entropy(cosines, targets.expand_as(cosines))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        done += batch
    return done / (time.process_time() - start)


def _flat(
    corpus: EncodedCorpus, sentences: NDArray[np.int64], longest: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The words of some sentences one after the other, and where each sentence begins."""
    begins = np.asarray(corpus.offsets[sentences])
    lengths = np.minimum(corpus.offsets[sentences + 1] - begins, longest)
    starts = np.cumsum(lengths) - lengths
    places = np.repeat(begins - starts, lengths) + np.arange(lengths.sum())
    return corpus.ids[places].astype(np.int64), starts


def main() -> None:
    """Read the corpus once, then measure each dimension."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("corpus", nargs="+", help="tokenised text in documents, a sentence a line")
    parser.add_argument("--dims", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--sentences", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = encode_corpus(
            open_corpus(options.corpus), Tokenizer("whitespace"), Path(folder), min_count=5
        )
        for dim in options.dims:
            measure(corpus, dim, options)


def measure(corpus: EncodedCorpus, dim: int, options: argparse.Namespace) -> None:
    """Print the table of one dimension."""
    paper, default = (SiameseCBOWSettings.make(name, dim=dim) for name in (PAPER, None))
    rows: dict[str, Any] = {
        "PyTorch, EmbeddingBag": (torchs, paper),
        f"sentvec, {PAPER}": (ours, paper),
        "sentvec, default": (ours, default),
    }
    speeds: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(options.rounds):
        for name, (run, settings) in rows.items():
            speeds[name].append(run(corpus, settings, options.sentences))
    base = np.array(next(iter(speeds.values())))
    words = len(corpus.ids) / (len(corpus.offsets) - 1)
    print(f"\ndim {dim}, {words:.1f} known words a sentence, one thread")
    for name, values in speeds.items():
        ratio = statistics.median(np.array(values) / base)
        print(f"  {name:<28} {statistics.median(values):10,.0f} sentences/s   x {ratio:.1f}")


if __name__ == "__main__":
    main()
