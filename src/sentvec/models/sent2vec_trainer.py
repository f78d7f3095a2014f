"""How Sent2Vec trains on a batch: the tables a run draws from, and the workers of the threads."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import CorpusError
from sentvec.features import ngram_rows, placeholder_rows
from sentvec.models.settings import Sent2VecSettings
from sentvec.models.subsampling import kept_share
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.vocabulary import Vocabulary
from sentvec.threads import processors
from sentvec.training import matrices, memory
from sentvec.training.batches import Batch, Batches, Schedule
from sentvec.training.rounds import Rounds

Floats = NDArray[np.float32]

# Without a number of buckets: half a bucket per known token of the corpus, within these bounds. A
# text of n tokens has fewer than n distinct bigrams; the released program's default is the upper.
FEWEST_BUCKETS, MOST_BUCKETS = 10_000, 2_000_000
FEWEST_WORDS = 2  # of a vocabulary
# Of the words drawn as negatives, so many are not the commonest at least. Counts of text are far
# from it: of two words, one would have to be seen a hundred million times as often as the other.
FEWEST_OTHERS = 1e-4
# Of a worker, for each feature of the longest sentence: 18 rows of integers, four slots, the rest.
SCRATCH_BYTES = 18 * 8 + 4 * 8 + 20


def resolved(settings: Sent2VecSettings, corpus: EncodedCorpus) -> Sent2VecSettings:
    """The settings with what depends on the corpus and the machine filled in."""
    buckets = buckets_for(settings, len(corpus.ids)) or None
    return settings.with_values(buckets=buckets, threads=settings.threads or processors())


def buckets_for(settings: Sent2VecSettings, tokens: int) -> int:
    """The number of n-gram buckets of a run on a corpus of so many known tokens."""
    if settings.ngrams == 1:
        return 0
    return settings.buckets or min(max(tokens // 2, FEWEST_BUCKETS), MOST_BUCKETS)


def memory_of(
    settings: Sent2VecSettings, n_words: int, buckets: int, longest: int = 0
) -> memory.MemoryEstimate:
    """What a run will need, its longest sentence having so many known words."""
    rows = n_words + buckets + (settings.variant == "released")
    threads = settings.threads or processors()
    copies = 1 + threads if settings.deterministic and threads > 1 else 1
    matrix_bytes = (rows + n_words) * settings.dim * np.dtype(settings.dtype).itemsize
    return memory.estimate(
        copies * matrix_bytes, n_words, scratch=threads * longest * settings.ngrams * SCRATCH_BYTES
    )


def check_least_memory(settings: Sent2VecSettings, known_words: int = 0) -> None:
    """Check what the settings alone ask for, before an hour is spent on counting words.

    Args:
        settings: Of the run.
        known_words: The size of the vocabulary it starts from, if any.

    Raises:
        NotEnoughMemoryError: The run cannot go well, however small its corpus.
    """
    fewest = buckets_for(settings, tokens=0)
    memory_of(settings, max(known_words, FEWEST_WORDS), fewest).check(at_least=True)


def keep_probabilities(counts: NDArray[np.int64], settings: Sent2VecSettings) -> Floats:
    """q_p of each word: the probability that it is predicted where it stands (paper, section 2.1).

    min(1, sqrt(t / f) + t / f), f being the word's share of the known tokens; 1 where t is 0, and
    -1 for words seen less than `min_target_count` times.

    Raises:
        CorpusError: No word is left to predict.
    """
    keep = kept_share(counts, settings.subsample)
    keep = np.where(counts >= settings.min_target_count, keep, -1.0)
    if keep.max() < 0:
        msg = (
            f"no word is seen min_target_count={settings.min_target_count} times: the commonest is "
            f"seen {counts.max()} times - lower min_target_count"
        )
        raise CorpusError(msg)
    return keep.astype(np.float32)


def check_negatives(vocabulary: Vocabulary) -> None:
    """Check that there is something to draw against the commonest word: it is drawn until it comes.

    Raises:
        CorpusError: Nearly every word drawn would be the commonest itself.
    """
    weights = np.sqrt(vocabulary.counts.astype(np.float64))
    commonest = int(weights.argmax())
    others = (weights.sum() - weights[commonest]) / weights.sum()
    if others < FEWEST_OTHERS:
        msg = (
            f"every negative would be the target: {vocabulary.words[commonest]!r} is seen "
            f"{vocabulary.counts[commonest]:,} times and drawn {1 - others:.4%} of the time - "
            "expected other words that are common too; lower min_count or use more text"
        )
        raise CorpusError(msg)


class Shared:
    """What all workers read or change: the matrices, the tables, the settings."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        keep: Floats,
        V: matrices.Matrix,
        U: matrices.Matrix,
        settings: Sent2VecSettings,
        tokens: int,
    ) -> None:
        from sentvec.kernels import logistic, sent2vec, setup, storage

        self.train_batch = sent2vec.train_batch
        self.integer_rows = sent2vec.INTEGER_ROWS
        self.keep, self.V, self.U, self.settings = keep, V, U, settings
        self.total = float(tokens * settings.epochs)
        self.rate, self.tau = settings.lr, settings.l1
        self.table = logistic.logistic_table()
        self.alias_keep = np.empty(len(counts), np.float32)
        self.alias_other = np.empty(len(counts), np.uint32)
        # q_n: the square root of the count (paper, section 2.1)
        setup.alias_table(np.sqrt(counts.astype(np.float64)), self.alias_keep, self.alias_other)
        self.noise = storage.noise_table(settings.dim, settings.seed)
        self._half_matrix = storage.HalfMatrix

    def with_copies(self, rounds: Rounds | None, number: int) -> Shared:
        """The same with a worker's own matrices, where workers have some."""
        if rounds is None:
            return self
        own = copy.copy(self)
        own.V, own.U = (copies[number] for copies in rounds.copies)
        return own

    def for_kernel(self, matrix: matrices.Matrix) -> Any:
        """The matrix as one worker's kernel takes it."""
        if matrix.dtype == np.float32:
            return matrix
        return self._half_matrix(matrix.view(np.uint16), self.noise, np.zeros(1, np.uint64))


