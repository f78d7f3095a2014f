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
from sentvec.machine import processors
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.text.encoded import EncodedCorpus
from sentvec.training import memory
from sentvec.training.batches import Units

Floats = NDArray[np.float32]
MIN_WORDS = 2  # of a vocabulary


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
        from sentvec.kernels.siamese_cbow import pairing, slots

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
