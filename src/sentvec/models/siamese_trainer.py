"""How Siamese CBOW trains on a batch: the corpus as it goes through it, and the workers.

The update is in `kernels.siamese`, what a batch is made of in `kernels.slots`, which sentences are
neighbours in `kernels.pairing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import CorpusError
from sentvec.models.siamese_settings import SiameseCBOWSettings
from sentvec.models.subsampling import kept_share
from sentvec.text.encoded import EncodedCorpus
from sentvec.threads import processors
from sentvec.training import matrices, memory
from sentvec.training.batches import Batch, Batches, Schedule, Units

Floats = NDArray[np.float32]
FEWEST_WORDS = 2  # of a vocabulary


def resolved(settings: SiameseCBOWSettings) -> SiameseCBOWSettings:
    """The settings with what depends on the machine filled in."""
    return settings.with_values(threads=settings.threads or processors())


def slots_of(settings: SiameseCBOWSettings) -> int:
    """The most sentences that a batch averages."""
    if settings.shared_negatives:
        return settings.batch + 2 + settings.negatives
    return settings.batch * (3 + settings.negatives)


def memory_of(
    settings: SiameseCBOWSettings, n_words: int, longest: int = 0, sentences: int = 0
) -> memory.MemoryEstimate:
    """What a run will need, its longest sentence having so many known words."""
    row = settings.dim * np.dtype(settings.dtype).itemsize
    row += 4 * (settings.optimizer == "adagrad")
    words = min(longest, settings.max_tokens or longest)
    slots = slots_of(settings)
    worker = slots * (8 * settings.dim + 4 * words + 64) + 4 * words
    corpus = sentences + (16 * -(-sentences // settings.batch) if settings.shared_negatives else 0)
    scratch = (settings.threads or processors()) * worker + corpus
    return memory.estimate(n_words * row, n_words, scratch=scratch)


@dataclass(frozen=True, slots=True)
class Pairs:
    """A corpus as it is gone through: which sentences have neighbours, and the units of an epoch.

    Attributes:
        text: The corpus as the kernel takes it.
        units: Runs of sentences with shared negatives, sentences without.
        examples: Sentences that have a neighbour to predict.
        longest: Words of the longest sentence, as far as they are trained on.
    """

    text: Any
    units: Units
    examples: int
    longest: int

    @classmethod
    def of(
        cls, corpus: EncodedCorpus, settings: SiameseCBOWSettings, name: str = "the corpus"
    ) -> Pairs:
        """Find the neighbours of all sentences of a text, which errors call by a name.

        Raises:
            CorpusError: There are none.
        """
        from sentvec.kernels import pairing, slots

        offsets, documents = corpus.offsets, corpus.documents
        roles = np.zeros(len(offsets) - 1, np.uint8)
        examples = pairing.fill_roles(
            offsets, documents, settings.positives, settings.edges == "skip", roles
        )
        if not examples:
            raise CorpusError(_no_neighbours(corpus, settings, name))
        if settings.shared_negatives:
            starts = np.empty(pairing.count_runs(documents, settings.batch) + 1, np.int64)
            pairing.fill_starts(documents, settings.batch, starts)
            units = Units(corpus.ids, offsets[starts])
        else:
            starts = np.empty(0, np.int64)
            units = Units(corpus.ids, offsets, settings.batch, roles)
        longest = corpus.longest_sentence()
        return cls(
            slots.Text(corpus.ids, offsets, roles, starts), units, int(examples),
            min(longest, settings.max_tokens or longest),
        )  # fmt: skip


def _no_neighbours(corpus: EncodedCorpus, settings: SiameseCBOWSettings, name: str) -> str:
    stats = corpus.stats
    has = f"{name} has {stats.sentences:,} sentences in {stats.documents:,} documents"
    if settings.edges == "skip" and settings.positives == 2:
        return (
            f"no sentence has two neighbours: {has} - expected documents of three sentences and "
            "more, one a line, blank lines only between documents; or edges='use'"
        )
    return (
        f"no sentence has a neighbour: {has} - expected documents of two sentences and more, one a "
        "line, blank lines only between documents"
    )


class Shared:
    """What all workers read or change: the matrices, the corpus, the settings."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        V: matrices.Matrix,
        squares: matrices.Matrix,
        pairs: Pairs,
        settings: SiameseCBOWSettings,
    ) -> None:
        from sentvec.kernels import siamese, slots, storage

        self.train_batch, self.slots = siamese.train_batch, slots
        self.V, self.squares, self.pairs, self.settings = V, squares, pairs, settings
        self.total = float(len(pairs.units.ids) * settings.epochs)
        keep = kept_share(counts, settings.subsample) if settings.subsample else np.empty(0)
        self.keep = keep.astype(np.float32)
        self.noise = storage.noise_table(settings.dim, settings.seed)
        self._half_matrix = storage.HalfMatrix

    def for_kernel(self) -> Any:
        """The vectors as one worker's kernel takes them."""
        if self.V.dtype == np.float32:
            return self.V
        return self._half_matrix(self.V.view(np.uint16), self.noise, np.zeros(1, np.uint64))


class Worker:
    """Trains on batches, with the scratch memory of one thread."""

    def __init__(self, shared: Shared) -> None:
        self._shared, self._V = shared, shared.for_kernel()
        self._scratch = self._make_room(shared.pairs.longest)

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of examples)."""
        s = self._shared
        return self._run(batch, s.pairs, s.settings.lr, s.total)

    def evaluate(self, corpus: EncodedCorpus) -> float:
        """The loss per example on another text, with the same ids; changes nothing.

        Negatives are drawn from that text as in epoch 0, so losses can be compared.
        """
        settings = self._shared.settings
        pairs = Pairs.of(corpus, settings)
        if pairs.longest > len(self._scratch.steps):
            self._scratch = self._make_room(pairs.longest)
        batches = Batches(pairs.units, Schedule(1, 1.0, False, settings.seed, 1))
        results = [self._run(batch, pairs, 0.0, 1.0) for batch in batches]
        examples = sum(count for _, count in results)
        return sum(loss for loss, _ in results) / examples if examples else float("nan")

    def _run(self, batch: Batch, pairs: Pairs, rate: float, total: float) -> tuple[float, int]:
        shared, s = self._shared, self._shared.settings
        method = shared.slots.Method(
            s.batch, s.negatives, s.shared_negatives, pairs.longest, s.temperature,
            s.batch_gradient == "mean",
        )  # fmt: skip
        loss, examples = shared.train_batch(
            pairs.text, batch.sentences, batch.offsets, self._V, shared.squares, shared.keep,
            method, rate, float(batch.done), total, s.seed, batch.epoch, self._scratch,
        )  # fmt: skip
        return float(loss), int(examples)

    def _make_room(self, longest: int) -> Any:
        """Scratch for sentences of so many words."""
        s = self._shared.settings
        return self._shared.slots.make_scratch(slots_of(s), s.batch, s.negatives, longest, s.dim)
