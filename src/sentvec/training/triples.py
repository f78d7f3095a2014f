"""Batches of triples: sentences of one length with the sentence before and the one after.

An epoch's order depends on the seed and the epoch alone: the triples at random, those of a length
together, cut into batches, the batches at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sentvec.text.corpus_files import Ids
from sentvec.text.encoded import EncodedCorpus
from sentvec.training.batches import Batch, Batches, Position, Schedule, Units

_WINDOW = 1 << 22  # sentences looked at at a time


@dataclass(frozen=True)
class Triples:
    """The triples of a corpus.

    Attributes:
        ids: uint32 (n_tokens,), the words of all sentences.
        offsets: int64 (n_sentences + 1,), where each begins.
        middles: int64 (n,), the sentences in the middle of a triple, in order.
        size: Triples of a batch; a length's last batch has fewer.
        too_long: Sentences that are between two others and are in no triple as its middle, for
            one of the three is too long.
    """

    ids: Ids
    offsets: NDArray[np.int64]
    middles: NDArray[np.int64]
    size: int
    too_long: int

    @classmethod
    def of(cls, corpus: EncodedCorpus, size: int, max_tokens: int) -> Triples:
        """Find the triples within documents, all three of whose sentences are short enough.

        Args:
            corpus: With unknown words.
            size: Triples of a batch.
            max_tokens: The longest sentence, without its end.
        """
        offsets, documents = corpus.offsets, corpus.documents
        n = len(offsets) - 1
        short = np.zeros(n, bool)
        for start in range(0, n, _WINDOW):
            lengths = np.diff(offsets[start : start + _WINDOW + 1])
            short[start : start + _WINDOW] = (lengths > 0) & (lengths <= max_tokens)
        inside = np.ones(n, bool)
        inside[documents[:-1]] = inside[documents[1:] - 1] = False
        middles = inside[1:-1] & short[:-2] & short[1:-1] & short[2:]
        return cls(
            corpus.ids, offsets, 1 + np.flatnonzero(middles), size,
            int(inside.sum() - middles.sum()),
        )  # fmt: skip

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Words of the middle sentences."""
        return self.offsets[self.middles + 1] - self.offsets[self.middles]

    def batches(
        self, schedule: Schedule, untrained_loss: float = math.inf, start: Position | None = None
    ) -> TripleBatches:
        """What a worker takes its batches from."""
        return TripleBatches(self, schedule, untrained_loss, start)

    def words(self, sentences: NDArray[np.int64]) -> tuple[Ids, NDArray[np.int64]]:
        """The ids of some sentences, one after the other, and their lengths."""
        first = self.offsets[sentences]
        lengths = self.offsets[sentences + 1] - first
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(first - ends + lengths, lengths)
        return self.ids[places], lengths


class TripleBatches(Batches):
    """Deals out the batches of the epochs; a unit is a triple, a word one of a middle sentence."""

    def __init__(
        self, triples: Triples, schedule: Schedule, untrained_loss: float, start: Position | None
    ) -> None:
        units = Units(triples.ids, np.arange(len(triples.middles) + 1))
        super().__init__(units, schedule, untrained_loss, start)
        self._triples, self.words = triples, int(triples.lengths.sum())
        self._ordered, self._order = -1, triples.middles
        self._ends = np.zeros(0, np.int64)

    def next_batch(self) -> Batch | None:
        """Take the next triples of the epoch's order; None where it is over or held.

        `sentences` of the batch are the middles, `ids` and `offsets` their words.
        """
        with self._lock:
            if self._held or self._sentence == len(self._triples.middles):
                return None
            if self._ordered != self._epoch:
                self._set_order(self._epoch)
            end = int(self._ends[np.searchsorted(self._ends, self._sentence, side="right")])
            sentences, epoch, done = (
                self._order[self._sentence : end], self._epoch, self._claimed
            )  # fmt: skip
            ids, lengths = self._triples.words(sentences)
            self._sentence = end
            self._claimed += len(ids)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return Batch(ids, offsets, sentences, epoch, done)

    def _set_order(self, epoch: int) -> None:
        triples, schedule = self._triples, self._schedule
        random = np.random.default_rng([schedule.seed, epoch])
        n = len(triples.middles)
        order = random.permutation(n) if schedule.shuffle else np.arange(n)
        order = order[np.argsort(triples.lengths[order], kind="stable")]
        lengths = triples.lengths[order]
        # A batch begins where a length does, and `size` triples after a beginning.
        starts = np.flatnonzero(np.diff(lengths, prepend=-1))
        within = np.arange(n) - np.repeat(starts, np.diff(starts, append=n))
        begins = np.flatnonzero(within % triples.size == 0)
        parts = np.split(order, begins[1:])
        if schedule.shuffle:
            parts = [parts[i] for i in random.permutation(len(parts))]
        self._order = triples.middles[np.concatenate(parts)]
        self._ends = np.cumsum([len(part) for part in parts])
        self._ordered = epoch