class Worker:
    """Trains on batches, with the scratch memory of one thread."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._V, self._U = shared.for_kernel(shared.V), shared.for_kernel(shared.U)
        self._work = np.empty((4, shared.settings.dim), np.float32)
        self._make_room(0)

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of targets)."""
        s, shared = self._shared.settings, self._shared
        longest = int(np.diff(batch.offsets).max(initial=0)) * s.ngrams
        if longest > self._longest:
            self._make_room(longest)
        shape = {"n_words": len(shared.U), "ngrams": s.ngrams, "buckets": s.buckets or 1}
        grams = ngram_rows(batch.ids, batch.offsets, **shape)
        released = s.variant == "released"
        if released:
            placeholders = placeholder_rows(batch.ids, batch.offsets, **shape)
        else:
            placeholders = np.empty((len(batch.ids), 0), np.int64)
        loss, targets = shared.train_batch(
            batch.ids, batch.offsets, batch.sentences, grams, placeholders,
            self._V, self._U, shared.keep, shared.alias_keep, shared.alias_other, shared.table,
            s.negatives, s.shared_negatives, s.drop_ngrams, shared.tau, released,
            shared.rate, float(batch.done), shared.total, s.seed, batch.epoch,
            self._work, self._integers, self._slots, self._floats,
        )  # fmt: skip
        return float(loss), int(targets)

    def evaluate(self, corpus: EncodedCorpus) -> float:
        """The loss per target on another text, with the same ids; changes nothing.

        A learning rate of 0 makes the kernel compute every loss and add zeros. Targets, dropped
        n-grams and negatives are drawn as in epoch 0, so losses can be compared.
        """
        shared = self._shared
        rate, total, tau = shared.rate, shared.total, shared.tau
        shared.rate, shared.total, shared.tau = 0.0, 1.0, 0.0
        try:
            s = shared.settings
            batches = Batches(corpus, Schedule(1, 1.0, False, s.seed, 1))
            results = [self(batch) for batch in batches]
        finally:
            shared.rate, shared.total, shared.tau = rate, total, tau
        targets = sum(count for _, count in results)
        return sum(loss for loss, _ in results) / targets if targets else float("nan")

    def _make_room(self, longest: int) -> None:
        """Scratch for sentences of so many features."""
        negatives = self._shared.settings.negatives
        self._longest = longest
        width = max(longest, negatives + 1)
        self._integers = np.zeros((self._shared.integer_rows, width), np.int64)
        self._slots = np.empty(4 * longest + 4, np.int64)
        self._floats = np.empty(longest + 2 * negatives + 2, np.float32)
