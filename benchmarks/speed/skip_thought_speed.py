"""Skip-Thought training against a plain loop of `nn.GRU` and `CrossEntropyLoss`, in one run.

    python benchmarks/speed/skip_thought_speed.py books.txt [--dim 600] [--words 1e6] [--batches 20]

For each way of training: words of middle sentences a second, its ratio to the plain loop, the
share of time in the output layer (its gradient included), and the share spent on making batches.
The plain loop has the same sizes, batches and optimizer, pads sentences to the longest of a batch,
gives the sentence vector to every step of the decoders as part of their input, and computes the
output layer at every place, padding included.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from common.texts import copy_words
from sentvec import SkipThoughtSettings, Tokenizer
from sentvec.models.skip_thought.neighbours import triples_of
from sentvec.models.skip_thought.trainer import SkipThoughtTrainer
from sentvec.models.skip_thought.worker import rows_of_ids
from sentvec.networks import skip_thought
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.training.batches import Batch, Schedule
from sentvec.training.triples import Triples

SCHEDULE = Schedule(1, 1e-3, True, 1, 1)
_WARM = 3  # batches before the clock starts


class Plain(nn.Module):
    """The same network as most would write it."""

    def __init__(self, words: int, settings: SkipThoughtSettings) -> None:
        super().__init__()
        self.table = nn.Embedding(words + 1, settings.word_dim, padding_idx=words)
        self.encoder = nn.GRU(settings.word_dim, settings.dim, batch_first=True)
        self.decoders = nn.ModuleList(
            nn.GRU(settings.word_dim + settings.dim, settings.dim, batch_first=True) for _ in "pn"
        )
        self.output = nn.Linear(settings.dim, words)
        self.loss = nn.CrossEntropyLoss(ignore_index=words, reduction="sum")

    def forward(self, middle: torch.Tensor, neighbours: list[torch.Tensor]) -> torch.Tensor:
        """The loss of a batch of padded sentences."""
        _, state = self.encoder(self.table(middle))
        total = torch.zeros(())
        for decoder, targets in zip(self.decoders, neighbours, strict=True):
            shifted = torch.roll(targets, 1, dims=1)
            shifted[:, 0] = self.table.num_embeddings - 1
            words = self.table(shifted)
            seen = state[0][:, None].expand(-1, words.shape[1], -1)
            states, _ = decoder(torch.cat([words, seen], 2))
            total = total + self.loss(self.output(states).flatten(0, 1), targets.flatten())
        return total


def padded(ids: Any, lengths: Any, n_words: int) -> torch.Tensor:
    """Sentences with their ends as a matrix; what is beyond an end is the padding."""
    rows = rows_of_ids(ids, n_words)
    found = np.full((len(lengths), lengths.max() + 1), n_words + 2)
    start = 0
    for line, length in zip(found, lengths, strict=True):
        line[:length], line[length] = rows[start : start + length], 0
        start += length
    return torch.from_numpy(found)


def plain_steps(
    triples: Triples, n_words: int, settings: SkipThoughtSettings
) -> Callable[[Batch], None]:
    """A function that trains the plain network on a batch."""
    torch.manual_seed(1)
    model = Plain(n_words + 2, settings)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)

    def step(batch: Batch) -> None:
        middle = padded(batch.ids, np.diff(batch.offsets), n_words)
        around = [padded(*triples.words(batch.sentences + d), n_words) for d in (-1, 1)]
        loss = model(middle, around) / len(middle)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()

    return step


class Timed:
    """A function that adds up the time spent in it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        start = time.perf_counter()
        try:
            return self.function(*arguments)
        finally:
            self.seconds += time.perf_counter() - start


def measure(
    step: Callable[[Batch], Any], triples: Triples, n_batches: int, *timed: Timed
) -> tuple[float, list[float]]:
    """Words of middle sentences a second, and the shares of time spent in some functions."""
    dealt = triples.batches(SCHEDULE)
    deal = Timed(dealt.next_batch)
    for _ in range(_WARM):
        step(deal())
    for function in (deal, *timed):
        function.seconds = 0.0
    words, start = 0, time.perf_counter()
    for _ in range(n_batches):
        batch = deal()
        step(batch)
        words += len(batch.ids)
    seconds = time.perf_counter() - start
    return words / seconds, [function.seconds / seconds for function in (deal, *timed)]


def ours(
    corpus: EncodedCorpus, settings: SkipThoughtSettings, n_batches: int
) -> tuple[float, float, float]:
    """(words a second, share of time in the output layer, share for making batches)."""
    trainer = SkipThoughtTrainer(settings.with_values(device="cpu"), Tokenizer("whitespace"))
    data = trainer.data(corpus)
    [worker] = trainer.workers(data, [trainer.start(data)])
    gather = Timed(worker._neighbours)
    before = vars(skip_thought)["output_loss"]
    layer = Timed(before)
    vars(worker)["_neighbours"] = gather
    vars(skip_thought)["output_loss"] = layer
    try:
        speed, shares = measure(worker, data.triples, n_batches, gather, layer)
    finally:
        vars(skip_thought)["output_loss"] = before
    dealing, gathering, output = shares
    return speed, output, dealing + gathering


def main() -> None:
    """Train each way for some batches, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path, help="tokenised text in reading order")
    parser.add_argument("--words", type=float, default=1e6, help="of the text")
    parser.add_argument("--dim", type=int, default=SkipThoughtSettings().dim)
    parser.add_argument("--batches", type=int, default=20, help="that are timed")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as name:
        text = Path(name) / "text.txt"
        with text.open("wb") as file:
            copy_words(options.corpus, file, options.words)
        base = SkipThoughtSettings(dim=options.dim, tokenizer="whitespace")
        corpus = encode_corpus(
            open_corpus(text), Tokenizer("whitespace"), Path(name), min_count=base.min_count,
            max_vocab=base.max_vocab, unknown=True,
        )  # fmt: skip
        n_words = len(corpus.vocabulary)
        triples = triples_of(corpus, base)
        print(f"{n_words:,} words, dim {base.dim}, batches of {base.batch}, "
              f"{options.threads} threads, {options.batches} batches each", flush=True)  # fmt: skip
        plain, _ = measure(plain_steps(triples, n_words, base), triples, options.batches)
        print(f"{'nn.GRU, CrossEntropyLoss':32} {plain:8.0f} words/s", flush=True)
        for softmax in ("full", "adaptive"):
            for precision in ("float32", "bfloat16"):
                settings = base.with_values(softmax=softmax, precision=precision)
                speed, output, batches = ours(corpus, settings, options.batches)
                print(
                    f"{f'ours, {softmax}, {precision}':32} {speed:8.0f} words/s "
                    f"{speed / plain:6.2f}x  output layer {output:.0%}, batches {batches:.1%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
